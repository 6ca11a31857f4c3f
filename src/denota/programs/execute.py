"""The reference executor: a walk over the tree, row by row, with no arrays to get wrong.

The program space computes the same denotations for all programs at once and is tested against this.
"""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Sequence
from typing import Literal

from denota.errors import ProgramError
from denota.programs.denotation import Denotation, Value
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.operators.declare import CompareOperator
from denota.programs.operators.groups import groups_of
from denota.programs.tree import (
    Condition,
    Date,
    Name,
    Number,
    Or,
    Program,
    Test,
    Word,
    leaves_of,
)
from denota.programs.tree import Value as CellValue
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
    if previous is None and (scope.follows or not (program.columns or counts_rows(program))):
        raise ProgramError(
            f"{scope.alone or scope.with_columns or 'ROWS'} follows up on an answer,"
            " and there is none"
        )
    check(program, table, previous is not None)
    if program.scope == "cell" and previous is not None and len(previous.cells) != 1:
        raise ProgramError(
            f"FOLLOW-UP CELL needs an answer of one cell, and the last has {len(previous.cells)}"
        )
    columns = tuple(_position(name, table) for name in program.columns)
    if not columns and previous is not None and scope.follows:
        columns = previous.columns
    before = previous.rows if previous is not None else ()
    start = scope.meaning(table, before)
    rows = _reached(program, program.where, table, start, before)
    if program.aggregate is None:
        return Denotation(tuple(rows), columns)
    if counts_rows(program):
        columns = columns or looked_at(program, table)
    elif not columns:
        raise ProgramError("the answer before is empty; there is nothing to compute from")
    check_aggregate(program.aggregate, columns, table, program.compare)
    aggregate = AGGREGATES[program.aggregate]
    if program.compare is None:
        groups: tuple[str, ...] = ()
        if aggregate.grouped:
            groups = tuple(name for name, _ in groups_of(table, rows, columns[0]))
        return Denotation(tuple(rows), columns, aggregate.meaning(table, rows, columns), groups)
    other = rows
    sides = (columns[:1], columns[1:]) if has_two_columns(program) else (columns, columns)
    if program.versus is not None:
        other = _reached(program, program.versus, table, start, before)
    elif not has_two_columns(program):
        other = list(start)
    left = aggregate.meaning(table, rows, sides[0])
    right = aggregate.meaning(table, other, sides[1])
    operator = COMPARES[program.compare]
    values = _compared(operator, left, right, side_names(program)) if left and right else ()
    together = rows if program.versus is None else sorted({*rows, *other})
    return Denotation(tuple(together), columns, values)


def counts_rows(program: Program) -> bool:
    """Say whether a program computes something of rows and not of a column's cells."""
    return program.aggregate is not None and not AGGREGATES[program.aggregate].of


def has_two_columns(program: Program) -> bool:
    """Say whether the sides of a comparison are two columns."""
    return program.compare is not None and program.versus is None and len(program.columns) == 2


def looked_at(program: Program, table: Table) -> tuple[int, ...]:
    """Return the columns that stand for counted rows: those that tests look at, else the first."""
    named = {_position(test.column, table) for test in program.tests if test.column is not None}
    return tuple(sorted(named)) or (0,)


def side_names(program: Program) -> tuple[str, str]:
    """Return the names of a comparison's two sides: columns, or constants of the first tests."""
    if has_two_columns(program):
        return program.columns[0], program.columns[1]
    return side_name(program.where), side_name(program.versus)


def side_name(condition: Condition | None) -> str:
    """Return the name of a side of a comparison: the constant of its first test."""
    argument = next((test.argument for test in leaves_of(condition)), None)
    if isinstance(argument, CellValue | Word | Name):
        return argument.text
    return argument.written if argument is not None else ""


