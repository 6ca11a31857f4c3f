"""Answers that were judged, as far as their confidence is concerned, and how they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from denota.evaluation.calibration import Floats, Outcome

UNSAID: Final = 0.12
"""The share of unanswerable questions in what is fitted to."""


@dataclass(frozen=True)
class Judged:
    """An answer, and whether it is right."""

    data: str
    """The data set."""
    table: str
    question: str
    features: tuple[float, ...]
    right: tuple[bool, ...]
    """Which of its best readings are right; none where the table does not say it."""
    unsaid: str = ""
    """How it was made unanswerable; empty if the table answers it."""
    builds_on: int | None = None
    """The place in the list of the answer it builds on."""
    before: float = 0.0
    """The confidence that the parser had in it so far."""
    was: Outcome = "unsure"
    """What the parser told of it so far."""
    declined: bool = False
    """Whether a rule declines it; there are no features then."""

    @property
    def first(self) -> bool:
        """Whether the answer is right."""
        return any(self.right[:1])

    @property
    def either(self) -> bool:
        """Whether one of its two best readings is."""
        return any(self.right[:2])

    @property
    def is_said(self) -> bool:
        """Whether the table answers it."""
        return not self.unsaid


def weights_of(judged: Sequence[Judged]) -> Floats:
    """(n,) how much each answer counts: data sets alike, of each `UNSAID` unanswerable."""
    kinds = [(one.data, one.is_said) for one in judged]
    many = {kind: kinds.count(kind) for kind in set(kinds)}
    return np.array([(1 - UNSAID if kind[1] else UNSAID) / many[kind] for kind in kinds])


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
