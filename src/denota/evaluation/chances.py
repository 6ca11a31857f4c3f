"""The fit of a confidence to judged answers of several data sets, and its figures for each alone.

Every data set counts the same, however many questions it has. Figures are cross-fitted: a table's
answers are judged by what was fitted on other tables, and, where asked for, on other data sets.
n answers, F features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from denota.evaluation.calibration import (
    Calibration,
    Chances,
    Flags,
    Floats,
    Outcome,
    area_under_risk,
    calibration_error,
    chance,
    error_by_chance,
    fitted,
    fold_of,
    reliability,
    risk_coverage,
    threshold,
)

ANSWERABLE: Final = ""
"""The way in which an answerable question was made unanswerable."""
PRECISION: Final = 0.92
"""Of the answers that are sure, this share should be right."""
REFUSED: Final = 0.005
"""Of the questions that the table answers, at most this share is declined."""
CAUGHT: Final = 0.85
"""Of the questions that it does not answer, this share should not get an answer."""
UNSAID: Final = 0.12
"""The share of unanswerable questions in what is fitted to."""
RIDGE: Final = 0.02


@dataclass(frozen=True)
class Judged:
    """An answer, as far as its confidence is concerned."""

    data: str
    """The data set."""
    table: str
    question: str
    features: tuple[float, ...]
    right: tuple[bool, ...]
    """Which of its best readings are right; none where the table does not say it."""
    unsaid: str = ANSWERABLE
    """How it was made unanswerable; empty if the table answers it."""
    builds_on: int | None = None
    """The place in the list of the answer it builds on."""
    before: float = 0.0
    """The confidence that it had before."""
    was_sure: bool = False
    declined: bool = False
    """Whether a rule declines it; there are no features then."""

    @property
    def first(self) -> bool:
        """Whether the answer is right."""
        return bool(self.right[:1] and self.right[0])

    @property
    def either(self) -> bool:
        """Whether one of its two best readings is."""
        return any(self.right[:2])


def fit_chances(
    judged: Sequence[Judged], names: Sequence[str], by_data: bool = False
) -> tuple[Calibration, list[Chances]]:
    """Return the calibration of some answers, and the chances of each by one fitted without it.

    Args:
        judged: the answers, of one data set or of several.
        names: of their features.
        by_data: leave out whole data sets in turn, not tables.
    """
    rated = [n for n, one in enumerate(judged) if not one.declined]
    some = [judged[n] for n in rated]
    groups = [one.data if by_data else f"{one.data}/{one.table}" for one in some]
    part = fold_of(groups, len(set(groups)) if by_data else 5)
    across = [Chances(0.0, 0.0, 0.0)] * len(judged)
    for number in np.unique(part):
        here = np.flatnonzero(part == number)
        known = _fitted([one for one, p in zip(some, part, strict=True) if p != number], names)
        for place, found in zip(here, chances(known, [some[n] for n in here]), strict=True):
            across[rated[place]] = found
    across = capped(judged, across)
    own = [across[n] for n in rated]
    return _with_thresholds(_fitted(some, names), some, own), across


def chances(known: Calibration, judged: Sequence[Judged]) -> list[Chances]:
    """Return the chances of answers by themselves, whatever they build on."""
    given = np.array([one.features for one in judged])
    right = known.confidence(given)
    either = chance(given, known.either) if known.either else right
    said = chance(given, known.said) if known.said else np.ones(len(given))
    return [
        Chances(float(r), float(max(r, e)), float(s))
        for r, e, s in zip(right, either, said, strict=True)
    ]


def capped(judged: Sequence[Judged], found: Sequence[Chances]) -> list[Chances]:
    """Return chances of which none is above that of the answer it builds on."""
    told: list[Chances] = []
    for one, own in zip(judged, found, strict=True):
        if one.builds_on is not None:
            most = told[one.builds_on].right
            own = replace(own, right=min(own.right, most), either=min(own.either, most))
        told.append(own)
    return told


def _fitted(judged: Sequence[Judged], names: Sequence[str]) -> Calibration:
    given = np.array([one.features for one in judged])
    counts = weights_of(judged)
    first, either, said = (
        fitted(given, np.array(happens), RIDGE, counts)
        for happens in (
            [one.first for one in judged],
            [one.either for one in judged],
            [one.unsaid == ANSWERABLE for one in judged],
        )
    )
    return Calibration(first, features=tuple(names), either=either, said=said)


def weights_of(judged: Sequence[Judged]) -> Floats:
    """(n,) how much each answer counts: data sets alike, of each `UNSAID` unanswerable."""
    kinds = [(one.data, one.unsaid == ANSWERABLE) for one in judged]
    many = {kind: kinds.count(kind) for kind in set(kinds)}
    return np.array([(1 - UNSAID if kind[1] else UNSAID) / many[kind] for kind in kinds])


def _with_thresholds(
    known: Calibration, judged: Sequence[Judged], across: Sequence[Chances]
) -> Calibration:
    """A calibration with the thresholds that keep what the constants above promise."""
    counts = weights_of(judged)
    right = np.array([one.first for one in judged])
    says = np.array([one.unsaid == ANSWERABLE for one in judged])
    confidence = np.array([one.right for one in across])
    said = np.array([one.said for one in across])
    sure = threshold(confidence, right, PRECISION, counts)
    rest = confidence < sure
    if not (says & rest).any() or not (~says & rest).any():
        return replace(known, sure=sure)
    declines = _quantile(said, counts * (says & rest), REFUSED * counts[says].sum())
    asks = _quantile(said, counts * (~says & rest), CAUGHT * counts[~says].sum())
    return replace(known, sure=sure, declines=declines, asks=max(asks, declines))


def _quantile(values: Floats, counts: Floats, most: float) -> float:
    """The largest of some values below which at most so much counts."""
    order = np.argsort(values, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(counts[order])[:-1]])
    return float(values[order][np.flatnonzero(below <= most)[-1]])


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
            "before": _figures(some, before, [_before(one) for one in some]),
            "after": _figures(some, after, [told[n] for n in own]),
        }
    return every


def _figures(
    judged: Sequence[Judged], confidence: Floats, told: Sequence[Outcome]
) -> dict[str, Any]:
    says = np.array([one.unsaid == ANSWERABLE for one in judged])
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


def _before(one: Judged) -> Outcome:
    """What was told before there were questions back."""
    return "declined" if one.declined else "sure" if one.was_sure else "unsure"


_KINDS: Final[tuple[Outcome, ...]] = ("sure", "ask_back", "declined")


def _percent(happens: Flags, of: Flags) -> float | None:
    return 100 * float(happens[of].mean()) if of.any() else None


def _thinned(confidence: Floats, right: Flags, most: int = 100) -> list[tuple[float, float]]:
    """A risk-coverage curve with about so many points."""
    curve = risk_coverage(confidence, right)
    step = max(1, len(curve) // most)
    return [(round(c, 4), round(r, 4)) for c, r in [*curve[::step], curve[-1]]]


def joined(some: Sequence[Judged], more: Sequence[Judged]) -> list[Judged]:
    """Return two lists as one; what builds on an answer names its place there."""
    start = len(some)
    moved = (
        one if one.builds_on is None else replace(one, builds_on=one.builds_on + start)
        for one in more
    )
    return [*some, *moved]


def as_record(one: Judged) -> dict[str, Any]:
    """Return an answer for JSON."""
    return {**asdict(one), "features": [round(float(value), 6) for value in one.features]}


def from_record(record: dict[str, Any]) -> Judged:
    """Return the answer of a JSON record."""
    lists = {name: tuple(own) for name, own in record.items() if isinstance(own, list)}
    return Judged(**{**record, **lists})
