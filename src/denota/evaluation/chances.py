"""The fit of a confidence to judged answers of several data sets.

Every data set counts the same, however many questions it has. The chances of an answer are
cross-fitted: a table's answers are judged by what was fitted on other tables, and, where asked for,
on other data sets. Thresholds are chosen by these alone. n answers, F features.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.evaluation.calibration import Calibration, Chances, Scale
from denota.evaluation.judged import Judged, weights_of
from denota.evaluation.logistic import fitted
from denota.evaluation.thresholds import WRONG, with_thresholds

FOLDS: Final = 10
RIDGE: Final = 0.02
"""How much weights are held back: of 0.005, 0.02, 0.05 and 0.1 the likeliest across tables."""
NOTHING: Final = Chances(0.0, 0.0, 0.0)
"""The chances of what a rule declines."""


def fit_chances(
    judged: Sequence[Judged],
    names: Sequence[str],
    together: Sequence[tuple[str, str]] = (),
    by_data: bool = False,
    wrong: float = WRONG,
) -> tuple[Calibration, list[Chances]]:
    """Return the calibration of some answers, and the chances of each by one fitted without it.

    Args:
        judged: the answers, of one data set or of several.
        names: of their features.
        together: features of which the product counts as well.
        by_data: leave out whole data sets in turn, not tables.
        wrong: at most this share of what is sure.
    """
    rated = [n for n, one in enumerate(judged) if not one.declined]
    some = [judged[n] for n in rated]
    products = tuple((names.index(one), names.index(other)) for one, other in together)
    groups = [one.data if by_data else f"{one.data}/{one.table}" for one in some]
    part = fold_of(groups, len(set(groups)) if by_data else FOLDS)
    across = [NOTHING] * len(judged)
    for number in np.unique(part):
        here = np.flatnonzero(part == number)
        known = _fitted([some[n] for n in np.flatnonzero(part != number)], names, products)
        for place, found in zip(here, _chances(known, [some[n] for n in here]), strict=True):
            across[rated[place]] = found
    across = capped(judged, across)
    known = _fitted(some, names, products)
    return with_thresholds(known, some, [across[n] for n in rated], wrong), across


def chances(known: Calibration, judged: Sequence[Judged]) -> list[Chances]:
    """Return the chances of answers by a calibration that may not have seen them."""
    found = iter(_chances(known, [one for one in judged if not one.declined]))
    return capped(judged, [NOTHING if one.declined else next(found) for one in judged])


def capped(judged: Sequence[Judged], found: Sequence[Chances]) -> list[Chances]:
    """Return chances of which none is above that of the answer it builds on."""
    told: list[Chances] = []
    for one, own in zip(judged, found, strict=True):
        told.append(own if one.builds_on is None else own.at_most(told[one.builds_on].right))
    return told


def fold_of(groups: Sequence[str], folds: int) -> NDArray[np.int64]:
    """(n,) the part of each answer for cross-fitting; a group (a table) is whole in one part."""
    _, number = np.unique(np.array(groups), return_inverse=True)
    return np.random.default_rng(0).permutation(number.max() + 1)[number] % folds


def _chances(known: Calibration, judged: Sequence[Judged]) -> list[Chances]:
    return known.chances(np.array([one.features for one in judged])) if judged else []


def _fitted(
    judged: Sequence[Judged], names: Sequence[str], products: tuple[tuple[int, int], ...]
) -> Calibration:
    features = np.array([one.features for one in judged])
    spread = features.std(axis=0)
    spread[spread == 0] = 1.0
    scale = Scale(tuple(features.mean(axis=0).tolist()), tuple(spread.tolist()), products)
    given, counts = scale(features), weights_of(judged)
    first, either, said = (
        fitted(given, np.array(happens), RIDGE, counts)
        for happens in (
            [one.first for one in judged],
            [one.either for one in judged],
            [one.is_said for one in judged],
        )
    )
    return Calibration(first, features=tuple(names), scale=scale, either=either, said=said)
