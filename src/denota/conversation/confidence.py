"""How likely an answer is right: what was fitted, applied to what is seen of it.

A parser may come with a confidence that sees doubt (`doubt`), with one fitted to its rating alone,
or with none. Only the first has a say in what is told of an answer.
"""

from __future__ import annotations

from typing import Final

from denota.conversation.asked import Asked
from denota.conversation.doubt import features_of, share_of
from denota.conversation.mentions import unused
from denota.conversation.rating import RatedProgram
from denota.evaluation.calibration import Calibration, Chances
from denota.model.parser import Parser
from denota.programs.operators import SCOPES

SURE: Final = 0.5
"""Without a calibration, an answer is sure if it has this share of all probability."""
LEFT_OUT: Final = 0.75
"""The factor of a confidence by rating alone where a value or number of the question is left out:
on SQA's dev questions 50% of such answers are right, and 67% of the others."""


def sees_doubt(parser: Parser) -> Calibration | None:
    """Return a parser's confidence, if that was fitted to features of doubt."""
    known = parser.calibration
    return known if known is not None and known.sees_doubt else None


def chances_of(
    asked: Asked, way: RatedProgram, other: RatedProgram | None, parser: Parser
) -> Chances:
    """Return how likely a program's answer is right, and what else may be.

    Where the confidence sees doubt, what builds on an answer is never surer than that.

    Args:
        asked: the question, with the parser's programs.
        way: the program.
        other: the best program with another answer.
        parser: has what was fitted; the share of probability is all there is without.
    """
    before = asked.before.confidence
    if way is asked.settled:
        return Chances(before, before, 1.0)
    known = parser.calibration
    if known is None:
        own = share_of(asked, way)
        return Chances(own, own, 1.0)
    (found,) = known.chances(features_of(asked, way, other, known.features)[None])
    if not known.sees_doubt or not SCOPES[way.program.scope].follows:
        return found
    return found.at_most(before)


def share_with_before(asked: Asked, way: RatedProgram) -> float:
    """Return the share of all probability that an answer has, times that of all it builds on."""
    if way is asked.settled:
        return asked.before.share
    own = share_of(asked, way)
    return own * asked.before.share if SCOPES[way.program.scope].follows else own


def confidence_in(asked: Asked, way: RatedProgram, parser: Parser) -> tuple[float, bool]:
    """Return how likely a reading is right, which need not be the best, and whether it is sure."""
    if way is asked.settled:
        return asked.before.confidence, asked.before.sure
    is_best = asked.best is not None and way.program == asked.best.program
    found = chances_of(asked, way, asked.other if is_best else asked.best, parser).right
    if sees_doubt(parser) is None:
        return less_where_left_out(asked, way, found, is_sure(found, parser))
    found = found if is_best else min(found, 1 - asked.chances.right)
    return found, is_sure(found, parser)


def less_where_left_out(
    asked: Asked, way: RatedProgram, confidence: float, sure: bool
) -> tuple[float, bool]:
    """Return a confidence by rating, less if a program leaves out what the question names."""
    if unused(asked.named, way.program):
        return confidence * LEFT_OUT, False
    return confidence, sure


def is_sure(confidence: float, parser: Parser) -> bool:
    """Say whether an answer of a confidence is sure."""
    known = parser.calibration
    return confidence >= (SURE if known is None else known.sure)
