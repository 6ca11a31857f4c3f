"""Comparisons with a number or date of the question, with zero, and whether a cell has a value at all.

A date is compared in the parts the constant states: `> 1993` compares years, `= MAY` months. A part that the cell does not
state counts as the first (1 January, year 4).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import ColumnIndex
from denota.programs.operators.declare import Block, Meaning, Situation, TestOperator, block
from denota.programs.tree import Argument, Date, Name, Number, Test
from denota.tables.dates import Dates
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.sql import Names

Compare = Callable[[Any, Any], Any]


def date_key(dates: Dates, constant: Date) -> NDArray[np.float64]:
    """(R,) a number that orders dates by the parts the constant states, NaN where there is no date."""
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
    """Return the constant's own place in the order of `date_key`."""
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
    return situation.constants.dates if column.column.kind == "date" else ()


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
                keys = [
                    (date_key(column.column.dates, c), constant_key(c))
                    for c in situation.constants.dates
                ]
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
    "greater", ">", operator.gt, "{column} is more than {argument}", "{column} is after {argument}",
    "SELECT Leader WHERE Crew > 50",
)  # fmt: skip
AT_LEAST = _comparison(
    "at_least", ">=", operator.ge, "{column} is {argument} or more", "{column} is {argument} or later",
    "SELECT Leader WHERE Crew >= 50",
)  # fmt: skip
LESS = _comparison(
    "less", "<", operator.lt, "{column} is less than {argument}", "{column} is before {argument}",
    "SELECT Leader WHERE Season < 1900",
)  # fmt: skip
AT_MOST = _comparison(
    "at_most", "<=", operator.le, "{column} is {argument} or less", "{column} is {argument} or earlier",
    "SELECT Leader WHERE Ships <= 2",
)  # fmt: skip


def _is_constant(situation: Situation) -> Block:
    """Dates by the parts a question names, and numbers a question names that no cell need share as text."""
    parts = []
    for position in situation.index.ordered:
        column = situation.index.columns[position]
        if column.column.kind != "date":
            continue
        constants = situation.constants.dates
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
    english="{column} is in {argument}",
    meaning=_keeps(operator.eq),
    sql=_sql("="),
    candidates=_is_constant,
    argument=lambda situation, column, first: situation.constants.dates[first],
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
    sql=lambda test, names: names.is_missing(test.column or "").not_(),
    candidates=_emptiness(False),
    example="SELECT Leader WHERE Cost IS NOT EMPTY",
)


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


MOST_ORDERED: Final = 12
"""Columns are compared with each other in tables of at most this many columns of numbers and dates."""
GREATER_COLUMN = _with_column(
    "greater_column", ">", operator.gt, "{column} is more than {argument}"
)
LESS_COLUMN = _with_column("less_column", "<", operator.lt, "{column} is less than {argument}")
EQUAL_COLUMN = _with_column("equal_column", "=", operator.eq, "{column} is the same as {argument}")
