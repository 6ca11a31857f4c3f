"""The sum of one cell is that cell: on random tables, and what else a value stays."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conversation.test_understand import TABLE, rated
from denota.conversation.one_cell import as_cell
from denota.conversation.rating import RatedProgram
from denota.errors import ProgramError
from denota.programs.execute import execute
from denota.programs.text import parse_program, print_program
from denota.tables import Table
from programs.strategies import examples, programs, tables


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("SUM (SELECT People WHERE City = 'Oslo')", "SELECT People WHERE City = 'Oslo'"),
        ("LARGEST (SELECT People WHERE People IS MAX)", "SELECT People WHERE People IS MAX"),
        (
            "SMALLEST (SELECT Founded WHERE People IS MIN WITH TIES)",
            "SELECT Founded WHERE People IS MIN WITH TIES",
        ),
        ("SUM (SELECT People WHERE Country = 'Norway')", ""),
        ("SMALLEST (SELECT People WHERE Country = 'Norway')", ""),
        ("COUNT (SELECT People WHERE City = 'Oslo')", ""),
        ("SELECT People WHERE City = 'Oslo'", ""),
    ],
)
def test_which_values_are_cells(program: str, shown: str) -> None:
    (way,) = rated((program, 0.5))
    assert print_program(as_cell(way, TABLE).program) == (shown or print_program(way.program))


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_what_is_shown_is_what_the_program_gives(data: st.DataObject) -> None:
    table = data.draw(tables())
    program = data.draw(programs(table))
    try:
        answer = execute(program, table)
    except ProgramError:
        assume(False)
    way = RatedProgram(program, answer, answer, 0.5, 0.0, 0.0)
    shown = as_cell(way, table)
    assert execute(shown.program, table) == shown.answer
    if shown is not way and len(shown.answer.cells) == 1 and program.compare is None:
        ((row, column),) = shown.answer.cells
        assert answer.values == (table.columns[column].numbers[row],)


def test_a_percentage_is_no_share_of_all_percentages() -> None:
    table = Table.from_rows(["Cheese", "Fat %"], [["Brie", "31"], ["Feta", "21"]])
    program = parse_program("SHARE (SUM (SELECT \"Fat %\" WHERE Cheese = 'Brie'))")
    answer = execute(program, table)
    shown = as_cell(RatedProgram(program, answer, answer, 0.5, 0.0, 0.0), table)
    assert shown.answer.cells == frozenset({(0, 1)})
    assert print_program(shown.program) == "SELECT \"Fat %\" WHERE Cheese = 'Brie'"
