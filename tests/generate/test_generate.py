"""Generated conversations: right, in the space, grounded, of every kind, and the same again from
the same seed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import islice
from random import Random

import pytest

from denota import sample
from denota.generate import Conversation, generate
from denota.programs.execute import execute
from denota.programs.operators import FEATURES, LANGUAGES, SCOPES, TESTS, language_of
from denota.programs.operators_used import operators_used
from denota.programs.space import program_space
from denota.programs.tree import Test
from denota.tables import Table

TABLES = list(sample.tables().values())
COMPUTED = ("count", "sum", "average", "smallest", "largest", "count_distinct")
ALL = language_of("extended +cell " + " ".join(f"+{name}" for name in COMPUTED))


def made(count: int, seed: int = 0, **options: object) -> list[Conversation]:
    return list(islice(generate(TABLES, seed, **options), count))  # type: ignore[arg-type]


@cache
def many() -> list[Conversation]:
    return made(2_500, language=ALL)


@cache
def held_back() -> list[Conversation]:
    return made(1_500, language=ALL, held_out=True)


@pytest.mark.parametrize("conversations", [many, held_back], ids=["used", "held out"])
def test_answers_are_what_programs_mean(
    conversations: Callable[[], list[Conversation]],
) -> None:
    for conversation in conversations():
        before = None
        for turn in conversation.turns:
            assert turn.answer == execute(turn.program, conversation.table, before)
            assert turn.answer.cells
            before = turn.answer


def test_every_operator_is_used_sensibly_often() -> None:
    turns = [turn for conversation in many() for turn in conversation.turns]
    uses = Counter(name for turn in turns for name in operators_used(turn.program))
    known = {*TESTS, *SCOPES, *COMPUTED, *FEATURES} & ALL
    assert {name: uses[name] for name in known if uses[name] < len(turns) / 1000} == {}
    assert max(uses[name] for name in TESTS) < len(turns) / 2


def test_same_as_previous_is_rare() -> None:
    turns = [turn for conversation in many() for turn in conversation.turns]
    again = sum(
        turn.program.scope == "previous" and turn.program == type(turn.program)((), "previous")
        for turn in turns
    )
    assert 0 < again < len(turns) / 50


@pytest.mark.parametrize("language", ["dynsp++", "extended"])
@pytest.mark.parametrize("held_out", [False, True])
def test_programs_are_in_the_space_and_grounded(language: str, held_out: bool) -> None:
    operators = LANGUAGES[language]
    there, grounded = [], []
    for conversation in made(140, seed=7, language=operators, held_out=held_out):
        before = None
        for turn in conversation.turns:
            space = program_space(turn.question, conversation.table, before, operators)
            number = space.index(turn.program)
            there.append(number is not None)
            grounded.append(number is not None and bool(space.grounded[number]))
            before = turn.answer
    assert sum(there) >= 0.97 * len(there)
    assert sum(grounded) >= 0.97 * len(grounded)


@pytest.mark.parametrize(
    "language", ["dynsp", "dynsp++", "extended", "extended -others -and", "dynsp +count"]
)
def test_only_operators_of_the_language_are_used(language: str) -> None:
    operators = language_of(language)
    used = {
        name
        for c in made(400, language=operators)
        for t in c.turns
        for name in operators_used(t.program)
    }
    assert used <= operators


def test_aggregates_are_off_unless_named() -> None:
    assert all(turn.program.aggregate is None for c in made(300) for turn in c.turns)


def test_held_out_wordings_do_not_leak() -> None:
    names = {name for c in many() for turn in c.turns for name in turn.wordings}
    kept_back = {name for c in held_back() for turn in c.turns for name in turn.wordings}
    assert not any(name.endswith("*") for name in names)
    assert all(name.endswith("*") for name in kept_back)
    assert len(names) > 600
    assert len(kept_back) > 200


def test_conversations_have_one_to_four_turns() -> None:
    assert {len(conversation.turns) for conversation in many()} == {1, 2, 3, 4}
    assert {len(conversation.turns) for conversation in made(50, turns=[1])} == {1}


def test_tables_take_turns() -> None:
    counts = Counter(id(conversation.table) for conversation in made(3 * len(TABLES)))
    assert set(counts.values()) == {3}


def test_no_answer_is_given_twice_unless_it_is_asked_for_again() -> None:
    for conversation in many():
        asked = [
            t.answer for t in conversation.turns if t.program != type(t.program)((), "previous")
        ]
        assert len(set(asked)) == len(asked)


def test_a_superlative_has_no_tie_unless_it_says_so() -> None:
    for conversation in made(600):
        before = None
        for turn in conversation.turns:
            where = turn.program.where
            if isinstance(where, Test) and where.operator in ("max", "min"):
                ties = Test(f"{where.operator}_ties", where.column)
                program = type(turn.program)(turn.program.columns, turn.program.scope, ties)
                assert execute(program, conversation.table, before) == turn.answer
            before = turn.answer


def test_totals_are_left_out() -> None:
    table = Table.from_rows(
        ["Nation", "Gold"], [["Velmark", "3"], ["Osterra", "5"], ["Calvany", "1"], ["Total", "9"]]
    )
    for conversation in islice(generate([table], 0), 300):
        for turn in conversation.turns:
            if isinstance(turn.program.where, Test) and turn.program.where.operator in (
                "max",
                "greater",
                "top",
            ):
                assert 3 not in turn.answer.rows or turn.program.scope == "previous"


def test_spelling_of_questions_varies() -> None:
    questions = [turn.question for conversation in many() for turn in conversation.turns]
    assert 0.3 < sum(question == question.lower() for question in questions) / len(questions) < 0.8
    assert 0.4 < sum(question.endswith("?") for question in questions) / len(questions) < 0.8
    assert len(set(questions)) > 0.9 * len(questions)
    assert all(
        question == " ".join(question.split()) and question.isprintable() for question in questions
    )


def test_same_seed_same_conversations() -> None:
    assert made(200) == made(200) == list(islice(generate(TABLES, Random(0)), 200))
    assert made(200) != made(200, seed=1)


def test_the_order_of_sets_does_not_matter() -> None:
    code = (
        "from itertools import islice; from denota import sample;"
        " from denota.generate import generate;"
        "tables = list(sample.tables().values());"
        "print([turn for c in islice(generate(tables, 3), 200) for turn in c.turns])"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_plain_questions_leave_nothing_half_said() -> None:
    plain = [turn for one in made(500, plain=True) for turn in one.turns]
    asked = [turn for one in made(500) for turn in one.turns]
    assert any(name.split("/")[1] == "ellipsis" for turn in asked for name in turn.wordings)
    assert not any(name.split("/")[1] == "ellipsis" for turn in plain for name in turn.wordings)


def test_plain_questions_call_columns_by_their_names() -> None:
    table = Table.from_rows(
        ["Mountain", "Height (m)", "Attendance"],
        [["Ulv", "2,300", "410"], ["Bla", "1,870", "95"], ["Sten", "990", "1,204"]],
    )
    plain, asked = (
        " ".join(
            turn.question.lower()
            for conversation in islice(generate([table], 0, plain=plain), 200)
            for turn in conversation.turns
        )
        for plain in (True, False)
    )
    for word in ("peak", "tallest", "spectators", "how high"):
        assert word in asked and word not in plain
