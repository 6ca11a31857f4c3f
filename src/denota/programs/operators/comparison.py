"""Comparisons with a number or date of the question.

A date is compared in the parts the constant states: `> 1993` compares years, `= MAY` months. A part
that the cell does not state counts as the first (1 January, year 4).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import ColumnIndex
from denota.programs.operators.declare import Block, Meaning, Situation, TestOperator, block
from denota.programs.tree import Argument, Date, Number, Test
from denota.tables.dates import Dates
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.sql import Names

Compare = Callable[[Any, Any], Any]


def date_key(dates: Dates, constant: Date) -> NDArray[np.float64]:
    """(R,) numbers that order dates by the parts the constant states, NaN where there is none."""
    year, month, day = (
        np.where(dates.year == 0, 4, dates.year).astype(np.float64),
        np.maximum(dates.month, 1).astype(np.float64),
        np.maximum(dates.day, 1).astype(np.float64),
    )
    key = np.zeros(len(year))
    if constant.year:
        key += 10_000 * year
    if constant.month:
        key += 100 * month
    if constant.day:
        key += day
    return np.where(dates.known, key, np.nan)


def constant_key(constant: Date) -> float:
    """Return the number of the constant in the order of `date_key`."""
    return 10_000.0 * constant.year + 100.0 * constant.month + constant.day


def _keeps(compare: Compare) -> Meaning:
    def meaning(
        table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
    ) -> list[int]:
        column = table[test.column or ""]
        if isinstance(test.argument, Number):
            stated, constant = column.numbers, test.argument.value
        else:
            assert isinstance(test.argument, Date)
            stated, constant = date_key(column.dates, test.argument), constant_key(test.argument)
        return [row for row in rows if not np.isnan(stated[row]) and compare(stated[row], constant)]

    return meaning


def _constants(situation: Situation, column: ColumnIndex) -> tuple[Argument, ...]:
    """The constants a column can be compared with: numbers for numbers, dates for dates."""
    if column.column.kind == "number":
        return situation.numbers
    return _dates(situation, column) if column.column.kind == "date" else ()


def _dates(situation: Situation, column: ColumnIndex) -> tuple[Date, ...]:
    """The dates of a question as a column's cells are written: `4/3/2021` is in March or April."""
    dates = situation.constants.dates
    if not any("/" in date.written for date in dates) or not column.day_first:
        return dates
    return tuple(_day_first(date) for date in dates)


def _day_first(date: Date) -> Date:
    first, _, rest = date.written.partition("/")
    if "/" not in rest or first.lstrip("0") != str(date.month) or not 1 <= date.day <= 12:
        return date
    return replace(date, month=date.day, day=date.month)


def _compared(compare: Compare, triggers: str) -> Callable[[Situation], Block]:
    def candidates(situation: Situation) -> Block:
        grounded = situation.triggered(triggers)
        parts = []
        for position in situation.index.ordered:
            column = situation.index.columns[position]
            constants = _constants(situation, column)
            if not constants:
                continue
            if column.column.kind == "number":
                values = np.array([c.value for c in situation.numbers])
                mask = compare(column.column.numbers[None, :], values[:, None])
            else:
                dates = _dates(situation, column)
                keys = [(date_key(column.column.dates, c), constant_key(c)) for c in dates]
                mask = np.array([compare(key, constant) for key, constant in keys])
            ids = np.arange(len(constants), dtype=np.int32)
            parts.append((position, ids, mask, np.full(len(constants), grounded)))
        return block(parts, situation.index.rows, situation.scope)

    return candidates


def _constant(situation: Situation, column: int, first: int) -> Argument:
    return _constants(situation, situation.index.columns[column])[first]


def _sql(symbol: str) -> Callable[[Test, Names], Any]:
    def sql(test: Test, names: Names) -> Any:
        assert test.column and isinstance(test.argument, Number | Date)
        return names.compare(test.column, symbol, test.argument)

    return sql


def _comparison(
    name: str, symbol: str, compare: Compare, english: str, of_dates: str, example: str
) -> TestOperator:
    return TestOperator(
        name=name,
        keywords=(symbol,),
        english=english,
        meaning=_keeps(compare),
        sql=_sql(symbol),
        candidates=_compared(compare, name),
        argument=_constant,
        takes="constant",
        needs="trigger",
        english_of_dates=of_dates,
        example=example,
    )


GREATER = _comparison(
    name="greater",
    symbol=">",
    compare=operator.gt,
    english="{column} is more than {argument}",
    of_dates="{column} is after {argument}",
    example="SELECT Leader WHERE Crew > 50",
)
AT_LEAST = _comparison(
    name="at_least",
    symbol=">=",
    compare=operator.ge,
    english="{column} is {argument} or more",
    of_dates="{column} is {argument} or later",
    example="SELECT Leader WHERE Crew >= 50",
)
LESS = _comparison(
    name="less",
    symbol="<",
    compare=operator.lt,
    english="{column} is less than {argument}",
    of_dates="{column} is before {argument}",
    example="SELECT Leader WHERE Season < 1900",
)
AT_MOST = _comparison(
    name="at_most",
    symbol="<=",
    compare=operator.le,
    english="{column} is {argument} or less",
    of_dates="{column} is {argument} or earlier",
    example="SELECT Leader WHERE Ships <= 2",
)


def _is_constant(situation: Situation) -> Block:
    """Offer the dates of a question, in the parts it states."""
    parts = []
    for position in situation.index.ordered:
        column = situation.index.columns[position]
        if column.column.kind != "date":
            continue
        constants = _dates(situation, column)
        if constants:
            mask = np.array(
                [date_key(column.column.dates, c) == constant_key(c) for c in constants]
            )
            ids = np.arange(len(constants), dtype=np.int32)
            parts.append((position, ids, mask, np.ones(len(constants), bool)))
    return block(parts, situation.index.rows, situation.scope)


DATE_IS = TestOperator(
    name="date_is",
    keywords=("IS", "IN"),
    english="{column} is {at} {argument}",
    meaning=_keeps(operator.eq),
    sql=_sql("="),
    candidates=_is_constant,
    argument=_constant,
    takes="constant",
    needs="lexical",
    example="SELECT Leader WHERE Departed IS IN DATE '--05'",
)


def _in_decade(situation: Situation) -> Block:
    parts = []
    decades = situation.constants.decades
    for position in situation.index.ordered if decades else ():
        dates = situation.index.columns[position].column.dates
        if dates.known.any():
            starts = np.array([decade.value for decade in decades])[:, None]
            mask = (dates.year >= starts) & (dates.year < starts + 10)
            parts.append(
                (
                    position,
                    np.arange(len(decades), dtype=np.int32),
                    mask,
                    np.ones(len(decades), bool),
                )
            )
    return block(parts, situation.index.rows, situation.scope)


def _of_decade(table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]) -> list[int]:
    assert isinstance(test.argument, Number)
    years, start = table[test.column or ""].dates.year, int(test.argument.value)
    return [row for row in rows if start <= years[row] < start + 10]


DECADE_IS = TestOperator(
    name="decade_is",
    keywords=("IS", "IN", "DECADE"),
    english="{column} is in the {argument}s",
    meaning=_of_decade,
    sql=lambda test, names: names.in_decade(test.column or "", test.argument),
    candidates=_in_decade,
    argument=lambda situation, column, first: situation.constants.decades[first],
    takes="number",
    needs="lexical",
    example="SELECT Leader WHERE Season IS IN DECADE 1890",
)
