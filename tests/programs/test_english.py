"""Every program can be said in one sentence that leaves nothing out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from denota.programs.denotation import Denotation
from denota.programs.english import say, time_columns
from denota.programs.execute import counts_rows
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.space import program_space
from denota.programs.text import parse_program
from denota.programs.tree import Program, Value, Word
from denota.tables import Table
from programs.strategies import SPOKEN, conjuncts, examples, programs, situations


@settings(max_examples=examples(300))
@given(program=programs())
def test_a_sentence_names_every_column_and_constant(program: Program) -> None:
    sentence = say(program)
    assert sentence.endswith(".") and sentence[0].isupper()
    for name in () if counts_rows(program) else program.columns:
        assert name in sentence
    for test in conjuncts(program):
        assert (test.column or "") in sentence
        if isinstance(test.argument, Value | Word):
            assert test.argument.text in sentence


@settings(max_examples=examples(30))
@given(asked=situations())
def test_every_program_of_a_space_is_said(asked: tuple[str, Table, Denotation | None]) -> None:
    question, table, previous = asked
    space = program_space(question, table, previous, SPOKEN["everything"])
    for number in range(0, len(space), max(1, len(space) // 80)):
        program = space.program(number)
        columns = space.denotation(number).columns
        sentence = say(program, tuple(table.names[column] for column in columns))
        assert sentence.endswith(".") and sentence[0].isupper()


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("SELECT a WHERE b = ''", "The a where b is empty."),
        ("SELECT a WHERE b = 'x,'", "The a where b is x,."),
        ("SELECT a, b, c", "The a, b and c of every row."),
        (
            "SHARE (SUM (FOLLOW-UP WHERE a = 'x'))",
            "The same columns of those rows where a is x as a percentage of the whole.",
        ),
        (
            "MORE (SUM (SELECT a, b, c WHERE a = 'x' VERSUS a = 'y'))",
            "Whether the a, b and c where a is x is more than the a, b and c where a is y.",
        ),
        ("SELECT a WHERE b = 'x' OR b = 'y' OR b = 'z'", "The a where b is x, y or z."),
        ("SELECT a WHERE b = 'x' OR c = 'y'", "The a where b is x or c is y."),
        ("SELECT a WHERE b = 'x' AND c = 'y'", "The a where b is x and c is y."),
        ("SELECT a WHERE b > 1234567", "The a where b is more than 1,234,567."),
        ("SELECT a WHERE b > 1993", "The a where b is more than 1993."),
        ("SELECT a WHERE b > -0.5", "The a where b is more than -0.5."),
        ("SELECT a WHERE b IS IN DATE '1993-05-17'", "The a where b is on 17 May 1993."),
        ("SELECT a WHERE b IS IN DATE '--05-17'", "The a where b is on 17 May."),
        ("SELECT a WHERE b IS IN DATE '1993-05'", "The a where b is in May 1993."),
        ("OTHERS", "The same columns of the other rows."),
        ("SAME AS PREVIOUS", "The same answer as before."),
        ("SUM (SELECT a)", "The sum of a."),
        ("COUNT (SELECT a WHERE b > 1)", "The number of rows where b is more than 1."),
        ("COUNT (FOLLOW-UP WHERE b > 1)", "The number of those rows where b is more than 1."),
        ("COUNT (SELECT a WHERE a IS DISTINCT)", "The number of different values of a."),
        ("SELECT a WHERE a IS DISTINCT", "Each different a."),
        ("AVERAGE PER (SELECT a, b WHERE c = 'x')", "The average b for each a where c is x."),
        ("SELECT a THEN a HAS MOST b", "The a with the largest sum of b."),
        ("SELECT c THEN a HAS MOST b", "The c of the a with the largest sum of b."),
        ("SELECT a WHERE b = 'x' THEN c IS MAX", "The a where b is x and, of those, c is largest."),
        ("SELECT a WHERE b IS MAX NUMBER 22", "The a where b is the 22nd largest."),
        ("SELECT a WHERE b IS MIN NUMBER 11", "The a where b is the 11th smallest."),
        ("SELECT a WHERE b IS MIN NUMBER 1", "The a where b is the smallest."),
    ],
)
def test_programs_are_said_as_a_person_would(program: str, sentence: str) -> None:
    assert say(parse_program(program)) == sentence


def test_the_columns_of_the_previous_answer_are_named_if_they_are_known() -> None:
    program = parse_program("FOLLOW-UP WHERE Ships = '2'")
    assert say(program, ("Leader",)) == "The Leader of those rows where Ships is 2."
    assert say(program) == "The same columns of those rows where Ships is 2."


def test_dates_and_years_are_early_or_late() -> None:
    table = Table.from_rows(
        ["Ship", "Launched", "Crew"],
        [["Lark", "March 14, 1921", "31"], ["Tern", "June 2, 1922", "40"]],
    )
    dates = time_columns(table)
    latest, largest = map(
        parse_program, ("SELECT Ship WHERE Launched IS MAX", "SELECT Ship WHERE Crew IS MAX")
    )
    assert say(latest, (), dates) == "The Ship where Launched is latest."
    assert say(largest, (), dates) == "The Ship where Crew is largest."


EXAMPLES = [
    operator.example
    for kind in (TESTS, SCOPES, STEPS, AGGREGATES, COMPARES)
    for operator in kind.values()
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_no_sentence_has_a_gap(example: str) -> None:
    sentence = say(parse_program(example))
    for gap in ("  ", " .", " ,", "{", "}", ":", "the the ", " of of ", " where where "):
        assert gap not in sentence, sentence
