"""Every program of `fixtures/programs.txt` gives the answer and the sentence written there, by
tree walk and by SQL.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from denota import read_table
from denota.evaluation.pasted import duckdb_with, gives_the_answer
from denota.programs.denotation import Denotation, Value
from denota.programs.english import say, time_columns
from denota.programs.execute import execute
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.sql import to_sql
from denota.programs.text import parse_program, print_program
from denota.programs.tree import And, Or
from denota.tables import Table
from programs.strategies import conjuncts

GOLDEN = Path(__file__).parent.parent / "fixtures" / "programs.txt"
EXPEDITIONS = Path(__file__).parent.parent.parent / "examples" / "expeditions.csv"


class Turn(NamedTuple):
    """One line of the file."""

    line: int
    program: str
    answer: str
    sentence: str


def conversations() -> list[list[Turn]]:
    found: list[list[Turn]] = [[]]
    for number, line in enumerate(GOLDEN.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            found.append([])
        elif not line.startswith("#"):
            parts = [part.strip() for part in line.split(" | ")]
            assert len(parts) == 3, f"line {number} is not of the form program | answer | sentence"
            found[-1].append(Turn(number, *parts))
    return [turns for turns in found if turns]


CONVERSATIONS = conversations()


@pytest.fixture(scope="module")
def table() -> Table:
    return read_table(EXPEDITIONS)


def said(answer: Denotation, table: Table) -> str:
    if answer.values is not None:
        names = answer.groups or ("",) * len(answer.values)
        pairs = zip(names, answer.values, strict=True)
        told = " / ".join(f"{name}: {_value(v)}" if name else _value(v) for name, v in pairs)
        return f"= {told}".strip()
    cells = [table.cell(row, column) for row in answer.rows for column in answer.columns]
    return " / ".join(cells) or "(nothing)"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.10g}"


@pytest.mark.parametrize(
    "turns", CONVERSATIONS, ids=[str(turns[0].line) for turns in CONVERSATIONS]
)
def test_a_conversation_goes_as_written(turns: list[Turn], table: Table) -> None:
    connection = duckdb_with(table, EXPEDITIONS)
    previous, query = None, None
    for turn in turns:
        program = parse_program(turn.program)
        assert print_program(program) == turn.program
        answer = execute(program, table, previous)
        assert said(answer, table) == turn.answer, f"line {turn.line}"
        names = tuple(table.names[column] for column in answer.columns)
        assert say(program, names, time_columns(table)) == turn.sentence, f"line {turn.line}"
        query = to_sql(program, table, query, answer)
        found = connection.execute(query.sql()).fetchall()
        assert gives_the_answer(query, found), f"line {turn.line}: {query.sql()}"
        previous = answer


def test_every_operator_occurs() -> None:
    every = [parse_program(turn.program) for turns in CONVERSATIONS for turn in turns]
    assert {test.operator for program in every for test in conjuncts(program)} == set(TESTS)
    assert {program.scope for program in every} == set(SCOPES)
    assert {program.aggregate for program in every} == {None, *AGGREGATES}
    assert {program.compare for program in every} == {None, *COMPARES}
    assert {program.then.operator for program in every if program.then} == set(STEPS)
    assert {Or, And} <= {type(program.where) for program in every}
    alone = {
        program.scope for program in every if not program.columns and SCOPES[program.scope].follows
    }
    assert alone == {name for name, scope in SCOPES.items() if scope.alone}
