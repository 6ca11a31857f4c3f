"""Which tables an assistant may open: those that were named, and files in folders that were.

A path counts as where it really lies, whatever links and `..` lead there. What may not be opened is
refused in the same words whether it is there or not.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Final

from denota.errors import DataError
from denota.tables.address import is_remote, parse_address, without_password
from denota.tables.folders import IN_PATH, is_several
from denota.tables.opening import split_part

ENDINGS: Final = (
    *(".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".xlsm"),
    *(".sqlite", ".sqlite3", ".db", ".duckdb"),
)
"""Of files that a folder is said to have, gzipped or not; others can be named."""
LISTED: Final = 200
"""The most files that are listed."""
LOOKED_AT: Final = 50_000
"""The most files that are looked at for that."""


@dataclass(frozen=True)
class Place:
    """A table that may be opened, or several."""

    address: str
    """As it is read; it may hold a password."""
    shown: str
    """As it is told: without one."""
    table: str | None = None
    """Of a database, or a sheet, where the address does not name it."""

    @property
    def is_several(self) -> bool:
        """Whether it is a folder or a glob."""
        return not is_remote(self.address) and is_several(self.address)

    def is_same(self, other: Place) -> bool:
        """Say whether another is the same table, whatever it is called."""
        return (self.address, self.table) == (other.address, other.table)


class Allowed:
    """What may be opened.

    Args:
        addresses: tables that may be, as `denota ask` takes them.
        folders: in which all files may be.

    Raises:
        DataError: there is no such file or folder, or it can be no table here.
    """

    def __init__(self, addresses: Sequence[str], folders: Sequence[Path] = ()) -> None:
        self.named = tuple(map(_named, addresses))
        """As they were named."""
        self.folders = tuple(map(_folder, folders))
        """Where they really lie."""
        own = [one for one in self.named if not is_remote(one.address)]
        self._named_files = {one.address: one.table for one in own if not one.is_several}
        self._patterns = [_really(one.address) for one in own if one.is_several]

    def place(self, address: str) -> Place:
        """Return the table of an address.

        Raises:
            DataError: it may not be opened, or is not there.
        """
        address = address.strip()
        if not address or "\0" in address:
            raise DataError("the address is empty; list_tables says what can be opened")
        for one in self.named:
            if address == one.shown or (address == one.address and is_remote(address)):
                return one
        return self._remote(address) if is_remote(address) else self._file(address)

    def files(self, place: Place) -> list[Path]:
        """Return the files of a folder or glob that may be opened, by name."""
        return sorted(islice(self._files(Path(place.address)), LISTED))

    def all_files(self) -> list[Path]:
        """Return files of the folders that may be opened, by name."""
        found = (file for folder in self.folders for file in self._files(folder))
        return sorted(set(islice(found, LISTED)))

    def holds(self, path: Path, part: str | None = None) -> bool:
        """Say whether a path, and a table there, may be opened."""
        real = Path(os.path.realpath(path))
        if any(real.is_relative_to(folder) for folder in self.folders):
            return True
        if str(real) in self._named_files:
            return self._named_files[str(real)] in (None, part)
        return any(real.is_relative_to(one) or _matches(real, one) for one in self._patterns)

    def _remote(self, address: str) -> Place:
        asked = parse_address(address)
        for one in self.named:
            if not is_remote(one.address):
                continue
            named = parse_address(one.address)
            if named.place == asked.place and named.table in (None, asked.table):
                part = asked.table if named.table is None else None
                shown = f"{named.place}#{asked.table}" if asked.table else named.place
                return Place(one.address, shown, part)
        raise DataError(
            f"{_told(asked.place)} may not be opened: databases and web addresses must be named "
            "when the server is started"
        )

    def _file(self, address: str) -> Place:
        roots = [Path()] if os.path.isabs(address) else [Path(), *self.folders]
        inside = False
        for root in roots:
            path, part = split_part(str(root / address))
            if is_several(path) and self._is_in_folder(_fixed(path)):
                return Place(path, address)
            if not self.holds(Path(path), part):
                continue
            inside, real = True, os.path.realpath(path)
            if os.path.isfile(real):
                return Place(real, address, part)
        if not inside:
            raise DataError(
                f"{_told(address)} may not be opened: it is neither named when the server was "
                "started nor in a folder given with --allow"
            )
        raise DataError(f"there is no file {_told(address)}; list_tables says what there is")

    def _is_in_folder(self, path: Path) -> bool:
        roots = (*self.folders, *self._patterns)
        return any(Path(os.path.realpath(path)).is_relative_to(root) for root in roots)

    def _files(self, at: Path) -> Iterator[Path]:
        """The files below a folder or of a glob, without going through links to folders."""
        pattern = None if at.is_dir() else at
        top = _fixed(str(at))
        left = LOOKED_AT
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            left -= len(names)
            for name in sorted(names):
                file = Path(folder, name)
                if pattern is None and (name.startswith((".", "_")) or not _is_table(name)):
                    continue
                if pattern is not None and not _matches(file, pattern):
                    continue
                if self.holds(file) and _is_regular(file):
                    yield file
            if left < 0:
                return


def _named(address: str) -> Place:
    if address == "-":
        raise DataError("standard input has the assistant's requests; name a file instead of -")
    if is_remote(address):
        parsed = parse_address(address)
        return Place(address, f"{parsed.place}#{parsed.table}" if parsed.table else parsed.place)
    path, part = split_part(address)
    if not is_several(path) and not os.path.isfile(path):
        raise DataError(f"there is no file {_told(path)}")
    return Place(path if is_several(path) else os.path.realpath(path), address, part)


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise DataError(f"there is no folder {_told(str(path))} to allow")
    return Path(os.path.realpath(path))


def _fixed(path: str) -> Path:
    """The part of a path before the first that is a pattern."""
    if os.path.lexists(path):
        return Path(path)
    parts = Path(path).parts
    kept = [place for place, part in enumerate(parts) if any(mark in part for mark in IN_PATH)]
    return Path(*parts[: kept[0]]) if kept else Path(path)


def _really(path: str) -> Path:
    """A folder or glob by where it really lies."""
    fixed = _fixed(path)
    return Path(os.path.realpath(fixed), *Path(path).parts[len(fixed.parts) :])


def _matches(file: Path, pattern: Path) -> bool:
    """Whether a path is of a pattern, in which `**` stands for any folders.

    >>> _matches(Path("a/b/c.csv"), Path("a/*/*.csv")), _matches(Path("a/b/c.csv"), Path("a/*.csv"))
    (True, False)
    """
    if "**" in pattern.parts:
        return fnmatchcase(str(file), str(pattern).replace("**/", "*"))
    own = zip(file.parts, pattern.parts, strict=False)
    same = len(file.parts) == len(pattern.parts)
    return same and all(fnmatchcase(part, wanted) for part, wanted in own)


def _is_table(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(ENDINGS)


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _told(text: str) -> str:
    """What a sentence repeats of an address."""
    plain = "".join(letter if letter.isprintable() else " " for letter in without_password(text))
    return plain if len(plain) <= 200 else plain[:199] + "…"
