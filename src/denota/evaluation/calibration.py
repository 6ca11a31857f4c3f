"""Confidence that means something: of the answers given at 80%, four in five are right.

A parser's scores say how its programs compare, not how often they are right. Logistic regressions
on named features of an answer, fitted on questions that were not learnt from, say that: how likely
the answer is right (Platt scaling with more to go by), how likely one of its two best readings is,
and how likely the table says it at all. n answers, F features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
BY_RATING: Final = ("log_share", "log_odds", "later")
"""The features of files that name none: how much of all probability the answer has, its odds
against the next best answer, whether a question came before."""
NEVER: Final = 1.01
"""A threshold that no chance reaches."""


Outcome = Literal["sure", "unsure", "ask_back", "declined"]
"""What is told: an answer that is sure, one that is not, a question back, or that the table does
not say it."""


@dataclass(frozen=True)
class Chances:
    """How likely it is that an answer is right, and what else may be."""

    right: float
    """That the best reading is right."""
    either: float
    """That one of the two best readings is."""
    said: float
    """That the table says what is asked for."""


@dataclass(frozen=True)
class Calibration:
    """From features to confidence, and from confidence to what is told."""

    weights: tuple[float, ...]
    """That the answer is right: the constant, then one a feature."""
    sure: float = 0.5
    """An answer is sure from this confidence on."""
    features: tuple[str, ...] = BY_RATING
    """The names of the features."""
    either: tuple[float, ...] = ()
    """That one of the two best readings is right, likewise; none if that was not fitted."""
    said: tuple[float, ...] = ()
    """That the table says what is asked for."""
    declines: float = 0.0
    """What is not sure is declined below this chance that the table says it."""
    asks: float = 0.0
    """What is not sure is asked back below this chance that the table says it."""
    close: float = NEVER
    """What is not sure is asked back from this chance on that the second reading is right."""

    def confidence(self, features: Floats) -> Floats:
        """(n,) the confidence of answers with (n, F) features.

        >>> Calibration((0.0, 1.0)).confidence(np.zeros((2, 1))).tolist()
        [0.5, 0.5]
        """
        return chance(features, self.weights)

    def chances(self, features: Mapping[str, float]) -> Chances:
        """Return the chances of one answer, given its features by name."""
        given = np.array([[features[name] for name in self.features]])
        right = float(self.confidence(given)[0])
        either = float(chance(given, self.either)[0]) if self.either else right
        said = float(chance(given, self.said)[0]) if self.said else 1.0
        return Chances(right, max(right, either), said)

    def outcome(self, found: Chances) -> Outcome:
        """Return what is told: a sure answer, one that is not, a question back, or nothing."""
        if found.right >= self.sure:
            return "sure"
        if found.said < self.declines:
            return "declined"
        is_close = found.either - found.right >= self.close
        return "ask_back" if is_close or found.said < self.asks else "unsure"


def chance(features: Floats, weights: Sequence[float]) -> Floats:
    """(n,) the chance that a logistic regression gives to (n, F) features."""
    return _logistic(_with_constant(features) @ np.array(weights))


def fit(
    features: Floats,
    right: Flags,
    ridge: float = 1e-2,
    weight: Floats | None = None,
) -> Calibration:
    """Return the calibration that makes what was right most likely.

    Args:
        features: (n, F) of answers.
        right: (n,) which of them are right.
        ridge: how much weights of standardised features are held back, per answer.
        weight: (n,) how much each answer counts, 1 if not given.
    """
    return Calibration(fitted(features, right, ridge, weight))


def fitted(
    features: Floats, happens: Flags, ridge: float = 1e-2, weight: Floats | None = None
) -> tuple[float, ...]:
    """Return the weights of the logistic regression for what happens, by Newton's method."""
    middle, spread = features.mean(axis=0), features.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    given = _with_constant((features - middle) / spread)
    counts = np.ones(len(given)) if weight is None else weight * len(given) / weight.sum()
    penalty = ridge * len(given) * np.eye(given.shape[1])
    penalty[0, 0] = 1e-6  # of the constant
    own = np.zeros(given.shape[1])
    for _ in range(50):
        expected = _logistic(given @ own)
        gradient = given.T @ (counts * (happens - expected)) - penalty @ own
        curvature = (given * (counts * expected * (1 - expected))[:, None]).T @ given + penalty
        step = np.linalg.solve(curvature, gradient)
        own += step
        if np.abs(step).max() < 1e-9:
            break
    weights = own[1:] / spread
    return (float(own[0] - weights @ middle), *weights.tolist())


