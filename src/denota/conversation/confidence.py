"""How likely an answer is right: what was fitted, applied to what is seen of it."""

from __future__ import annotations

from typing import Final

from denota.conversation.asked import Asked
from denota.conversation.doubt import FEATURES, features_of, share_of
from denota.conversation.rating import RatedProgram
from denota.evaluation.calibration import Chances
from denota.model.parser import Parser
from denota.programs.operators import SCOPES

SURE: Final = 0.5
"""Without a calibration, an answer is sure if it has this share of all probability."""


def chances_of(
    asked: Asked, way: RatedProgram, other: RatedProgram | None, parser: Parser
) -> Chances:
    """Return how likely a program's answer is right, and what else may be.

    What builds on an answer is never more likely right than that is.

    Args:
        asked: the question, with the parser's programs.
        way: the program.
        other: the best program with another answer.
        parser: has what was fitted; the share of probability is all there is without.
    """
    before = asked.before.confidence
    if way is asked.settled:
        return Chances(before, before, 1.0)
    if parser.calibration is None:
        own = share_of(asked, way)
        found = Chances(own, own, 1.0)
    else:
        seen = dict(zip(FEATURES, features_of(asked, way, other).tolist(), strict=True))
        found = parser.calibration.chances(seen)
    if not SCOPES[way.program.scope].follows:
        return found
    return Chances(min(found.right, before), min(found.either, before), found.said)


def confidence_in(asked: Asked, way: RatedProgram, parser: Parser) -> float:
    """Return how likely a reading other than the best is right."""
    found = chances_of(asked, way, asked.best, parser).right
    return found if way is asked.settled else min(found, 1 - asked.chances.right)


def is_sure(confidence: float, parser: Parser) -> bool:
    """Say whether an answer of a confidence is sure."""
    known = parser.calibration
    return confidence >= (SURE if known is None else known.sure)
