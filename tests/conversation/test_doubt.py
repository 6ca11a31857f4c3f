"""The features of doubt: what each says, by hand, and that each is a number whatever is asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversation.test_understand import TABLE, rated
from denota.conversation.asked import Asked, Context
from denota.conversation.doubt import FEATURES, TOGETHER, features_of, share_of, unknown_words
from denota.conversation.rating import RatedProgram
from denota.errors import ProgramError
from denota.evaluation.calibration import BY_RATING
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from programs.strategies import examples, programs, questions, tables

NORWAY = "SELECT City WHERE Country = 'Norway'"


def seen(
    question: str,
    *programs: tuple[str, float],
    before: Context = Context(),  # noqa: B008 - frozen
) -> dict[str, float]:
    """The features of the first of some programs, with the second as the next reading."""
    found = rated(*programs, previous=before.previous)
    asked = replace(Asked.of(question, TABLE, before), rated=found, ranked=found)
    other = found[1] if len(found) > 1 else None
    return dict(zip(FEATURES, features_of(asked, found[0], other).tolist(), strict=True))


def test_names_are_their_own() -> None:
    assert len(set(FEATURES)) == len(FEATURES) and set(BY_RATING) <= set(FEATURES)
    assert all({one, other} <= set(FEATURES) for one, other in TOGETHER)


def test_some_features_are_those_of_all() -> None:
    (way,) = found = rated((NORWAY, 0.4))
    asked = replace(Asked.of("which cities?", TABLE), rated=found)
    every = dict(zip(FEATURES, features_of(asked, way, None), strict=True))
    some = features_of(asked, way, None, BY_RATING)
    assert some.tolist() == [every[name] for name in BY_RATING]


def test_rating_counts_programs_with_the_same_answer_together() -> None:
    same = "SELECT City WHERE Country != 'Finland'"
    found = seen("?", (NORWAY, 0.4), ("SELECT City", 0.3), (same, 0.2))
    assert found["log_share"] == pytest.approx(np.log(0.6))
    assert found["log_odds"] == pytest.approx(np.log(2))
    assert found["margin"] == pytest.approx(0.3)
    assert (found["answers"], found["rank"]) == (pytest.approx(np.log(2)), 0)
    assert found["same_columns"] == pytest.approx(1) and found["same_rows"] < 1
    asked = replace(Asked.of("?", TABLE), rated=rated((NORWAY, 0.4), (same, 0.2)))
    assert share_of(asked, asked.rated[1]) == pytest.approx(0.6)


def test_what_is_left_out_and_not_known() -> None:
    found = seen("which cities of Norway won prizes?", (NORWAY, 1.0))
    assert found["left_out_unknown"] >= 1 and found["constants_unmatched"] == 0
    assert seen("which cities are in Norway?", (NORWAY, 1.0))["left_out"] == 0
    (way,) = given = rated((NORWAY, 1.0))
    asked = replace(Asked.of("which cities of Norway won prizes?", TABLE), rated=given)
    assert "prizes" in unknown_words(asked, way) and "norway" not in unknown_words(asked, way)


def test_a_column_that_is_passed_over() -> None:
    question = "how many people live in Oslo?"
    assert seen(question, ("SELECT Founded WHERE City = 'Oslo'", 1.0))["better_column"]
    assert not seen(question, ("SELECT People WHERE City = 'Oslo'", 1.0))["better_column"]


@pytest.mark.parametrize(
    ("question", "program", "feature"),
    [
        ("who founded it?", "SELECT People WHERE City = 'Oslo'", "who_number"),
        ("when was it founded?", "SELECT City WHERE People IS MAX", "when_other"),
        ("which one is it?", "SELECT City", "many_of_one"),
        ("is Oslo large?", "SELECT City WHERE City = 'Oslo'", "yes_no_other"),
        ("what do they sum up to?", "SUM (SELECT People WHERE City = 'Oslo')", "sum_of_one"),
        ("which city?", "COUNT (ROWS)", "number_unasked"),
        ("write me a poem", "SELECT City", "off_topic"),
        ("what is the average of people?", "SUM (SELECT People)", "left_average"),
        ("what percent of the people live in Oslo?", "SELECT People", "left_share"),
        ("total people for each country", "SUM (SELECT People)", "left_groups"),
    ],
)
def test_an_answer_of_another_shape(question: str, program: str, feature: str) -> None:
    assert seen(question, (program, 1.0))[feature]
    assert not seen("which city of Norway?", (NORWAY, 1.0))[feature]


@pytest.mark.parametrize(
    ("question", "program", "feature"),
    [
        ("what is the average of people?", "AVERAGE (SELECT People)", "left_average"),
        ("total people for each country", "SUM PER (SELECT Country, People)", "left_groups"),
    ],
)
def test_what_is_asked_for_and_taken_is_not_left_out(
    question: str, program: str, feature: str
) -> None:
    assert not seen(question, (program, 1.0))[feature]


def test_the_doubt_of_what_it_builds_on() -> None:
    before = Context(("which?",), Denotation((0, 1), (0,)), share=0.25)
    follows = seen("of those?", ("FOLLOW-UP WHERE People IS MAX", 1.0), before=before)
    afresh = seen("which?", (NORWAY, 1.0), before=before)
    assert follows["log_share_before"] == pytest.approx(np.log(0.25)) and follows["follows"]
    assert afresh["log_share_before"] == 0 and afresh["later"] and not afresh["follows"]


@settings(max_examples=examples(60))
@given(st.data())
def test_every_feature_is_a_number(data: st.DataObject) -> None:
    table = data.draw(tables())
    question = data.draw(questions(table))
    found = []
    for probability in (0.5, 0.0, 0.3):
        program = data.draw(programs(table))
        try:
            answer = execute(program, table)
        except ProgramError:
            continue
        found.append(RatedProgram(program, answer, answer, probability, 0.5, 0.5))
    asked = replace(Asked.of(question, table), rated=tuple(found), ranked=tuple(found))
    for way in found:
        other = next((one for one in found if one is not way), None)
        assert np.isfinite(features_of(asked, way, other)).all()
        assert 0 <= share_of(asked, way) <= 1
