"""The tree walk refuses in one sentence what it cannot execute; denotations are sets of cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.errors import ProgramError
from denota.programs.denotation import Denotation, jaccard
from denota.programs.execute import execute
from denota.programs.operators import SCOPES
from denota.programs.text import parse_program
from programs.strategies import table_of

TABLE = table_of(
    {
        "City": ["Oslo", "Rome", "Total"],
        "People": ["3", "5", "8"],
        "Seen": ["May 1993", "-", "1994"],
    }
)
ONE, TWO = Denotation((0,), (0,)), Denotation((0, 1), (0,))


@pytest.mark.parametrize(
    ("text", "previous", "said"),
    [
        ("SELECT Town", None, ["'Town'", "table"]),
        ("SELECT Cty", None, ["'Cty'", "'City'"]),
        ("SELECT City WHERE Peple > 3", None, ["'Peple'", "'People'"]),
        ("SELECT City WHERE City = 'Oslo' OR Town = 'Rome'", None, ["'Town'"]),
        ("SAME AS PREVIOUS", None, ["FOLLOW-UP", "none"]),
        ("FOLLOW-UP WHERE People > 3", None, ["FOLLOW-UP", "none"]),
        ("OTHERS", None, ["OTHERS", "none"]),
        ("SELECT City OF NEXT ROW", None, ["NEXT ROW", "none"]),
        ("SELECT City FOLLOW-UP CELL", None, ["FOLLOW-UP CELL", "none"]),
        ("SELECT City FOLLOW-UP CELL", TWO, ["FOLLOW-UP CELL", "2"]),
        ("SELECT City FOLLOW-UP CELL", Denotation((), ()), ["FOLLOW-UP CELL", "0"]),
        ("SELECT City WHERE People SAME AS PREVIOUS", None, ["SAME AS PREVIOUS", "none"]),
    ],
)
def test_what_cannot_be_executed_is_refused(
    text: str, previous: Denotation | None, said: list[str]
) -> None:
    with pytest.raises(ProgramError) as refused:
        execute(parse_program(text), TABLE, previous)
    message = str(refused.value)
    assert all(word in message for word in said), message
    assert "\n" not in message


def test_the_rows_that_scopes_start_from() -> None:
    rows = {
        name: execute(parse_program(f"SELECT City {scope.with_columns}"), TABLE, ONE).rows
        for name, scope in SCOPES.items()
    }
    assert rows == {
        "table": (0, 1, 2),
        "previous": (0,),
        "cell": (0,),
        "without_totals": (0, 1),
        "others": (1, 2),
        "next_row": (1,),
        "row_before": (),
    }


def test_conditions_look_at_the_rows_of_the_scope() -> None:
    largest = parse_program("FOLLOW-UP WHERE People IS MAX")
    assert execute(largest, TABLE, TWO) == Denotation((1,), (0,))
    without = parse_program("SELECT City WITHOUT TOTALS WHERE People IS MAX")
    assert execute(without, TABLE) == Denotation((1,), (0,))


def test_the_parts_of_and_each_look_at_all_the_rows() -> None:
    both = parse_program("SELECT City WHERE City != 'Total' AND People IS MAX")
    assert execute(both, TABLE).rows == ()
    either = parse_program("SELECT City WHERE City = 'Oslo' OR People IS MAX")
    assert execute(either, TABLE).rows == (0, 2)


def test_columns_are_answered_in_the_order_asked_for() -> None:
    assert execute(parse_program("SELECT People, City"), TABLE).columns == (1, 0)


cells = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)


@given(one=cells, two=cells)
def test_the_jaccard_index(
    one: frozenset[tuple[int, int]], two: frozenset[tuple[int, int]]
) -> None:
    reward = jaccard(one, two)
    assert 0 <= reward <= 1 and reward == jaccard(two, one)
    assert (reward == 1) == (one == two)
    assert (reward == 0) == (not one & two and bool(one | two))


@given(cells=cells)
def test_the_smallest_denotation_around_cells(cells: frozenset[tuple[int, int]]) -> None:
    around = Denotation.of_cells(cells)
    assert cells <= around.cells
    assert {row for row, _ in cells} == set(around.rows)
    assert {column for _, column in cells} == set(around.columns)
    assert list(around.rows) == sorted(set(around.rows))
    assert list(around.columns) == sorted(set(around.columns))
