"""Whether an answer given as texts and numbers agrees with the cells that are given beside it.

An item means a cell that has the same text, the same but for case and white space, or the same
number.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from denota.data.answer import Item
from denota.tables.cell_text import normalise
from denota.tables.column import Column
from denota.tables.numbers import read_number
from denota.tables.table import Cell, Table


def agrees(index: CellIndex, answer: Sequence[Item], cells: frozenset[Cell]) -> bool:
    """Say whether cells can be the answer: as many as items, each item and each cell matched."""
    named = [
        {
            (row, column)
            for column in {c for _, c in cells}
            for way in _WAYS
            for row in index.rows(way, column, item)
        }
        for item in answer
    ]
    return (
        len(answer) == len(cells) and all(cells & n for n in named) and cells <= set().union(*named)
    )


_Way = Literal["text", "folded", "number"]
_WAYS: Final[tuple[_Way, ...]] = ("text", "folded", "number")


@dataclass(frozen=True)
class CellIndex:
    """The rows of each column by what their cells say, made as far as it is needed."""

    table: Table

    def rows(self, way: _Way, column: int, item: Item) -> Sequence[int]:
        """Return the rows of a column whose cell says the item, read in one way."""
        if way == "text":
            return self._texts[column].get(_as_text(item), ())
        if way == "folded":
            return self._folded[column].get(_fold(_as_text(item)), ())
        number = _as_number(item, self.table.columns[column].unit)
        return () if number is None else self._numbers[column].get(number, ())

    @cached_property
    def _texts(self) -> list[dict[Hashable, list[int]]]:
        return [_rows_by(column.text) for column in self.table.columns]

    @cached_property
    def _folded(self) -> list[dict[Hashable, list[int]]]:
        return [_rows_by(map(_fold, column.text)) for column in self.table.columns]

    @cached_property
    def _numbers(self) -> list[dict[Hashable, list[int]]]:
        return [_rows_by(_stated(column)) for column in self.table.columns]


def _rows_by(keys: Iterable[Hashable]) -> dict[Hashable, list[int]]:
    rows: dict[Hashable, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    rows.pop(None, None)
    return rows


def _stated(column: Column) -> Iterable[float | None]:
    return (None if np.isnan(number) else number for number in column.numbers.tolist())


def _as_text(item: Item) -> str:
    return item if isinstance(item, str) else str(item)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _as_number(item: Item, unit: str) -> float | None:
    """Return the number an item states in a column's unit; `5 km` states none among metres."""
    if isinstance(item, str):
        reading = read_number(normalise(item))
        fits = reading is not None and reading.form == "plain" and reading.unit in ("", unit)
        return reading.value if reading is not None and fits else None
    try:
        return float(item)
    except OverflowError:
        return None
