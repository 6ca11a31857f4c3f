"""The reference executor: a walk over the tree, row by row, with no arrays to get wrong.

The program space computes the same denotations for all programs at once and is tested against this.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from denota.errors import ProgramError
from denota.programs.denotation import Denotation
from denota.programs.operators import AGGREGATES, SCOPES, TESTS
from denota.programs.tree import Condition, Or, Program, Test
from denota.tables.table import Table


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
    cells = [(row, column) for row in rows for column in columns]
    return Denotation(tuple(rows), columns, AGGREGATES[program.aggregate].meaning(table, cells))


def _keep(
    condition: Condition, table: Table, rows: Sequence[int], before: Sequence[int]
) -> list[int]:
    """The rows a condition keeps, in table order; the parts of OR and AND each look at all the rows."""
    if isinstance(condition, Test):
        if condition.column is not None:
            _position(condition.column, table)
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
