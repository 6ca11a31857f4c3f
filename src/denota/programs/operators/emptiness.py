"""Tests that take no argument: a number is zero or above, a cell is missing or not."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from denota.programs.operators.comparison import Compare
from denota.programs.operators.declare import Block, Situation, TestOperator, block
from denota.programs.tree import Number, Test
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.sql import Names


def _zero(compare: Compare) -> Callable[[Situation], Block]:
    def candidates(situation: Situation) -> Block:
        parts = []
        for position in situation.index.ordered:
            column = situation.index.columns[position].column
            if column.kind == "number" and (column.numbers == 0).any():
                mask = compare(np.where(np.isnan(column.numbers), -1.0, column.numbers), 0)[None, :]
                parts.append((position, np.zeros(1, np.int32), mask, np.ones(1, bool)))
        return block(parts, situation.index.rows, situation.scope)

    return candidates


def _is_zero(table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]) -> list[int]:
    return [row for row in rows if table[test.column or ""].numbers[row] == 0]


def _is_positive(
    table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
) -> list[int]:
    return [row for row in rows if table[test.column or ""].numbers[row] > 0]


def _sql_zero(symbol: str) -> Callable[[Test, Names], Any]:
    return lambda test, names: names.compare(test.column or "", symbol, Number(0.0))


IS_ZERO = TestOperator(
    name="is_zero",
    keywords=("IS", "ZERO"),
    english="{column} is zero",
    meaning=_is_zero,
    sql=_sql_zero("="),
    candidates=_zero(operator.eq),
    example="SELECT Leader WHERE Ships IS ZERO",
)
IS_POSITIVE = TestOperator(
    name="is_positive",
    keywords=("IS", "POSITIVE"),
    english="{column} is above zero",
    meaning=_is_positive,
    sql=_sql_zero(">"),
    candidates=_zero(operator.gt),
    example="SELECT Leader WHERE Ships IS POSITIVE",
)


def _emptiness(empty: bool) -> Callable[[Situation], Block]:
    def candidates(situation: Situation) -> Block:
        parts = []
        for position, column in enumerate(situation.index.columns):
            missing = column.column.missing
            if missing.any():
                mask = (missing if empty else ~missing)[None, :]
                parts.append((position, np.zeros(1, np.int32), mask, np.ones(1, bool)))
        return block(parts, situation.index.rows, situation.scope)

    return candidates


def _missing(table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]) -> list[int]:
    return [row for row in rows if table[test.column or ""].missing[row]]


def _present(table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]) -> list[int]:
    return [row for row in rows if not table[test.column or ""].missing[row]]


IS_EMPTY = TestOperator(
    name="is_empty",
    keywords=("IS", "EMPTY"),
    english="{column} has no value",
    meaning=_missing,
    sql=lambda test, names: names.is_missing(test.column or ""),
    candidates=_emptiness(True),
    example="SELECT Leader WHERE Cost IS EMPTY",
)
IS_NOT_EMPTY = TestOperator(
    name="is_not_empty",
    keywords=("IS", "NOT", "EMPTY"),
    english="{column} has a value",
    meaning=_present,
    sql=lambda test, names: names.is_present(test.column or ""),
    candidates=_emptiness(False),
    example="SELECT Leader WHERE Cost IS NOT EMPTY",
)
