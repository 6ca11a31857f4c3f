"""The official release of a data set, from its address to a directory the readers can use.

The archive is unpacked aside and checked, then moved into place file by file, one named file last:
where that file is, the rest is too, so half a release is never taken for the data.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from filecmp import cmp
from pathlib import Path
from typing import Any, Final

from denota.data.dataset import Release
from denota.data.disk import unreadable, unwritable
from denota.data.release.download import PATIENT, Patience, Progress, download
from denota.data.release.unpack import unpack
from denota.errors import DataError


@dataclass(frozen=True, slots=True)
class Fetched:
    """A release as it lies on the disk."""

    path: Path
    sha256: str | None  #: of the archive; None for data that was put there by other means
    bytes: int | None  #: of the archive
    questions: int  #: for training and, where they are there, for testing


def _silent(done: int, total: int | None) -> None:
    """Show no progress."""


def fetch(
    release: Release,
    to: str | Path,
    *,
    url: str | Path | None = None,
    sha256: str | None = None,
    progress: Progress = _silent,
    patience: Patience = PATIENT,
) -> Fetched:
    """Download, check and unpack a release; data that is already there is only checked.

    Args:
        release: what to fetch.
        to: the directory to hold it, made if need be.
        url: another address of the archive than the official one, or the path of one on disk.
        sha256: what the archive must hash to, if it matters.
        progress: called with the bytes downloaded and how many there will be, where that is known.
        patience: timeouts and retries of the download.

    Raises:
        DataError: it could not be done; says why in a sentence, and running it again goes on where
            it can.
    """
    to = Path(to)
    url = release.url if url is None else url
    found = _already_there(release, to)
    if found is not None:
        if sha256 is not None and found.sha256 != sha256.lower():
            raise DataError(
                f"{to} holds data from another archive than the one with sha256 {sha256};"
                " choose an empty directory"
            )
        return found
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(to, error) from error
    if "://" not in str(url):
        return _install(release, Path(url), str(url), to, sha256)
    archive = to / "release.zip"
    download(str(url), archive, limit=_LARGEST, progress=progress, patience=patience)
    try:
        return _install(release, archive, str(url), to, sha256)
    finally:
        with suppress(OSError):
            archive.unlink()


_LARGEST: Final = 200_000_000
_NOTE: Final = "fetched.json"


def _already_there(release: Release, to: Path) -> Fetched | None:
    """Return what an earlier fetch, or someone, put there.

    None where the last file is not there yet.
    """
    if not (to / release.last).is_file():
        return None
    try:
        questions = _count_questions(release, to)
    except DataError as error:
        raise DataError(
            f"{to} has a {release.last} that cannot be used;"
            f" remove it or choose another directory: {error}"
        ) from error
    try:
        note: Any = json.loads((to / _NOTE).read_text("utf-8"))
        return Fetched(to, str(note["sha256"]), int(note["bytes"]), questions)
    except (OSError, ValueError, KeyError, TypeError):
        return Fetched(to, None, None, questions)


def _count_questions(release: Release, directory: Path) -> int:
    """Count the questions of a release, which reads all of them and their tables."""
    files = [directory / name for name in release.counted]
    return sum(len(release.read_questions(file)) for file in files if file.is_file())


def _install(release: Release, archive: Path, url: str, to: Path, sha256: str | None) -> Fetched:
    """Unpack an archive aside, check what it holds, and move that into place."""
    try:
        with archive.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        raise unreadable(archive, error) from error
    if sha256 is not None and digest != sha256.lower():
        raise DataError(
            f"{url} has the sha256 {digest}, not {sha256}; it is not the archive that was asked for"
        )
    aside = to / ".unpacking"
    try:
        shutil.rmtree(aside, ignore_errors=True)  # of a run that was killed
        aside.mkdir()
        unpack(archive, aside)
        if not (aside / release.last).is_file() or not (aside / release.tables).is_dir():
            raise DataError(
                f"{url} is not the {release.title} release:"
                f" it holds no {release.last} or no {release.tables}; check the address"
            )
        questions = _count_questions(release, aside)
        note = {"url": url, "sha256": digest, "bytes": size}
        (aside / _NOTE).write_text(json.dumps(note, indent=1) + "\n", "utf-8")
        _move(aside, to, release.last)
    except OSError as error:
        raise unwritable(to, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Fetched(to, digest, size, questions)


def _move(aside: Path, to: Path, last: str) -> None:
    """Move all files into place, the one that says all are there last."""
    names = [file.relative_to(aside) for file in sorted(aside.rglob("*")) if file.is_file()]
    for name in names:
        kept = to / name
        if (
            name != Path(_NOTE)
            and kept.exists()
            and not (kept.is_file() and cmp(kept, aside / name, shallow=False))
        ):
            raise DataError(
                f"{kept} is there already and differs from the release's; choose an empty directory"
            )
    for name in sorted(names, key=lambda name: name == Path(last)):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(aside / name, to / name)
