"""Values computed from rows: counts, sums, averages, the smallest and largest, yes or no, and counts and sums by group.

Blanks: COUNT counts rows, whatever their cells say; COUNT DISTINCT leaves out cells that mark no value; the others leave out cells that state
no number. Nothing is rounded here: a sum is that of the stated numbers, in the unit of the column. SQL does the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.denotation import Value
from denota.programs.index import ColumnIndex, Mask, counted, index_of
from denota.programs.operators.declare import AggregateOperator
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


def _exists(names: Any, columns: Sequence[str]) -> Any:
    return _star(names, columns) > 0


COUNT = AggregateOperator(
    "count", "COUNT", "how many there are", lambda table, rows, columns: (float(len(rows)),), _star,
    lambda columns, rows: np.count_nonzero(rows, axis=1).astype(float), of=(), noun="the number of rows",
    words=("how often",), example="COUNT (ROWS WHERE Ships = '2')",
)  # fmt: skip
COUNT_DISTINCT = AggregateOperator(
    "count_distinct", "COUNT DISTINCT", "how many different ones there are", _count_different,
    lambda names, columns: names.count_distinct(columns[0]), _different, of=("any",), noun="the number of different {}",
    words=("how many", "number of", "different", "unique", "distinct", "count"), example="COUNT DISTINCT (SELECT Leader)",
)  # fmt: skip
SUM = AggregateOperator(
    "sum", "SUM", "their sum", _of_numbers(math.fsum), _function("Sum"), _total,
    words=("all", "how many", "together", "number of", "amount", "cumulative"), example="SUM (SELECT Crew)",
)  # fmt: skip
AVERAGE = AggregateOperator(
    "average", "AVERAGE", "their average", _of_numbers(lambda v: math.fsum(v) / len(v)), _function("Avg"), _mean, noun="the average {}",
    example="AVERAGE (SELECT Crew)",
)  # fmt: skip
SMALLEST = AggregateOperator(
    "smallest", "SMALLEST", "the smallest of them", _of_numbers(min), _function("Min"), _extreme(False), noun="the smallest {}",
    words=("first", "oldest", "min", "worst", "best", "fastest", "top"), example="SMALLEST (SELECT Crew)",
)  # fmt: skip
LARGEST = AggregateOperator(
    "largest", "LARGEST", "the largest of them", _of_numbers(max), _function("Max"), _extreme(True), noun="the largest {}",
    words=("last", "newest", "max", "best", "top", "worst", "recent"), example="LARGEST (SELECT Crew)",
)  # fmt: skip
EXISTS = AggregateOperator(
    "exists", "EXISTS", "whether there is one", lambda table, rows, columns: (bool(rows),), _exists,
    lambda columns, rows: rows.any(axis=1).astype(float), of=(), yes_no=True,
    words=("^is", "^are", "^was", "^were", "^did", "^does", "^do", "^has", "^have", "^had", "is there", "are there", "was there", "were there"),
    example="EXISTS (ROWS WHERE Ships = '5')",
)  # fmt: skip


def _run(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
    runs: dict[int, int] = {}
    for place, row in enumerate(sorted(rows)):
        runs[row - place] = runs.get(row - place, 0) + 1
    return (float(max(runs.values(), default=0)),)


def _runs(columns: Sequence[ColumnIndex], rows: Mask) -> NDArray[np.float64]:
    so_far = np.cumsum(rows, axis=1)
    before = np.maximum.accumulate(np.where(rows, 0, so_far), axis=1)  # at the last row left out
    longest: NDArray[np.float64] = (so_far - before).max(axis=1, initial=0).astype(float)
    return longest


LONGEST_RUN = AggregateOperator(
    "longest_run", "LONGEST RUN", "the most that follow each other", _run,
    lambda names, columns: names.longest_run(), _runs, of=(), row_order=True, noun="the longest run",
    words=("consecutive", "in a row", "straight", "streak", "consecutively", "back to back"), example="LONGEST RUN (ROWS WHERE Ships = '2')",
)  # fmt: skip


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
    "day", "DAY", "the first date of", _first_day, lambda names, columns: names.day(columns[0]), _days,
    of=("date",), compared=True, needs="nothing",
    example="DIFFERENCE (DAY (SELECT Departed WHERE Season = '1891-92' VERSUS Season = '1893-94'))",
)  # fmt: skip


def _per(
    inner: AggregateOperator,
) -> Callable[[Table, Rows, Sequence[int]], tuple[Value, ...]]:
    def meaning(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
        found = (
            inner.meaning(table, own, columns[1:]) for _, own in groups_of(table, rows, columns[0])
        )
        return tuple(values[0] if values else math.nan for values in found)

    return meaning


def groups_of(table: Table, rows: Rows, column: int) -> list[tuple[str, list[int]]]:
    """The rows of each value of a column, in the order of first rows, each with the least of its cells' texts; blank cells are left out."""
    own = index_of(table).columns[column]
    found: dict[int, list[int]] = {}
    for row in rows:
        if not own.column.missing[row]:
            found.setdefault(int(own.classes[row]), []).append(row)
    return [(min(own.column.text[row] for row in group), group) for group in found.values()]


