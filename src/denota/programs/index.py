"""What the program space needs to know of a table, made once and shared by all its questions.

The cells of a column fall into value classes: two cells are of one class if they state the same number in a number column, the
same date in a date column, or have the same text. `=` and `!=` are about classes. R rows, C columns, V classes.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import item_key
from denota.tables.cells import normalise
from denota.tables.column import Column
from denota.tables.table import Table
from denota.tokens import content, tokenise

LONG: Final = 2_000
"""A column with more value classes than this offers only those that a word or number of the question leads to."""
ROOM: Final = 4_000_000
"""The most (condition, row) pairs that the values of one column, or the pairs of conditions of a scope, may take; in tables of
thousands of rows this makes columns long that have fewer classes than LONG, and leaves out pairs that the question does not name."""

Mask = NDArray[np.bool_]
Bits = NDArray[np.uint64]
"""Sets of tokens, a bit each: (..., W) words of 64."""


def bits_of(texts: Sequence[Iterable[str]], vocabulary: Mapping[str, int]) -> Bits:
    """(texts, W) the sets of tokens of some texts; tokens that the vocabulary lacks are left out.

    >>> bits_of([("a", "c"), ("b", "x")], {"a": 0, "b": 1, "c": 2}).tolist()
    [[5], [2]]
    """
    width = max(1, -(-len(vocabulary) // 64))
    sets = [sum(1 << vocabulary[t] for t in set(text) if t in vocabulary) for text in texts]
    packed = b"".join(one.to_bytes(8 * width, "little") for one in sets)
    return np.frombuffer(packed, "<u8").astype(np.uint64).reshape(len(sets), width)


def counted(codes: NDArray[np.int32], kinds: int, rows: Mask) -> NDArray[np.float32]:
    """(N, kinds) how many rows of each set are of each kind, given (R,) the kind of each row, -1 for none, and (N, R) the sets.

    >>> counted(np.array([0, 1, 1, -1], np.int32), 2, np.array([[True, True, True, True]])).tolist()
    [[1.0, 2.0]]
    """
    if len(codes) * kinds <= ROOM:
        known = np.flatnonzero(codes >= 0)
        one_hot = np.zeros((len(codes), kinds), np.float32)
        one_hot[known, codes[known]] = 1
        return rows.astype(np.float32) @ one_hot
    lines = [np.bincount(codes[line & (codes >= 0)], minlength=kinds) for line in rows]
    return np.array(lines, np.float32).reshape(len(rows), kinds)


def index_of(table: Table) -> TableIndex:
    """Return the table's index, made at the first call and kept as long as the table lives."""
    key = id(table)
    entry = _INDEXES.get(key)
    if entry is None or entry[0]() is not table:
        kept = _INDEXES  # bound here, for it may be gone when the interpreter ends
        entry = kept[key] = (weakref.ref(table, lambda _: kept.pop(key, None)), TableIndex(table))
    return entry[1]


_INDEXES: dict[int, tuple[weakref.ref[Table], TableIndex]] = {}


