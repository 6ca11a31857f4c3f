"""A table that is too large to be read: a sketch of it in memory, and the engine that has the rest.

A sketch is a `Table` of real rows: some drawn at random, one for each value of the columns that
have few, and those with the largest and smallest values. It says what the columns are and which
programs there are. What a program answers is asked of the engine. A sketch only grows, so that a
row keeps its number as long as a conversation lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from denota.tables.column import Column
from denota.tables.header import unique_names
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
Rows = list[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Large:
    """Where the rest of a sketch is."""

    ask: Callable[[str], list[tuple[str, ...]]]
    """Runs SQL that reads, and returns the texts of each column that came."""
    stored: Stored
    rows: int
    """How many the table has."""
    distinct: tuple[int, ...]  #: (columns,) about how many values each has

    @property
    def long(self) -> frozenset[int]:
        """The columns with so many values that only those a question leads to are looked at."""
        return frozenset(place for place, count in enumerate(self.distinct) if count > FEW)

    def fetch(self, select: exp.Query) -> Rows:
        """Return the rows of a query as texts."""
        return list(zip(*self.ask(select.sql(dialect=self.stored.engine)), strict=True))

    def column(self, place: int) -> exp.Column:
        """Return a column as its engine calls it."""
        from sqlglot import exp

        return exp.column(exp.to_identifier(self.stored.columns[place].name, quoted=True))

    @property
    def source(self) -> exp.Table:
        """The table as its engine calls it."""
        from sqlglot import exp

        return exp.Table(
            **dict(
                zip(
                    ("this", "db", "catalog"),
                    (exp.to_identifier(part, quoted=True) for part in reversed(self.stored.name)),
                    strict=False,
                )
            )
        )

    def select(self, *what: Any) -> exp.Select:
        """Return a query of the table; of all columns unless some are named."""
        from sqlglot import exp

        every = [self.column(place) for place in range(len(self.stored.columns))]
        return exp.select(*(what or every)).from_(self.source)

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


def sketch_of(large: Large, drawn: Rows, name: str, notes: Sequence[str] = ()) -> Table:
    """Return the sketch that a conversation begins with, given rows drawn at random."""
    rows = list(drawn)
    for place, column in enumerate(large.stored.columns):
        if place not in large.long:
            rows += large.one_of_each(place)
        if column.kind in ("number", "date", "timestamp"):
            rows += large.ends(place)
    names, renamed = unique_names([column.name for column in large.stored.columns])
    empty = tuple(Column(own, ()) for own in names)
    said = f"{large.rows:,} rows: too many to read, so they are asked where they are"
    table = Table(empty, name, (said, *notes, *renamed), large.stored, large)
    return grown(table, rows)


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
