"""The two small languages, enumerated by nested loops straight from their definitions, have the
programs of the space.

`dynsp`: SELECT one column [WHERE one condition]; of a previous answer, the same again, or its rows
and columns with one condition. Conditions: = v and != v with v a value of the column, > >= < <=
with a number or date of the question, IS MAX, IS MIN. `dynsp++`: also two = on one column joined
by OR, in the order of the rows, and SELECT one column FOLLOW-UP CELL if the previous answer is one
cell. Programs without an answer are left out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from denota.programs.denotation import Denotation
from denota.programs.operators import LANGUAGES
from denota.programs.space import program_space
from denota.programs.text import print_program
from denota.programs.tree import Condition, Date, Number, Or, Program, Test, Value
from denota.tables import Column, Table
from programs.strategies import answers, examples, table_of, tables

#: Questions with the numbers and dates that they mention, by hand.
QUESTIONS: dict[str, tuple[list[float], list[tuple[int, int, int]]]] = {
    "who": ([], []),
    "which have more than 2?": ([2], []),
    "more than two, or the third": ([], []),
    "over 1,234 or below 2.5": ([1234, 2.5], []),
    "after 1993": ([1993], [(1993, 0, 0)]),
    "before May 17, 1993 or in 2002?": (
        [17, 1993, 2002],
        [(1993, 5, 17), (1993, 0, 0), (2002, 0, 0), (0, 5, 0)],
    ),
    "since June 1994, at least 3 and 3.0": (
        [1994, 3],
        [(1994, 6, 0), (1994, 0, 0), (0, 6, 0)],
    ),
    "$640,000 and 1.2 million": ([640_000, 1_200_000], []),
    "under 1:23.45": ([83.45], []),
}

COMPARISONS: dict[str, Callable[[object, object], bool]] = {
    "greater": operator.gt,
    "at_least": operator.ge,
    "less": operator.lt,
    "at_most": operator.le,
}


def states(column: Column, row: int) -> object:
    """What a cell says: a number, a date, or else its text."""
    if column.kind == "number" and not np.isnan(column.numbers[row]):
        return float(column.numbers[row])
    if column.kind == "date" and column.dates.known[row]:
        return ("date", float(column.dates.order[row]))
    return column.text[row]


def date_parts(column: Column, row: int, constant: tuple[int, int, int]) -> list[int]:
    """The cell's parts that a constant states.

    Year 4 and the first of the year and month where it does not.
    """
    dates = column.dates
    cell = (dates.year[row] or 4, dates.month[row] or 1, dates.day[row] or 1)
    return [int(own) for own, stated in zip(cell, constant, strict=True) if stated]


def tried(
    column: Column,
    rows: list[int],
    numbers: list[float],
    dates: list[tuple[int, int, int]],
) -> Iterator[tuple[Test, list[int]]]:
    """Every test of a column among some rows, with the rows it keeps."""
    values: dict[object, list[int]] = {}
    for row in rows:
        values.setdefault(states(column, row), []).append(row)
    written = {states(column, row): column.text[row] for row in reversed(range(len(column)))}
    for value, having in values.items():
        yield Test("equal", column.name, Value(written[value])), having
        others = [row for row in rows if row not in having]
        yield Test("not_equal", column.name, Value(written[value])), others
    for name, compare in COMPARISONS.items():
        if column.kind == "number":
            stated = [row for row in rows if not np.isnan(column.numbers[row])]
            for number in numbers:
                kept = [row for row in stated if compare(column.numbers[row], number)]
                yield Test(name, column.name, Number(number)), kept
        if column.kind == "date":
            stated = [row for row in rows if column.dates.known[row]]
            for date in dates:
                limit = [part for part in date if part]
                kept = [row for row in stated if compare(date_parts(column, row, date), limit)]
                yield Test(name, column.name, Date(*date)), kept
    if column.kind != "text":
        order = column.numbers if column.kind == "number" else column.dates.order
        stated = [row for row in rows if not np.isnan(order[row])]
        if stated:
            largest = max(order[row] for row in stated)
            smallest = min(order[row] for row in stated)
            yield Test("max", column.name), [r for r in stated if order[r] == largest][-1:]
            yield Test("min", column.name), [r for r in stated if order[r] == smallest][:1]


def conditions(
    table: Table, rows: list[int], question: str, language: str
) -> Iterator[tuple[Condition | None, list[int]]]:
    """Every condition on some rows, with the rows it keeps: at least one."""
    yield None, rows
    for column in table.columns:
        alone = list(tried(column, rows, *QUESTIONS[question]))
        yield from ((test, kept) for test, kept in alone if kept)
        if language == "dynsp++":
            whole = {states(column, row): row for row in reversed(range(len(table)))}
            equal = [(t, kept) for t, kept in alone if t.operator == "equal"]
            equal.sort(key=lambda item: whole[states(column, item[1][0])])
            for (one, left), (two, right) in combinations(equal, 2):
                yield Or((one, two)), sorted(left + right)


def enumerated(
    table: Table, previous: Denotation | None, question: str, language: str
) -> dict[str, Denotation]:
    """Every program of a language as text, with its answer."""
    found: dict[str, Denotation] = {}

    def add(program: Program, rows: list[int], columns: tuple[int, ...]) -> None:
        text = print_program(program)
        assert text not in found, text
        found[text] = Denotation(tuple(rows), columns)

    everything = list(range(len(table)))
    for condition, rows in conditions(table, everything, question, language):
        for position, name in enumerate(table.names):
            add(Program((name,), where=condition), rows, (position,))
    if previous is not None and previous.rows:
        for condition, rows in conditions(table, list(previous.rows), question, language):
            add(Program((), "previous", condition), rows, previous.columns)
        if language == "dynsp++" and len(previous.rows) == len(previous.columns) == 1:
            for position, name in enumerate(table.names):
                add(Program((name,), "cell"), list(previous.rows), (position,))
    return found


def check(table: Table, previous: Denotation | None, question: str, language: str) -> None:
    space = program_space(question, table, previous, LANGUAGES[language])
    numbers = range(len(space))
    offered = {print_program(space.program(n)): space.denotation(n) for n in numbers}
    expected = enumerated(table, previous, question, language)
    assert sorted(offered) == sorted(expected)
    assert offered == expected
    assert len(space) == len(expected)


HARBOURS = table_of(
    {
        "Harbour": ["Oslo", "Bergen", "Oslo", "Narvik", "-"],
        "Ships": ["3", "12", "3.0", "n/a", "2"],
        "Opened": ["May 17, 1993", "1994", "17 May 1993", "June 1994", "unknown"],
        "Cost": ["$640,000", "$1.2 million", "$0.64 million", "-", "$5"],
    }
)
PREVIOUS = {
    "nothing": None,
    "no cells": Denotation((), ()),
    "a cell": Denotation((2,), (0,)),
    "cells of a column": Denotation((0, 2, 4), (1,)),
    "cells of columns": Denotation((1, 3), (0, 2)),
}


@pytest.mark.parametrize("language", ["dynsp", "dynsp++"])
@pytest.mark.parametrize("before", PREVIOUS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_space_of_a_table_is_enumerated(language: str, before: str, question: str) -> None:
    check(HARBOURS, PREVIOUS[before], question, language)


@pytest.mark.parametrize("language", ["dynsp", "dynsp++"])
@pytest.mark.parametrize("question", QUESTIONS)
@settings(max_examples=examples(25))
@given(asked=tables(max_columns=3, max_rows=6).flatmap(lambda t: answers(t).map(lambda a: (t, a))))
def test_the_space_of_any_table_is_enumerated(
    language: str, question: str, asked: tuple[Table, Denotation | None]
) -> None:
    check(*asked, question, language)


def test_a_handful_of_programs_by_hand() -> None:
    table = table_of({"City": ["Oslo", "Rome"], "n": ["1", "2"]})
    space = program_space("over 1", table, Denotation((0,), (0,)), LANGUAGES["dynsp++"])
    texts = [print_program(space.program(number)) for number in range(len(space))]
    conditions = [
        *("City = 'Oslo'", "City = 'Rome'"),
        *("City != 'Oslo'", "City != 'Rome'", "City = 'Oslo' OR City = 'Rome'"),
        *("n = '1'", "n = '2'", "n != '1'", "n != '2'", "n = '1' OR n = '2'"),
        *("n > 1", "n >= 1", "n <= 1", "n IS MAX", "n IS MIN"),
    ]  # fmt: skip
    expected = [f"SELECT {c}" for c in ("City", "n")]
    expected += [f"SELECT {c} WHERE {w}" for c in ("City", "n") for w in conditions]
    expected += ["SELECT City FOLLOW-UP CELL", "SELECT n FOLLOW-UP CELL", "SAME AS PREVIOUS"]
    follow = ["City = 'Oslo'", "n = '1'", "n >= 1", "n <= 1", "n IS MAX", "n IS MIN"]
    expected += [f"FOLLOW-UP WHERE {w}" for w in follow]
    assert sorted(texts) == sorted(expected)
