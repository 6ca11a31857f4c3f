"""Rewards of all programs of a space for gold values, as arrays.

S selections, N row sets, U different row sets, R rows, K different values of the table's cells, G
gold values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import Values, item_key, keys_of
from denota.programs.conditions import Conditions
from denota.programs.denotation import Value
from denota.programs.execute import side_name
from denota.programs.index import ROOM, Mask, TableIndex, counted
from denota.programs.operators import AGGREGATES, COMPARES

if TYPE_CHECKING:
    from denota.programs.space import Family, ProgramSpace

Floats = NDArray[np.float32]


class _Texts(NamedTuple):
    """The texts of one column in U sets of rows."""

    size: Floats
    """(U,) the number of texts; equal ones count once unless repeats count."""
    gold: Floats
    """(U, G) the number of times each gold value is among them."""
    shared: Mask
    """(U, S) whether each key that stands in two columns or more is among them."""


class ValueRewards:
    """Rewards for gold values, family by family; what families share is computed once."""

    def __init__(self, index: TableIndex, gold: Values) -> None:
        self.index = index
        self.repeats = gold.repeats
        self.keys = Counter(keys_of(gold))
        self.total = self.keys.total()
        numbers = [key for key in self.keys if isinstance(key, float)]
        self.numbers = np.array(numbers)
        self._sets: dict[int, tuple[Conditions, Mask, NDArray[np.int64]]] = {}
        self._sides: dict[int, tuple[Conditions, list[list[Hashable]]]] = {}
        self._cells: dict[tuple[int, tuple[int, ...]], Floats] = {}
        self._known: dict[tuple[int, int], _Texts] = {}
        self._overs: dict[tuple[int, str | None, tuple[int, ...]], NDArray[np.float64]] = {}

    def of_cells(self, family: Family) -> Floats:
        """(S * N,) rewards of programs that select cells."""
        rewards = np.zeros((len(family.selections), len(family.conditions)), np.float32)
        whole, masks, number = self._different(family.conditions)
        for line, columns in enumerate(family.selections):
            known_keys = (self.index.columns[c].keys.keys() & self.keys.keys() for c in columns)
            if self.total and not any(known_keys):
                continue
            known = self._cells.get((id(whole), columns))
            if known is None:
                known = self._of_columns(whole, columns, masks)
                self._cells[id(whole), columns] = known
            rewards[line] = known[number]
        return rewards.ravel()

    def _of_columns(self, whole: Conditions, columns: Sequence[int], masks: Mask) -> Floats:
        """(U,) the rewards of the texts of some columns, for each set of rows."""
        found = [self._texts(whole, column, masks) for column in columns]
        counts = np.sum([one.gold for one in found], axis=0)  # (U, G)
        size = np.sum([one.size for one in found], axis=0)
        if not self.repeats:  # a text that stands in several columns counts once
            counts = np.minimum(counts, 1)
            there = np.stack([one.shared for one in found])
            size = size - (there.sum(axis=(0, 2)) - there.any(axis=0).sum(axis=1))
        times = np.array([*self.keys.values()], np.float32)
        return self._jaccard(np.minimum(counts, times).sum(axis=1, dtype=np.float32), size)

    def _texts(self, whole: Conditions, column: int, masks: Mask) -> _Texts:
        """Return the texts of a column in each set of rows, counted."""
        known = self._known.get((id(whole), column))
        if known is not None:
            return known
        own = self.index.columns[column]
        gold = [own.keys.get(key, -1) for key in self.keys]
        shared = [own.keys.get(key, -1) for key in self.index.shared_keys]
        found: list[_Texts] = []
        for some in _few_at_a_time(masks, len(own.keys)):
            counts = counted(own.key_codes, len(own.keys), some)  # (U, K)
            size = counts.sum(axis=1) if self.repeats else np.count_nonzero(counts, axis=1)
            padded = np.pad(counts, ((0, 0), (0, 1)))  # keys that the column lacks look at the last
            found.append(_Texts(size.astype(np.float32), padded[:, gold], padded[:, shared] > 0))
        texts = _Texts(*map(np.concatenate, zip(*found, strict=True)))
        self._known[id(whole), column] = texts
        return texts

    def _met(self, keys: dict[Hashable, int], counts: Floats) -> Floats:
        """(U,) the rewards of sets of values, given (U, K) the count of each key in each set."""
        if not self.repeats:
            counts = np.minimum(counts, 1)
        met = np.zeros(len(counts), np.float32)
        for key, times in self.keys.items():
            if key in keys:
                met += np.minimum(counts[:, keys[key]], times)
        return self._jaccard(met, counts.sum(axis=1))

    def _jaccard(self, met: Floats, size: Floats) -> Floats:
        """(U,) rewards, given the number of gold values in each set of values and its size."""
        union = size + self.total - met
        rewards: Floats = np.divide(met, union, out=np.ones_like(met), where=union > 0)
        return rewards

    def of_parts(self, family: Family) -> Floats:
        """(S * N,) rewards of programs that give a part of each cell."""
        assert family.aggregate is not None
        aggregate = AGGREGATES[family.aggregate]
        assert aggregate.part is not None
        rewards = np.zeros((len(family.selections), len(family.conditions)), np.float32)
        masks = family.conditions.mask
        for line, (column,) in enumerate(family.selections):
            keys, codes = self.index.columns[column].parts(aggregate.name, aggregate.part)
            if not keys.keys() & self.keys.keys():
                continue
            if aggregate.most_common:
                rewards[line] = self._of_most_common(aggregate.part, column, masks)
            else:
                counts = counted(codes, len(keys), masks).astype(np.float32)
                rewards[line] = self._met(keys, counts)
        return rewards.ravel()

    def _of_most_common(
        self, part: Callable[[str], Value | None], column: int, masks: Mask
    ) -> Floats:
        """(N,) rewards of the parts that occur most in a column."""
        own = self.index.columns[column].column
        parts: dict[Value, int] = {}
        found = (part(text) for text in own.values)
        codes = [-1 if one is None else parts.setdefault(one, len(parts)) for one in found]
        counts = counted(np.array(codes, np.int32)[own.codes], len(parts), masks)  # (N, parts)
        most = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
        keys: dict[Hashable, int] = {}
        numbers = [keys.setdefault(item_key(one), len(keys)) for one in parts]
        one_hot = np.eye(len(keys), dtype=np.float32)[numbers]  # (parts, keys)
        return self._met(keys, most.astype(np.float32) @ one_hot)

    def of_names(self, space: ProgramSpace, family: Family) -> Floats:
        """(S * N,) rewards of programs that name a column."""
        if not self.keys.keys() & {item_key(name) for name in self.index.names}:
            return np.zeros(family.count, np.float32)
        every = range(family.start, family.start + family.count)
        found = (space.denotation(number) for number in every)
        keys = [[item_key(value) for value in one.values or ()] for one in found]
        right = [len(own) == 1 and own[0] in self.keys for own in keys]
        rewards: Floats = np.array(right, np.float32) / np.float32(max(1, self.total))
        return rewards

    def of_values(self, family: Family) -> Floats:
        """(S * N,) rewards of programs that compute one value."""
        assert family.aggregate is not None
        if family.compare is not None and COMPARES[family.compare].gives in ("side", "word"):
            return self._of_sides(family)
        yes_no = (
            AGGREGATES[family.aggregate].yes_no
            if family.compare is None
            else COMPARES[family.compare].gives == "yes_no"
        )
        if not len(self.numbers) and not (yes_no and self.keys.keys() & {"yes", "no"}):
            return np.zeros(family.count, np.float32)
        values = np.concatenate([self._values(family, columns) for columns in family.selections])
        if yes_no:
            right = np.where(values > 0, "yes" in self.keys, "no" in self.keys) & ~np.isnan(values)
        else:
            right = self._is_wanted(values)
        rewards: Floats = right.astype(np.float32) / np.float32(max(1, self.total))
        return rewards

    def _is_wanted(self, values: NDArray[np.float64]) -> Mask:
        """Whether each number is a gold value; one of several gold values is partly right."""
        near = np.zeros(len(values), bool)
        for gold in self.numbers.tolist():
            near |= np.abs(values - gold) < 1e-3 * max(1.0, abs(gold))
        for number in np.flatnonzero(near).tolist():
            near[number] = item_key(float(values[number])) in self.keys
        return near

    def _values(self, family: Family, columns: tuple[int, ...]) -> NDArray[np.float64]:
        """(N,) the value of a family's programs with one selection, NaN for none."""
        axis = family.conditions
        whole, _, number = self._different(axis)
        if family.compare is None:
            return self._known_over(family, columns, whole)[number]
        compare = COMPARES[family.compare]
        if len(columns) == 2:
            left, right = (self._known_over(family, (c,), whole)[number] for c in columns)
        elif "whole" in compare.sides:
            left = self._known_over(family, columns, whole)[number]
            right = self._over(family, columns, axis.situation.scope[None])[0]
        else:
            _, _, of_each = self._different(whole)
            values = self._known_over(family, columns, whole)[of_each]
            left, right = values[axis.first], values[axis.second]
        found = np.asarray(compare.over(left, right), float)
        return np.where(np.isnan(left) | np.isnan(right), np.nan, found)

    def _known_over(
        self, family: Family, columns: tuple[int, ...], whole: Conditions
    ) -> NDArray[np.float64]:
        """(U,) an aggregate of each different row set, computed once for all families."""
        key = (id(whole), family.aggregate, columns)
        if key not in self._overs:
            _, masks, _ = self._different(whole)
            self._overs[key] = self._over(family, columns, masks)
        return self._overs[key]

    def _over(self, family: Family, columns: Sequence[int], masks: Mask) -> NDArray[np.float64]:
        """(N,) an aggregate of each set of rows."""
        assert family.aggregate is not None
        aggregate = AGGREGATES[family.aggregate]
        if aggregate.over is not None:
            own = [self.index.columns[c] for c in columns]
            parts = _few_at_a_time(masks, max((column.count for column in own), default=1))
            with np.errstate(over="ignore", invalid="ignore"):
                found = np.concatenate([aggregate.over(own, some) for some in parts])
            return np.where(np.isfinite(found), found, np.nan)
        table = self.index.table
        values = (aggregate.meaning(table, np.flatnonzero(m).tolist(), columns) for m in masks)
        return np.array([float(v[0]) if v else np.nan for v in values])

    def _of_sides(self, family: Family) -> Floats:
        """(S * N,) rewards of programs that name the larger or smaller of two sides."""
        rewards = np.zeros((len(family.selections), len(family.conditions)), np.float32)
        names = self.index.names
        assert family.compare is not None
        answers = [item_key(word) for word in COMPARES[family.compare].answers]
        for line, columns in enumerate(family.selections):
            if COMPARES[family.compare].gives == "word":
                if not self.keys.keys() & set(answers):
                    continue
                sides = [answers] * len(family.conditions)
            elif len(columns) == 2:
                sides = [[item_key(names[c]) for c in columns]]
                if not self.keys.keys() & set(sides[0]):
                    continue
                sides = sides * len(family.conditions)
            else:
                sides = self._pair_keys(family.conditions)
            if not any(side in self.keys for pair in sides for side in pair):
                continue
            better = self._values(family, columns)
            for number in np.flatnonzero(better > 0).tolist():
                hit = sides[number][int(better[number]) - 1] in self.keys
                rewards[line, number] = hit / max(1, self.total)
        return rewards.ravel()

    def _pair_keys(self, axis: Conditions) -> list[list[Hashable]]:
        """(N, 2) the keys of the names of the two sides of each pair."""
        if id(axis) in self._sides:
            return self._sides[id(axis)][1]
        whole = axis.whole or axis
        numbers = np.unique(np.concatenate([axis.first, axis.second])).tolist()
        named = {n: item_key(side_name(whole.condition(n))) for n in numbers}
        pairs = zip(axis.first.tolist(), axis.second.tolist(), strict=True)
        keys: list[list[Hashable]] = [[named[left], named[right]] for left, right in pairs]
        self._sides[id(axis)] = (axis, keys)
        return keys

    def _different(self, axis: Conditions) -> tuple[Conditions, Mask, NDArray[np.int64]]:
        """Return the whole axis, its (U, R) different row sets, and (N,) which of these each is."""
        whole = axis.whole or axis
        if id(whole) not in self._sets:
            self._sets[id(whole)] = (whole, *different(whole.mask))
        _, masks, number = self._sets[id(whole)]
        return whole, masks, number if axis.numbers is None else number[axis.numbers]


def _few_at_a_time(masks: Mask, kinds: int) -> list[Mask]:
    """Cut an (N, R) mask into parts small enough for (lines, R) and (lines, kinds) numbers."""
    step = max(1, ROOM // max(1, masks.shape[1], kinds))
    return [masks[start : start + step] for start in range(0, max(1, len(masks)), step)]


def different(mask: Mask) -> tuple[Mask, NDArray[np.int64]]:
    """Return the (U, R) different lines of an (N, R) mask, and (N,) which of them each line is.

    >>> masks, number = different(np.array([[True, False], [False, True], [True, False]]))
    >>> len(masks), bool(number[0] == number[2])
    (2, True)
    """
    packed = np.packbits(mask, axis=1)
    wide = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    words = np.ascontiguousarray(wide).view(np.uint64)
    width = words.shape[1]
    key = words[:, 0]
    if width > 1:
        key = np.ascontiguousarray(words).view(f"V{8 * width}")[:, 0]
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return mask[first], number.ravel()
