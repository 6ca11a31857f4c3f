"""A database as denota uses it: which tables it has, and SQL that only reads.

Each engine has one implementation of `Source`. `read_stored` makes a `Table` of one of its tables.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from denota.errors import TableError, TooLarge
from denota.tables.column import Column
from denota.tables.header import unique_names
from denota.tables.limits import Limits, Tally
from denota.tables.stored import Engine, Stored, StoredColumn, StoredKind
from denota.tables.table import Table
from denota.tables.values import moment_text, texts_of

SECONDS: Final = 60
"""For a statement."""
TO_CONNECT: Final = 10
"""Seconds for a server to answer."""
LISTED: Final = 12
"""Tables that a message names, and columns of each."""


@dataclass(frozen=True)
class Result:
    """What a query gives."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]
    """Of values: an Arrow array each, or a sequence of Python's values."""

    @staticmethod
    def of_rows(names: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> Result:
        """Return the result that a driver gives by rows."""
        columns = tuple(zip(*rows, strict=True)) if rows else ((),) * len(names)
        return Result(names, columns)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows, of Python's values."""
        columns = (c if isinstance(c, tuple) else c.to_pylist() for c in self.columns)
        return zip(*columns, strict=True)

    def texts(self) -> list[tuple[str, ...]]:
        """Return the cells by column, as every reader of tables writes them."""
        return [texts_of(column) for column in self.columns]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.columns[0]) if self.columns else 0


class Source(Protocol):
    """A database that is read and never written."""

    engine: Engine
    label: str
    """What messages call it; without a password."""

    def catalogue(self) -> tuple[Stored, ...]:
        """Return its tables and views with their columns, by name."""

    def query(self, sql: str) -> Result:
        """Run SQL of its dialect, which may only read.

        Raises:
            TableError: it cannot be run, takes too long, or the server went away.
        """

    def close(self) -> None:
        """Let go of it."""


def find_stored(source: Source, wanted: str | None) -> Stored:
    """Return the table of a name, `schema.table` where two have it; the only one if None.

    Raises:
        TableError: there is none, or several could be meant; names those there are.
    """
    tables = source.catalogue()
    if not tables:
        raise TableError(f"{source.label} has no tables")
    if wanted is None:
        if len(tables) == 1:
            return tables[0]
        raise TableError(_several(source.label, tables))
    for same in (_exactly, _in_any_case):
        found = [one for one in tables if same(wanted, one)]
        if len(found) == 1:
            return found[0]
    there = ", ".join(shown_name(one) for one in tables[:LISTED])
    more = f" and {len(tables) - LISTED:,} more" if len(tables) > LISTED else ""
    what = "no table" if not found else "several tables"
    named = wanted if len(wanted) <= 80 else wanted[:79] + "…"
    raise TableError(f"{source.label} has {what} {named!r}; it has {there}{more}")


def read_stored(source: Source, stored: Stored, limits: Limits, name: str | None = None) -> Table:
    """Return a table of a database, cells as text; it is counted before it is read.

    Raises:
        TableError: it is empty, too large, or cannot be read.
    """
    called, name = name or stored.name[-1], name or shown_name(stored)
    width = len(stored.columns)
    if not width:
        raise TableError(f"{name} has no columns")
    limits.check(name, 1, width)
    most = limits.cells // width
    table = quoted(stored.engine, *stored.name)
    counted = source.query(f"SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT {most + 1}) AS c")
    rows = int(counted.texts()[0][0])
    if rows > most:
        raise TooLarge(
            f"{name} has more than {most:,} rows of {width} columns, the most that are read; "
            "make a view of those the questions are about and name it instead"
        )
    if not rows:
        raise TableError(f"{name} has columns and no rows")
    columns = ", ".join(quoted(stored.engine, column.name) for column in stored.columns)
    result = source.query(f"SELECT {columns} FROM {table} LIMIT {most + 1}")
    if not len(result):
        raise TableError(f"{name} has columns and no rows")
    limits.check(name, len(result), width)
    read = stored_table(stored, result, called)
    tally = Tally(name, limits)
    for column in read.columns:
        tally.add(column.text)
    return read