def _grouped(inner: AggregateOperator, english: str, example: str) -> AggregateOperator:
    return AggregateOperator(
        f"{inner.name}_per", f"{inner.keyword} PER", english, _per(inner),
        lambda names, columns: inner.sql(names, columns[1:]),
        of=("any", *inner.of), grouped=True, per=inner.name, words=("each", "every", "per", "by", "respectively"), example=example,
    )  # fmt: skip


COUNT_PER = _grouped(COUNT, "how many there are of each", "COUNT PER (SELECT Leader)")
SUM_PER = _grouped(SUM, "the sum for each", "SUM PER (SELECT Leader, Crew)")
AVERAGE_PER = _grouped(AVERAGE, "the average for each", "AVERAGE PER (SELECT Leader, Crew)")


def _column_named(largest: bool) -> AggregateOperator:
    """The name of the column of numbers whose sum over the rows is largest or smallest; none if two are tied."""

    def meaning(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
        sums = [(SUM.meaning(table, rows, [c]), table.names[c]) for c in range(len(table.columns))]
        known = sorted((float(values[0]), name) for values, name in sums if values)
        if not known:
            return ()
        best = known[-1 if largest else 0]
        tied = sum(value == best[0] for value, _ in known) > 1
        return () if tied else (best[1],)

    name, words = ("largest", ("most", "highest", "largest", "more", "greatest", "best", "top")) if largest else ("smallest", ("least", "lowest", "smallest", "fewest", "less", "worst"))  # fmt: skip
    return AggregateOperator(
        f"{name}_column", f"{name.upper()} COLUMN", f"the column with the {name} number", meaning,
        lambda names, columns: names.best_column(largest), of=(), names_column=True, words=words,
        example=f"{name.upper()} COLUMN (ROWS WHERE Season = '1891-92')",
    )  # fmt: skip


LARGEST_COLUMN, SMALLEST_COLUMN = _column_named(True), _column_named(False)


def _matched(pattern: str, combine: Callable[..., Value]) -> Callable[[str], Value | None]:
    compiled = re.compile(pattern)

    def part(text: str) -> Value | None:
        found = compiled.search(text)
        return combine(*found.groups()) if found else None

    return part


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _most_common(of: AggregateOperator) -> AggregateOperator:
    """Of the parts that an aggregate gives, those that occur most."""

    def meaning(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
        times = Counter(of.meaning(table, rows, columns))
        most = max(times.values(), default=0)
        return tuple(value for value, count in times.items() if count == most)

    return replace(
        of, name=f"most_common_{of.name}", keyword=f"MOST COMMON {of.keyword}",
        english=f"the most common of {of.english}", meaning=meaning, most_common=True, needs="trigger",
        sql=lambda names, columns: names.most_common_part(columns[0], of.name), words=("most", "common", "often", "frequently"),
        example=f"MOST COMMON {of.keyword} (SELECT Season)",
    )  # fmt: skip


def _parts(
    name: str, keyword: str, english: str, pattern: str, combine: Callable[..., Value], words: tuple[str, ...] = ()
) -> AggregateOperator:  # fmt: skip
    part = _matched(pattern, combine)

    def meaning(table: Table, rows: Rows, columns: Sequence[int]) -> tuple[Value, ...]:
        found = (part(table.columns[column].text[row]) for row in rows for column in columns)
        return tuple(value for value in found if value is not None)

    return AggregateOperator(
        name, keyword, english, meaning, lambda names, columns: names.part(columns[0], name), of=("any",), part=part,
        needs="trigger" if words else "nothing", words=words, example=f"{keyword} (SELECT Season WHERE Crew IS MAX)",
    )  # fmt: skip


PARTS: Final = {
    "first_part": "^([^,;/|\n(]*[^,;/|\n( \u00a0])[ \u00a0]*[,;/|\n(]",
    "last_part": "[,;/|\n][ \u00a0]*([^,;/|\n]*[^,;/|\n \u00a0])$",
    "in_brackets": r"\(([^()]+)\)",
    "year_part": r"(?:^|[^0-9])(1[5-9][0-9][0-9]|20[0-9][0-9])(?:$|[^0-9])",
    "number_part": r"^[^0-9]*([0-9][0-9,]*(?:\.[0-9]+)?)",
    "second_number": r"^[^0-9]*[0-9][0-9,]*(?:\.[0-9]+)?[^0-9]+([0-9][0-9,]*(?:\.[0-9]+)?)",
    "two_numbers": r"^[^0-9]*([0-9][0-9,]*(?:\.[0-9]+)?)[^0-9]+([0-9][0-9,]*(?:\.[0-9]+)?)",
}
"""Where the parts of a cell's text stand, in the syntax of re and of RE2."""
_FIRST_PART = _parts("first_part", "FIRST PART", "the first part of", PARTS["first_part"], str)
AGGREGATES: Final[dict[str, AggregateOperator]] = {
    aggregate.name: aggregate
    for aggregate in (
        *(COUNT, SUM, AVERAGE, SMALLEST, LARGEST, COUNT_DISTINCT, EXISTS, DAY, LONGEST_RUN),
        *(COUNT_PER, SUM_PER, AVERAGE_PER, LARGEST_COLUMN, SMALLEST_COLUMN),
        *(_FIRST_PART, _most_common(_FIRST_PART)),
        _parts("last_part", "LAST PART", "the last part of", PARTS["last_part"], str),
        _parts("in_brackets", "BRACKETS", "what stands in brackets in", PARTS["in_brackets"], str),
        _parts("year_part", "YEAR", "the year of", PARTS["year_part"], _number, ("year", "years", "when", "date")),
        _parts("number_part", "FIRST NUMBER", "the first number of", PARTS["number_part"], _number, ("how many", "how much", "number", "what", "score", "points", "many")),
        _parts("second_number", "SECOND NUMBER", "the second number of", PARTS["second_number"], _number, ("how many", "how much", "number", "score", "points", "opponent")),
        _parts("difference_inside", "DIFFERENCE INSIDE", "the difference of the two numbers of", PARTS["two_numbers"],
               lambda one, two: abs(_number(one) - _number(two)), ("difference", "by", "margin", "more", "how long", "between", "many years", "spread", "win by", "apart")),
        _parts("sum_inside", "SUM INSIDE", "the sum of the two numbers of", PARTS["two_numbers"],
               lambda one, two: _number(one) + _number(two), ("total", "combined", "both", "together", "sum", "how many", "number of")),
    )
}  # fmt: skip
