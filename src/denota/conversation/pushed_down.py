"""What a program answers on a large table: asked of the engine that has it, as SQL.

The rows of the answer, or of what a value comes from, are added to the sketch, as far as they are
shown, so that a turn marks cells and a follow-up speaks of them.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from denota.programs.denotation import Denotation, Value
from denota.programs.operators import AGGREGATES
from denota.programs.sql import Query
from denota.tables.large import SHOWN, Large
from denota.tables.sketch import grown, places_of
from denota.tables.table import Table


@dataclass(frozen=True)
class Pushed:
    """A program's answer, and the sketch that has its rows."""

    table: Table
    query: Query
    found: Denotation
    """What is shown: no more than the first rows."""
    known: Denotation
    """What the sketch has of the answer, which follow-ups are understood by."""
    rows: int
    """How many rows the answer has."""

    @property
    def remark(self) -> str:
        """What a person should know besides."""
        if self.found.values is not None or self.rows <= SHOWN:
            return ""
        return f" These are {SHOWN} of {self.rows:,} rows."


def push_down(query: Query) -> Pushed:
    """Ask the engine for what a query answers.

    Raises:
        TableError: it does not answer.
    """
    from sqlglot import exp

    large, program = query.table.large, query.program
    assert large is not None and program is not None
    own = exp.select(exp.Star()).from_(query.rows_tree().subquery("answer"))
    rows = large.fetch(own.limit(SHOWN + 1))
    table = grown(query.table, rows[:SHOWN])
    places = places_of(table, rows[:SHOWN])
    values: tuple[Value, ...] | None = None
    groups: tuple[str, ...] = ()
    if program.aggregate is not None:
        values, groups = _values(large, query, AGGREGATES[program.aggregate].grouped)
    count = len(rows)
    if values is None and count > SHOWN:
        counted = exp.select(exp.Count(this=exp.Star()))
        count = int(large.values(counted.from_(query.rows_tree().subquery("answer")))[0][0])
    found = Denotation(places, query.answer.columns, values, groups)
    known = found
    if count > SHOWN:
        known = replace(found, rows=tuple(sorted({*places, *query.answer.rows})))
    return Pushed(table, replace(query, table=table, answer=known), found, known, count)


def _values(large: Large, query: Query, grouped: bool) -> tuple[tuple[Value, ...], tuple[str, ...]]:
    """The values that a program computes, with the groups they are of."""
    lines = large.values(query.tree())
    truth = any(isinstance(value, bool) for value in query.answer.values or ())
    if not grouped:
        known = [line[0] for line in lines if line[0] is not None]
        return tuple(_value(value, truth) for value in known), ()
    names, found = [], []
    for group, value in lines:
        names.append(str(_value(group, False)) if not isinstance(group, str) else group)
        found.append(float("nan") if value is None else _value(value, truth))
    return tuple(found), tuple(names)


def _value(value: Any, truth: bool) -> Value:
    if isinstance(value, bool) or truth:
        return bool(value)
    if isinstance(value, int | float | Decimal):
        return float(value)
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat(sep=" ") if isinstance(value, datetime.datetime) else str(value)
    return str(value)
