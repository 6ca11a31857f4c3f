"""Figures of a confidence and of what is told by it, for each data set alone, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from denota.evaluation.calibration import Calibration, Chances, Flags, Floats, Outcome
from denota.evaluation.judged import Judged
from denota.evaluation.risk import (
    area_under_risk,
    calibration_error,
    coverage_at,
    error_by_chance,
    reliability,
    risk_coverage,
)
from denota.evaluation.thresholds import WRONG


def outcomes(
    known: Calibration, judged: Sequence[Judged], found: Sequence[Chances]
) -> list[Outcome]:
    """Return what is told of each answer; with a single reading there is nothing to ask back."""
    told: list[Outcome] = []
    for one, own in zip(judged, found, strict=True):
        outcome: Outcome = "declined" if one.declined else known.outcome(own)
        told.append("unsure" if outcome == "ask_back" and len(one.right) < 2 else outcome)
    return told


def figures(
    judged: Sequence[Judged], found: Sequence[Chances], told: Sequence[Outcome]
) -> dict[str, dict[str, Any]]:
    """Return the figures of each data set, before (as it was) and after."""
    every = {}
    for data in dict.fromkeys(one.data for one in judged):
        own = [n for n, one in enumerate(judged) if one.data == data]
        some = [judged[n] for n in own]
        after = np.array([found[n].right for n in own])
        before = np.array([one.before for one in some])
        every[data] = {
            "before": _figures(some, before, [one.was for one in some]),
            "after": _figures(some, after, [told[n] for n in own]),
        }
    return every


def _figures(
    judged: Sequence[Judged], confidence: Floats, told: Sequence[Outcome]
) -> dict[str, Any]:
    says = np.array([one.is_said for one in judged])
    right = np.array([one.first for one in judged])
    either = np.array([one.either for one in judged])
    sure, back, declined = (np.array([one == kind for one in told]) for kind in _KINDS)
    refused = declined | (back & ~either)
    later = np.array([one.builds_on is not None for one in judged])
    return {
        "questions": int(says.sum()),
        "unanswerable": int((~says).sum()),
        "accuracy": _percent(right, says),
        "area": area_under_risk(confidence[says], right[says]),
        "best_area": area_under_risk(right[says].astype(float), right[says]),
        "risk_coverage": _thinned(confidence[says], right[says]),
        "calibration_error": calibration_error(confidence[says], right[says]),
        "calibration_error_by_chance": error_by_chance(confidence[says]),
        "reliability": reliability(confidence[says], right[says]),
        "could_be_sure": 100 * coverage_at(WRONG, confidence[says], right[says]),
        "sure": int((sure & says).sum()),
        "sure_right": int((sure & says & right).sum()),
        "sure_share": _percent(sure, says),
        "sure_accuracy": _percent(right, sure & says),
        "sure_accuracy_with_unanswerable": _percent(right, sure),
        "asked_back": _percent(back, says),
        "asked_back_right": _percent(either, back & says),
        "declined": _percent(declined, says),
        "refused": _percent(refused, says),
        "unanswerable_not_answered": _percent(back | declined, ~says),
        "unanswerable_not_sure": _percent(~sure, ~says),
        "unanswerable_declined": _percent(declined, ~says),
        "follow_ups": int((later & says).sum()),
        "follow_ups_sure": int((later & says & sure).sum()),
        "follow_ups_sure_right": int((later & says & sure & right).sum()),
    }


_KINDS: Final[tuple[Outcome, ...]] = ("sure", "ask_back", "declined")


def _percent(happens: Flags, of: Flags) -> float | None:
    return 100 * float(happens[of].mean()) if of.any() else None


def _thinned(confidence: Floats, right: Flags, most: int = 40) -> list[tuple[float, float]]:
    """A risk-coverage curve with about so many points."""
    curve = risk_coverage(confidence, right)
    step = max(1, len(curve) // most)
    return [(round(c, 4), round(r, 4)) for c, r in [*curve[::step], curve[-1]]]