def fold_of(groups: Sequence[str], folds: int = 5) -> NDArray[np.int64]:
    """(n,) the part of each answer for cross-fitting; a group (a table) is whole in one part."""
    _, number = np.unique(np.array(groups), return_inverse=True)
    return np.random.default_rng(0).permutation(number.max() + 1)[number] % folds


def cross_fitted(
    features: Floats,
    right: Flags,
    groups: Sequence[str],
    folds: int = 5,
    ridge: float = 1e-2,
    weight: Floats | None = None,
) -> Floats:
    """(n,) the confidence of each answer by a calibration fitted without its group (its table)."""
    part = fold_of(groups, folds)
    counts = np.ones(len(right)) if weight is None else weight
    found = np.zeros(len(right))
    for one in np.unique(part):
        here = part == one
        known = fit(features[~here], right[~here], ridge, counts[~here])
        found[here] = known.confidence(features[here])
    return found


def calibration_error(confidence: Floats, right: Flags, bins: int = 10) -> float:
    """Return the expected calibration error in percent, over bins of equal width.

    It is how far confidence and the share of right answers lie apart.

    >>> calibration_error(np.array([0.75] * 4), np.array([True, True, True, False]))
    0.0
    """
    lines = reliability(confidence, right, bins)
    gap = sum(count * abs(mean - share) for mean, share, count in lines)
    return 100 * gap / len(right)


def error_by_chance(confidence: Floats, bins: int = 10, draws: int = 200) -> float:
    """Return the calibration error in percent that a perfect confidence has on so few answers.

    What is right is drawn with the very confidence; few answers leave a gap all the same.
    """
    rng = np.random.default_rng(0)
    drawn = (rng.random(len(confidence)) < confidence for _ in range(draws))
    return float(np.mean([calibration_error(confidence, right, bins) for right in drawn]))


def risk_coverage(confidence: Floats, right: Flags) -> list[tuple[float, float]]:
    """Return (coverage, risk): the share answered and the share of those that is wrong.

    The most confident answers come first; those with equal confidence are answered together.

    >>> risk_coverage(np.array([0.9, 0.5, 0.5]), np.array([True, True, False]))
    [(0.3333333333333333, 0.0), (1.0, 0.33333333333333337)]
    """
    order = np.argsort(-confidence, kind="stable")
    count = np.arange(1, len(right) + 1)
    risk = 1 - np.cumsum(right[order]) / count
    last = np.append(confidence[order][1:] < confidence[order][:-1], True)
    return [(float(c / len(right)), float(r)) for c, r in zip(count[last], risk[last], strict=True)]


def area_under_risk(confidence: Floats, right: Flags) -> float:
    """Return the mean risk over all coverages, in percent: less is better.

    Answers of equal confidence come in any order, and what is right is spread evenly over them.

    >>> area_under_risk(np.array([0.9, 0.1]), np.array([True, False]))
    25.0
    """
    order = np.argsort(-confidence, kind="stable")
    _, start, count = np.unique(-confidence[order], return_index=True, return_counts=True)
    share = np.add.reduceat(right[order].astype(float), start) / count
    spread = np.cumsum(np.repeat(share, count))
    return 100 * float((1 - spread / np.arange(1, len(right) + 1)).mean())


def reliability(confidence: Floats, right: Flags, bins: int = 10) -> list[tuple[float, float, int]]:
    """Return mean confidence, share of right answers and count of each bin that has any."""
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    return [
        (float(confidence[place == b].mean()), float(right[place == b].mean()), int(count))
        for b in range(bins)
        if (count := (place == b).sum())
    ]


def threshold(
    confidence: Floats, right: Flags, precision: float = 0.8, weight: Floats | None = None
) -> float:
    """Return the least confidence from which on at least this share of answers is right.

    It is above 1 if there is none.
    """
    order = np.argsort(-confidence, kind="stable")
    counts = (np.ones(len(right)) if weight is None else weight)[order]
    shares = np.cumsum(right[order] * counts) / np.cumsum(counts)
    last = np.append(confidence[order][1:] < confidence[order][:-1], True)  # ties go together
    good = np.flatnonzero((shares >= precision) & last)
    return float(confidence[order][good[-1]]) if len(good) else NEVER


def _with_constant(features: Floats) -> Floats:
    return np.concatenate([np.ones((len(features), 1)), features], axis=1)


def _logistic(values: Floats) -> Floats:
    found: Floats = 0.5 * (1 + np.tanh(values / 2))
    return found
