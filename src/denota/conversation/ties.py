"""All rows that are tied, where a program takes one of several largest or smallest."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from denota.conversation.rating import RatedProgram
from denota.programs.denotation import Denotation
from denota.programs.operators import TESTS
from denota.programs.tree import Test
from denota.tables.table import Table

_TIES: Final = {name: test.ties for name, test in TESTS.items() if test.ties}


def with_ties(way: RatedProgram, table: Table, previous: Denotation | None) -> RatedProgram:
    """Return a program of the largest or smallest row with all rows that are tied with it."""
    test = way.program.where
    if not isinstance(test, Test) or test.operator not in _TIES or len(way.answer.rows) != 1:
        return way
    if way.program.scope == "previous" and previous is not None:
        scope = np.array(previous.rows)
    elif way.program.scope == "table":
        scope = np.arange(len(table))
    else:
        return way
    column = table[test.column or ""]
    values = column.numbers if column.kind == "number" else column.dates.order
    rows = scope[values[scope] == values[way.answer.rows[0]]]
    if len(rows) < 2:
        return way
    program = replace(way.program, where=replace(test, operator=_TIES[test.operator]))
    answer = Denotation(tuple(sorted(rows.tolist())), way.answer.columns)
    return replace(way, program=program, answer=answer)
