"""A table that is too large to be read: a sketch of it in memory, and the engine that has the rest.

A sketch is a `Table` of real rows: some drawn at random, one for each value of the columns that
have few, and those with the largest and smallest values. It says what the columns are and which
programs there are. What a program answers is asked of the engine. A sketch only grows, so that a
row keeps its number as long as a conversation lasts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from denota.errors import TableError
from denota.tables.column import Column
from denota.tables.limits import Limits
from denota.tables.source import (
    Source,
    quoted,
    read_stored,
    shown_name,
    stored_table,
    stored_texts,
)
from denota.tables.statistics import Statistics, draw, statistics_of
from denota.tables.stored import Stored
from denota.tables.table import Table

if TYPE_CHECKING:
    from sqlglot import exp

DRAWN: Final = 1_000
"""Rows that are drawn at random."""
FEW: Final = 500
"""A column of at most so many values has a row for each of them in the sketch."""
ENDS: Final = 3
"""Rows with the largest and with the smallest values of a column."""
SHOWN: Final = 100
"""The most rows of an answer that are fetched."""
LARGE: Final = 2_000_000
"""A table of more cells is not read into memory, where its engine can be asked."""
Rows = list[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Large:
    """Where the rest of a sketch is."""

    source: Source
    stored: Stored
    statistics: Statistics

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.statistics.rows

    @property
    def long(self) -> frozenset[int]:
        """The columns with so many values that only those a question leads to are looked at."""
        counts = enumerate(self.statistics.distinct)
        return frozenset(place for place, count in counts if count > FEW)

    def values(self, select: exp.Query) -> list[tuple[Any, ...]]:
        """Return the rows of any query, of Python's values."""
        return list(self.source.query(select.sql(dialect=self.stored.engine)).rows())

    def fetch(self, select: exp.Query) -> Rows:
        """Return the rows of a query of all columns, as texts."""
        found = self.source.query(select.sql(dialect=self.stored.engine))
        return list(zip(*stored_texts(self.stored, found), strict=True))

    def column(self, place: int) -> exp.Column:
        """Return a column as its engine calls it."""
        from sqlglot import exp

        return exp.column(exp.to_identifier(self.stored.columns[place].name, quoted=True))

    @property
    def name(self) -> exp.Table:
        """The table as its engine calls it."""
        from sqlglot import exp

        parts = (exp.to_identifier(part, quoted=True) for part in reversed(self.stored.name))
        return exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=False)))

    def select(self, *what: Any) -> exp.Select:
        """Return a query of the table; of all columns unless some are named."""
        from sqlglot import exp

        every = [self.column(place) for place in range(len(self.stored.columns))]
        return exp.select(*(what or every)).from_(self.name)

    def one_of_each(self, place: int, among: exp.Expr | None = None, most: int = FEW) -> Rows:
        """Return a row for each value of a column."""
        from sqlglot import exp

        only = exp.Distinct(on=exp.Tuple(expressions=[self.column(place)]))
        query = self.select()
        query.set("distinct", only)
        if among is not None:
            query = query.where(among)
        return self.fetch(query.limit(most))

    def ends(self, place: int) -> Rows:
        """Return the rows with the largest and smallest values of a column."""
        from sqlglot import exp

        known = self.column(place).is_(exp.null()).not_()
        found: Rows = []
        for descending in (True, False):
            order = exp.Ordered(this=self.column(place), desc=descending)
            found += self.fetch(self.select().where(known).order_by(order).limit(ENDS))
        return found


def read_or_sketch(source: Source, stored: Stored, limits: Limits, name: str | None) -> Table:
    """Return a table of a database, which is closed, or a sketch of it, which keeps it open.

    Raises:
        TableError: it is empty, too large, or cannot be read.
    """
    few = LARGE // max(len(stored.columns), 1)
    try:
        if limits.cells > LARGE and _has_more(source, stored, few):
            return sketch_of(source, stored, name or shown_name(stored))
    except TableError:
        source.close()
        raise
    try:
        return read_stored(source, stored, limits, name)
    finally:
        source.close()


def _has_more(source: Source, stored: Stored, rows: int) -> bool:
    table = quoted(stored.engine, *stored.name)
    counted = source.query(f"SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT {rows + 1}) AS c")
    return int(next(counted.rows())[0]) > rows


def sketch_of(source: Source, stored: Stored, name: str) -> Table:
    """Return the sketch of a table that a conversation begins with."""
    statistics = statistics_of(source, stored)
    drawn = stored_table(stored, draw(source, stored, DRAWN, statistics.rows), name)
    assert drawn.stored is not None
    large = Large(source, drawn.stored, statistics)
    rows: Rows = []
    for place, column in enumerate(large.stored.columns):
        if place not in large.long:
            rows += large.one_of_each(place)
        if column.kind in ("number", "date", "timestamp"):
            rows += large.ends(place)
    said = f"{large.rows:,} rows, too many to read: questions are answered where they lie"
    return grown(replace(drawn, notes=(said, *drawn.notes), large=large), rows)


def grown(table: Table, rows: Iterable[tuple[str, ...]]) -> Table:
    """Return a sketch with rows added that it has not yet, behind those it has."""
    known = set(zip(*(column.text for column in table.columns), strict=True))
    new = [row for row in dict.fromkeys(rows) if row not in known]
    if not new:
        return table
    cells = zip(table.columns, zip(*new, strict=True), strict=True)
    return replace(
        table, columns=tuple(Column(column.name, column.text + added) for column, added in cells)
    )


def places_of(table: Table, rows: Iterable[tuple[str, ...]]) -> tuple[int, ...]:
    """Return the numbers that rows have in a sketch."""
    numbers: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(zip(*(column.text for column in table.columns), strict=True)):
        numbers.setdefault(row, number)
    return tuple(sorted({numbers[row] for row in rows if row in numbers}))
