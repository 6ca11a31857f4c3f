"""Rows related to the previous answer: the same value in a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from denota.programs.index import index_of
from denota.programs.operators.declare import Block, Situation, TestOperator, block
from denota.programs.tree import Test
from denota.tables.table import Table


def _same_as_previous(situation: Situation) -> Block:
    if situation.previous is None:
        return block([], situation.index.rows, situation.scope)
    parts = []
    grounded = np.full(1, situation.triggered("same_value"))
    for position, column in enumerate(situation.index.columns):
        same = np.zeros(column.count, bool)
        same[column.classes[situation.previous]] = True
        parts.append((position, np.zeros(1, np.int32), same[column.classes][None, :], grounded))
    return block(parts, situation.index.rows, situation.scope)


def _meaning(table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]) -> list[int]:
    column = index_of(table).columns[table.names.index(test.column or "")]
    before = {int(column.classes[row]) for row in previous}
    return [row for row in rows if int(column.classes[row]) in before]


def _sql(test: Test, names: Any) -> Any:
    return names.value_of_previous(test.column or "")


SAME_VALUE = TestOperator(
    name="same_value",
    keywords=("SAME", "AS", "PREVIOUS"),
    english="{column} is the same as before",
    meaning=_meaning,
    sql=_sql,
    candidates=_same_as_previous,
    needs="trigger",
    example="OTHERS WHERE Leader SAME AS PREVIOUS",
)
