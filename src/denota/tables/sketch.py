"""A sketch of a table that is too large to be read: a `Table` of real rows, and few.

Some are drawn at random, one is there for each value of the columns that have few, and one with the
largest and the smallest value of each. It says what the columns are and which programs there are.
What a program answers is asked of the engine. A sketch only grows, so that a row keeps its number
as long as a conversation lasts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from denota.errors import TableError
from denota.tables.column import Column
from denota.tables.large import FEW, Large, key_of
from denota.tables.limits import Limits
from denota.tables.source import Source, quoted, read_stored, shown_name, stored_table
from denota.tables.statistics import draw, statistics_of
from denota.tables.stored import Stored
from denota.tables.table import Table
from denota.tables.values import texts_of

if TYPE_CHECKING:
    from sqlglot import exp

DRAWN: Final = 8000
"""Rows that are drawn at random."""
LARGE: Final = 2_000_000
"""A table of more cells is not read into memory, where its engine can be asked."""


def read_or_sketch(source: Source, stored: Stored, limits: Limits, name: str | None) -> Table:
    """Return a table of a database, which is closed, or a sketch of it, which keeps it open.

    Raises:
        TableError: it is empty, too large, or cannot be read.
    """
    few = LARGE // max(len(stored.columns), 1)
    try:
        if limits.sketches and _has_more(source, stored, few):
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
    wanted: dict[int, list[exp.Expr]] = {}
    ends = large.ends()
    for place in range(len(large.stored.columns)):
        few = large.values_of(place, FEW) if place not in large.long else ()
        wanted[place] = _lacking(drawn, place, few, 1)
        wanted[place] += _lacking(drawn, place, ends.get(place, ()), 2)  # are they tied?
    rows = large.rows_with(wanted)
    said = f"{large.rows:,} rows, too many to read: questions are answered where they lie"
    notes = (said, *drawn.notes, *_read_values(large))
    return grown(replace(drawn, notes=notes, large=large), rows)


def _lacking(drawn: Table, place: int, values: Sequence[Any], times: int) -> list[exp.Expr]:
    """Values of a column that were not drawn so often, as constants of SQL."""
    from sqlglot import exp

    there = Counter(map(key_of, drawn.columns[place].text))
    texts = texts_of(tuple(values))
    return [
        exp.convert(value)
        for value, text in zip(values, texts, strict=True)
        if value is not None and there[key_of(text)] < times
    ]


def _read_values(large: Large) -> list[str]:
    """Read the values of long text columns where that takes long, and say how long it took."""
    notes: list[str] = []
    if large.stored.engine == "duckdb":  # reads a column in a second, and only if it must
        return notes
    for place in sorted(large.long):
        column = large.stored.columns[place]
        if column.kind == "text":
            began = time.perf_counter()
            found = large.dictionary(place)
            took = time.perf_counter() - began
            if found is not None:
                values = f"{len(found.values):,} values of {column.name!r}"
                notes.append(f"the {values} were read in {took:.1f} s")
    return notes


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
