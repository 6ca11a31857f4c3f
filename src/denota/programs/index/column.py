"""The index of a column: its value classes, its order and its words. R rows, V value classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import item_key
from denota.programs.index.sets import ROOM, Mask
from denota.tables.column import Column
from denota.tokens import content, tokenise

LONG: Final = 2_000
"""A column with more value classes is long: it offers only the values that a word or number of the
question leads to."""
LINKED: Final = 40
"""In a language with `linked_values`, a column with more value classes than this is long."""
MOST_GROUPS: Final = 2_000
"""Rows are put into at most this many groups, one for each value class of a column."""


@dataclass(frozen=True, eq=False)
class ColumnIndex:
    """One column's value classes and its order."""

    column: Column
    most: int = LONG
    """The most classes that are all offered."""

    @cached_property
    def _grouped(
        self,
    ) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.int32], NDArray[np.int32]]:
        """(R,) class of each row, (V,) text and row of each first cell, class of each text."""
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
        return self.count > self.most or self.count * len(self.column) > ROOM

    @property
    def makes_groups(self) -> bool:
        """Whether rows can be put into groups, one for each class."""
        fits = self.count <= MOST_GROUPS and self.count * len(self.column) <= ROOM
        return 1 < self.count < len(self.column) and fits

    @cached_property
    def order(self) -> NDArray[np.float64] | None:
        """(R,) what `IS MAX` and its like go by: numbers, or dates in days; None for text."""
        if self.column.kind == "number":
            return self.column.numbers
        return self.column.dates.order if self.column.kind == "date" else None

    @cached_property
    def day_first(self) -> bool:
        """Whether its cells are dates such as `17/4/1993`, and have the day before the month."""
        dates = self.column.dates
        for row in range(min(len(self.column), LONG)):
            first, _, rest = self.column.text[row].strip().partition("/")
            month, day = int(dates.month[row]), int(dates.day[row])
            if "/" in rest and first.isdecimal() and month != day and month and day:
                return int(first) == day
        return False

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
        """The rows that state a value, from smallest to largest, equal ones in table order."""
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
        """Return the numbered keys of a part of the texts, and (R,) each row's key, -1 for none."""
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
        """The distinct texts that have a word, for CONTAINS and for the values of a long column.

        The cells of long number and date columns are found by what they state, not by words.
        """
        found: dict[str, list[int]] = {}
        if self.is_long and self.column.kind != "text":
            return found
        for position, text in enumerate(self.column.values):
            for word in set(tokenise(text)):
                found.setdefault(word, []).append(position)
        return found

    @cached_property
    def words(self) -> list[str]:
        """The words of `by_word`, sorted."""
        return sorted(self.by_word)

    def rows_with_word(self, word: str) -> Mask:
        """(R,) True where the cell's text has the word."""
        return np.isin(self.column.codes, self.by_word.get(word, ()))

    def classes_with_word(self, word: str) -> list[int]:
        """Return the classes that have a cell with the word, in order of first occurrence."""
        return list(dict.fromkeys(self._grouped[3][self.by_word.get(word, [])].tolist()))
