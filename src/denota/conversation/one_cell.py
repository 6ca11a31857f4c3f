"""A value computed of one cell is that cell: SUM (SELECT Total WHERE Nation = 'Chad') looks it up.

The cell says more than the number in it: its row, its unit, and that a season is 1907-08 and not
1907.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from denota.conversation.rating import RatedProgram
from denota.programs.denotation import Denotation

_OF_ONE: Final = frozenset(("sum", "average", "smallest", "largest"))
"""Aggregates whose value is the number itself where there is one."""


def as_cell(way: RatedProgram) -> RatedProgram:
    """Return a program that selects the one cell whose number another computes, or that one."""
    program, answer = way.program, way.answer
    computes = program.aggregate in _OF_ONE and program.compare is None
    if not computes or not answer.values or len(answer.rows) * len(answer.columns) != 1:
        return way
    cell = Denotation(answer.rows, answer.columns)
    return replace(way, program=replace(program, aggregate=None), answer=cell, model_answer=cell)
