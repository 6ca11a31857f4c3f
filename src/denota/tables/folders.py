"""A folder or glob of files as one table: the same columns in each, one file after another."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from denota.errors import TableError
from denota.tables.column import Column
from denota.tables.limits import Limits
from denota.tables.table import Table

KINDS: Final = {".parquet": "Parquet", ".csv": "CSV", ".tsv": "TSV", ".tab": "TSV"}
MOST: Final = 10_000
"""Files that are read as one table."""
IN_PATH: Final = "*?["
"""What makes a path a glob."""


def files_of(path: str) -> list[Path]:
    """Return the files of a folder, and of those in it, or of a glob, by name.

    Raises:
        TableError: there are none, too many, or of more than one kind.
    """
    is_folder = Path(path).is_dir()
    found = Path(path).rglob("*") if is_folder else map(Path, glob.iglob(path, recursive=True))
    files: list[Path] = []
    for file in found:
        hidden = file.name.startswith((".", "_")) and is_folder  # _SUCCESS and its like
        if hidden or (is_folder and not _kind(file)) or not file.is_file():
            continue
        files.append(file)
        if len(files) > MOST:
            raise TableError(f"{path} has more than {MOST:,} files, the most that are read as one")
    if not files:
        what = "is a directory without CSV or Parquet files" if is_folder else "matches no file"
        raise TableError(f"{path} {what}; name a file")
    kinds = sorted({_kind(file) or "other" for file in files})
    if len(kinds) > 1:
        inside = os.path.join(path, "*") if is_folder else path
        end = next(end for end, kind in KINDS.items() if kind in kinds)
        raise TableError(
            f"{path} has {' and '.join(kinds)} files; name one kind, as in {inside}{end}"
        )
    return sorted(files)


def is_several(path: str) -> bool:
    """Say whether a path names a folder, or a glob and no file."""
    if os.path.isdir(path):
        return True
    return any(mark in path for mark in IN_PATH) and not os.path.lexists(path)


def table_name(path: str) -> str:
    """Return what the files of a path are called as one table.

    >>> table_name("sales/"), table_name("sales/*.parquet"), table_name("sales.parquet")
    ('sales', 'sales', 'sales.parquet')
    """
    plain = [p for p in Path(path).parts if not any(mark in p for mark in IN_PATH) and p != os.sep]
    return plain[-1].strip(".") or "files" if plain else "files"


def read_files(
    path: str, read: Callable[[Path, Limits], Table], limits: Limits, name: str | None
) -> Table:
    """Return the rows of several files as one table.

    Args:
        path: a folder or a glob.
        read: what reads one file, with what is left of the limits.
        limits: of all together.
        name: what to call the table.

    Raises:
        TableError: a file cannot be read, or has other columns than the first.
    """
    files = files_of(path)
    name = name or table_name(path)
    first: Table | None = None
    texts: list[list[str]] = []
    folders: list[tuple[str, ...]] = []
    left = limits
    for file in files:
        table = read(file, left)
        if first is None:
            first, texts = table, [[] for _ in table.columns]
        elif set(table.names) != set(first.names):
            raise TableError(f"{file} has {_other(table, first)} than {files[0]}; name files alike")
        for column, cells in zip(first.names, texts, strict=True):
            cells.extend(table[column].text)
        folders += [_values(file)] * len(table)
        limits.check(name, len(texts[0]), len(texts))
        left = left.without(table)
    assert first is not None
    columns = [Column(n, tuple(cells)) for n, cells in zip(first.names, texts, strict=True)]
    columns += _columns_of_folders(files, folders, first)
    note = f"{len(files):,} files were read as one table" if len(files) > 1 else ""
    notes = (*first.notes, *((note,) if note else ()))
    return Table(tuple(columns), name, notes)


def _other(table: Table, first: Table) -> str:
    more = [n for n in table.names if n not in first.names]
    less = [n for n in first.names if n not in table.names]
    return f"other columns ({', '.join(map(repr, (more or less)[:3]))})"


def _kind(file: Path) -> str | None:
    name = file.name.lower().removesuffix(".gz")
    return next((kind for end, kind in KINDS.items() if name.endswith(end)), None)


def _keys(file: Path) -> tuple[str, ...]:
    """The columns that folders are named after: `year=2024/month=5`."""
    parts = (part.partition("=") for part in file.parent.parts)
    return tuple(key for key, mark, value in parts if mark and key and value)


def _values(file: Path) -> tuple[str, ...]:
    parts = (part.partition("=") for part in file.parent.parts)
    return tuple(value for key, mark, value in parts if mark and key and value)


def _columns_of_folders(
    files: list[Path], values: list[tuple[str, ...]], first: Table
) -> list[Column]:
    """Columns that only the names of folders state, if all files lie in folders named alike."""
    keys = _keys(files[0])
    if not keys or any(_keys(file) != keys for file in files):
        return []
    by_key = zip(*values, strict=True)
    return [Column(k, cells) for k, cells in zip(keys, by_key, strict=True) if k not in first.names]
