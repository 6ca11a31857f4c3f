"""What a confidence is worth: reliability, calibration error, risk over coverage.

n answers. Flags say which of them are right.
"""

from __future__ import annotations

import numpy as np

from denota.evaluation.calibration import Flags, Floats


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


def coverage_at(risk: float, confidence: Floats, right: Flags) -> float:
    """Return the largest share of answers, the most confident, of which so many are wrong at most.

    >>> coverage_at(0.0, np.array([0.9, 0.8, 0.1]), np.array([True, True, False]))
    0.6666666666666666
    """
    curve = risk_coverage(confidence, right)
    return max((share for share, wrong in curve if wrong <= risk), default=0.0)


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
