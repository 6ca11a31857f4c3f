"""The rows of a table as the page shows them: sorted by a column, searched, or only some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from denota.data.example import LONGEST
from denota.errors import DataError
from denota.tables.cell_text import normalise
from denota.tables.table import Table


@dataclass(frozen=True)
class Sight:
    """What is seen of a table, and in which order."""

    sort: int | None = None
    """A column."""
    down: bool = False
    search: str = ""
    only: tuple[int, ...] | None = None
    """Rows, where no others are seen."""

    def among(self, rows: Sequence[int]) -> Sight:
        """The same of some rows alone."""
        return Sight(self.sort, self.down, self.search, tuple(rows))


@dataclass(eq=False)
class SeenRows:
    """A table's rows in the orders that are asked for; the last order is remembered."""

    table: Table
    _last: dict[tuple[int | None, bool, str], NDArray[np.int64]] = field(default_factory=dict)

    def some(self, start: int, count: int, sight: Sight) -> tuple[list[tuple[int, list[str]]], int]:
        """Return rows from a place on, each as (number in the table, cells), and the total."""
        order = self.order(sight)
        columns = self.table.columns
        shown = [(int(r), [c.text[int(r)] for c in columns]) for r in order[start : start + count]]
        return shown, len(order)

    def places(self, rows: Sequence[int], sight: Sight) -> list[tuple[int, int]]:
        """Return (place, row) of those rows that are seen, in the order seen."""
        order = self.order(sight)
        places = np.flatnonzero(np.isin(order, np.array(rows, np.int64)))
        return [(int(place), int(order[place])) for place in places]

    def order(self, sight: Sight) -> NDArray[np.int64]:
        """Return the numbers of the rows that are seen, in their order."""
        key = (sight.sort, sight.down, sight.search.strip().lower()[:LONGEST])
        order = self._last.get(key)
        if order is None:
            order = seen_order(self.table, *key)
            self._last = {key: order}
        if sight.only is None:
            return order
        return order[np.isin(order, np.array(sight.only, np.int64))]


def seen_order(table: Table, sort: int | None, down: bool, search: str) -> NDArray[np.int64]:
    """Return the rows with a text in some cell, sorted by a column, missing values last.

    A column of numbers or dates is sorted by them.

    >>> table = Table.from_rows(["n"], [["10"], ["9"], ["-"]])
    >>> seen_order(table, 0, False, "").tolist(), seen_order(table, 0, True, "1").tolist()
    ([1, 0, 2], [0])
    """
    rows = np.arange(len(table))
    if search:
        found = np.zeros(len(table), bool)
        for column in table.columns:
            here = np.array([search in value.lower() for value in column.values], bool)
            found |= here[column.codes]
        rows = rows[found]
    if sort is None:
        return rows
    if not 0 <= sort < len(table.columns):
        raise DataError(f"there is no column {sort}")
    column = table.columns[sort]
    if column.kind == "text":
        order = sorted(range(len(column.values)), key=lambda code: column.values[code].lower())
        ranks = np.empty(len(order))
        ranks[order] = np.arange(len(order))
        keys = np.where(column.missing, np.nan, ranks[column.codes])
    else:
        keys = column.numbers if column.kind == "number" else column.dates.order
    keys = np.where(np.isnan(keys), np.inf, -keys if down else keys)
    return rows[np.argsort(keys[rows], kind="stable")]


def rows_with(table: Table, column: int, value: str) -> list[int]:
    """Return the rows that have a text in a column, written alike but for case and spaces.

    >>> table = Table.from_rows(["State"], [["Sent"], ["lost"], [" sent"]])
    >>> rows_with(table, 0, "SENT")
    [0, 2]
    """
    if not 0 <= column < len(table.columns):
        raise DataError(f"there is no column {column}")
    own = table.columns[column]
    wanted = normalise(value).casefold()
    same = np.array([normalise(text).casefold() == wanted for text in own.values], bool)
    return [int(row) for row in np.flatnonzero(same[own.codes])]
