"""What is told by a confidence that sees doubt, and that without one all is as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversation.test_understand import TABLE, parser_of, rated
from denota.conversation.asked import Asked, Context
from denota.conversation.confidence import LEFT_OUT, confidence_in
from denota.conversation.rating import RatedProgram
from denota.conversation.understand import steps_of, understand
from denota.evaluation.calibration import BY_RATING, NEVER, Calibration
from denota.programs.denotation import Denotation

FOLLOWS = "FOLLOW-UP WHERE People IS MAX"
WEIGHTS = st.floats(-5, 5)


def parser_with(calibration: Calibration | None) -> Any:
    parser = parser_of("full")
    parser.calibration = calibration
    return parser


def told(
    question: str,
    *programs: tuple[str, float],
    by: Calibration | None,
    before: Context = Context(),  # noqa: B008 - frozen
) -> Asked:
    parser = parser_with(by)

    def rate(asked: Any) -> list[tuple[RatedProgram, ...]]:
        return [rated(*programs, previous=one.before.previous) for one in asked]

    return understand(Asked.of(question, TABLE, before), parser, rate, steps_of(parser))


def even(**thresholds: float) -> Calibration:
    """Even chances that an answer is right and that the table says it."""
    return Calibration((0.0, 0.0), features=("position",), either=(1.0, 0.0), said=(0.0, 0.0),
                       **thresholds)  # fmt: skip


@given(WEIGHTS, WEIGHTS, WEIGHTS, st.floats(0, 1), st.floats(0.01, 1))
def test_what_builds_on_an_answer_is_never_surer(
    constant: float, share: float, follows: float, confidence: float, probability: float
) -> None:
    weights = (constant, share, follows)
    known = Calibration(weights, features=("margin", "follows"), either=weights, said=weights)
    before = Context(("which?",), Denotation((0, 1), (0,)), confidence=confidence)
    asked = told("the largest of those?", (FOLLOWS, probability), by=known, before=before)
    assert asked.confidence == asked.chances.right <= confidence
    assert asked.chances.either <= confidence
    alone = told("which is the largest?", ("SELECT City", probability), by=known, before=before)
    assert alone.confidence == pytest.approx(
        1 / (1 + 2.718281828459045 ** -(constant + share * probability))
    ), "what asks of the whole table builds on nothing"


def test_the_doubt_of_all_it_builds_on_is_kept() -> None:
    before = Context(("which?",), Denotation((0, 1), (0,)), share=0.5)
    asked = told("the largest of those?", (FOLLOWS, 0.4), by=None, before=before)
    assert asked.share == pytest.approx(0.2)
    assert asked.best is not None
    assert asked.after(asked.best.program, asked.best.answer).share == pytest.approx(0.2)
    assert asked.vouched().share == 1


def test_two_readings_are_asked_back() -> None:
    two = (("SELECT City", 0.5), ("SELECT Country", 0.4))
    asked = told("which city or country?", *two, by=even(sure=NEVER, asks=0.6))
    assert asked.asks_back and not asked.reason and not asked.sure
    assert asked.best is not None and asked.other is not None
    assert asked.best.answer != asked.other.answer
    alone = told("which city?", ("SELECT City", 0.9), by=even(sure=NEVER, asks=0.6))
    assert not alone.asks_back, "there is but one reading"
    assert not told("which city or country?", *two, by=even(sure=0.5, asks=0.6)).asks_back


def test_readings_that_are_close_are_asked_back() -> None:
    two = (("SELECT City", 0.5), ("SELECT Country", 0.4))
    close = Calibration((0.0, 0.0), NEVER, ("position",), either=(3.0, 0.0), close=0.4)
    assert told("which city or country?", *two, by=close).asks_back
    far = replace(close, either=(1.0, 0.0), close=0.1)  # the second is right with 23%
    assert not told("which city or country?", *two, by=far).asks_back, "the first is likelier"


def test_what_the_table_does_not_say_is_declined_with_the_words() -> None:
    known = even(sure=NEVER, declines=0.6)
    asked = told("which city won prizes?", ("SELECT City", 0.9), by=known)
    assert "nothing about" in asked.reason and "prizes" in asked.reason
    assert "City" in asked.reason, "what can be asked about"
    off = told("write poetry", ("SELECT City", 0.9), by=known)
    assert off.reason.startswith("I find nothing of that")
    assert not told("which city?", ("SELECT City", 0.9), by=replace(known, declines=0.4)).reason


def test_readings_share_what_can_be_right() -> None:
    two = (("SELECT City", 0.5), ("SELECT Country", 0.4))
    known = replace(even(), weights=(1.0, 0.0))
    asked = told("which city or country?", *two, by=known)
    assert asked.best is not None and asked.other is not None
    best, _ = confidence_in(asked, asked.best, parser_with(known))
    other, _ = confidence_in(asked, asked.other, parser_with(known))
    assert best == asked.confidence and best + other <= 1


def test_by_rating_alone_all_is_as_it_was() -> None:
    """Left-out words lower the confidence, nothing is asked back, and nothing is held back."""
    known = Calibration((0.8, 0.3, 0.7, -1.0), 0.54)
    assert known.features == BY_RATING
    parser = parser_with(known)
    two = (("SELECT City", 0.5), ("SELECT Country", 0.4))
    asked = told("which city was there in Norway?", *two, by=known)
    found = known.chances(_by_rating(0.5, 0.4, later=False))[0].right
    assert asked.confidence == pytest.approx(LEFT_OUT * found) and not asked.sure
    assert not asked.asks_back
    assert asked.best is not None
    assert confidence_in(asked, asked.best, parser) == (asked.confidence, False)
    before = Context(("which?",), Denotation((0, 1), (0,)), confidence=0.01)
    follows = told("the largest of those?", (FOLLOWS, 0.9), by=known, before=before)
    assert follows.confidence > 0.01


def _by_rating(share: float, other: float, later: bool) -> Any:
    import numpy as np

    return np.array([[np.log(share), np.log(share) - np.log(other), float(later)]])
