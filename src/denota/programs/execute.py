"""The reference executor: a walk over the tree, row by row, with no arrays to get wrong.

The program space computes the same denotations for all programs at once and is tested against this.
"""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Sequence

from denota.errors import ProgramError
from denota.programs.denotation import Denotation
from denota.programs.operators import AGGREGATES, SCOPES, TESTS
from denota.programs.tree import Condition, Date, Number, Or, Program, Test, Word
from denota.tables.table import Table
from denota.tokens import tokenise


def execute(program: Program, table: Table, previous: Denotation | None = None) -> Denotation:
    """Return what a program means on a table.

    Args:
        program: the tree.
        table: the table.
        previous: the answer before, for programs that follow one up.

    Raises:
        ProgramError: the program names a column that is not there, or follows up on nothing.
    """
    scope = SCOPES[program.scope]
    if previous is None and (scope.follows or not program.columns):
        raise ProgramError(
            f"{scope.alone or scope.with_columns} follows up on an answer, and there is none"
        )
    check(program, table, previous is not None)
    if program.scope == "cell" and previous is not None and len(previous.cells) != 1:
        raise ProgramError(
            f"FOLLOW-UP CELL needs an answer of one cell, and the last has {len(previous.cells)}"
        )
    columns = tuple(_position(name, table) for name in program.columns)
    if not columns and previous is not None:
        columns = previous.columns
    before = previous.rows if previous is not None else ()
    rows = scope.meaning(table, before)
    if program.where is not None:
        rows = _keep(program.where, table, rows, before)
    if program.aggregate is None:
        return Denotation(tuple(rows), columns)
    if not columns:
        raise ProgramError("the answer before is empty; there is nothing to compute from")
    check_aggregate(program.aggregate, columns, table)
    cells = [(row, column) for row in rows for column in columns]
    return Denotation(tuple(rows), columns, AGGREGATES[program.aggregate].meaning(table, cells))


def check(program: Program, table: Table, follows: bool) -> None:
    """Raise if a program cannot mean anything on a table: a column that is not there, an argument that makes no sense."""
    for name in program.columns:
        _position(name, table)
    where = program.where
    for test in () if where is None else (where,) if isinstance(where, Test) else where.parts:
        if test.column is not None:
            _position(test.column, table)
        if test.operator == "same_value" and not follows:
            raise ProgramError("SAME AS PREVIOUS compares with an answer, and there is none")
        wrong = _wrong_argument(test)
        if wrong:
            raise ProgramError(f"{' '.join(TESTS[test.operator].keywords)} takes {wrong}")


def check_aggregate(name: str, columns: Sequence[int], table: Table) -> None:
    """Raise if an aggregate cannot be taken of these columns."""
    aggregate = AGGREGATES[name]
    if aggregate.numeric and (len(columns) != 1 or table.columns[columns[0]].kind != "number"):
        raise ProgramError(f"{aggregate.keyword} takes one column of numbers")


def _wrong_argument(test: Test) -> str:
    """What a test takes instead of the argument it has; empty if that is all right."""
    argument = test.argument
    if isinstance(argument, Word) and tokenise(argument.text) != (argument.text,):
        return "one word in lower case"
    if isinstance(argument, Date) and not is_date(argument):
        return "a date that exists"
    if isinstance(argument, Number):
        value = argument.value
        if not math.isfinite(value):
            return "a number that is not so large"
        if test.operator == "decade_is":
            return (
                ""
                if 1000 <= value < 2200 and value % 10 == 0
                else "the first year of a decade, such as 1990"
            )
        if TESTS[test.operator].takes == "number" and not (
            1 <= value <= 1e9 and value == int(value)
        ):
            return "a whole number of at least 1"
    return ""


def is_date(date: Date) -> bool:
    """Say whether the stated parts of a date can stand together.

    >>> is_date(Date(0, 2, 29)), is_date(Date(1993, 13)), is_date(Date(1993, 0, 5))
    (True, False, False)
    """
    if (not date.year and not date.month) or (date.day and not date.month):
        return False
    try:
        datetime.date(date.year or 4, date.month or 1, date.day or 1)
    except ValueError:
        return False
    return True


def _keep(
    condition: Condition, table: Table, rows: Sequence[int], before: Sequence[int]
) -> list[int]:
    """The rows a condition keeps, in table order; the parts of OR and AND each look at all the rows."""
    if isinstance(condition, Test):
        return sorted(TESTS[condition.operator].meaning(table, rows, condition, before))
    kept = [set(_keep(part, table, rows, before)) for part in condition.parts]
    together = set.union(*kept) if isinstance(condition, Or) else set.intersection(*kept)
    return sorted(together)


def _position(name: str, table: Table) -> int:
    try:
        return table.names.index(name)
    except ValueError:
        near = difflib.get_close_matches(name, table.names, n=1, cutoff=0.4)
        hint = (
            f"; did you mean {near[0]!r}"
            if near
            else f"; it has {', '.join(map(repr, table.names[:12]))}"
        )
        raise ProgramError(f"{table.name} has no column {name!r}{hint}") from None
