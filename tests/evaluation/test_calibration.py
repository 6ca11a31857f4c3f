"""Calibration: the truth is recovered where it is logistic; what is told follows the chances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.evaluation.calibration import FAR, NEVER, Calibration, Chances, Scale
from denota.evaluation.logistic import fitted
from denota.evaluation.risk import (
    area_under_risk,
    calibration_error,
    error_by_chance,
    reliability,
    risk_coverage,
)

SHARES = st.floats(0, 1)


def drawn(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 3)) * [2.0, 1.0, 0.5]
    truth = Calibration((-0.5, 1.5, -0.7, 0.0)).confidence(features)
    return features, truth, rng.random(count) < truth


def test_the_truth_is_found() -> None:
    features, truth, right = drawn(40_000)
    weights = fitted(features, right, 1e-6, np.ones(len(right)))
    assert weights == pytest.approx((-0.5, 1.5, -0.7, 0.0), abs=0.06)
    found = Calibration(weights).confidence(features)
    assert np.abs(found - truth).max() < 0.03
    assert calibration_error(found, right) < 1.0


def test_fitting_is_at_an_optimum() -> None:
    features, _, right = drawn(500)
    counts = np.random.default_rng(2).random(500)
    best = np.array(fitted(features, right, 0.0, counts))

    def loss(weights: np.ndarray) -> float:
        p = Calibration(tuple(weights)).confidence(features)
        return -float((counts * np.where(right, np.log(p), np.log(1 - p))).sum())

    rng = np.random.default_rng(1)
    assert all(loss(best) <= loss(best + 0.05 * rng.normal(size=4)) for _ in range(50))


def test_a_line_that_counts_twice_is_two_lines() -> None:
    features, _, right = drawn(200)
    counts = np.where(np.arange(200) < 100, 2.0, 1.0)
    twice = np.concatenate([features, features[:100]]), np.concatenate([right, right[:100]])
    assert fitted(features, right, 0.1, counts) == pytest.approx(
        fitted(*twice, 0.1, np.ones(300)), abs=1e-6
    )


def test_what_can_be_told_apart_exactly_still_has_an_end() -> None:
    features = np.array([[-1.0], [-2.0], [1.0], [2.0]])
    found = fitted(features, np.array([False, False, True, True]), 1e-2, np.ones(4))
    assert np.isfinite(found).all()


def test_a_scale_holds_what_is_far() -> None:
    scale = Scale((1.0, 0.0), (2.0, 1.0), ((0, 1), (1, 1)))
    found = scale(np.array([[1e9, -0.5], [1.0, 0.0]]))
    assert found.tolist() == [[FAR, -0.5, -0.5 * FAR, 0.25], [0.0, 0.0, 0.0, 0.0]]


@given(SHARES, SHARES, SHARES)
def test_what_builds_on_an_answer_is_no_likelier(right: float, more: float, before: float) -> None:
    found = Chances(right, max(right, more), 1.0).at_most(before)
    assert found.right <= before and found.either <= before
    assert found.right <= found.either and found.second >= 0


@given(SHARES, SHARES, SHARES)
def test_what_is_told(right: float, more: float, said: float) -> None:
    """Sure comes first; what the table may not say is declined, or at least asked back."""
    known = Calibration((0.0,), 0.9, declines=0.2, asks=0.5, close=0.3)
    found = Chances(right, max(right, more), said)
    told = known.outcome(found)
    assert (told == "sure") == (right >= 0.9)
    if told != "sure":
        assert (told == "declined") == (said < 0.2)
    if told == "unsure":
        assert said >= 0.5 and (found.second < 0.3 or found.second < 0.5 * right)
    assert replace(known, declines=0.0, asks=0.0, close=NEVER).outcome(found) in ("sure", "unsure")


def test_what_has_no_heads_is_either_sure_or_not() -> None:
    known = Calibration((0.0, 1.0, 0.0, 0.0))
    told = [known.outcome(one) for one in known.chances(np.array([[3.0, 0, 0], [-9.0, 0, 0]]))]
    assert told == ["sure", "unsure"] and not known.sees_doubt


def test_error_of_confidence_that_is_too_high() -> None:
    right = np.array([True] * 50 + [False] * 50)
    assert calibration_error(np.full(100, 0.9), right) == pytest.approx(40)
    assert reliability(np.full(100, 0.9), right) == [(pytest.approx(0.9), 0.5, 100)]
    assert calibration_error(np.array([1.0, 0.0]), np.array([True, False])) == 0


def test_few_answers_leave_a_gap_by_chance() -> None:
    rng = np.random.default_rng(0)
    few, many = rng.random(50), rng.random(5000)
    assert error_by_chance(few) > error_by_chance(many) > 0
    assert error_by_chance(np.ones(50)) == 0


def test_areas_by_hand() -> None:
    """The area is the mean risk over orders of equal confidence, and least where right is first."""
    right = np.array([True, False, True, False])
    assert area_under_risk(np.array([4.0, 2.0, 3.0, 1.0]), right) == pytest.approx(
        100 * (0 + 0 + 1 / 3 + 1 / 2) / 4
    )
    assert area_under_risk(np.zeros(4), right) == pytest.approx(50)
    assert risk_coverage(np.array([4.0, 2.0, 3.0, 1.0]), right)[-1] == (1.0, 0.5)
    confidence = np.random.default_rng(0).random(4)
    least = area_under_risk(right.astype(float), right)
    assert least <= area_under_risk(confidence, right)
