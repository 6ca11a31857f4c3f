"""The index of a table, made once and shared by all its questions. R rows, C columns, V classes."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Collection, Hashable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from denota.programs.codes import codes_among, codes_for
from denota.programs.index.column import LONG, ColumnIndex
from denota.programs.index.sets import Bits, Mask, bits_of
from denota.programs.index.totals import totals
from denota.programs.near_words import near_words
from denota.tables.table import Table
from denota.tokens import tokenise


def index_of(table: Table, most: int = LONG) -> TableIndex:
    """Return the table's index, made at the first call and kept as long as the table lives.

    Columns with more than `most` value classes are long; of a sketch those that are so in the
    whole table.
    """
    key = id(table), most
    entry = _INDEXES.get(key)
    if entry is None or entry[0]() is not table:
        kept = _INDEXES  # bound here, for it may be gone when the interpreter ends
        entry = kept[key] = (
            weakref.ref(table, lambda _: kept.pop(key, None)),
            TableIndex(table, most),
        )
    return entry[1]


_INDEXES: dict[tuple[int, int], tuple[weakref.ref[Table], TableIndex]] = {}


class TableIndex:
    """A table's columns as arrays of value classes, with the masks that all questions share."""

    def __init__(self, table: Table, most: int = LONG) -> None:
        self._table = weakref.ref(table)
        long = table.large.long if table.large is not None else ()
        self.columns = tuple(
            ColumnIndex(column, 0 if place in long else most)
            for place, column in enumerate(table.columns)
        )
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
        """(R,) True for rows that sum up others."""
        return totals(self.table)

    @cached_property
    def shared_keys(self) -> tuple[Hashable, ...]:
        """The keys of texts that stand in two columns or more."""
        times = Counter(key for column in self.columns for key in column.keys)
        return tuple(key for key, count in times.items() if count > 1)

    @cached_property
    def classes(self) -> tuple[NDArray[np.int16], NDArray[np.int32], Mask]:
        """(V,) column, (V,) class and (V, R) rows of each value class, long columns left out."""
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
    def words(self) -> list[str]:
        """The tokens of `vocabulary`, sorted."""
        return sorted(self.vocabulary)

    def near(self, asked: Collection[str]) -> frozenset[str]:
        """Return the table's words near those of a question, and codes that stand for them."""
        found = near_words(asked, self.words)
        for column in self.columns:
            if column.is_long:
                found |= near_words(asked, column.words)
        return codes_for(asked, self.codes).union(found)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes that columns have as values, in small letters."""
        return frozenset().union(*(codes_among(own.column.values) for own in self.columns))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(C,) where the classes of each column begin in `classes`.

        Those of a long column are not there.
        """
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
