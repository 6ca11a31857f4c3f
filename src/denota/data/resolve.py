"""Answers given as text made into cells, where the table leaves no doubt which cells are meant.

An answer is looked for in one column first, since most answers lie in one, and in three ways, each only where the one before finds
nothing: the same text, the same but for case and white space, the same number. What could be meant in two ways is refused, not
guessed, since a wrong cell would be learnt. That goes for a second column that has the text too often to be meant: of 87 such
answers in SQA the column that has it once is the right one for 17.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np

from denota.data.answer import Cells, Values
from denota.data.example import Example
from denota.data.loaded import Loaded
from denota.errors import DataError
from denota.tables.cells import normalise
from denota.tables.column import Column
from denota.tables.numbers import read_number
from denota.tables.table import Cell, Table

AnswerItem = str | float | bool
"""One item of an answer: a cell's text, or the number it states."""


def resolve_answer(
    table: Table, answer: Sequence[AnswerItem], index: CellIndex | None = None
) -> frozenset[Cell]:
    """Return the cells an answer names.

    Args:
        table: the table the answer is from.
        answer: one item a cell; a text that stands in two cells of the answer is listed twice.
        index: the table's index, where many answers are resolved against one table.

    Raises:
        DataError: the answer is not in the table, or could be more than one set of cells; says which and what to do.

    >>> table = Table.from_rows(["city", "people"], [["Oslo", "709,037"], ["Bergen", "291,940"]])
    >>> sorted(resolve_answer(table, ["bergen", "Oslo"])), sorted(resolve_answer(table, [709037]))
    ([(0, 0), (1, 0)], [(0, 1)])
    """
    if not answer:
        raise DataError(
            'the answer is an empty list; name its cells, or leave "answer" out if it is not known'
        )
    index = index or CellIndex(table)
    every = range(len(table.columns))
    for loosest in range(len(_WAYS)):
        held = [
            m for c in every if (m := _match(index, [c], answer, _WAYS[: loosest + 1])).is_whole
        ]
        if len(held) > 1:
            names = " and ".join(repr(table.names[m.columns[0]]) for m in held)
            raise DataError(
                f"the answer is in the columns {names}; {_GIVE_CELLS} to say which is meant"
            )
        if held and held[0].fits:
            return held[0].cells
        if held:
            raise DataError(_too_often(held[0], f"the column {table.names[held[0].columns[0]]!r}"))
    spread = _match(index, every, answer, _WAYS)
    if spread.fits:
        return spread.cells
    for item, cells in spread.found:
        if not cells:
            raise DataError(
                f"{item!r} is not in the table; write it as the cell does, or {_GIVE_CELLS}"
            )
    raise DataError(_too_often(spread, "the table"))


def with_cells(loaded: Loaded, drop: bool = True) -> Loaded:
    """Return examples with values made the cells they must mean, if they are; the others are dropped, or kept as they are."""
    indices: dict[int, CellIndex] = {}
    examples = []
    for example in loaded.examples:
        cells = example.cells
        if isinstance(example.answer, Values):
            table = example.question.table
            index = indices.setdefault(id(table), CellIndex(table))
            try:
                cells = resolve_answer(table, example.answer.items, index)
            except DataError:
                examples += [] if drop else [example]
                continue
        examples.append(Example(example.question, Cells(cells)))
    return replace(loaded, examples=tuple(examples))


def agrees(index: CellIndex, answer: Sequence[AnswerItem], cells: frozenset[Cell]) -> bool:
    """Say whether cells may be what an answer means: one for each item, every item naming one and every cell named."""
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
_GIVE_CELLS: Final = 'give "cells" as [row, column] pairs'


@dataclass(frozen=True)
class CellIndex:
    """The rows of each column by what their cells say, made as far as it is needed."""

    table: Table

    def rows(self, way: _Way, column: int, item: AnswerItem) -> Sequence[int]:
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


def _as_text(item: AnswerItem) -> str:
    return item if isinstance(item, str) else str(item)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _as_number(item: AnswerItem, unit: str) -> float | None:
    """Return the number an item states in a column's unit; `5 km` states none among metres."""
    if isinstance(item, str):
        reading = read_number(normalise(item))
        fits = reading is not None and reading.form == "plain" and reading.unit in ("", unit)
        return reading.value if reading is not None and fits else None
    try:
        return float(item)
    except OverflowError:
        return None


@dataclass(frozen=True)
class _Match:
    """Where each item of an answer stands in some columns of a table."""

    columns: Sequence[int]
    found: tuple[
        tuple[AnswerItem, frozenset[Cell]], ...
    ]  #: one pair an item, cells empty where it is nowhere

    @cached_property
    def cells(self) -> frozenset[Cell]:
        return frozenset().union(*(cells for _, cells in self.found))

    @property
    def is_whole(self) -> bool:
        """Whether every item is there, as often as it is listed."""
        return all(len(cells) >= listed for cells, listed in self.listed.items())

    @property
    def fits(self) -> bool:
        """Whether every item is there exactly as often as it is listed."""
        return self.is_whole and len(self.cells) == len(self.found)

    @cached_property
    def listed(self) -> Counter[frozenset[Cell]]:
        """How many items mean the same cells; `Oslo` and `oslo` may."""
        return Counter(cells for _, cells in self.found)


def _match(
    index: CellIndex, columns: Sequence[int], answer: Sequence[AnswerItem], ways: Sequence[_Way]
) -> _Match:
    def cells_of(item: AnswerItem) -> frozenset[Cell]:
        for way in ways:
            cells = frozenset((row, c) for c in columns for row in index.rows(way, c, item))
            if cells:
                return cells
        return frozenset()

    distinct = {
        (type(item), item): item for item in answer
    }  # 1 and 1.0 are equal, but are different texts
    found = {key: cells_of(item) for key, item in distinct.items()}
    return _Match(columns, tuple((item, found[type(item), item]) for item in answer))


def _too_often(match: _Match, where: str) -> str:
    for item, cells in match.found:
        occurs, listed = len(cells), match.listed[cells]
        if occurs != listed:
            advice = f", or list it {_times(occurs)} if all are meant" if occurs > listed else ""
            return f"{item!r} occurs {_times(occurs)} in {where} and the answer lists it {_times(listed)}; {_GIVE_CELLS}{advice}"
    return f"two items of the answer could mean the same cell of {where}; {_GIVE_CELLS}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
