"""An operator that somebody else declares is written, parsed, executed, searched, rewarded and run
as SQL; the shipped model answers as before. docs/extending.md shows how.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from denota.data.answer import Values
from denota.programs import (
    execute,
    language_of,
    parse_program,
    print_program,
    program_space,
    say,
)
from denota.programs.operators import AGGREGATES, LANGUAGES
from denota.programs.operators.declare import AggregateOperator
from denota.programs.rewards import reward
from denota.programs.sql import to_sql
from denota.tables import Table, read_table
from processes import python
from programs.database import Database

ROOT = Path(__file__).parent.parent.parent
TABLE = read_table(ROOT / "examples" / "expeditions.csv")
PROGRAM = "MEDIAN (SELECT Crew WHERE Ships = '2')"


def meaning(table: Table, rows: Sequence[int], columns: Sequence[int]) -> tuple[float, ...]:
    numbers = [table.columns[columns[0]].numbers[row] for row in rows]
    stated = [float(number) for number in numbers if not np.isnan(number)]
    return (statistics.median(stated),) if stated else ()


def sql(names: Any, columns: Sequence[str]) -> Any:
    from sqlglot import exp

    return exp.Median(this=names.value(columns[0]))


MEDIAN = AggregateOperator(
    name="median",
    keyword="MEDIAN",
    english="the median of {cells}",
    meaning=meaning,
    sql=sql,
    words=("median",),
    example="MEDIAN (SELECT Crew)",
)


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGGREGATES, "median", MEDIAN)
    monkeypatch.setitem(LANGUAGES, "full", LANGUAGES["full"] | {"median"})


@pytest.mark.usefixtures("declared")
def test_it_is_written_said_and_executed() -> None:
    program = parse_program(PROGRAM)
    assert program.aggregate == "median" and print_program(program) == PROGRAM
    assert say(program) == "The median of Crew where Ships is 2."
    assert execute(program, TABLE).values == (50.0,)
    assert execute(parse_program("MEDIAN (SELECT Cost WHERE Cost IS EMPTY)"), TABLE).values == ()


@pytest.mark.usefixtures("declared")
def test_it_is_in_the_space_with_its_reward() -> None:
    asked = "what is the median crew of expeditions with two ships?"
    gold = Values((50.0,))
    space = program_space(asked, TABLE, None, language_of("full"))
    rewards = space.rewards(gold)
    number = space.index(parse_program(PROGRAM))
    assert number is not None and rewards[number] == 1 and space.grounded[number]
    own = [f for f in space.families if f.aggregate == "median"]
    places = [p for f in own for p in range(f.start, f.start + f.count, 97)]
    assert len(places) > 10
    for place in places:
        found = execute(space.program(place), TABLE)
        assert rewards[place] == pytest.approx(reward(found, gold, TABLE))
    other = program_space("how large are the crews?", TABLE, None, language_of("full"))
    called = other.index(parse_program("MEDIAN (SELECT Crew)"))
    assert called is not None and not other.grounded[called]


@pytest.mark.usefixtures("declared")
@pytest.mark.parametrize(
    "text", [PROGRAM, "MEDIAN (SELECT Cost)", "MEDIAN (SELECT Cost WHERE Cost IS EMPTY)"]
)
def test_its_sql_gives_the_same(text: str) -> None:
    assert Database(TABLE).gives(to_sql(parse_program(text), TABLE))


ANSWER = """
from denota.conversation.chat import Chat
from denota.app.paths import load_run
from denota.tables import read_table

parser = load_run("default")
chat = Chat(parser, read_table("examples/expeditions.csv"))
asked = ("which leaders had a crew of more than 50?", "of those, who had the largest crew?")
for question in asked:
    turn = chat.ask(question)
    print(turn.program, turn.answer, turn.confidence)
assert "median" not in parser.language
"""
DECLARED = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
from programs.test_extending import MEDIAN
from denota.programs.operators import AGGREGATES, LANGUAGES
AGGREGATES["median"] = MEDIAN
LANGUAGES["full"] |= {{"median"}}
LANGUAGES["extended"] |= {{"median"}}
"""


def test_the_shipped_model_answers_as_before() -> None:
    """It is declared before anything is built from the list, and in the language that the model
    was trained with.
    """
    answers = []
    for code in (ANSWER, DECLARED + ANSWER):
        run = python(code, ROOT)
        assert run.returncode == 0, run.stderr
        answers.append(run.stdout.splitlines())
    assert answers[0] == answers[1] and len(answers[0]) == 2
