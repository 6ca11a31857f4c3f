"""Conditions of several tests: values of one column (`or`, `any_of`), AND, and OR across columns.

`or` joins every two values of a column; `any_of` joins only values that the question names, all of
them or two. `and` joins a well-supported test with any other, `three` joins three well-supported
tests, and `either` joins two well-supported tests of any columns by OR.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions.axis import AND, EITHER, OR, Conditions
from denota.programs.conditions.grow import GrowingAxis
from denota.programs.conditions.support import best_supported
from denota.programs.index import ROOM, Mask
from denota.programs.operators.declare import Block
from denota.programs.operators.equality import shared_values

NAMED: Final = 6
"""At most this many values of a column that a question names are joined in pairs."""
CONJOINED: Final = 20
"""At most this many tests are joined by AND with every other."""
TRIPLED: Final = 10
"""At most this many tests are the third of a conjunction, or joined by OR across columns."""
THREES: Final = 1000
"""The most conjunctions of three tests."""


def add_pairs_of_values(axis: GrowingAxis) -> None:
    """Add every two values of a column, in the order in which the column has them."""
    situation = axis.situation
    columns, classes, masks, grounded = shared_values(situation)
    masks = masks & situation.scope
    here = masks.any(axis=1)
    rows = masks.shape[1]
    if np.count_nonzero(here) * _most_joined(rows) * rows > 10 * ROOM:
        here &= grounded
    columns, classes, masks, grounded = columns[here], classes[here], masks[here], grounded[here]
    lefts, rights = [], []
    for column in np.unique(columns):
        values = np.flatnonzero(columns == column)[: _most_joined(rows)]
        left, right = _pairs_of(len(values))
        lefts.append(values[left])
        rights.append(values[right])
    if not lefts:
        return
    left, right = np.concatenate(lefts), np.concatenate(rights)
    block = Block(
        columns[left], classes[left], masks[left] | masks[right], grounded[left] & grounded[right]
    )
    axis.add(OR, block, classes[right])


@lru_cache(maxsize=256)
def _pairs_of(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two sides of every pair of `count` items, the smaller first."""
    left, right = np.triu_indices(count, k=1)
    return left, right


def add_named_values(axis: GrowingAxis, pairs: bool) -> None:
    """Add the values of a column that the question names: all together and, with `pairs`, by two.

    A question names a value if it has more than half of the value's content words.
    """
    situation = axis.situation
    columns, classes, masks, grounded = shared_values(situation)
    masks = masks & situation.scope
    words = situation.constants.content
    by_column: dict[int, list[int]] = {}
    for value in np.flatnonzero(grounded & masks.any(axis=1)).tolist():
        column = situation.index.columns[int(columns[value])]
        own = column.class_content(int(classes[value]))
        if own <= words or len(own & words) * 2 > len(own):
            by_column.setdefault(int(columns[value]), []).append(value)
    for column_id, values in by_column.items():
        if pairs and len(values) > 1:
            twos = combinations(values[:NAMED], 2)
            left, right = (np.array(side) for side in zip(*twos, strict=True))
            mask = masks[left] | masks[right]
            block = Block(columns[left], classes[left], mask, np.ones(len(left), bool))
            axis.add(OR, block, classes[right])
        if len(values) > 2:
            axis.named.append((column_id, tuple(int(classes[value]) for value in values)))
            first = np.full(1, len(axis.named) - 1, np.int32)
            mask = masks[values].max(axis=0, keepdims=True)
            axis.add(OR, Block(columns[values[:1]], first, mask, np.ones(1, bool)))


