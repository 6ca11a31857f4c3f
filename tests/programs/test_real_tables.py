"""On tables as people make them the space, the tree walk and SQL agree too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from denota.data import Example, conversations, read_examples
from denota.programs.denotation import Denotation, jaccard
from denota.programs.english import say
from denota.programs.execute import execute
from denota.programs.space import program_space
from denota.programs.sql import rows_query, to_sql
from denota.programs.text import parse_program, print_program
from programs.database import Database
from programs.strategies import SPOKEN, examples

pytestmark = [pytest.mark.sqa, pytest.mark.slow]


@pytest.fixture(scope="module")
def sequences(sqa: Path) -> tuple[tuple[Example, ...], ...]:
    return conversations(read_examples(sqa / "train.tsv"))


@pytest.mark.parametrize("language", SPOKEN)
def test_questions_of_sqa(language: str, sequences: tuple[tuple[Example, ...], ...]) -> None:
    draw = random.Random(language)
    for sequence in draw.sample(sequences, examples(24)):
        previous: Denotation | None = None
        for turn in sequence:
            table = turn.question.table
            space = program_space(turn.question.text, table, previous, SPOKEN[language])
            rewards = space.rewards(turn.answer)
            database = Database(table)
            numbers = draw.sample(range(len(space)), min(len(space), 60))
            for count, number in enumerate(numbers):
                program = space.program(number)
                text = print_program(program)
                found = execute(program, table, previous)
                assert space.denotation(number) == found, text
                assert found.cells or "nothing_left" in SPOKEN[language], text
                expected = 0.0 if program.aggregate else jaccard(found.cells, turn.cells)
                assert rewards[number] == pytest.approx(expected, abs=1e-6), text
                assert parse_program(text) == program
                assert space.index(program) == number, text
                assert say(program).endswith(".")
                if count < 6:
                    before = None
                    if previous is not None:
                        names = [table.names[column] for column in previous.columns]
                        before = rows_query(previous.rows, names, table)
                    assert database.gives(to_sql(program, table, before, found)), text
            database.close()
            previous = Denotation.of_cells(turn.cells)
