"""Rewards: how right a denotation is, for one program and, as arrays, for all programs of a space.

    R(y, z) = |A ∩ Z| / |A ∪ Z|

Gold cells are compared with the cells of a program that selects cells. Gold values are compared with the values of any program, the texts of
its cells if it selects cells, by the rule of their data set: as a set, or with repeats. So a lookup, a COUNT and a SUM that give the gold
value are all consistent. S selections, N row sets, U different ones among them, R rows, K different values of the table's cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.data.answer import Answer, Cells, Item, Values, item_key, keys_of, partial
from denota.programs.conditions import Conditions
from denota.programs.denotation import Denotation, Value, jaccard
from denota.programs.execute import side_names
from denota.programs.index import ROOM, Mask, TableIndex, counted
from denota.programs.operators import AGGREGATES, COMPARES
from denota.programs.tree import Program
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.space import Family, ProgramSpace

Floats = NDArray[np.float32]


def reward(found: Denotation, gold: Answer, table: Table) -> float:
    """Return how right a denotation is.

    A program that finds nothing to compute is never right, though the gold answer be none; names with their values are looked at only where the gold answer can be that.
    """
    if isinstance(gold, Cells):
        return jaccard(found.cells, gold.cells) if found.values is None else 0.0
    if found.values == () or (found.groups and not is_grouped(gold)):
        return 0.0
    return partial(items_of(found, table), gold)


def is_grouped(gold: Values) -> bool:
    """Say whether a gold answer can be names, each with a number behind it.

    >>> is_grouped(Values(("Oslo", 3.0, "Moss", "2"))), is_grouped(Values(("Oslo", "Moss")))
    (True, False)
    """
    numbers = [isinstance(item_key(item), float) for item in gold.items[1::2]]
    return len(gold.items) == 2 * len(numbers) > 0 and all(numbers)


def items_of(found: Denotation, table: Table) -> tuple[Item, ...]:
    """Return what a denotation says: the texts of its cells, or its values; of groups each name with its value behind it."""
    if found.values is None:
        return tuple(table.cell(row, column) for row in found.rows for column in found.columns)
    if not found.groups:
        return found.values
    return tuple(item for pair in zip(found.groups, found.values, strict=True) for item in pair)


def family_rewards(space: ProgramSpace, gold: Answer) -> list[Floats]:
    """(S * N,) the rewards of each family's programs."""
    index = space.table_index
    if isinstance(gold, Cells):
        answer = np.zeros((index.rows, len(index.columns)), np.float32)
        cells = list(gold.cells)
        answer[[row for row, _ in cells], [column for _, column in cells]] = 1
        return [_cell_rewards(family, answer) for family in space.families]
    wanted = _Wanted(index, gold)
    found = []
    for family in space.families:
        if family.aggregate is None:
            found.append(wanted.of_cells(family))
        elif AGGREGATES[family.aggregate].part is not None:
            found.append(wanted.of_parts(family))
        elif AGGREGATES[family.aggregate].names_column:
            found.append(wanted.of_names(space, family))
        elif AGGREGATES[family.aggregate].grouped:
            found.append(_one_by_one(space, family, gold))
        else:
            found.append(wanted.of_values(family))
    return found


def _cell_rewards(family: Family, answer: Floats) -> Floats:
    """(S * N,) rewards of a family for gold cells: one matrix product."""
    if family.aggregate is not None:
        return np.zeros(family.count, np.float32)
    widths = np.array([len(selection) for selection in family.selections], np.float32)  # (S,)
    per_row = np.stack([answer[:, list(s)].sum(axis=1) for s in family.selections])  # (S, R)
    rows = np.flatnonzero(answer.any(axis=1))  # only the answer's rows can be hit
    hits = per_row[:, rows] @ family.conditions.mask[:, rows].T.astype(np.float32)  # (S, N)
    sizes = widths[:, None] * family.conditions.sizes[None, :]  # (S, N)
    union = sizes + answer.sum() - hits
    rewards: Floats = np.divide(hits, union, out=np.ones_like(hits), where=union > 0)
    return rewards.ravel()


