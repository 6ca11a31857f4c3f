"""Steps (`then`): the rows that a step operator reaches from a row set of the axis."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.conditions.axis import AND, EITHER, NONE, OR, STEP, Conditions, StepUse
from denota.programs.conditions.grow import GrowingAxis
from denota.programs.conditions.join import TRIPLED
from denota.programs.conditions.support import best_supported
from denota.programs.index import ROOM
from denota.programs.operators import STEPS
from denota.programs.operators.declare import Block

SUPPORTED: Final = 60
"""Steps start from at most this many simple tests, those with the most support, besides `=`."""
FEW: Final = 3
"""A step beside or beyond rows starts from at most this many rows."""


def add_steps(axis: GrowingAxis, language: frozenset[str]) -> None:
    """Add every step of the language from every row set it may start from.

    A step that reaches no row, or the rows it starts from, is left out.
    """
    situation, so_far = axis.situation, axis.conditions()
    starts = _starts(so_far)
    kept = {follows: so_far.mask[own] for follows, own in starts.items()}
    for name, step in STEPS.items():
        if name not in language:
            continue
        own = starts[step.follows]
        masks = kept[step.follows]
        grounded = situation.triggered(name)
        for column, first in step.choices(situation) if len(own) else ():
            reached = step.apply(situation, column, first, masks)
            new = reached.any(axis=1) & (reached != masks).any(axis=1)
            new &= so_far.grounded[own] | grounded
            axis.steps.append(StepUse(step, column, first, grounded))
            use = np.full(int(new.sum()), len(axis.steps) - 1, np.int32)
            block = Block(
                so_far.column[own][new],
                own[new].astype(np.int32),
                reached[new],
                so_far.grounded[own][new] & grounded,
            )
            axis.add(STEP, block, use)


def _starts(so_far: Conditions) -> dict[str, NDArray[np.int64]]:
    """Return the numbers of the row sets that steps start from, by `StepOperator.follows`.

    Steps start from supported tests, from the rows of any one value, from joined conditions whose
    parts are among the best supported, and (`any`) from all rows of the scope.
    """
    sizes, operator = so_far.sizes, so_far.operator
    placed = np.array([test.ranks or not test.has_column for test in so_far.tests] + [False])
    equal = next((n for n, test in enumerate(so_far.tests) if test.name == "equal"), -9)
    supported = np.zeros(len(so_far), bool)
    supported[best_supported(so_far, SUPPORTED, spread=False)] = True
    simple = (operator >= 0) & ~placed[operator] & (supported | (operator == equal))
    best = np.zeros(len(so_far), bool)
    best[best_supported(so_far, TRIPLED)] = True
    both = np.isin(operator, (AND, EITHER))
    joined = (operator == OR) & so_far.grounded
    joined[both] = best[so_far.first[both]] & best[so_far.second[both]]
    room = ROOM // (8 * max(1, so_far.mask.shape[1]))
    several = np.flatnonzero((simple | joined) & (sizes > 1))
    if len(several) > room:
        several = several[so_far.grounded[several]][:room]
    named = so_far.grounded & ((operator >= 0) | joined)
    few = np.flatnonzero(named & (sizes > 0) & (sizes <= FEW))
    spread = so_far.grounded & (supported | joined) & ~placed[np.maximum(operator, -1)]
    whole = np.flatnonzero((spread & (sizes > 1)) | (operator == NONE))
    return {"several": several, "few": few[:room], "any": whole[:room]}
