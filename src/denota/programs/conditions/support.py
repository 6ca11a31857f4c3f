"""How well a question supports a condition, and which conditions it supports best."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions.axis import Conditions


def best_supported(so_far: Conditions, count: int, spread: bool = True) -> NDArray[np.int64]:
    """Return the numbers of at most `count` tests with the most support, in axis order.

    Args:
        so_far: the axis.
        count: the most tests to return.
        spread: whether to take only a few uses of each test on each column, and to leave out tests
            of a row's place, which every question supports.
    """
    usable = np.flatnonzero(so_far.grounded & (so_far.operator >= 0))
    support = np.array([_support(so_far, number, spread) for number in usable.tolist()])
    usable, support = usable[support > 0], support[support > 0]
    order = usable[np.argsort(-support, kind="stable")]
    if spread:
        taken: Counter[tuple[int, int]] = Counter()
        kept = []
        for number in order.tolist():
            use = int(so_far.column[number]), int(so_far.operator[number])
            test = so_far.tests[use[1]]
            taken[use] += 1
            by_place = test.row_order and test.needs == "nothing"
            if taken[use] <= max(3, count // 5) and not by_place:
                kept.append(number)
        order = np.array(kept, np.int64)
    return np.sort(order[:count])


def _support(conditions: Conditions, number: int, dates: bool) -> float:
    """Return the support of a test: shared words of its value and column, a trigger word.

    With `dates`, a date or decade of the question counts as much as a trigger word.
    """
    situation = conditions.situation
    test = conditions.tests[int(conditions.operator[number])]
    column_id = int(conditions.column[number])
    words = situation.constants.content
    support = 0.0
    if column_id >= 0:
        column = situation.index.columns[column_id]
        support += 0.5 * len(column.name_content & words) / max(1, len(column.name_content))
        if test.takes == "value":
            own = column.class_content(int(conditions.first[number]))
            support += len(own & words) / max(1, len(own)) - (test.name == "not_equal") * 0.25
    stated = dates and test.needs == "lexical" and test.takes in ("constant", "number")
    if test.needs == "trigger" or test.takes == "word" or stated:
        support += 0.5
    return support
