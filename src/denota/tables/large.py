"""A table that is too large to be read, as its engine can be asked for rows and values of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from denota.tables.dictionary import Dictionary
from denota.tables.source import Source, stored_texts
from denota.tables.statistics import Statistics
from denota.tables.stored import Stored

if TYPE_CHECKING:
    from sqlglot import exp

FEW: Final = 500
"""A column of at most so many values has a row for each of them in the sketch."""
SHOWN: Final = 100
"""The most rows of an answer that are fetched."""
EACH: Final = 3
"""Rows of one value, so that what is tied is seen to be."""
PASS: Final = 2_000
"""The most rows that one pass for some values fetches."""
WORDS_OF: Final = 1_000_000
"""The values of a text column are kept for their words if there are at most so many."""
Rows = list[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Large:
    """Where the rest of a sketch is."""

    source: Source
    stored: Stored
    statistics: Statistics
    known: dict[int, Dictionary | None] = field(default_factory=dict)
    """The values of long text columns that were read."""

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

    def values_of(self, place: int, most: int) -> list[Any]:
        """Return the different values of a column, at most so many and none that is missing."""
        from sqlglot import exp

        column = self.column(place)
        known = column.copy().is_(exp.null()).not_()
        found = self.values(self.select(column).where(known).group_by(column.copy()).limit(most))
        return [line[0] for line in found]

    def dictionary(self, place: int) -> Dictionary | None:
        """Return the values of a column, read when first asked for; None if they are too many."""
        if place not in self.known:
            few = self.statistics.distinct[place] <= WORDS_OF
            values = map(str, self.values_of(place, 2 * WORDS_OF)) if few else None
            self.known[place] = None if values is None else Dictionary(tuple(values))
        return self.known[place]

    def rows_with(self, wanted: Mapping[int, Sequence[exp.Expr]]) -> Rows:
        """Return some rows for each of some values of some columns, as far as there are such rows.

        One pass over the table finds them all, unless one value fills it.
        """
        from sqlglot import exp

        tests = [self.column(place).isin(*values) for place, values in wanted.items() if values]
        if not tests:
            return []
        keys = {
            place: {key_of("-" * isinstance(value, exp.Neg) + value.name) for value in values}
            for place, values in wanted.items()
        }
        found: dict[tuple[int, str], dict[tuple[str, ...], None]] = {}

        def take(among: exp.Expr) -> int:
            rows = self.fetch(self.select().where(among).limit(PASS))
            for row in rows:
                for place, own in keys.items():
                    key = key_of(row[place])
                    alike = found.setdefault((place, key), {}) if key in own else {}
                    if len(alike) < EACH:
                        alike[row] = None
            return len(rows)

        if take(exp.or_(*tests)) == PASS and len(tests) > 1:
            for test in tests:
                take(test)
        return list(dict.fromkeys(row for alike in found.values() for row in alike))

    def combinations(self, tests: Sequence[exp.Expr], among: exp.Expr) -> Rows:
        """Return a row for each way in which some tests are met or not, where one of them is met.

        One pass finds a row of each by its number; DuckDB's files have none, but the first values
        of a group are those of one row.
        """
        from sqlglot import exp

        every = [self.column(place) for place in range(len(self.stored.columns))]
        if self.stored.engine == "duckdb":
            firsts = [exp.Anonymous(this="first", expressions=[column]) for column in every]
            return self.fetch(self.select(*firsts).where(among).group_by(*tests))
        number = _ROW_NUMBER.get(self.stored.engine)
        if number is None:
            return []
        first = exp.cast(exp.Min(this=exp.column(number)), "text")
        numbers = self.values(self.select(first).where(among).group_by(*tests))
        kind = "tid" if number == "ctid" else "bigint"
        some = [exp.Literal.string(str(line[0])) for line in numbers]
        typed = [exp.cast(one, exp.DataType.build(kind, udt=True)) for one in some]
        return self.fetch(self.select().where(exp.column(number).isin(*typed))) if typed else []

    def ends(self) -> dict[int, tuple[Any, ...]]:
        """Return the largest and smallest values of the columns that have an order."""
        from sqlglot import exp

        ordered = [
            place
            for place, column in enumerate(self.stored.columns)
            if column.kind in ("number", "date", "timestamp")
        ]
        if not ordered:
            return {}
        both = [kind(this=self.column(place)) for place in ordered for kind in (exp.Min, exp.Max)]
        line = self.values(self.select(*both))[0]
        return {place: line[2 * n : 2 * n + 2] for n, place in enumerate(ordered)}


_ROW_NUMBER: Final = {"postgres": "ctid", "sqlite": "rowid"}
"""The column that has the number of a row, where there is one."""


def key_of(text: str) -> str:
    """What the text of a cell and a constant of SQL have in common if they are the same value."""
    try:
        return f"{float(text):.12g}"
    except ValueError:
        return text.removesuffix(" 00:00:00").replace("T", " ")
