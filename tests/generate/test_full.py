"""Questions of the language with every operator: right, in the space, grounded, of every kind,
unambiguous.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import islice

import pytest

from denota import sample
from denota.data import Cells, Values
from denota.generate import Conversation, generate
from denota.generate.examples import made_up_examples
from denota.programs.execute import execute
from denota.programs.operators import AGGREGATES, COMPARES, LANGUAGES, STEPS, TESTS
from denota.programs.rewards import denotation_items, reward
from denota.programs.space import program_space
from denota.programs.text import parse_program, print_program
from denota.programs.tree import And, Or, Program, Test
from denota.tables import Table

FULL = LANGUAGES["full"]
PARTS = Table.from_rows(
    ["Match", "Venue", "Score", "Coach", "Wins", "Losses", "Years"],
    [
        ["Opening", "Dunmere, Osterra", "3-1", "Ada Brook (interim)", "4", "2", "1990-1994"],
        ["Derby", "Velm, Norrhavn", "2-2", "Rui Pell (acting)", "3", "3", "1994-1999"],
        ["Return", "Dunmere, Osterra", "0-4", "Ada Brook (interim)", "1", "5", "1999-2001"],
        ["Final", "Dunmere, Osterra", "5-2", "Ida Lund (acting)", "6", "0", "2001-2010"],
        ["Replay", "Velm, Norrhavn", "1-0", "Rui Pell (interim)", "2", "2", "2010-2012"],
    ],
)
"""A table whose cells have parts."""
TABLES = list(sample.tables().values())


def made(count: int, seed: int = 0, **options: object) -> list[Conversation]:
    return list(islice(generate(TABLES, seed, language=FULL, **options), count))  # type: ignore[arg-type]


@cache
def many() -> list[Conversation]:
    about_parts = islice(generate([PARTS], 0, language=FULL, turns=(1,)), 1_000)
    return [*made(9_000, turns=(1,)), *about_parts]


@cache
def followed() -> list[Conversation]:
    return made(1_000, seed=5)


@cache
def held_out() -> list[Conversation]:
    return made(3_000, held_out=True, turns=(1,))


def names_in(program: Program) -> set[str]:
    """Every operator of a program, steps and comparisons too."""
    names = {test.operator for test in program.tests}
    names |= {name for name in (program.aggregate, program.compare) if name is not None}
    for condition in program.conditions:
        if isinstance(condition, And):
            names.add("three" if len(condition.parts) == 3 else "and")
        if isinstance(condition, Or) and len({test.column for test in condition.parts}) > 1:
            names.add("either")
    return names


def kind_of(program: Program) -> str:
    """What a question asks for, in one word."""
    if program.compare or program.then:
        return program.compare or (program.then.operator if program.then else "")
    return program.aggregate or "select"


@pytest.mark.parametrize(
    "conversations", [many, followed, held_out], ids=["many", "followed", "held out"]
)
def test_answers_are_what_programs_mean_after_printing_and_parsing(
    conversations: Callable[[], list[Conversation]],
) -> None:
    for conversation in conversations():
        before = None
        for turn in conversation.turns:
            parsed = parse_program(print_program(turn.program))
            assert turn.answer == execute(turn.program, conversation.table, before)
            assert execute(parsed, conversation.table, before) == turn.answer
            before = turn.answer


def test_every_operator_is_asked_for() -> None:
    uses = Counter(name for one in many() for turn in one.turns for name in names_in(turn.program))
    wanted = ({*TESTS, *STEPS, *AGGREGATES, *COMPARES} & FULL) | {"and", "three", "either"}
    follow_ups = {"same_value"}
    assert {name: uses[name] for name in wanted - follow_ups if uses[name] < 5} == {}


def test_kinds_have_their_shares() -> None:
    kinds = Counter(kind_of(turn.program) for one in many() for turn in one.turns)
    steps = sum(kinds[name] for name in (*STEPS, "count_per", "sum_per", "average_per"))
    values = kinds.total() - steps - kinds["select"]
    for share in (kinds["select"], steps, values):
        assert 0.25 < share / kinds.total() < 0.42


def test_there_is_an_answer_unless_nothing_is_left() -> None:
    nothing = 0
    for conversation in (*many(), *followed()):
        for turn in conversation.turns:
            if turn.answer.values is not None:
                assert turn.answer.values
            elif not turn.answer.rows:
                assert isinstance(turn.program.where, And)
                nothing += 1
    assert 0 < nothing < 0.02 * len(many())


def test_yes_and_no_are_both_answers() -> None:
    answers = [turn.answer.values for one in many() for turn in one.turns]
    yes, no = answers.count((True,)), answers.count((False,))
    assert yes > 100 and no > 100 and 0.4 < yes / no < 2.5


def test_sides_compared_are_not_equal() -> None:
    for conversation in many():
        (turn,) = conversation.turns
        if turn.program.compare == "difference":
            assert turn.answer.values is not None and turn.answer.values[0] != 0


def test_a_group_is_picked_only_if_it_is_the_only_one() -> None:
    for conversation in many():
        (turn,) = conversation.turns
        step = turn.program.then
        if step is not None and step.operator in ("most_common", "has_most", "has_least"):
            texts = {
                str(item).lower() for item in denotation_items(turn.answer, conversation.table)
            }
            column = conversation.table.names.index(turn.program.columns[0])
            index = program_space(turn.question, conversation.table, None, frozenset(["table"]))
            classes = index.table_index.columns[column].classes
            assert texts and len({int(classes[row]) for row in turn.answer.rows}) == 1


def test_a_rank_among_some_rows_has_no_tie() -> None:
    for conversation in many():
        (turn,) = conversation.turns
        step = turn.program.then
        if step is not None and step.operator in ("max", "min"):
            tied = Program(
                turn.program.columns,
                turn.program.scope,
                turn.program.where,
                then=Test(f"{step.operator}_ties", step.column),
            )
            assert execute(tied, conversation.table) == turn.answer


@pytest.mark.parametrize("conversations", [many, held_out], ids=["used", "held out"])
def test_programs_are_in_the_space_and_grounded(
    conversations: Callable[[], list[Conversation]],
) -> None:
    looked, there, grounded = Counter[str](), Counter[str](), Counter[str]()
    for conversation in conversations():
        (turn,) = conversation.turns
        kind = kind_of(turn.program)
        if looked[kind] < 4:
            looked[kind] += 1
            space = program_space(turn.question, conversation.table, None, FULL)
            number = space.index(turn.program)
            there[kind] += number is not None
            grounded[kind] += number is not None and space.is_grounded(number)
    assert there.total() >= 0.95 * looked.total()
    assert grounded.total() >= 0.9 * looked.total()
    assert {kind for kind in looked if looked[kind] > 2 and not there[kind]} == set()


def test_no_question_follows_up_on_a_value() -> None:
    longer = [one for one in followed() if len(one.turns) > 1]
    assert longer
    for conversation in longer:
        assert all(turn.answer.values is None for turn in conversation.turns[:-1])


def test_examples_keep_their_values() -> None:
    examples = made_up_examples(TABLES, 2_000, language="full")
    assert len(examples) >= 2_000
    kinds = Counter(type(example.answer) for example in examples)
    assert kinds[Cells] > 600 and kinds[Values] > 600
    first = sum(example.question.position == 0 for example in examples)
    assert 0.7 * len(examples) < first < len(examples)
    assert examples == made_up_examples(TABLES, 2_000, language="full")


def test_the_program_of_an_example_is_rewarded() -> None:
    for conversation, example in zip(
        made(300, turns=(1,)), made_up_examples(TABLES, 300, language="full"), strict=False
    ):
        (turn,) = conversation.turns
        gold = Values(denotation_items(turn.answer, conversation.table))
        assert reward(turn.answer, gold, conversation.table) == 1
        assert not isinstance(example.answer, Values) or example.answer.items


def test_questions_of_the_language_of_selections_stay_as_they_are() -> None:
    found = hashlib.sha256()
    for example in made_up_examples(list(sample.tables().values()), 3_000):
        question = example.question
        told = (question.id, question.position, question.text, question.table_file)
        found.update(repr((*told, sorted(example.cells))).encode())
    assert found.hexdigest() == _BEFORE


_BEFORE = "ad7f54e50eb19791d899b9c9e2579de67f972b9030060b7b64d568782c23f060"
