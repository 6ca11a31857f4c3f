"""Programs that do not speak of the order of rows do not depend on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from denota.errors import ProgramError
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import SCOPES, STEPS, TESTS
from denota.programs.order_dependence import depends_on_row_order
from denota.programs.tree import Name, Number, Program, Test, Value, Word
from denota.tables import Column, Table
from programs.strategies import answers, examples, programs, table_of, tables


def reordered(table: Table, order: list[int]) -> Table:
    """The table whose row i is row `order[i]` of another."""
    columns = (Column(c.name, tuple(c.text[row] for row in order)) for c in table.columns)
    return Table(tuple(columns), table.name)


def reads_alike(table: Table, other: Table, order: list[int]) -> bool:
    """Whether the columns are taken for the same kinds and state the same."""
    for one, two in zip(table.columns, other.columns, strict=True):
        if one.kind != two.kind or not np.array_equal(one.numbers[order], two.numbers, True):
            return False
        if not np.array_equal(one.dates.order[order], two.dates.order, True):
            return False
    return True


@settings(max_examples=examples(200))
@given(table=tables(max_columns=4, min_rows=2), data=st.data())
def test_shuffled_rows_give_the_same_cells(table: Table, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(table))), label="order")
    previous = data.draw(answers(table))
    program = data.draw(programs(table, first=previous is None))
    assume(not depends_on_row_order(program, table))
    other = reordered(table, order)
    assert reads_alike(table, other, order)
    place = {row: position for position, row in enumerate(order)}

    def moved(answer: Denotation | None) -> Denotation | None:
        if answer is None:
            return None
        rows = tuple(sorted(place[row] for row in answer.rows))
        return replace(answer, rows=rows)

    try:
        expected = execute(program, table, previous)
    except ProgramError:
        assume(False)
    found = execute(program, other, moved(previous))
    if expected.values is not None:  # lists come in the order of rows
        assert sorted(map(repr, said(found))) == sorted(map(repr, said(expected)))
    assert replace(found, values=None, groups=()) == moved(
        replace(expected, values=None, groups=())
    )


def said(answer: Denotation) -> list[tuple[str, object]]:
    """The values of an answer, each with its group, sums without their last bits."""
    values = answer.values or ()
    names = answer.groups or ("",) * len(values)
    rounded = (float(f"{v:.10g}") if isinstance(v, float) else v for v in values)
    return list(zip(names, rounded, strict=True))


ARGUMENTS = {
    None: None,
    "value": Value("5"),
    "word": Word("5"),
    "number": Number(1),
    "constant": Number(4),
    "column": Name("x"),
}


@pytest.mark.parametrize("name", TESTS)
def test_an_operator_says_rightly_whether_it_goes_by_the_order_of_rows(name: str) -> None:
    """Three rows that differ in nothing the test can see but their place."""
    table = table_of({"who": ["a", "b", "c"], "x": ["5", "5", "5"]})
    operator = TESTS[name]
    argument = Number(1990) if name == "decade_is" else ARGUMENTS[operator.takes]
    test = Test(name, "x" if operator.has_column else None, argument)
    program = Program(("who",), where=test)

    def kept(order: list[int]) -> set[str]:
        own = reordered(table, order)
        return {own.cell(row, 0) for row in execute(program, own, Denotation((0,), (0,))).rows}

    assert (kept([0, 1, 2]) != kept([2, 1, 0])) == operator.row_order


@pytest.mark.parametrize("name", STEPS)
def test_a_step_says_rightly_whether_it_goes_by_the_order_of_rows(name: str) -> None:
    """From the middle one of three rows, or from the outer two, that differ in nothing the step
    can see but their place.
    """
    cells = {"who": ["a", "b", "c"], "x": ["5", "5", "5"], "y": ["1", "2", "1"]}
    step = STEPS[name]
    then = Test(name, "x" if step.has_column else None, ARGUMENTS[step.takes])

    def kept(value: str, order: list[int]) -> set[str]:
        own = reordered(table_of(cells), order)
        found = execute(Program(("who",), where=Test("equal", "y", Value(value)), then=then), own)
        return {own.cell(row, 0) for row in found.rows}

    differs = any(kept(value, [0, 1, 2]) != kept(value, [2, 1, 0]) for value in ("1", "2"))
    assert differs == step.row_order


@pytest.mark.parametrize("name", SCOPES)
def test_a_scope_says_rightly_whether_it_goes_by_the_order_of_rows(name: str) -> None:
    table = table_of({"who": ["a", "b", "c"]})

    def kept(order: list[int]) -> set[str]:
        own = reordered(table, order)
        before = Denotation((order.index(1),), (0,))
        rows = execute(Program(("who",), name), own, before).rows
        return {own.cell(row, 0) for row in rows}

    assert (kept([0, 1, 2]) != kept([2, 1, 0])) == SCOPES[name].row_order


def test_of_equal_rows_max_takes_the_last_and_min_the_first() -> None:
    table = table_of({"who": list("abcdef"), "x": ["1", "9", "1", "9", "-", "5"]})

    def rows(test: Test) -> tuple[int, ...]:
        return execute(Program(("who",), where=test), table).rows

    assert rows(Test("max", "x")) == (3,)
    assert rows(Test("min", "x")) == (0,)
    assert rows(Test("max_ties", "x")) == (1, 3)
    assert rows(Test("min_ties", "x")) == (0, 2)
    assert rows(Test("top", "x", Number(3))) == (1, 3, 5)
    assert rows(Test("bottom", "x", Number(3))) == (0, 2, 5)
    assert [rows(Test("kth_max", "x", Number(k))) for k in (1, 2, 3)] == [(3,), (1,), (5,)]
    assert [rows(Test("kth_min", "x", Number(k))) for k in (1, 2, 3)] == [(0,), (2,), (5,)]
