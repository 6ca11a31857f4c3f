"""Zip archives from elsewhere, unpacked without trusting them.

Only regular files under plain relative paths are unpacked, within limits. Anything else refuses the
whole archive before a byte is written.
"""

from __future__ import annotations

import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from denota.data.disk import unwritable
from denota.errors import DataError


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The most an archive may hold."""

    files: int = 20_000
    bytes: int = 500_000_000
    ratio: int = 100  #: bytes unpacked for each byte of the archive; text packs about five to one


ARCHIVE_LIMITS: Final = ArchiveLimits()


def unpack(archive: Path, into: Path, limits: ArchiveLimits = ARCHIVE_LIMITS) -> None:
    """Unpack a zip archive; a single folder around everything is left out.

    Args:
        archive: the .zip file.
        into: an empty directory.
        limits: the most it may hold.

    Raises:
        DataError: it is not a zip file, is damaged, or holds anything but plain files within the
            limits.
    """
    try:
        with zipfile.ZipFile(archive) as source:
            entries = _checked(archive, source.infolist(), limits)
            for path, entry in _without_top(entries):
                target = into / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with source.open(entry) as packed, target.open("xb") as file:
                    shutil.copyfileobj(packed, file)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError) as error:
        raise DataError(f"{archive} is not a whole zip file ({error}); fetch it again") from error
    except OSError as error:
        raise unwritable(into, error) from error


Entry = tuple[PurePosixPath, zipfile.ZipInfo]


def _checked(archive: Path, infos: Sequence[zipfile.ZipInfo], limits: ArchiveLimits) -> list[Entry]:
    """Return the files of an archive that may be unpacked as a whole."""
    size = sum(info.file_size for info in infos)
    if len(infos) > limits.files:
        raise DataError(
            f"{archive} holds {len(infos):,} files, more than the {limits.files:,} allowed;"
            " it is not the data"
        )
    if size > min(limits.bytes, limits.ratio * archive.stat().st_size):
        raise DataError(
            f"{archive} would unpack to {size:,} bytes, more than is allowed; it is not the data"
        )
    entries = [(_plain_path(archive, info), info) for info in infos if not _is_clutter(info)]
    files = [(path, info) for path, info in entries if not info.is_dir()]
    names = [str(path).casefold() for path, _ in files]
    folders = {str(parent).casefold() for path, _ in files for parent in path.parents}
    if len(set(names)) < len(names) or folders & set(names):
        raise DataError(f"{archive} holds two files of one name; it is not the data")
    return files


def _is_clutter(info: zipfile.ZipInfo) -> bool:
    """Say whether an entry is what macOS adds to the archives it packs."""
    return info.filename.startswith("__MACOSX/") or PurePosixPath(info.filename).name == ".DS_Store"


def _plain_path(archive: Path, info: zipfile.ZipInfo) -> PurePosixPath:
    name = info.orig_filename
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise DataError(
            f"{archive} holds {name!r}, which is a link or a device; only plain files are unpacked"
        )
    if info.flag_bits & 1:
        raise DataError(
            f"{archive} is locked with a password; unpack it yourself and name the directory"
        )
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(
            f"{archive} is packed in a way that is not read here; pack it as an ordinary zip file"
        )
    path = PurePosixPath(name)
    bad = path.is_absolute() or ".." in path.parts or not path.parts
    if bad or any(c in "\\:" or not c.isprintable() for c in name):
        raise DataError(
            f"{archive} holds {name!r}, which is not a path inside it; it is not unpacked"
        )
    return path


def _without_top(entries: list[Entry]) -> list[Entry]:
    tops = {path.parts[0] for path, _ in entries}
    if len(tops) == 1 and all(len(path.parts) > 1 for path, _ in entries):
        return [(path.relative_to(path.parts[0]), entry) for path, entry in entries]
    return entries