class TableIndex:
    """A table's columns as arrays of value classes, with the masks that every question over it shares."""

    def __init__(self, table: Table) -> None:
        self._table = weakref.ref(table)
        self.columns = tuple(ColumnIndex(column) for column in table.columns)
        self.names = table.names
        self.rows = len(table)
        self.position = {name: position for position, name in enumerate(table.names)}

    @property
    def table(self) -> Table:
        """The table itself, which outlives its index."""
        table = self._table()
        assert table is not None
        return table

    @cached_property
    def all_rows(self) -> Mask:
        """(R,) all True."""
        return np.ones(self.rows, dtype=bool)

    @cached_property
    def totals(self) -> Mask:
        """(R,) True for rows that sum up others: a cell of theirs says `Total` and nothing else."""
        found = np.zeros(self.rows, dtype=bool)
        for column in self.table.columns:
            found |= np.array([is_total((text,)) for text in column.values], dtype=bool)[
                column.codes
            ]
        return found

    @cached_property
    def shared_keys(self) -> tuple[Hashable, ...]:
        """The keys of texts that stand in two columns or more."""
        times = Counter(key for column in self.columns for key in column.keys)
        return tuple(key for key, count in times.items() if count > 1)

    @cached_property
    def classes(self) -> tuple[NDArray[np.int16], NDArray[np.int32], Mask]:
        """(V,) column, (V,) class and (V, R) rows of every value class of the columns that are not long."""
        columns, classes, masks = [], [], []
        for position, column in enumerate(self.columns):
            if not column.is_long:
                ids = np.arange(column.count, dtype=np.int32)
                columns.append(np.full(column.count, position, np.int16))
                classes.append(ids)
                masks.append(column.classes == ids[:, None])
        if not masks:
            empty = np.zeros(0, np.int16)
            return empty, empty.astype(np.int32), np.zeros((0, self.rows), bool)
        return np.concatenate(columns), np.concatenate(classes), np.concatenate(masks)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The T tokens of the column names and of the values in `classes`, numbered."""
        found: dict[str, int] = {}
        for name in self.names:
            for token in tokenise(name):
                found.setdefault(token, len(found))
        for column in self.columns:
            if not column.is_long:
                for text in column.column.values:
                    for token in tokenise(text):
                        found.setdefault(token, len(found))
        return found

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(C,) where the classes of each column begin in `classes`; those of a long column are not there."""
        counts = [0 if column.is_long else column.count for column in self.columns]
        return np.cumsum([0, *counts])[:-1]

    @cached_property
    def class_numbers(self) -> NDArray[np.float64]:
        """(V,) the number each value of `classes` states, NaN if none."""
        found = [column.class_numbers for column in self.columns if not column.is_long]
        return np.concatenate(found) if found else np.zeros(0)

    @cached_property
    def name_tokens(self) -> tuple[tuple[str, ...], ...]:
        """(C,) the tokens of the column names."""
        return tuple(map(tokenise, self.names))

    @cached_property
    def class_tokens(self) -> tuple[tuple[str, ...], ...]:
        """(V,) the tokens of the values of `classes`."""
        columns = (column for column in self.columns if not column.is_long)
        return tuple(tokenise(text) for column in columns for text in column.texts)

    @cached_property
    def name_bits(self) -> Bits:
        """(C, W) the tokens of the column names as sets."""
        return bits_of(self.name_tokens, self.vocabulary)

    @cached_property
    def class_bits(self) -> Bits:
        """(V, W) the tokens of the values of `classes` as sets."""
        return bits_of(self.class_tokens, self.vocabulary)

    @cached_property
    def long(self) -> tuple[int, ...]:
        """The columns whose values are looked up by the words of the question."""
        return tuple(i for i, column in enumerate(self.columns) if column.is_long)

    @cached_property
    def ordered(self) -> tuple[int, ...]:
        """The columns of numbers or dates."""
        return tuple(i for i, column in enumerate(self.columns) if column.order is not None)


