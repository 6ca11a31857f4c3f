"""Comparisons of two columns of one kind within each row."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.operators.comparison import Compare
from denota.programs.operators.declare import Block, Meaning, Situation, TestOperator, block
from denota.programs.tree import Name, Test
from denota.tables.table import Table

MOST_ORDERED: Final = 12
"""Columns are compared in tables of at most this many columns of numbers and dates."""


def _columns_compared(compare: Compare) -> Callable[[Situation], Block]:
    """Two columns of one kind, compared within each row."""

    def candidates(situation: Situation) -> Block:
        index, parts = situation.index, []
        for position in index.ordered:
            own = index.columns[position]
            others = [
                other
                for other in index.ordered
                if other != position and index.columns[other].column.kind == own.column.kind
            ]
            if others and len(index.ordered) <= MOST_ORDERED:
                with np.errstate(invalid="ignore"):
                    mask = np.array([compare(own.order, index.columns[o].order) for o in others])
                ids = np.array(others, np.int32)
                grounded = _names_both(situation, position, others)
                parts.append((position, ids, mask, grounded))
        return block(parts, index.rows, situation.scope)

    return candidates


def _names_both(situation: Situation, column: int, others: Sequence[int]) -> NDArray[np.bool_]:
    """Whether the question has a word of the name of both columns."""
    asked = situation.constants.content
    names = [not own.name_content.isdisjoint(asked) for own in situation.index.columns]
    return np.array([names[column] and names[other] for other in others])


def _than_column(compare: Compare) -> Meaning:
    def meaning(
        table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
    ) -> list[int]:
        assert isinstance(test.argument, Name)
        own, other = table[test.column or ""], table[test.argument.text]
        if own.kind != other.kind or own.kind == "text":
            return []
        left, right = (c.numbers if c.kind == "number" else c.dates.order for c in (own, other))
        return [row for row in rows if compare(left[row], right[row])]

    return meaning


def _with_column(name: str, symbol: str, compare: Compare, english: str) -> TestOperator:
    return TestOperator(
        name=name,
        keywords=(symbol, "COLUMN"),
        english=english,
        meaning=_than_column(compare),
        sql=lambda test, names: names.than_column(test.column or "", symbol, test.argument),
        candidates=_columns_compared(compare),
        argument=lambda situation, column, first: Name(situation.index.names[first]),
        takes="column",
        needs="lexical",
        example=f"SELECT Season WHERE Crew {symbol} COLUMN Survived",
    )


GREATER_COLUMN = _with_column(
    "greater_column", ">", operator.gt, "{column} is more than {argument}"
)
LESS_COLUMN = _with_column("less_column", "<", operator.lt, "{column} is less than {argument}")
EQUAL_COLUMN = _with_column("equal_column", "=", operator.eq, "{column} is the same as {argument}")
