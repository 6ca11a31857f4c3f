"""Parsers whose confidence sees doubt, for tests: what they tell is set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from denota.evaluation.calibration import NEVER, Calibration

ParserLike = TypeVar("ParserLike")
EVEN = Calibration((0.0, 0.0), NEVER, features=("position",), either=(1.0, 0.0), said=(1.0, 0.0))
"""Of each answer the same chances: 50% that it is right, 73% that one of two is; never sure."""


def doubting(parser: ParserLike, **told: Any) -> ParserLike:
    """Return a parser with even chances and some thresholds."""
    return replace(parser, calibration=replace(EVEN, **told))  # type: ignore[type-var]


def asking_back(parser: ParserLike) -> ParserLike:
    """Return a parser that always asks which of two readings is meant."""
    return doubting(parser, asks=NEVER)


def declining(parser: ParserLike) -> ParserLike:
    """Return a parser to which no table says anything."""
    return doubting(parser, declines=NEVER)
