"""What programs answer, as values and as relations to the answer before: against the cells themselves."""

from __future__ import annotations

import numpy as np
import pytest

from denota.programs import Denotation, language_of
from denota.programs.index import index_of
from denota.search.answers import COLUMNS, ROWS, answered_values
from denota.search.axes import BLOCKS
from denota.search.critique import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.tables import Table

TABLE = Table.from_rows(
    ["Nation", "Name", "Points", "Year"],
    [
        ["Kenya", "Ann Odera", "44", "2004"],
        ["Norway", "Karen Lund", "62", "2004"],
        ["England", "Mary Hart", "62", "2008"],
        ["Kenya", "Joy Kamau", "17", "2012"],
        ["Peru", "Ines Rojas", "-", "2012"],
    ],
)


def ready(previous: Denotation | None) -> Prepared:
    history = ("which nations?",) if previous is not None else ()
    text = "who of kenya or norway had more than 40 points in 2004?"
    operators = language_of("extended")
    return prepare(text, TABLE, history, previous, None, operators, read_lexicon())


@pytest.mark.parametrize("previous", [None, Denotation((0, 3), (0,)), Denotation((1, 2), (1, 2))])
def test_values_are_those_of_the_cells(previous: Denotation | None) -> None:
    question = ready(previous)
    rng = np.random.default_rng(0)
    ids = rng.choice(question.axes.programs, 400)
    found = answered_values(question, ids).reshape(len(ids), ROWS, COLUMNS)
    columns, classes = question.axes.values
    for number, line in zip(ids.tolist(), found, strict=True):
        answer = question.denotation(number)
        for slot in range(COLUMNS):
            for place in range(ROWS):
                value = line[place, slot]
                many = len(answer.rows) > ROWS or len(answer.columns) > COLUMNS
                if many or slot >= len(answer.columns) or place >= len(answer.rows):
                    assert value == -1
                    continue
                column, row = answer.columns[slot], answer.rows[place]
                assert columns[value] == column
                assert classes[value] == index_of(TABLE).columns[column].classes[row]


def test_columns_too_long_for_the_axis_are_left_out() -> None:
    rows = [[f"person {n}", f"town {n % 3}"] for n in range(5000)]
    table = Table.from_rows(["Person", "Town"], rows)
    operators = language_of("dynsp++")
    question = prepare("who?", table, (), None, None, operators, read_lexicon())
    assert index_of(table).long == (0,)
    found = answered_values(question, np.arange(min(50, question.axes.programs)))
    seen = set()
    for number, line in enumerate(found):
        answer = question.denotation(number)
        expected = answer.columns == (1,) and len(answer.rows) <= ROWS
        assert (line >= 0).any() == expected
        seen.add(expected)
    assert False in seen


@pytest.mark.parametrize("previous", [None, Denotation((0, 3), (0,)), Denotation((), ())])
def test_relations_of_rows_to_those_before(previous: Denotation | None) -> None:
    question = ready(previous)
    block, entry = question.outcome
    assert (block[:, 2] == BLOCKS.index("relation")).all()
    before = set(previous.rows) if previous is not None else set()
    seen = set()
    for condition, bits in enumerate(question.axes.rows):
        kept = set(np.flatnonzero(np.unpackbits(bits)).tolist())
        if not before:
            expected = 0
        elif kept == before:
            expected = 1
        elif kept < before:
            expected = 2
        elif not kept & before:
            expected = 3
        else:
            expected = 4
        assert entry[condition, 2] == expected
        seen.add(expected)
    assert seen == ({1, 2, 3, 4} if before else {0})
