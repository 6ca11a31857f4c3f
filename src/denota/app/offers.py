"""The tables that a server offers: those its operator names, each read when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from denota.app.reading import ReaderOptions, say_assumed
from denota.tables.address import is_remote, parse_address
from denota.tables.limits import Limits
from denota.tables.opening import open_database, split_part
from denota.tables.source import shown_name
from denota.tables.table import Table

Offers = dict[str, Callable[[], Table]]
"""What reads a table, by the name that the page shows."""


def offered_tables(
    addresses: Sequence[str], how: ReaderOptions, limits: Limits, check: bool = True
) -> Offers:
    """Return what reads each table; all tables of a database of which none is named.

    A table that is named is read once, if it is to be checked, so that a wrong address is told at
    the start.

    Raises:
        TableError: a table cannot be read.
    """
    found: Offers = {}
    for address in addresses:
        place, part = _name(address)
        names = [part] if part is not None else _tables_of(address)
        if len(names) < 2:
            if check:
                say_assumed(how.read(address, limits))
            names = [part]
        for name in names:
            shown = _free(f"{place}#{name}" if name is not None else place, found)
            found[shown] = _reader(address, name if part is None else None, how, limits)
    return found


def _reader(
    address: str, table: str | None, how: ReaderOptions, limits: Limits
) -> Callable[[], Table]:
    return lambda: how.read(address, limits, table)


def _name(address: str) -> tuple[str, str | None]:
    """What the page calls an address, without user and host, and what stands behind its `#`."""
    if is_remote(address):
        parsed = parse_address(address)
        assert parsed.login is not None
        return parsed.login.database.rpartition("/")[2] or parsed.login.host, parsed.table
    path, part = split_part(address)
    return Path(path).name or path, part


def _tables_of(address: str) -> list[str | None]:
    opened = open_database(address)
    if opened is None:
        return []
    try:
        return [shown_name(one) for one in opened[0].catalogue()]
    finally:
        opened[0].close()


def _free(name: str, taken: Offers) -> str:
    """The name, with a number behind it if another table has it already."""
    unique, count = name, 1
    while unique in taken:
        count += 1
        unique = f"{name} ({count})"
    return unique
