"""From which chance on an answer is sure, asked back or declined: what keeps its promise.

A promise is about answers of several data sets that were judged by what was fitted without them.
That what is sure is right is kept over all of them, each data set counting the same: of the hardest
alone hardly any answer would ever be sure. That few questions are refused is kept in each data set
alone as well. n answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.evaluation.calibration import CLOSE, NEVER, Calibration, Chances, Flags, Floats
from denota.evaluation.judged import Judged, weights_of

WRONG: Final = 0.08
"""Of the answers that are sure, at most this share is wrong, if no other is promised."""
REFUSED: Final = 0.04
"""Of the questions that the table answers, at most this share is refused: declined, or asked back
where neither reading is right. Half of that may be declined, three quarters declined or asked back
since the table may not say it; the rest is for readings that are close."""

TAKEN: Final = 0.005
"""Of the questions that the table answers, at most this share is declined though the first reading
is right."""


def with_thresholds(
    known: Calibration,
    judged: Sequence[Judged],
    found: Sequence[Chances],
    wrong: float = WRONG,
) -> Calibration:
    """Return a calibration that keeps the promises as far as can be told.

    Args:
        known: what was fitted to the answers.
        judged: the answers; what a rule declined is none of them.
        found: the chances of each by what was fitted without it.
        wrong: at most this share of what is sure.
    """
    data = np.array([one.data for one in judged])
    counts = weights_of(judged)
    first, either, says = (
        np.array(flags)
        for flags in (
            [one.first for one in judged],
            [one.either for one in judged],
            [one.is_said for one in judged],
        )
    )
    right, second, said = (
        np.array(own)
        for own in (
            [one.right for one in found],
            [one.second for one in found],
            [one.said for one in found],
        )
    )
    sure = _least(right, lambda t: share_of(~first, right >= t, counts) <= wrong)
    rest = right < sure

    def refuses_few(refused: Flags, share: float) -> bool:
        return is_kept(refused & rest, says, share * REFUSED, data, counts)

    def declines_well(declined: Flags) -> bool:
        taken = declined & first & rest
        return refuses_few(declined, 0.5) and is_kept(taken, says, TAKEN, data, counts)

    declines = _most(said, lambda t: declines_well(said < t))
    declined = said < declines
    asks = _most(said, lambda t: refuses_few(declined | ((said < t) & ~either), 0.75))
    asks = max(asks, declines)
    unclear = declined | ((said < asks) & ~either)
    rival = np.where(second >= CLOSE * right, second, -1.0)
    close = _least(second, lambda t: refuses_few(unclear | ((rival >= t) & ~either), 1.0))
    return replace(known, sure=sure, declines=declines, asks=asks, close=close)


def is_kept(
    bad: Flags,
    of: Flags,
    most: float,
    data: NDArray[np.str_],
    counts: Floats,
) -> bool:
    """Say whether of some answers at most a share is bad, over all data sets and in each.

    Args:
        bad: (n,) which answers are bad.
        of: (n,) which answers it is about; it is kept of none.
        most: the share.
        data: (n,) the data set of each answer.
        counts: (n,) how much each counts.
    """
    alone = all(share_of(bad, of & (data == name), counts) <= most for name in np.unique(data[of]))
    return alone and share_of(bad, of, counts) <= most


def share_of(bad: Flags, of: Flags, counts: Floats) -> float:
    """Return the share of bad answers among some; 0 among none."""
    own = counts[of]
    return float(own[bad[of]].sum() / own.sum()) if of.any() else 0.0


def _least(values: Floats, keeps: Callable[[float], bool]) -> float:
    """The least value from which on something is kept; none if there is no such value."""
    return next((float(value) for value in np.unique(values) if keeps(value)), NEVER)


def _most(values: Floats, keeps: Callable[[float], bool]) -> float:
    """The largest value below which something is kept."""
    return next((float(value) for value in np.unique(values)[::-1] if keeps(value)), 0.0)
