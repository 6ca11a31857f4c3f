"""Steps to the largest, smallest, first or last of the rows kept: "of the winners, the oldest"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from denota.programs.index import Mask
from denota.programs.operators.declare import Apply, Choices, Situation, StepOperator, TestOperator
from denota.programs.operators.superlative import (
    BOTTOM,
    FIRST,
    FIRST_K,
    KTH_MAX,
    KTH_MIN,
    LAST,
    LAST_K,
    MAX,
    MAX_TIES,
    MIN,
    MIN_TIES,
    TOP,
    counts_in,
)


def _by_order(largest: bool, keeps: Callable[[Any, int], Any], counted: bool) -> Apply:
    """Keep the rows at the ranks in a column's order, from 1, that `keeps(rank, k)` is true of."""

    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        rising = situation.index.columns[column].rising
        order = rising[::-1] if largest else rising
        k = int(situation.numbers[first].value) if counted else 1
        return _placed(kept, order, lambda rank: keeps(rank, k))

    return apply


def _by_row(last: bool, counted: bool) -> Apply:
    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        rows = np.arange(kept.shape[1])
        k = int(situation.numbers[first].value) if counted else 1
        return _placed(kept, rows[::-1] if last else rows, lambda rank: rank <= k)

    return apply


def _placed(kept: Mask, order: Any, keeps: Callable[[Any], Any]) -> Mask:
    """(N, R) those of the rows kept whose ranks in an order `keeps` is true of."""
    ordered = kept[:, order]
    found = np.zeros_like(kept)
    found[:, order] = ordered & keeps(np.cumsum(ordered, axis=1, dtype=np.int32))
    return found


def _tied(largest: bool) -> Apply:
    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        order = situation.index.columns[column].order
        assert order is not None
        stated = kept & ~np.isnan(order)
        worst = -np.inf if largest else np.inf
        values = np.where(stated, order, worst)
        best = values.max(axis=1) if largest else values.min(axis=1)
        tied: Mask = stated & (order == best[:, None])
        return tied

    return apply


def _columns(test: TestOperator) -> Choices:
    def choices(situation: Situation) -> Sequence[tuple[int, int]]:
        ks = [i for i, _ in counts_in(situation)] if test.takes == "number" else [0]
        if test.takes == "number" and not situation.triggered(test.name):
            return []
        if not test.has_column:
            return [(-1, k) for k in ks]
        ties = test.name.endswith("_ties")
        index = situation.index
        columns = [c for c in index.ordered if not ties or index.columns[c].has_ties]
        return [(column, k) for column in columns for k in ks]

    return choices


def _step(test: TestOperator, apply: Apply) -> StepOperator:
    """Return a test of rank or place as a step: the same test, among the rows kept."""
    return StepOperator(
        name=test.name,
        keywords=test.keywords,
        english=test.english,
        meaning=test.meaning,
        choices=_columns(test),
        apply=apply,
        sql=test.sql,
        argument=test.argument,
        takes=test.takes,
        has_column=test.has_column,
        needs=test.needs,
        row_order=test.row_order,
        example=test.example.replace("WHERE", "WHERE Ships = '2' THEN"),
    )


RANK_STEPS: Final = (
    _step(MAX, _by_order(True, lambda rank, k: rank == 1, False)),
    _step(MIN, _by_order(False, lambda rank, k: rank == 1, False)),
    _step(MAX_TIES, _tied(True)),
    _step(MIN_TIES, _tied(False)),
    _step(TOP, _by_order(True, lambda rank, k: rank <= k, True)),
    _step(BOTTOM, _by_order(False, lambda rank, k: rank <= k, True)),
    _step(KTH_MAX, _by_order(True, lambda rank, k: rank == k, True)),
    _step(KTH_MIN, _by_order(False, lambda rank, k: rank == k, True)),
    _step(FIRST, _by_row(False, False)),
    _step(LAST, _by_row(True, False)),
    _step(FIRST_K, _by_row(False, True)),
    _step(LAST_K, _by_row(True, True)),
)
