"""A value computed of one cell is that cell: SUM (SELECT Total WHERE Nation = 'Chad') looks it up.

The cell says more than the number in it: its row, its unit, and that a season is 1907-08 and not
1907. So do the cells of rows that are tied: the smallest season of those with the fewest ships is
not what is asked for, they all are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from denota.conversation.rating import RatedProgram
from denota.conversation.words import words_of_name
from denota.programs.denotation import Denotation
from denota.programs.operators import TESTS
from denota.programs.tree import Program, Test
from denota.tables.table import Table

_OF_ONE: Final = frozenset(("sum", "average", "smallest", "largest"))
"""Aggregates whose value is the number itself where there is one."""
_OF_SOME: Final = frozenset(("smallest", "largest"))
"""Those that are left out where the rows are tied for the smallest or largest already."""
_EXTREMES: Final = frozenset(
    name for one in TESTS.values() if one.ties for name in (one.name, one.ties)
)


def as_cell(way: RatedProgram, table: Table) -> RatedProgram:
    """Return a program that selects the cell, or the tied cells, whose number another computes.

    A cell that is a percentage is looked up, too, where its share of all percentages is computed.
    """
    program, answer = way.program, way.answer
    if _is_share_of_percentages(program, table):
        program = replace(program, compare=None, versus=None)
    computes = program.aggregate in _OF_ONE and program.compare is None
    if not computes or not answer.values:
        return way
    if len(answer.rows) * len(answer.columns) != 1 and not _is_of_ties(program):
        return way
    cell = Denotation(answer.rows, answer.columns)
    return replace(way, program=replace(program, aggregate=None), answer=cell, model_answer=cell)


def _is_share_of_percentages(program: Program, table: Table) -> bool:
    columns = [table[name] for name in program.columns if name in table.names]
    return program.compare == "share" and all("percent" in words_of_name(c) for c in columns)


def _is_of_ties(program: Program) -> bool:
    """Whether a program takes the smallest or largest of rows that are tied already."""
    where = program.where
    tied = isinstance(where, Test) and where.operator in _EXTREMES and program.then is None
    return tied and program.aggregate in _OF_SOME
