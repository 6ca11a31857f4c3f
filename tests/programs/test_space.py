"""The space of a question is the tree walk, computed for all programs at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from denota.data.answer import Cells, Values
from denota.programs.constants import constants_in
from denota.programs.denotation import Denotation, jaccard
from denota.programs.execute import execute
from denota.programs.lexicon import words_of
from denota.programs.operators import COMPARES, SCOPES, TESTS, declared
from denota.programs.rewards import denotation_items, reward
from denota.programs.space import ProgramSpace, program_space
from denota.programs.text import parse_program, print_program
from denota.programs.tree import And, Condition, Name, Or, Program, Test, Value
from denota.tables import Table
from denota.tokens import content, tokenise
from programs.strategies import (
    SPOKEN,
    conjuncts,
    examples,
    golds,
    programs,
    situations,
    table_of,
    texts,
)

Asked = tuple[str, Table, Denotation | None]
languages = pytest.mark.parametrize("language", SPOKEN)

#: Two spellings of one value: a word of one is not a word of the other.
SPELLINGS: Asked = ("05", table_of({"Opened": ["1993-05-17", "May 17, 1993"]}), None)
ONE_COLUMN: Asked = ("others", table_of({"City": ["Oslo", "Rome"]}), Denotation((0,), (0,)))
NAMED: Asked = ("oslo, rome or paris", table_of({"City": ["Oslo", "Rome", "Paris", "Bonn"]}), None)


def ids(space: ProgramSpace, most: int = 150) -> Iterator[int]:
    """All programs of a small space, and some from everywhere of a large one."""
    step = max(1, len(space) // most)
    return iter(range(0, len(space), step))


@languages
@settings(max_examples=examples(60))
@given(asked=situations())
@example(asked=SPELLINGS)
@example(asked=ONE_COLUMN)
@example(asked=NAMED)
def test_every_denotation_is_that_of_the_tree_walk(asked: Asked, language: str) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN[language])
    for number in ids(space):
        program = space.program(number)
        found = space.denotation(number)
        assert found == execute(program, table, previous), print_program(program)
        if "nothing_left" not in SPOKEN[language]:
            assert found.cells, f"{print_program(program)} has no answer"


@languages
@settings(max_examples=examples(40))
@given(asked=situations(), data=st.data())
def test_rewards_are_the_jaccard_index_of_the_cells(
    asked: Asked, language: str, data: st.DataObject
) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN[language])
    some = {print_program(space.program(n)): n for n in ids(space, 8)}
    own = st.sampled_from(sorted(some)).map(lambda text: space.denotation(some[text]).cells)
    gold = data.draw(st.one_of(golds(table), own))
    rewards = space.rewards(Cells(gold))
    assert rewards.shape == (len(space),)
    for number in ids(space):
        program = space.program(number)
        cells = execute(program, table, previous).cells
        expected = 0.0 if program.aggregate else jaccard(cells, gold)
        assert rewards[number] == pytest.approx(expected, abs=1e-6), print_program(program)
        assert (rewards[number] == 1) == (program.aggregate is None and cells == gold)


@languages
@settings(max_examples=examples(60))
@given(asked=situations(max_columns=4), data=st.data())
def test_rewards_for_values_are_those_of_the_tree_walk(
    asked: Asked, language: str, data: st.DataObject
) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN[language])
    numbers = list(ids(space))
    found = [execute(space.program(number), table, previous) for number in numbers]
    own = st.sampled_from([denotation_items(one, table) for one in found])
    said = st.one_of(own, own, st.lists(st.one_of(texts, st.floats(0, 100)), max_size=3))
    gold = Values(tuple(data.draw(said)), data.draw(st.booleans()))
    rewards = space.rewards(gold)
    for number, one in zip(numbers, found, strict=True):
        expected = reward(one, gold, table)
        written = print_program(space.program(number))
        assert rewards[number] == pytest.approx(expected, abs=1e-6), (written, one, gold)
        assert (rewards[number] == 1) == (expected == 1), (written, one, gold)


@languages
@settings(max_examples=examples(60))
@given(asked=situations(max_columns=4, max_rows=6))
@example(asked=SPELLINGS)
@example(asked=ONE_COLUMN)
@example(asked=NAMED)
def test_no_two_programs_of_a_space_are_the_same_tree(asked: Asked, language: str) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN[language])
    if len(space) <= 3000:
        numbers = range(len(space))
    else:  # one selection of each family has all of its conditions
        numbers = [n for f in space.families for n in range(f.start, f.start + len(f.conditions))]
    seen: dict[Program, int] = {}
    for number in numbers:
        program = space.program(number)
        assert seen.setdefault(program, number) == number, print_program(program)


@languages
@settings(max_examples=examples(40))
@given(asked=situations())
@example(asked=ONE_COLUMN)
@example(asked=NAMED)
def test_index_undoes_program(asked: Asked, language: str) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN[language])
    for number in ids(space, 60):
        program = space.program(number)
        assert space.index(program) == number, print_program(program)
        assert space.index(parse_program(print_program(program))) == number


@settings(max_examples=examples(60))
@given(asked=situations(max_columns=3, max_rows=5), data=st.data())
@example(asked=("how many", ONE_COLUMN[1], ONE_COLUMN[2]), data=None)
def test_a_program_that_has_an_index_is_the_program_at_it(
    asked: Asked, data: st.DataObject | None
) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN["everything"])
    if data is None:
        program = parse_program("COUNT (SAME AS PREVIOUS)")
    else:
        program = data.draw(st.one_of(programs(table), programs()))
    number = space.index(program)
    assert number is None or in_order(space.program(number)) == in_order(program)


def in_order(program: Program) -> Program:
    """A program with the parts of AND and OR, and the sides of what compares them alike, in one
    order.
    """

    def of(condition: Condition | None) -> Condition | None:
        if isinstance(condition, And | Or):
            return type(condition)(tuple(sorted(condition.parts, key=repr)))
        return condition

    where, versus = of(program.where), of(program.versus)
    if program.versus is not None and program.compare and not COMPARES[program.compare].ordered:
        where, versus = sorted((where, versus), key=repr)
    return replace(program, where=where, versus=versus)


def test_there_is_no_program_outside_the_space() -> None:
    space = program_space("who", table_of({"City": ["Oslo"]}), None, SPOKEN["dynsp"])
    for number in (-1, len(space)):
        with pytest.raises(IndexError):
            space.program(number)
        with pytest.raises(IndexError):
            space.denotation(number)


@pytest.mark.parametrize("columns", [{}, {"City": []}], ids=["no columns", "no rows"])
@languages
def test_a_table_without_cells_has_no_programs(
    columns: dict[str, list[str]], language: str
) -> None:
    space = program_space("the most of 5", table_of(columns), None, SPOKEN[language])
    assert len(space) == 0
    assert space.rewards(Cells(frozenset())).shape == space.grounded.shape == (0,)
    assert space.rewards(Values((5.0,))).shape == (0,)


def is_grounded(program: Program, question: str, table: Table, language: frozenset[str]) -> bool:
    """The definition: `=` and `!=` share a word or number with the question, other operators have
    a trigger in it.

    An operator that needs nothing, or whose constant is the question's own, is grounded as it is.
    """
    said = constants_in(question)
    text = f" {' '.join(tokenise(question))} "
    words = said.number_words if "number_words" in language else ()
    numbers = {number.value for number in (*said.numbers, *words)}

    def called(name: str) -> bool:
        if declared()[name].needs == "nothing":
            return True
        at_start = (w[1:] for w in words_of(name) if w[0] == "^")
        anywhere = (w for w in words_of(name) if w[0] != "^")
        return any(text.startswith(f" {w} ") for w in at_start) or any(
            f" {w} " in text for w in anywhere
        )

    def stands(test: Test) -> bool:
        if TESTS[test.operator].needs == "trigger":
            return called(test.operator)
        if isinstance(test.argument, Name):
            return all(
                content(n) & content(question) for n in (test.column or "", test.argument.text)
            )
        if not isinstance(test.argument, Value):
            return True
        column = table[test.column or ""]
        stated = column.numbers[column.text.index(test.argument.text)]
        return bool(content(test.argument.text) & content(question)) or float(stated) in numbers

    if SCOPES[program.scope].needs == "trigger" and not called(program.scope):
        return False
    operator = program.compare or program.aggregate
    if operator is not None and not called(operator):
        return False
    if program.then is not None and not called(program.then.operator):
        return False
    return all(map(stands, conjuncts(program)))


@languages
@settings(max_examples=examples(40))
@given(asked=situations())
def test_grounded_is_what_its_definition_says(asked: Asked, language: str) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN[language])
    assert space.grounded.shape == (len(space),)
    for number in ids(space, 80):
        program = space.program(number)
        expected = is_grounded(program, question, table, SPOKEN[language])
        assert space.grounded[number] == expected, print_program(program)


@settings(max_examples=examples(40))
@given(asked=situations(max_columns=3, max_rows=5))
def test_a_larger_language_has_the_programs_of_a_smaller(asked: Asked) -> None:
    question, table, previous = asked

    def of(language: str) -> set[Program]:
        space = program_space(question, table, previous, SPOKEN[language])
        return {space.program(number) for number in range(len(space))}

    small, middle = of("dynsp"), of("dynsp++")
    assert small <= middle
    large = program_space(question, table, previous, SPOKEN["extended"])
    assert all(large.index(program) is not None for program in small)
    whole = program_space(question, table, previous, SPOKEN["everything"])
    assert all(whole.index(program) is not None for program in middle)


@pytest.mark.parametrize("long_first", [True, False])
@languages
def test_a_long_column_offers_the_values_that_the_question_leads_to(
    language: str, long_first: bool
) -> None:
    cells = {
        "Harbour": [f"Port{chr(97 + row % 26)}{row}" for row in range(2100)],
        "Sea": ["North", "Baltic", "White"] * 700,
        "Ships": [str(row % 7) for row in range(2100)],
    }
    order = list(cells) if long_first else list(reversed(cells))
    table = table_of({name: cells[name] for name in order})
    question = "which sea is Portf5 on, the Baltic?"
    space = program_space(question, table, None, SPOKEN[language])
    position = table.names.index
    wanted = Program(("Sea",), where=Test("equal", "Harbour", Value("Portf5")))
    number = space.index(wanted)
    assert number is not None and space.grounded[number]
    assert space.denotation(number) == Denotation((5,), (position("Sea"),))
    assert space.index(Program(("Sea",), where=Test("equal", "Harbour", Value("Portg6")))) is None
    for number in ids(space, 40):
        program = space.program(number)
        assert space.denotation(number) == execute(program, table), print_program(program)
        assert space.grounded[number] == is_grounded(program, question, table, SPOKEN[language])


def test_aggregates_are_offered_where_the_language_has_them() -> None:
    table = table_of({"City": ["Oslo", "Rome"], "People": ["3", "5"]})
    with_them = program_space("how many", table, None, SPOKEN["everything"])
    offered = {with_them.program(n).aggregate for n in range(len(with_them))}
    assert offered >= {None, "count", "sum", "average", "smallest", "largest", "exists"}
    without = program_space("how many", table, None, SPOKEN["extended"])
    assert {without.program(n).aggregate for n in range(len(without))} == {None}
    total = with_them.index(parse_program("SUM (SELECT People)"))
    assert total is not None
    assert with_them.denotation(total) == Denotation((0, 1), (1,), (8.0,))
    assert total in np.flatnonzero(with_them.rewards(Values((8.0,))))
