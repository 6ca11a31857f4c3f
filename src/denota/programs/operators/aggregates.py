"""Values computed from rows: counts, sums, averages, the smallest and largest, yes or no.

COUNT counts rows, whatever their cells say; COUNT DISTINCT leaves out missing values; the others
leave out cells that state no number. Nothing is rounded: a sum is that of the stated numbers, in
the unit of the column. SQL does the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.denotation import Value
from denota.programs.index import ColumnIndex, Mask, counted, index_of
from denota.programs.operators.declare import AggregateOperator
from denota.programs.operators.groups import column_of, per_group
from denota.programs.operators.parts import PART_AGGREGATES
from denota.tables.table import Table

Rows = Sequence[int]
Over = Callable[[Sequence[ColumnIndex], Mask], NDArray[np.float64]]


def _of_numbers(
    combine: Callable[[list[float]], float],
) -> Callable[[Table, Rows, Sequence[int]], tuple[Value, ...]]:
    def meaning(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
        stated = [float(table.columns[column].numbers[row]) for row in rows for column in columns]
        stated = [value for value in stated if not math.isnan(value)]
        try:
            value = combine(stated) if stated else math.nan
        except OverflowError:
            return ()
        return (value,) if math.isfinite(value) else ()

    return meaning


def _function(name: str) -> Callable[[Any, Sequence[str]], Any]:
    def sql(names: Any, columns: Sequence[str]) -> Any:
        from sqlglot import exp

        return getattr(exp, name)(this=names.value(columns[0]))

    return sql


def _stated(columns: Sequence[ColumnIndex], rows: Mask) -> tuple[NDArray[np.float64], Mask]:
    """(R,) the numbers of a column, and (N, R) the rows of each set that state one."""
    return columns[0].column.numbers, rows & columns[0].stated


def _total(columns: Sequence[ColumnIndex], rows: Mask) -> NDArray[np.float64]:
    _, stated = _stated(columns, rows)
    total = rows.astype(np.float64) @ columns[0].filled
    return np.where(stated.any(axis=1), total, np.nan)


def _mean(columns: Sequence[ColumnIndex], rows: Mask) -> NDArray[np.float64]:
    _, stated = _stated(columns, rows)
    mean: NDArray[np.float64] = _total(columns, rows) / np.maximum(stated.sum(axis=1), 1)
    return mean


def _extreme(largest: bool) -> Over:
    def over(columns: Sequence[ColumnIndex], rows: Mask) -> NDArray[np.float64]:
        numbers, stated = _stated(columns, rows)
        kept = np.where(stated, numbers, -np.inf if largest else np.inf)
        best = kept.max(axis=1, initial=-np.inf) if largest else kept.min(axis=1, initial=np.inf)
        return np.where(stated.any(axis=1), best, np.nan)

    return over


def _different(columns: Sequence[ColumnIndex], rows: Mask) -> NDArray[np.float64]:
    column = columns[0]
    classes = np.where(column.column.missing, -1, column.classes)
    found: NDArray[np.float64] = (
        (counted(classes, column.count, rows) > 0).sum(axis=1).astype(float)
    )
    return found


def _count_different(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
    column = index_of(table).columns[columns[0]]
    return (float(len({int(column.classes[r]) for r in rows if not column.column.missing[r]})),)


def _star(names: Any, columns: Sequence[str]) -> Any:
    from sqlglot import exp

    return exp.Count(this=exp.Star())


COUNT = AggregateOperator(
    name="count",
    keyword="COUNT",
    english="the number of {rows}",
    meaning=lambda table, rows, columns: (float(len(rows)),),
    sql=_star,
    over=lambda columns, rows: np.count_nonzero(rows, axis=1).astype(float),
    of=(),
    noun="the number of rows",
    example="COUNT (ROWS WHERE Ships = '2')",
)
COUNT_DISTINCT = AggregateOperator(
    name="count_distinct",
    keyword="COUNT DISTINCT",
    english="the number of different values of {cells}",
    meaning=_count_different,
    sql=lambda names, columns: names.count_distinct(columns[0]),
    over=_different,
    of=("any",),
    noun="the number of different {}",
    example="COUNT DISTINCT (SELECT Leader)",
)
SUM = AggregateOperator(
    name="sum",
    keyword="SUM",
    english="the sum of {cells}",
    meaning=_of_numbers(math.fsum),
    sql=_function("Sum"),
    over=_total,
    example="SUM (SELECT Crew)",
)
AVERAGE = AggregateOperator(
    name="average",
    keyword="AVERAGE",
    english="the average {cells}",
    meaning=_of_numbers(lambda values: math.fsum(values) / len(values)),
    sql=_function("Avg"),
    over=_mean,
    noun="the average {}",
    example="AVERAGE (SELECT Crew)",
)
SMALLEST = AggregateOperator(
    name="smallest",
    keyword="SMALLEST",
    english="the smallest {cells}",
    meaning=_of_numbers(min),
    sql=_function("Min"),
    over=_extreme(False),
    noun="the smallest {}",
    example="SMALLEST (SELECT Crew)",
)
LARGEST = AggregateOperator(
    name="largest",
    keyword="LARGEST",
    english="the largest {cells}",
    meaning=_of_numbers(max),
    sql=_function("Max"),
    over=_extreme(True),
    noun="the largest {}",
    example="LARGEST (SELECT Crew)",
)
EXISTS = AggregateOperator(
    name="exists",
    keyword="EXISTS",
    english="whether there are {rows}",
    meaning=lambda table, rows, columns: (bool(rows),),
    sql=lambda names, columns: names.exists(),
    over=lambda columns, rows: rows.any(axis=1).astype(float),
    of=(),
    yes_no=True,
    example="EXISTS (ROWS WHERE Ships = '5')",
)


def _run(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
    runs: dict[int, int] = {}
    for rank, row in enumerate(sorted(rows)):  # row - rank is the same all along a run
        runs[row - rank] = runs.get(row - rank, 0) + 1
    return (float(max(runs.values(), default=0)),)


def _runs(columns: Sequence[ColumnIndex], rows: Mask) -> NDArray[np.float64]:
    so_far = np.cumsum(rows, axis=1)
    before = np.maximum.accumulate(np.where(rows, 0, so_far), axis=1)  # at the last row left out
    longest: NDArray[np.float64] = (so_far - before).max(axis=1, initial=0).astype(float)
    return longest


LONGEST_RUN = AggregateOperator(
    name="longest_run",
    keyword="LONGEST RUN",
    english="the longest run of {rows}",
    meaning=_run,
    sql=lambda names, columns: names.longest_run(),
    over=_runs,
    of=(),
    row_order=True,
    noun="the longest run",
    example="LONGEST RUN (ROWS WHERE Ships = '2')",
)


def _days(columns: Sequence[ColumnIndex], rows: Mask) -> NDArray[np.float64]:
    order = columns[0].column.dates.order
    stated = rows & ~np.isnan(order)
    first = np.where(stated, order, np.inf).min(axis=1, initial=np.inf)
    return np.where(stated.any(axis=1), first, np.nan)


def _first_day(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
    order = table.columns[columns[0]].dates.order
    stated = [float(order[row]) for row in rows if not math.isnan(order[row])]
    return (min(stated),) if stated else ()


DAY = AggregateOperator(
    name="day",
    keyword="DAY",
    english="the first date of {cells}",
    meaning=_first_day,
    sql=lambda names, columns: names.day(columns[0]),
    over=_days,
    of=("date",),
    compared=True,
    needs="nothing",
    example="DIFFERENCE (DAY (SELECT Departed WHERE Season = '1891-92' VERSUS Season = '1893-94'))",
)
COUNT_PER = per_group(COUNT, "the number of rows for each {group}", "COUNT PER (SELECT Leader)")
SUM_PER = per_group(SUM, "the sum of {cells} for each {group}", "SUM PER (SELECT Leader, Crew)")
AVERAGE_PER = per_group(
    AVERAGE, "the average {cells} for each {group}", "AVERAGE PER (SELECT Leader, Crew)"
)
LARGEST_COLUMN, SMALLEST_COLUMN = column_of("largest", SUM), column_of("smallest", SUM)

AGGREGATES: Final[dict[str, AggregateOperator]] = {
    aggregate.name: aggregate
    for aggregate in (
        *(COUNT, SUM, AVERAGE, SMALLEST, LARGEST, COUNT_DISTINCT, EXISTS, DAY, LONGEST_RUN),
        *(COUNT_PER, SUM_PER, AVERAGE_PER, LARGEST_COLUMN, SMALLEST_COLUMN),
        *PART_AGGREGATES,
    )
}
