"""The plot of an answer, where a picture helps: groups, shares, sums and superlatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from denota.conversation.numerals import style_of
from denota.conversation.plot import MOST_BARS, MOST_POINTS, Plot
from denota.conversation.turn import Pair, Turn
from denota.programs.english import say
from denota.programs.execute import kept_rows
from denota.programs.operators import AGGREGATES, SCOPES, TESTS
from denota.programs.operators.groups import groups_of
from denota.programs.tree import Name, Program, Test
from denota.tables.column import Column
from denota.tables.table import Table

ADDED_UP: Final = frozenset(("sum", "average", "largest", "smallest"))
"""Aggregates of which the numbers are drawn that they are taken of."""
RANKED: Final = frozenset(("most_common", "least_common", "has_most", "has_least"))
"""Steps to the group that comes first or last."""
FIRST_WORDS: Final = {"count": "Number", "sum": "Sum", "average": "Average"}


def plot_of_groups(turn: Turn, groups: Sequence[Pair], by: Column, of: Column | None) -> Plot:
    """Return the plot of a value for each group.

    Args:
        turn: the answer.
        groups: with their values, in the order to draw them.
        by: the column of groups.
        of: the column that values are computed of, None where rows are counted.
    """
    line = len(groups) > 2 and in_time(by)
    title = f"{value_name(turn.tree, of)} by {by.name}"
    most = MOST_POINTS if line else MOST_BARS
    if len(groups) > most:
        title += f" (the first {most:,} of {len(groups):,})"
    values = [math.nan if value is None else float(value) for _, value in groups[:most]]
    unit = style_of(of).unit if of is not None else ""
    labels = tuple(group for group, _ in groups[:most])
    return Plot("line" if line else "bar", title, labels, tuple(values), unit)


def plot_of_rows(turn: Turn, table: Table, name: int | None, column: int | None) -> Plot | None:
    """Return the plot of the rows that an answer is, or comes from; None if it says nothing.

    Args:
        turn: the answer.
        table: what it is about.
        name: the column that names rows.
        column: the column that the answer is computed of, if it is.
    """
    program = turn.tree
    if program is None or turn.shape not in ("cells", "value"):
        return None
    if program.compare is not None:
        return _share(turn, program)
    if program.aggregate is None and program.then is not None and program.then.operator in RANKED:
        return _ranked_groups(turn, program, program.then, table)
    own = sorted({row for row, _ in turn.cells})
    drawn, marked = own, frozenset[int]()
    if program.aggregate in ADDED_UP:
        title = "" if column is None else table.names[column]
    elif program.aggregate is None and (test := _ranking(program)) is not None:
        column = table.names.index(test.column or "")
        title = table.names[column]
        candidates = _candidates(turn, program, table)
        if len(own) < len(candidates) <= MOST_BARS:
            drawn, marked = candidates, frozenset(own)
    else:
        return None
    if column is None or name is None or column == name or not _is_amount(table.columns[column]):
        return None
    numbers = table.columns[column].numbers
    drawn = [row for row in drawn if not np.isnan(numbers[row])]
    if not 2 <= len(drawn) <= MOST_BARS:
        return None
    if not in_time(table.columns[name]):
        drawn.sort(key=lambda row: -numbers[row])
    return Plot(
        "bar",
        f"{title} by {table.names[name]}",
        tuple(table.cell(row, name) for row in drawn),
        tuple(float(numbers[row]) for row in drawn),
        style_of(table.columns[column]).unit,
        frozenset(place for place, row in enumerate(drawn) if row in marked),
    )


def _ranked_groups(turn: Turn, program: Program, step: Test, table: Table) -> Plot | None:
    """The groups that a step chose from: how often each occurs, or the sum that each has."""
    column = table.names.index(step.column or "")
    groups = groups_of(table, _candidates(turn, program, table), column)
    summed = table[step.argument.text] if isinstance(step.argument, Name) else None
    numbers = summed.numbers if summed is not None else None
    amounts = [
        float(len(rows) if numbers is None else np.nansum(numbers[rows])) for _, rows in groups
    ]
    own = {row for row, _ in turn.cells}
    order = sorted(range(len(groups)), key=lambda place: -amounts[place])
    if step.operator in ("least_common", "has_least"):
        order.reverse()
    order = order[:MOST_BARS]
    if len(order) < 2:
        return None
    first = "Number" if summed is None else f"Sum of {summed.name}"
    of_all = "" if len(groups) <= MOST_BARS else f" (the first {MOST_BARS} of {len(groups):,})"
    return Plot(
        "bar",
        f"{first} by {table.names[column]}{of_all}",
        tuple(groups[place][0] for place in order),
        tuple(amounts[place] for place in order),
        style_of(summed).unit if summed is not None else "",
        frozenset(n for n, place in enumerate(order) if groups[place][1][0] in own),
    )


def value_name(program: Program | None, of: Column | None) -> str:
    """Return what a value of a group is called: `Average Crew`, `Number`."""
    aggregate = program.aggregate if program is not None else None
    kind = AGGREGATES[aggregate].per or aggregate if aggregate is not None else ""
    first = FIRST_WORDS.get(kind or "", (kind or "value").capitalize())
    if of is None:
        return first
    return f"{first} of {of.name}" if kind == "sum" else f"{first} {of.name}"


def in_time(column: Column) -> bool:
    """Say whether a column is of dates or years."""
    return column.kind == "date" or column.unit == "year"


def _share(turn: Turn, program: Program) -> Plot | None:
    """The part and the rest, of a share."""
    value = turn.values[0] if turn.values else None
    if program.compare != "share" or not isinstance(value, float) or not 0 <= value <= 100:
        return None
    told = say(Program(("rows",), where=program.where)).rstrip(".").partition(" where ")[2]
    noun = "Share of rows" if not program.columns else f"Share of {program.columns[0]}"
    return Plot("share", noun, (told or "these", "the rest"), (value, 100 - value), "%")


def _ranking(program: Program) -> Test | None:
    """The test or step of a program that goes by the order of a column."""
    for test in (program.then, program.where):
        if isinstance(test, Test) and test.operator in TESTS and test.column is not None:
            operator = TESTS[test.operator]
            if operator.ranks and not operator.negates:
                return test
    return None


def _candidates(turn: Turn, program: Program, table: Table) -> list[int]:
    """The rows that a superlative chose from; none where they are not known."""
    if table.large is not None:
        return []
    before = turn.query.before if turn.query is not None else None
    rows = before.answer.rows if before is not None else ()
    scope = SCOPES[program.scope]
    if scope.follows and before is None:
        return []
    start = scope.meaning(table, rows)
    if program.then is None or program.where is None:
        return list(start)
    return kept_rows(program.where, table, start, rows)


def _is_amount(column: Column) -> bool:
    return column.kind == "number" and column.unit != "year"
