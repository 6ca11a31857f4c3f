"""Whether a program depends on row order: the first row, the next, or one of two tied rows."""

from __future__ import annotations

from denota.programs.index import index_of
from denota.programs.operators import AGGREGATES, SCOPES, STEPS, TESTS
from denota.programs.tree import Program
from denota.tables.table import Table


def depends_on_row_order(program: Program, table: Table) -> bool:
    """Say whether row order matters: an operator says so, and if it is for ties, there are some."""
    if SCOPES[program.scope].row_order:
        return True
    if program.aggregate is not None and AGGREGATES[program.aggregate].row_order:
        return True
    for test in program.tests:
        ranks = test.operator in TESTS and TESTS[test.operator].ranks
        if ranks and not index_of(table).columns[table.names.index(test.column or "")].has_ties:
            continue
        if (TESTS.get(test.operator) or STEPS[test.operator]).row_order:
            return True
    return False
