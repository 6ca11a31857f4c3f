"""An archive from elsewhere can put plain files into its directory and do nothing else."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from denota.data.release.unpack import ArchiveLimits, unpack
from denota.errors import DataError


def pack(
    home: Path, *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> Path:
    path = home / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def files(directory: Path) -> dict[str, bytes]:
    return {
        str(f.relative_to(directory)): f.read_bytes()
        for f in directory.rglob("*")
        if not f.is_dir()
    }


def entry(name: str, kind: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("placeholder")
    info.filename = name  # the constructor would mend some names
    info.external_attr = (kind | 0o644) << 16
    return info


@pytest.fixture
def into(tmp_path: Path) -> Path:
    (tmp_path / "deep" / "into").mkdir(parents=True)
    return tmp_path / "deep" / "into"


def test_one_folder_around_everything_is_left_out(tmp_path: Path, into: Path) -> None:
    unpack(pack(tmp_path, ("top/", b""), ("top/a.txt", b"1"), ("top/sub/b.txt", b"2")), into)
    assert files(into) == {"a.txt": b"1", "sub/b.txt": b"2"}


def test_several_folders_or_a_file_beside_them_are_kept(tmp_path: Path, into: Path) -> None:
    unpack(pack(tmp_path, ("top/a.txt", b"1"), ("b.txt", b"2")), into)
    assert files(into) == {"top/a.txt": b"1", "b.txt": b"2"}


def test_what_macos_adds_is_passed_over(tmp_path: Path, into: Path) -> None:
    unpack(
        pack(tmp_path, ("top/a.txt", b"1"), ("__MACOSX/top/._a.txt", b"?"), (".DS_Store", b"?")),
        into,
    )
    assert files(into) == {"a.txt": b"1"}


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "top/../../evil",
        "/evil",
        "//evil",
        "..",
        "..\\evil",
        "C:evil",
        "C:\\evil",
        "top/e\0vil",
        "top/e\nvil",
        "/",
    ],
)
def test_paths_that_lead_elsewhere_refuse_the_archive(
    tmp_path: Path, into: Path, name: str
) -> None:
    archive = pack(tmp_path, ("good.txt", b"1"), (entry(name), b"2"))
    with pytest.raises(DataError, match="not a path inside it"):
        unpack(archive, into)
    assert files(tmp_path) == {"a.zip": archive.read_bytes()}


@pytest.mark.parametrize(
    "kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK]
)
def test_links_and_devices_refuse_the_archive(tmp_path: Path, into: Path, kind: int) -> None:
    archive = pack(tmp_path, ("good.txt", b"1"), (entry("link", kind), b"/etc/passwd"))
    with pytest.raises(DataError, match="only plain files"):
        unpack(archive, into)
    assert files(into) == {}


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, into: Path) -> None:
    archive = pack(tmp_path, ("zeros", bytes(20_000_000)))
    with pytest.raises(DataError, match="would unpack to 20,000,000 bytes"):
        unpack(archive, into)
    assert files(into) == {}


@pytest.mark.parametrize("limits", [ArchiveLimits(files=1), ArchiveLimits(bytes=1)])
def test_limits_hold(tmp_path: Path, into: Path, limits: ArchiveLimits) -> None:
    with pytest.raises(DataError, match=r"more than .* allowed"):
        unpack(pack(tmp_path, ("a", b"1"), ("b", b"2")), into, limits)


@pytest.mark.parametrize(
    "names", [("a.txt", "./a.txt"), ("a.txt", "A.TXT"), ("a", "a/b"), ("a//b", "a/b")]
)
def test_two_files_of_one_name_are_refused(
    tmp_path: Path, into: Path, names: tuple[str, str]
) -> None:
    with pytest.raises(DataError, match="two files of one name"):
        unpack(pack(tmp_path, *((entry(name), b"1") for name in names)), into)


def test_a_file_that_lies_about_its_size_gives_no_more_than_it_announced(
    tmp_path: Path, into: Path
) -> None:
    archive = pack(tmp_path, ("a.txt", b"x" * 1000))
    data = bytearray(archive.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(signature) + offset
        data[at : at + 4] = (10).to_bytes(4, "little")
    archive.write_bytes(data)
    with pytest.raises(DataError, match="not a whole zip file"):
        unpack(archive, into)
    assert sum(map(len, files(into).values())) <= 10


def test_damage_is_noticed(tmp_path: Path, into: Path) -> None:
    archive = pack(tmp_path, ("a.txt", b"hello there"), method=zipfile.ZIP_STORED)
    whole = archive.read_bytes()
    for data in (
        b"",
        b"<html>404</html>",
        whole[:40],
        whole[:-10],
        whole.replace(b"hello", b"hallo"),
    ):
        archive.write_bytes(data)
        with pytest.raises(DataError, match="not a whole zip file"):
            unpack(archive, into)


def test_locked_and_oddly_packed_archives_are_refused(tmp_path: Path, into: Path) -> None:
    archive = pack(tmp_path, ("a.txt", b"1"))
    data = bytearray(archive.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(data)
    with pytest.raises(DataError, match="password"):
        unpack(archive, into)
    with pytest.raises(DataError, match="not read here"):
        unpack(pack(tmp_path, ("a.txt", b"1"), method=zipfile.ZIP_BZIP2), into)


def test_a_place_that_cannot_be_written_is_said_so(tmp_path: Path, into: Path) -> None:
    (into / "sub").write_text("a file where a folder should go")
    with pytest.raises(DataError, match="cannot write"):
        unpack(pack(tmp_path, ("sub/a.txt", b"1"), ("b.txt", b"2")), into)