@dataclass(frozen=True, eq=False)
class ColumnIndex:
    """One column's value classes and its order."""

    column: Column

    @cached_property
    def _grouped(
        self,
    ) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.int32], NDArray[np.int32]]:
        """(R,) class of each row, (V,) text and (V,) row of the first cell of each class, and the class of each distinct text."""
        column = self.column
        keys: list[object] = list(column.values)
        if column.kind != "text":
            first = np.zeros(len(column.values), np.int64)
            first[column.codes[::-1]] = np.arange(len(column) - 1, -1, -1)
            stated = column.numbers[first] if column.kind == "number" else column.dates.order[first]
            keys = [
                text if np.isnan(value) else float(value)
                for text, value in zip(column.values, stated, strict=True)
            ]
        ids: dict[object, int] = {}
        by_value = np.array([ids.setdefault(key, len(ids)) for key in keys], dtype=np.int32)
        classes = by_value[column.codes] if len(column) else np.zeros(0, np.int32)
        rows = np.zeros(len(ids), np.int32)
        rows[classes[::-1]] = np.arange(len(column) - 1, -1, -1, dtype=np.int32)
        return classes, tuple(column.text[row] for row in rows), rows, by_value

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """(R,) the value class of each row's cell."""
        return self._grouped[0]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """(V,) the text of the first cell of each class."""
        return self._grouped[1]

    @cached_property
    def count(self) -> int:
        """V, the number of classes."""
        return len(self.texts)

    @cached_property
    def is_long(self) -> bool:
        """Whether there are too many classes to offer them all."""
        return self.count > LONG or self.count * len(self.column) > ROOM

    @cached_property
    def order(self) -> NDArray[np.float64] | None:
        """(R,) what `IS MAX` and its like go by: numbers, or dates in days; None for text."""
        if self.column.kind == "number":
            return self.column.numbers
        return self.column.dates.order if self.column.kind == "date" else None

    @cached_property
    def stated(self) -> Mask:
        """(R,) True where a cell states a number."""
        return ~np.isnan(self.column.numbers)

    @cached_property
    def filled(self) -> NDArray[np.float64]:
        """(R,) the number each cell states, 0 where it states none."""
        return np.where(self.stated, self.column.numbers, 0.0)

    @cached_property
    def has_ties(self) -> bool:
        """Whether two rows have the same place in the order."""
        if self.order is None:
            return False
        stated = self.order[~np.isnan(self.order)]
        return len(np.unique(stated)) < len(stated)

    @cached_property
    def name_content(self) -> frozenset[str]:
        """The content words of the column's name."""
        return content(self.column.name)

    @cached_property
    def rising(self) -> NDArray[np.int64]:
        """The rows that have a place in the order, from smallest to largest, equal ones in table order."""
        if self.order is None:
            return np.zeros(0, np.int64)
        rows = np.flatnonzero(~np.isnan(self.order))
        return rows[np.argsort(self.order[rows], kind="stable")]

    def class_content(self, number: int) -> frozenset[str]:
        """Return the content words of a class's text."""
        known = self._contents.get(number)
        if known is None:
            known = self._contents[number] = content(self.texts[number])
        return known

    @cached_property
    def _contents(self) -> dict[int, frozenset[str]]:
        return {}

    @cached_property
    def class_numbers(self) -> NDArray[np.float64]:
        """(V,) the number each class states, NaN if none."""
        return self.column.numbers[self._grouped[2]]

    @cached_property
    def keys(self) -> dict[Hashable, int]:
        """The different keys of the column's texts by which answers are matched, numbered."""
        return self._keyed[0]

    @cached_property
    def key_codes(self) -> NDArray[np.int32]:
        """(R,) the number of each cell's key."""
        return self._keyed[1]

    @cached_property
    def _keyed(self) -> tuple[dict[Hashable, int], NDArray[np.int32]]:
        keys: dict[Hashable, int] = {}
        by_value = [keys.setdefault(item_key(text), len(keys)) for text in self.column.values]
        return keys, np.array([*by_value, 0], np.int32)[self.column.codes]

    def parts(
        self, name: str, part: Callable[[str], Any]
    ) -> tuple[dict[Hashable, int], NDArray[np.int32]]:
        """Return the keys of a part of the column's texts, numbered, and (R,) which each row has, -1 for none."""
        if name not in self._parts:
            keys: dict[Hashable, int] = {}
            found = (part(text) for text in self.column.values)
            codes = [
                -1 if one is None else keys.setdefault(item_key(one), len(keys)) for one in found
            ]
            self._parts[name] = (keys, np.array(codes, np.int32)[self.column.codes])
        return self._parts[name]

    def has_part(self, name: str, part: Callable[[str], Any]) -> bool:
        """Say whether a third of the column's cells have a part that is not all of their text."""
        if name not in self._has_part:
            keys, codes = self.parts(name, part)
            often = len(codes) > 0 and bool((codes >= 0).mean() > 1 / 3)
            self._has_part[name] = often and keys.keys() != self.keys.keys()
        return self._has_part[name]

    @cached_property
    def _has_part(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _parts(self) -> dict[str, tuple[dict[Hashable, int], NDArray[np.int32]]]:
        return {}

    @cached_property
    def by_word(self) -> dict[str, list[int]]:
        """The distinct texts that have a word: the value index of a long column, and what CONTAINS looks into.

        The cells of long number and date columns are found by what they state, not by words.
        """
        found: dict[str, list[int]] = {}
        if self.is_long and self.column.kind != "text":
            return found
        for position, text in enumerate(self.column.values):
            for word in set(tokenise(text)):
                found.setdefault(word, []).append(position)
        return found

    def rows_with_word(self, word: str) -> Mask:
        """(R,) True where the cell's text has the word."""
        return np.isin(self.column.codes, self.by_word.get(word, ()))

    def classes_with_word(self, word: str) -> list[int]:
        """Return the classes that have a cell with the word, in order of first occurrence."""
        return list(dict.fromkeys(self._grouped[3][self.by_word.get(word, [])].tolist()))


def is_total(cells: tuple[str, ...]) -> bool:
    """Say whether a row's cells make it one that sums up others.

    >>> is_total(("Total", "12")), is_total(("Total eclipse", "12"))
    (True, False)
    """
    return any(len(cell) < 16 and normalise(cell).lower() in _TOTALS for cell in cells)


_TOTALS: Final = frozenset(
    ("total", "totals", "total:", "grand total", "overall", "sum", "career total", "career totals")
)
