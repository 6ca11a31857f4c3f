"""Values computed from the selected cells: counts, sums and averages, with the cells as their support."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from denota.programs.operators.declare import AggregateOperator
from denota.tables.table import Table

Cells = list[tuple[int, int]]


def _of_numbers(combine: Callable[[list[float]], float]) -> Callable[[Table, Cells], float | None]:
    def meaning(table: Table, cells: Cells) -> float | None:
        stated = [float(table.columns[column].numbers[row]) for row, column in cells]
        stated = [value for value in stated if not math.isnan(value)]
        try:
            value = combine(stated) if stated else math.nan
        except OverflowError:
            return None
        return value if math.isfinite(value) else None

    return meaning


def _function(name: str) -> Callable[[Any], Any]:
    def sql(column: Any) -> Any:
        from sqlglot import exp

        return getattr(exp, name)(this=column)

    return sql


COUNT = AggregateOperator(
    "count", "COUNT", "how many there are", lambda table, cells: float(len(cells)), _function("Count"),
    numeric=False, example="COUNT (SELECT Leader WHERE Ships = '2')",
)  # fmt: skip
SUM = AggregateOperator(
    "sum", "SUM", "their sum", _of_numbers(math.fsum), _function("Sum"), example="SUM (SELECT Crew)"
)
AVERAGE = AggregateOperator(
    "average", "AVERAGE", "their average", _of_numbers(lambda v: math.fsum(v) / len(v)), _function("Avg"),
    example="AVERAGE (SELECT Crew)",
)  # fmt: skip
SMALLEST = AggregateOperator(
    "smallest",
    "SMALLEST",
    "the smallest of them",
    _of_numbers(min),
    _function("Min"),
    example="SMALLEST (SELECT Crew)",
)
LARGEST = AggregateOperator(
    "largest",
    "LARGEST",
    "the largest of them",
    _of_numbers(max),
    _function("Max"),
    example="LARGEST (SELECT Crew)",
)
