"""Which programs speak of the order of rows: `the first row`, `the next one`, or a largest value that two rows share."""

from __future__ import annotations

from typing import Final

import numpy as np

from denota.programs.operators import SCOPES, TESTS
from denota.programs.tree import Program, Test
from denota.tables.column import Column
from denota.tables.table import Table

RANKING: Final = frozenset(["max", "min", "top", "bottom", "kth_max", "kth_min"])
"""Operators that go by the order of rows only to break ties."""


def speaks_of_order(program: Program, table: Table) -> bool:
    """Say whether the order of rows matters: an operator says so, and it is not just about ties that are not there."""
    if SCOPES[program.scope].row_order:
        return True
    for test in tests_of(program):
        ranking = test.operator in RANKING and not has_ties(table[test.column or ""])
        if TESTS[test.operator].row_order and not ranking:
            return True
    return False


def tests_of(program: Program) -> tuple[Test, ...]:
    """Return the tests of a program's condition."""
    if program.where is None:
        return ()
    return (program.where,) if isinstance(program.where, Test) else program.where.parts


def has_ties(column: Column) -> bool:
    """Say whether two cells of a column state the same number or date."""
    stated = column.numbers if column.kind == "number" else column.dates.order
    stated = stated[~np.isnan(stated)]
    return len(np.unique(stated)) < len(stated)