def _one_by_one(space: ProgramSpace, family: Family, gold: Values) -> Floats:
    """(S * N,) rewards where no array form says them; looked at only where the gold answer can be names with values."""
    rewards = np.zeros(family.count, np.float32)
    if is_grouped(gold):
        for place in range(family.count):
            found = space.denotation(family.start + place)
            rewards[place] = reward(found, gold, space.table_index.table)
    return rewards


class _Texts(NamedTuple):
    """The texts of one column in U sets of rows."""

    size: Floats
    """(U,) how many there are, each counted once unless repeats count."""
    gold: Floats
    """(U, G) how often each gold value is among them."""
    shared: Mask
    """(U, S) whether each key that stands in two columns or more is among them."""


class _Wanted:
    """Gold values, and how right the programs of each family are."""

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
        """(U,) how right the texts of some columns are, for each set of rows."""
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
        """What the texts of a column come to in each set of rows."""
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
        self._known[id(whole), column] = texts = _Texts(*map(np.concatenate, zip(*found, strict=True)))  # fmt: skip
        return texts

    def _met(self, keys: dict[Hashable, int], counts: Floats) -> Floats:
        """(U,) the rewards of sets of values, given (U, K) how often each has each key."""
        if not self.repeats:
            counts = np.minimum(counts, 1)
        met = np.zeros(len(counts), np.float32)
        for key, times in self.keys.items():
            if key in keys:
                met += np.minimum(counts[:, keys[key]], times)
        return self._jaccard(met, counts.sum(axis=1))

    def _jaccard(self, met: Floats, size: Floats) -> Floats:
        """(U,) rewards, given how many gold values each set of values has and its size."""
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
        found = (space.denotation(family.start + place) for place in range(family.count))
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
        """Whether numbers are among the gold ones; one value of several is partly right."""
        near = np.zeros(len(values), bool)
        for number in self.numbers.tolist():
            near |= np.abs(values - number) < 1e-3 * max(1.0, abs(number))
        for place in np.flatnonzero(near).tolist():
            near[place] = item_key(float(values[place])) in self.keys
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
        """(U,) an aggregate of each of the different row sets, computed once for all families that ask for it."""
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
            for place in np.flatnonzero(better > 0).tolist():
                hit = sides[place][int(better[place]) - 1] in self.keys
                rewards[line, place] = hit / max(1, self.total)
        return rewards.ravel()

    def _pair_keys(self, axis: Conditions) -> list[list[Hashable]]:
        """(N, 2) the keys of what the two sides of each pair are called."""
        if id(axis) in self._sides:
            return self._sides[id(axis)][1]
        named = (
            side_names(Program(where=axis.condition(n), versus=axis.versus(n)))
            for n in range(len(axis))
        )
        keys = [[item_key(name) for name in sides] for sides in named]
        self._sides[id(axis)] = (axis, keys)
        return keys

    def _different(self, axis: Conditions) -> tuple[Conditions, Mask, NDArray[np.int64]]:
        """The conditions an axis is chosen from, the (U, R) different row sets among them, and (N,) which of those each is."""
        whole = axis.whole or axis
        if id(whole) not in self._sets:
            self._sets[id(whole)] = (whole, *different(whole.mask))
        _, masks, number = self._sets[id(whole)]
        return whole, masks, number if axis.numbers is None else number[axis.numbers]


def _few_at_a_time(masks: Mask, kinds: int) -> list[Mask]:
    """The lines of an (N, R) mask in parts that leave room for (lines, R) and (lines, kinds) numbers."""
    step = max(1, ROOM // max(1, masks.shape[1], kinds))
    return [masks[start : start + step] for start in range(0, max(1, len(masks)), step)]


def different(mask: Mask) -> tuple[Mask, NDArray[np.int64]]:
    """(U, R) the different lines of an (N, R) mask, and (N,) which of them each line is.

    >>> masks, number = different(np.array([[True, False], [False, True], [True, False]]))
    >>> len(masks), bool(number[0] == number[2])
    (2, True)
    """
    packed = np.packbits(mask, axis=1)
    wide = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    words = np.ascontiguousarray(wide).view(np.uint64)
    key = words[:, 0] if words.shape[1] == 1 else np.ascontiguousarray(words).view(f"V{8 * words.shape[1]}")[:, 0]  # fmt: skip
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return mask[first], number.ravel()