def add_conjunctions(axis: GrowingAxis, may_be_empty: bool) -> None:
    """Add a well-supported test AND any other, where both matter.

    Both matter if together they keep some rows, and fewer than either. With `may_be_empty`, two
    well-supported tests are joined whatever rows they keep, and no superlative is: THEN says it of
    the rows that a condition keeps.
    """
    so_far = axis.conditions()
    best = best_supported(so_far, CONJOINED, spread=may_be_empty)
    if not len(best):
        return
    others = np.flatnonzero(so_far.operator >= 0)
    if len(best) * len(others) * so_far.mask.shape[1] > 10 * ROOM:
        best = others = best[: _most_joined(so_far.mask.shape[1])]
    left, right = (side.ravel() for side in np.meshgrid(best, others, indexing="ij"))
    is_best = np.zeros(len(so_far), bool)
    is_best[best] = True
    once = ~is_best[right] | (left < right)
    if may_be_empty:
        rank = np.array([*(test.ranks for test in so_far.tests), False])
        once &= ~(rank[so_far.operator[left]] | rank[so_far.operator[right]])
    left, right = left[once], right[once]
    mask = so_far.mask[left] & so_far.mask[right]
    both = np.asarray(np.count_nonzero(mask, axis=1))
    matter = (both > 0) & (both < so_far.sizes[left]) & (both < so_far.sizes[right])
    if may_be_empty:
        matter |= is_best[left] & is_best[right] & _differ(so_far, left, right)
    kept = np.flatnonzero(matter)
    left, right, mask = left[kept], right[kept], mask[kept]
    none = np.full(len(left), -1, np.int16)
    block = Block(none, left.astype(np.int32), mask, so_far.grounded[right])
    axis.add(AND, block, right.astype(np.int32))


def _differ(so_far: Conditions, left: NDArray[np.int64], right: NDArray[np.int64]) -> Mask:
    """Whether two tests can be said together: of two columns, with a word, or as two limits."""
    kinds = [test.takes for test in so_far.tests]
    words = np.array([*(kind == "word" for kind in kinds), False])[so_far.operator[left]]
    limits = np.array([*(kind == "constant" for kind in kinds), False])
    between = limits[so_far.operator[left]] & limits[so_far.operator[right]]
    between &= so_far.operator[left] != so_far.operator[right]
    differ: Mask = (so_far.column[left] != so_far.column[right]) | words | between
    return differ


def add_threes(axis: GrowingAxis, so_far: Conditions, best: NDArray[np.int64]) -> None:
    """Add conjunctions of well-supported tests with a third of another column, one of `best`."""
    columns = so_far.column
    top = best_supported(so_far, CONJOINED)
    pairs = np.flatnonzero(so_far.operator == AND)
    inside = np.isin(so_far.first[pairs], top) & np.isin(so_far.second[pairs], top)
    left, right = (side.ravel() for side in np.meshgrid(pairs[inside], best, indexing="ij"))
    one, two = so_far.first[left], so_far.second[left]
    once = (columns[right] != columns[one]) & (columns[right] != columns[two])
    once &= (columns[one] == columns[two]) | (right > np.maximum(one, two))
    left, right = left[once], right[once]
    mask = so_far.mask[left] & so_far.mask[right]
    both = np.count_nonzero(mask, axis=1)
    all_best = np.isin(so_far.first[left], best) & np.isin(so_far.second[left], best)
    kept = np.flatnonzero((both > 0) & (all_best | (both < so_far.sizes[left])))
    kept = kept[: _most_threes(so_far)]
    axis.add_joined(AND, left[kept], right[kept], mask[kept])


def add_either(axis: GrowingAxis, so_far: Conditions, best: NDArray[np.int64]) -> None:
    """Add two of the `best` tests joined by OR, if together they keep more rows than either.

    Values of one column that are joined already are left out.
    """
    sizes, columns = so_far.sizes, so_far.column
    joinable = [
        number
        for number, operator in zip(best.tolist(), so_far.operator[best].tolist(), strict=True)
        if so_far.tests[operator].takes in ("value", "word", "constant")
        and not so_far.tests[operator].negates
    ]
    joined_values = so_far.operator == OR
    parts = (so_far.column, so_far.first, so_far.second)
    known = set(zip(*(part[joined_values].tolist() for part in parts), strict=True))
    twos = [
        (a, b)
        for a, b in combinations(joinable, 2)
        if (int(columns[a]), int(so_far.first[a]), int(so_far.first[b])) not in known
    ]
    if not twos:
        return
    left, right = (np.array(side) for side in zip(*twos, strict=True))
    mask = so_far.mask[left] | so_far.mask[right]
    either = np.count_nonzero(mask, axis=1)
    kept = np.flatnonzero((either > sizes[left]) & (either > sizes[right]))
    axis.add_joined(EITHER, left[kept], right[kept], mask[kept])


def _most_threes(so_far: Conditions) -> int:
    """Return the most conjunctions of three: fewer in a long table."""
    return int(min(THREES, 1 + 2 * ROOM // max(1, so_far.mask.shape[1])))


def _most_joined(rows: int) -> int:
    """Return the most conditions whose pairs fit into ROOM."""
    return int((2 * ROOM / max(1, rows)) ** 0.5) + 1
