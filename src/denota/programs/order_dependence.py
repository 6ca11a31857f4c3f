"""Which programs speak of the order of rows: `the first row`, `the next one`, or a largest value that two rows share."""

from __future__ import annotations

from denota.programs.index import index_of
from denota.programs.operators import AGGREGATES, SCOPES, STEPS, TESTS
from denota.programs.tree import Program
from denota.tables.table import Table


def speaks_of_order(program: Program, table: Table) -> bool:
    """Say whether the order of rows matters: an operator says so, and it is not just about ties that are not there."""
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
