"""Confidence that means something: of the answers given at 80%, four in five are right.

A parser's scores say how its programs compare, not how often they are right. A logistic regression
on a few features of an answer, fitted on questions that were not learnt from, says that (Platt
scaling). n answers, F features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ANSWER_FEATURES: Final = ("log_share", "log_odds", "follows")
"""How much of all probability the answer has; its odds against the next best answer; whether a
question came before."""
LEAST: Final = 1e-12


@dataclass(frozen=True)
class Calibration:
    """From features to confidence."""

    weights: tuple[float, ...]
    """The constant, then one a feature."""
    sure: float = 0.5
    """An answer is sure from this confidence on."""

    def confidence(self, features: Floats) -> Floats:
        """(n,) the confidence of answers with (n, F) features.

        >>> Calibration((0.0, 1.0)).confidence(np.zeros((2, 1))).tolist()
        [0.5, 0.5]
        """
        return _logistic(_with_constant(features) @ np.array(self.weights))


def answer_features(probabilities: Sequence[float], same: Sequence[bool], follows: bool) -> Floats:
    """(F,) the features of an answer.

    Args:
        probabilities: of the best programs.
        same: which of them give the answer.
        follows: whether a question came before.
    """
    own = sum(p for p, s in zip(probabilities, same, strict=True) if s)
    other = max((p for p, s in zip(probabilities, same, strict=True) if not s), default=0.0)
    share = np.log(max(own, LEAST))
    return np.array([share, share - np.log(max(other, LEAST)), float(follows)])


def fit(features: Floats, right: NDArray[np.bool_], ridge: float = 1e-2) -> Calibration:
    """Return the calibration that makes what was right most likely, by Newton's method."""
    given = _with_constant(features)
    weights = np.zeros(given.shape[1])
    penalty = ridge * np.eye(given.shape[1])
    for _ in range(50):
        expected = _logistic(given @ weights)
        gradient = given.T @ (right - expected) - penalty @ weights
        curvature = (given * (expected * (1 - expected))[:, None]).T @ given + penalty
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return Calibration(tuple(weights.tolist()))


def cross_fitted(
    features: Floats, right: NDArray[np.bool_], groups: Sequence[str], folds: int = 5
) -> Floats:
    """(n,) the confidence of each answer by a calibration fitted without its group (its table)."""
    _, number = np.unique(np.array(groups), return_inverse=True)
    fold = np.random.default_rng(0).permutation(number.max() + 1)[number] % folds
    found = np.zeros(len(right))
    for part in np.unique(fold):
        here = fold == part
        found[here] = fit(features[~here], right[~here]).confidence(features[here])
    return found


def calibration_error(confidence: Floats, right: NDArray[np.bool_], bins: int = 10) -> float:
    """Return the expected calibration error in percent, over bins of equal width.

    It is how far confidence and the share of right answers lie apart.

    >>> calibration_error(np.array([0.75] * 4), np.array([True, True, True, False]))
    0.0
    """
    lines = reliability(confidence, right, bins)
    gap = sum(count * abs(mean - share) for mean, share, count in lines)
    return 100 * gap / len(right)


def reliability(
    confidence: Floats, right: NDArray[np.bool_], bins: int = 10
) -> list[tuple[float, float, int]]:
    """Return mean confidence, share of right answers and count of each bin that has any."""
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    return [
        (float(confidence[place == b].mean()), float(right[place == b].mean()), int(count))
        for b in range(bins)
        if (count := (place == b).sum())
    ]


def threshold(confidence: Floats, right: NDArray[np.bool_], precision: float = 0.8) -> float:
    """Return the least confidence from which on at least this share of answers is right.

    It is above 1 if there is none.
    """
    order = np.argsort(-confidence, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(right) + 1)
    last = np.append(confidence[order][1:] < confidence[order][:-1], True)  # ties go together
    good = np.flatnonzero((shares >= precision) & last)
    return float(confidence[order][good[-1]]) if len(good) else 1.01


def _with_constant(features: Floats) -> Floats:
    return np.concatenate([np.ones((len(features), 1)), features], axis=1)


def _logistic(values: Floats) -> Floats:
    found: Floats = 0.5 * (1 + np.tanh(values / 2))
    return found