def stored_table(stored: Stored, result: Result, name: str) -> Table:
    """Return some rows of a table of a database as a table."""
    kept = tuple(
        _settled(stored.engine, column, values)
        for column, values in zip(stored.columns, result.columns, strict=True)
    )
    texts = stored_texts(replace(stored, columns=kept), result)
    unique, notes = unique_names([column.name for column in stored.columns])
    columns = tuple(Column(n, text) for n, text in zip(unique, texts, strict=True))
    zoned = [n for n, column in zip(unique, kept, strict=True) if column.zoned]
    if zoned:
        shown = " and ".join(map(repr, zoned[:3])) + (" and others" if len(zoned) > 3 else "")
        notes = (*notes, f"the times of {shown} are shown in UTC")
    return Table(columns, name, notes, replace(stored, columns=kept))


def stored_texts(stored: Stored, result: Result) -> list[tuple[str, ...]]:
    """Return the cells of some rows of a table of a database, by column."""
    return list(map(texts_of, map(_said, stored.columns, result.columns)))


def _settled(engine: Engine, column: StoredColumn, values: Any) -> StoredColumn:
    """A column whose kind is what its values are, where the engine does not hold them to one."""
    if not isinstance(values, tuple):
        return column
    types = {type(value) for value in values} - {type(None)}
    if column.kind == "boolean":
        said = set(values) <= {None, 0, 1} if types <= {int, bool} else False
        return column if said else replace(column, kind=_kind_of(types))
    if engine != "sqlite" or not types or (types == {str} and column.kind in _WRITTEN):
        return column
    return replace(column, kind=_kind_of(types))


def _kind_of(types: set[type]) -> StoredKind:
    return "number" if types <= {int, float} else "text" if types == {str} else "other"


def _said(column: StoredColumn, values: Any) -> Any:
    """Values with yes and no as such where the engine has 1 and 0, and moments in UTC."""
    if not isinstance(values, tuple):
        return values
    if column.kind == "boolean":
        return tuple(None if value is None else bool(value) for value in values)
    return tuple(map(_moment, values)) if column.kind == "timestamp" else values


def _moment(value: Any) -> Any:
    if isinstance(value, str):
        return moment_text(value)
    is_zoned = isinstance(value, datetime.datetime) and value.tzinfo is not None
    return value.astimezone(datetime.UTC) if is_zoned else value


def quoted(engine: Engine, *parts: str) -> str:
    """Return a name in an engine's SQL.

    >>> quoted("postgres", "sales", 'a"b'), quoted("mysql", "a`b")
    ('"sales"."a""b"', '`a``b`')
    """
    mark = "`" if engine == "mysql" else '"'
    return ".".join(mark + part.replace(mark, 2 * mark) + mark for part in parts)


def shown_name(stored: Stored) -> str:
    """Return the name of a table as people write it."""
    return ".".join(stored.name)


def listed(tables: Sequence[Stored]) -> str:
    """Return tables with their columns in one line: `orders (id, customer), customers (name)`."""
    shown = []
    for one in tables[:LISTED]:
        names = [" ".join(column.name.split())[:40] for column in one.columns[:LISTED]]
        more = ", …" if len(one.columns) > LISTED else ""
        shown.append(f"{shown_name(one)} ({', '.join(names)}{more})")
    left = len(tables) - LISTED
    return ", ".join(shown) + (f" and {left:,} more" if left > 0 else "")


def how_to_name(label: str, stored: Stored) -> str:
    """Return the address of one table."""
    return f"{label}#{shown_name(stored)}"


def _several(label: str, tables: Sequence[Stored]) -> str:
    return (
        f"{label} has {len(tables):,} tables: {listed(tables)}; "
        f"name one, as in {how_to_name(label, tables[0])}"
    )


def _exactly(wanted: str, stored: Stored) -> bool:
    return wanted == shown_name(stored)


def _in_any_case(wanted: str, stored: Stored) -> bool:
    return wanted.casefold() in (shown_name(stored).casefold(), stored.name[-1].casefold())


_WRITTEN: Final = ("date", "timestamp", "time", "text")
"""Kinds whose values SQLite keeps as texts."""
