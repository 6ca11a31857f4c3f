"""Databases opened from whatever names them: a server's address, a file, a connection."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from denota.tables import duckdb_files, sqlite_files
from denota.tables.address import is_remote, parse_address
from denota.tables.connections import source_of
from denota.tables.mysql import open_mysql
from denota.tables.postgres import open_postgres
from denota.tables.source import Source


def open_database(source: Any) -> tuple[Source, str | None] | None:
    """Open a database, to be closed by the caller; None if it is something else.

    Args:
        source: an address, a path, or a connection.

    Returns:
        The database, and the table that stands behind `#`.

    Raises:
        TableError: it cannot be opened.
    """
    if isinstance(source, str) and is_remote(source):
        address = parse_address(source)
        if address.scheme == "postgresql":
            return open_postgres(address), address.table
        if address.scheme == "mysql":
            return open_mysql(address), address.table
        return None
    if isinstance(source, str | os.PathLike):
        path, part = split_part(os.fspath(source))
        head = _head(path)
        if head.startswith(sqlite_files.MAGIC):
            return sqlite_files.open_sqlite(Path(path)), part
        if head[8:].startswith(duckdb_files.MAGIC):
            return duckdb_files.open_duckdb(Path(path)), part
        return None
    found = source_of(source)
    return (found, None) if found is not None else None


def part_of(address: str) -> str | None:
    """Return what stands behind `#` in an address."""
    return parse_address(address).table if is_remote(address) else split_part(address)[1]


def split_part(path: str) -> tuple[str, str | None]:
    """Return a path and what stands behind its `#`; a file may have one in its name."""
    if "#" not in path or os.path.exists(path):
        return path, None
    if is_remote(path):
        return path, None
    address = parse_address(path)
    if "@" in (address.table or "") and not os.path.exists(address.place):
        return path, None  # part of a password, perhaps, so no error may say it as a path
    return address.place, address.table


def is_database(data: bytes) -> bool:
    """Say whether the bytes of a file are those of a database."""
    return data.startswith(sqlite_files.MAGIC) or data[8:12] == duckdb_files.MAGIC


def _head(path: str) -> bytes:
    """The first bytes of a file; none of a pipe, which can be read only once."""
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read(len(sqlite_files.MAGIC))
    except (OSError, ValueError):
        return b""  # whoever reads the file says what is wrong