def _compared(
    operator: CompareOperator,
    left: tuple[Value, ...],
    right: tuple[Value, ...],
    names: tuple[str, str],
) -> tuple[Value, ...]:
    """Two single values compared."""
    found = operator.over(float(left[0]), float(right[0]))
    if operator.gives == "yes_no":
        return (bool(found),)
    if operator.gives in ("side", "word"):
        words = names if operator.gives == "side" else operator.answers
        return (words[int(found) - 1],) if found else ()
    return (float(found),) if math.isfinite(found) else ()


def _reached(
    program: Program,
    condition: Condition | None,
    table: Table,
    start: Sequence[int],
    before: Sequence[int],
) -> list[int]:
    """The rows that a condition keeps and a step goes on to."""
    rows = list(start) if condition is None else kept_rows(condition, table, start, before)
    if program.then is None:
        return rows
    return sorted(STEPS[program.then.operator].meaning(table, rows, program.then, start))


def check(program: Program, table: Table, follows: bool) -> None:
    """Raise if a program has no meaning on a table: an unknown column, an impossible argument."""
    for name in program.columns:
        _position(name, table)
    for test in program.tests:
        if test.column is not None:
            _position(test.column, table)
        if isinstance(test.argument, Name):
            _position(test.argument.text, table)
        if test.operator == "same_value" and not follows:
            raise ProgramError("SAME AS PREVIOUS compares with an answer, and there is none")
        wrong = _wrong_argument(test)
        if wrong:
            operator = TESTS.get(test.operator) or STEPS[test.operator]
            raise ProgramError(f"{' '.join(operator.keywords)} takes {wrong}")
    _check_compared(program)


def _check_compared(program: Program) -> None:
    """Raise if two values are compared that there are not."""
    if program.compare is None:
        if program.versus is not None:
            raise ProgramError("VERSUS stands only in what compares two values")
        return
    operator = COMPARES[program.compare]
    if program.aggregate is None or not AGGREGATES[program.aggregate].is_number:
        raise ProgramError(f"{operator.keyword} compares numbers, such as COUNT or SUM")
    side: Literal["rows", "columns", "whole"] = "columns" if has_two_columns(program) else "whole"
    if program.versus is not None:
        side = "rows"
    alone = side == "rows" and (len(program.columns) > 1 or program.where is None)
    if side not in operator.sides or alone:
        wanted = "two columns, or conditions on both sides of VERSUS"
        if "whole" in operator.sides:
            wanted = "one column or ROWS, and a condition"
        raise ProgramError(f"{operator.keyword} takes {wanted}")


def check_aggregate(
    name: str, columns: Sequence[int], table: Table, compare: str | None = None
) -> None:
    """Raise if an aggregate cannot be taken of these columns."""
    aggregate = AGGREGATES[name]
    if not aggregate.of:
        return
    if aggregate.compared and compare is None:
        raise ProgramError(f"{aggregate.keyword} stands only in what compares two values")
    wanted = aggregate.of * 2 if compare is not None and len(columns) == 2 else aggregate.of
    kinds = [table.columns[column].kind for column in columns]
    fits = len(kinds) == len(wanted) and all(
        want == "any" or kind == want for want, kind in zip(wanted, kinds, strict=True)
    )
    if not fits:
        said = {
            "any": "one column",
            "number": "one column of numbers",
            "date": "one column of dates",
        }
        raise ProgramError(f"{aggregate.keyword} takes {' and '.join(said[w] for w in wanted)}")


def _wrong_argument(test: Test) -> str:
    """Return the argument a test takes where it has a wrong one, else an empty text."""
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
        operator = TESTS.get(test.operator) or STEPS[test.operator]
        if operator.takes == "number" and not (1 <= value <= 1e9 and value == int(value)):
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


def kept_rows(
    condition: Condition, table: Table, rows: Sequence[int], before: Sequence[int]
) -> list[int]:
    """The rows a condition keeps, in table order.

    The parts of OR and AND each look at all the rows.
    """
    if isinstance(condition, Test):
        return sorted(TESTS[condition.operator].meaning(table, rows, condition, before))
    kept = [set(kept_rows(part, table, rows, before)) for part in condition.parts]
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
