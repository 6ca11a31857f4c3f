"""Calibration: the truth is recovered where it is logistic, and a group never judges itself.

Error and threshold are what they say.
"""

from __future__ import annotations

import numpy as np
import pytest

from denota.evaluation.calibration import (
    Calibration,
    answer_features,
    calibration_error,
    cross_fitted,
    fit,
    reliability,
    threshold,
)


def drawn(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 3)) * [2.0, 1.0, 0.5]
    truth = Calibration((-0.5, 1.5, -0.7, 0.0)).confidence(features)
    return features, truth, rng.random(count) < truth


def test_the_truth_is_found() -> None:
    features, truth, right = drawn(40_000)
    found = fit(features, right)
    assert found.weights == pytest.approx((-0.5, 1.5, -0.7, 0.0), abs=0.06)
    assert np.abs(found.confidence(features) - truth).max() < 0.03
    assert calibration_error(found.confidence(features), right) < 1.0


def test_fitting_is_at_an_optimum() -> None:
    features, _, right = drawn(500)
    best = np.array(fit(features, right, ridge=0.0).weights)

    def loss(weights: np.ndarray) -> float:
        p = Calibration(tuple(weights)).confidence(features)
        return -float(np.where(right, np.log(p), np.log(1 - p)).sum())

    rng = np.random.default_rng(1)
    assert all(loss(best) <= loss(best + 0.05 * rng.normal(size=4)) for _ in range(50))


def test_what_can_be_told_apart_exactly_still_has_an_end() -> None:
    features = np.array([[-1.0], [-2.0], [1.0], [2.0]])
    found = fit(features, np.array([False, False, True, True]))
    assert np.isfinite(found.weights).all()


def test_error_of_confidence_that_is_too_high() -> None:
    right = np.array([True] * 50 + [False] * 50)
    assert calibration_error(np.full(100, 0.9), right) == pytest.approx(40)
    assert reliability(np.full(100, 0.9), right) == [(pytest.approx(0.9), 0.5, 100)]
    assert calibration_error(np.array([1.0, 0.0]), np.array([True, False])) == 0


def test_a_threshold_is_the_least_that_keeps_its_promise() -> None:
    _, truth, right = drawn(5000)
    least = threshold(truth, right, 0.8)
    assert right[truth >= least].mean() >= 0.8
    lower = np.sort(truth[truth < least])[::-1]
    assert all(right[truth >= c].mean() < 0.8 for c in lower[:: len(lower) // 50])
    assert threshold(np.array([0.5, 0.5, 0.5]), np.array([True, True, False]), 0.8) > 1
    assert threshold(np.array([0.3]), np.array([True]), 0.8) == 0.3


def test_a_group_does_not_judge_itself() -> None:
    """Features that say only which group it is help where the group itself is fitted.

    Fitted on other groups they are of no help.
    """
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 10)
    right = np.repeat(rng.random(40) < 0.5, 10)
    features = np.eye(40)[groups]
    own = fit(features, right).confidence(features)
    across = cross_fitted(features, right, [str(g) for g in groups])
    assert ((own > 0.5) == right).all()
    assert abs(((across > 0.5) == right).mean() - 0.5) < 0.2


def test_features_of_an_answer() -> None:
    share, odds, follows = answer_features([0.4, 0.3, 0.2], [True, False, True], True)
    assert share == pytest.approx(np.log(0.6))
    assert odds == pytest.approx(np.log(2))
    assert follows == 1
    assert np.isfinite(answer_features([0.0], [True], False)).all()
