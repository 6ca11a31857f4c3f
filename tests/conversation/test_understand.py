"""The pipeline of understanding: one for chats and for measuring, each step with a switch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import denota
from denota.app.commands.answering import answer_all
from denota.app.paths import load_run
from denota.conversation.answers import answer_of, rating_with, understand_conversations
from denota.conversation.asked import Asked, Context
from denota.conversation.chat import Chat
from denota.conversation.confidence import LEFT_OUT
from denota.conversation.mentions import named_in, unused
from denota.conversation.rating import RatedProgram
from denota.conversation.understand import (
    ONLY_MODEL,
    PARSE,
    STEPS,
    TAKE,
    steps_of,
    understand,
    understand_all,
    ways,
)
from denota.data import load_examples
from denota.data.example import Question, conversations
from denota.errors import ConfigError
from denota.evaluation.calibration import Calibration
from denota.evaluation.order import Order
from denota.evaluation.predict import key_of
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import LANGUAGES
from denota.programs.text import parse_program, print_program
from denota.search.preparer import Preparer
from denota.tables import Table
from programs.strategies import examples

TABLE = Table.from_rows(
    ["City", "Country", "People", "Founded"],
    [
        ["Oslo", "Norway", "709", "1040"],
        ["Bergen", "Norway", "291", "1070"],
        ["Turku", "Finland", "195", "1229"],
        ["Espoo", "Finland", "291", "1458"],
    ],
)


def parser_of(language: str = "extended") -> Any:
    """A parser that knows no word, and is as confident as its programs are probable."""
    scorer = SimpleNamespace(knows={"which", "people", "many"}.__contains__)
    return SimpleNamespace(language=LANGUAGES[language], scorer=scorer, calibration=None)


def rated(
    *programs: tuple[str, float], previous: Denotation | None = None
) -> tuple[RatedProgram, ...]:
    found = []
    for text, probability in programs:
        answer = execute(parse_program(text), TABLE, previous)
        found.append(RatedProgram(parse_program(text), answer, answer, probability, 1.0, 0.0))
    return tuple(found)


def understood(
    question: str,
    *programs: tuple[str, float],
    without: Sequence[str] = (),
    before: Context = Context(),  # noqa: B008 - frozen
) -> Asked:
    parser = parser_of()

    def rate(asked: Sequence[Asked]) -> list[tuple[RatedProgram, ...]]:
        return [rated(*programs, previous=one.before.previous) for one in asked]

    return understand(Asked.of(question, TABLE, before), parser, rate, steps_of(parser, without))


def program_of(asked: Asked) -> str:
    assert asked.best is not None
    return print_program(asked.best.program)


def test_each_step_has_a_name_of_its_own_and_says_what_it_does() -> None:
    names = [step.name for step in STEPS]
    assert len(set(names)) == len(names) and all(step.help for step in STEPS)
    assert STEPS.index(PARSE) < STEPS.index(TAKE)
    assert all(
        (step.change is None) != (step.each is None) for step in STEPS if step not in ONLY_MODEL
    )


def test_a_step_that_is_not_there_cannot_be_left_out() -> None:
    with pytest.raises(ConfigError, match="there is no step magic; the steps are spelling"):
        steps_of(parser_of(), ["magic"])
    with pytest.raises(ConfigError, match="there is no step parse"):
        steps_of(parser_of(), ["parse"])


def test_a_parser_that_computes_needs_no_rules_for_values() -> None:
    names = {step.name for step in steps_of(parser_of("full"))}
    assert {"requests", "differences", "ties", "repeat"}.isdisjoint(names)
    assert {"spelling", "groups", "decline", "change_constant"} <= names


def test_spelling() -> None:
    asked = understood("which city is in Norwya?", ("SELECT City", 1.0))
    assert (asked.text, dict(asked.respelled)) == ("which city is in norway?", {"Norwya": "norway"})
    assert (
        understood("which city is in Norwya?", ("SELECT City", 1.0), without=["spelling"]).text
        == asked.typed
    )


def test_order_puts_what_leaves_out_less_first() -> None:
    named = "SELECT City WHERE Country = 'Norway'"
    parser = parser_of("full")
    order = Order(("left_out",), (1.0, -3.0), (0.0,), (1.0,))
    parser.calibration = Calibration((0.0, 1.0, 0.0, 0.0), order=order)

    def first(likeliest: float, without: Sequence[str] = ()) -> str:
        found = rated(("SELECT City", likeliest), (named, 0.02))
        pipeline = steps_of(parser, without)
        asked = Asked.of("which city is in Norway?", TABLE)
        return program_of(understand(asked, parser, lambda some: [found for _ in some], pipeline))

    assert first(0.2) == named
    assert first(0.2, ["order"]) == "SELECT City"
    assert first(0.93) == "SELECT City", "the parser is certain"
    parser.calibration = Calibration((0.0, 1.0, 0.0, 0.0))
    assert first(0.2) == "SELECT City"
    assert first(0.1) == named, "what names more is likely enough"
    assert first(0.1, ["coverage"]) == "SELECT City"


def test_coverage_prefers_what_is_named() -> None:
    given = (("SELECT City", 0.5), ("SELECT City WHERE Country = 'Norway'", 0.3))
    assert "Norway" in program_of(understood("which city is in Norway?", *given))
    left = understood("which city is in Norway?", *given, without=["coverage"])
    assert program_of(left) == "SELECT City"


def test_ties() -> None:
    given = ("SELECT City WHERE People IS MIN", 0.9)
    table_with_ties = understood(
        "which Norway city has the fewest people", ("SELECT City WHERE People IS MAX", 0.9)
    )
    assert program_of(table_with_ties) == "SELECT City WHERE People IS MAX"
    asked = understood("which Finland city", ("SELECT City WHERE People IS MIN", 0.9))
    assert program_of(asked) == given[0]
    previous = Denotation((1, 3), (0,))
    before = Context(("which cities?",), previous)
    tied = understood("who has the most?", ("FOLLOW-UP WHERE People IS MAX", 0.9), before=before)
    assert program_of(tied) == "FOLLOW-UP WHERE People IS MAX WITH TIES"
    assert tied.best is not None and tied.best.answer.rows == (1, 3)


def test_requests_are_taken_apart_and_computed() -> None:
    asked = understood(
        "how many cities are in Norway?", ("SELECT City WHERE Country = 'Norway'", 0.9)
    )
    assert asked.plain == "which cities are in Norway?"
    assert asked.best is not None and asked.best.answer.values == (2.0,)
    plain = understood(
        "how many cities are in Norway?",
        ("SELECT City WHERE Country = 'Norway'", 0.9),
        without=["requests"],
    )
    assert plain.best is not None and plain.best.answer.values is None


@pytest.mark.parametrize(
    "last, question, expected",
    [
        (
            "COUNT (ROWS WHERE Country = 'Norway')",
            "and in Finland?",
            "COUNT (ROWS WHERE Country = 'Finland')",
        ),
        (
            "SUM (SELECT People WHERE Country = 'Norway')",
            "what about Finland?",
            "SUM (SELECT People WHERE Country = 'Finland')",
        ),
        (
            "COUNT (ROWS WHERE People > 200)",
            "and more than 700?",
            "COUNT (ROWS WHERE People > 700)",
        ),
        (
            "COUNT (ROWS WHERE Country = 'Norway' AND People > 200)",
            "and in Finland?",
            "COUNT (ROWS WHERE Country = 'Finland' AND People > 200)",
        ),
        ("COUNT (ROWS WHERE Country = 'Norway')", "which of them is in Finland?", None),
        ("COUNT (ROWS WHERE Country = 'Norway')", "and which is the largest in Finland?", None),
        ("COUNT (ROWS WHERE Country = 'Norway')", "and in Norway?", None),
        ("SELECT City WHERE Country = 'Norway'", "and in Finland?", None),
    ],
)  # fmt: skip
def test_a_computed_value_is_followed_up(last: str, question: str, expected: str | None) -> None:
    program = parse_program(last)
    found = execute(program, TABLE)
    before = Asked.of("how many?", TABLE).after(program, found)
    before = replace(before, confidence=0.8, sure=True)
    asked = understood(question, ("SELECT People", 0.9), before=before)
    if expected is None:
        assert asked.settled is None
        return
    assert program_of(asked) == expected and asked.confidence == 0.8 and asked.sure
    left = understood(question, ("SELECT People", 0.9), before=before, without=["change_constant"])
    assert left.settled is None


def test_how_many_is_that_is_about_the_last_answer() -> None:
    before = Context(("which cities are in Norway?",), Denotation((0, 1), (0,)))
    asked = understood("how many is that?", ("SELECT People", 0.9), before=before)
    assert asked.best is not None and asked.best.answer.values == (2.0,)


def test_doubt() -> None:
    given = ("SELECT City", 0.8)
    asked = understood("which city was there in Norway?", given)
    assert not asked.sure and asked.confidence == pytest.approx(0.8 * LEFT_OUT)
    assert understood("which city was there in Norway?", given, without=["doubt"]).sure


def test_declining_leaves_the_conversation_as_it_was() -> None:
    asked = understood("why is that so?", ("SELECT City", 0.9))
    assert asked.reason.startswith("I cannot say why") and asked.best is None and not asked.rated
    assert understood("why is that so?", ("SELECT City", 0.9), without=["decline"]).best is not None


def test_a_question_off_the_topic_is_declined() -> None:
    given = ("SELECT City", 0.2)
    assert understood("sing me something nice", given).reason
    assert not understood("sing me something nice", given, without=["about_the_table"]).reason


def test_many_at_once_are_understood_as_one_by_one() -> None:
    parser = parser_of()
    texts = ("how many cities are in Norway?", "why?", "which city is in Norwya?")
    asked = [Asked.of(text, TABLE) for text in texts]

    def rate(some: Sequence[Asked]) -> list[tuple[RatedProgram, ...]]:
        return [rated(("SELECT City WHERE Country = 'Norway'", 0.9)) for _ in some]

    together = understand_all(asked, parser, rate)
    assert together == [understand(one, parser, rate) for one in asked]


def test_ways_come_as_the_steps_change_them() -> None:
    asked = understood(
        "how many cities are in Norway?",
        ("SELECT City WHERE Country = 'Norway'", 0.5),
        ("SELECT City, Country", 0.4),
        ("SELECT City", 0.1),
    )
    programs = [print_program(way.program) for way in ways(asked, steps_of(parser_of()))]
    assert programs[0] == "COUNT (SELECT City WHERE Country = 'Norway')"
    assert "SELECT City, Country" not in programs  # of two columns nothing is counted


@cache
def default() -> Parser:
    return load_run("default")


@pytest.mark.sqa
@pytest.mark.slow
def test_measuring_and_chatting_give_the_same_answers(sqa: Path) -> None:
    """120 dev conversations: what `evaluate` judges is what a chat says, all of it."""
    all_talks = conversations(load_examples(sqa, "random-split-1-dev").questions)
    talks = random.Random(0).sample(all_talks, min(len(all_talks), examples(120)))
    questions = [question for talk in talks for question in talk]
    measured = answer_all("default", questions, jobs=1)
    different = []
    for talk in talks:
        chat = Chat(default(), talk[0].table)
        for question in talk:
            turn = chat.ask(question.text)
            answer = measured[key_of(question)]
            if turn.declined:
                same = answer == Denotation((), ())
            elif answer.values is not None:
                same = turn.items == answer.values
            else:
                same = set(turn.cells) == answer.cells
            if not same:
                different.append((question.text, turn.answer, answer))
    assert not different and len(measured) == len(questions) > 0


def test_a_chat_scores_its_own_answers_as_right() -> None:
    parser = denota.load()
    chat = parser.chat("examples/expeditions.csv")
    chat.ask("which season had the fewest ships?")
    chat.ask("how many is that?")
    assert len(chat.turns[0].answer) == 2
    assert parser.score([chat]) == 100.0


@pytest.mark.parametrize(
    ("texts", "best"),
    [
        (("COUNT (ROWS)", "SELECT City", "SELECT People"), "SELECT City"),
        (("COUNT (ROWS)", "SUM (SELECT People)"), "COUNT (ROWS)"),
    ],
)
def test_where_answers_are_cells_values_come_last(
    texts: Sequence[str], best: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = rated(*((text, 0.1) for text in texts))
    monkeypatch.setattr("denota.conversation.answers.rate_all", lambda *given: [found])
    asked = Asked.of("which cities?", TABLE, Context())
    for cells, first in ((False, texts[0]), (True, best)):
        rate = rating_with(parser_of("full"), Preparer("full"), cells)
        assert print_program(rate([asked])[0][0].program) == first


def test_conversations_keep_their_context() -> None:
    questions = [
        question_at("which cities are in Norway?", 0),
        question_at("how many is that?", 1),
    ]
    parser = default()
    preparer = Preparer.of(parser.config, kept=4, operators=parser.language)
    found = understand_conversations(
        questions, parser, rating_with(parser, preparer), steps_of(parser)
    )
    first, second = (answer_of(found[key_of(question)]) for question in questions)
    assert second.values == (float(len(first.rows)),)


def question_at(text: str, position: int) -> Question:
    return Question("t", "0", position, text, TABLE, "t")


def test_a_code_is_named_by_what_it_stands_for() -> None:
    table = Table.from_rows(
        ["City", "State", "Party"],
        [["Albany", "NY", "REP"], ["Reading", "PA", "DEM"], ["Taos", "NM", "IND"]],
    )
    named = named_in("which Republicans are from New York or New Mexico?", table)
    assert named == ("republicans", "new york", "new mexico")
    assert named_in("the new ones in york", table) == ()
    taken = parse_program("SELECT City WHERE State = 'NY' AND Party = 'REP'")
    assert unused(named, taken) == ("new mexico",)
