"""Comparisons of dates with a date of the question, in the parts that it states."""

from __future__ import annotations

import datetime
from typing import Any, Final

from sqlglot import exp

from denota.programs.sql.literals import number_literal
from denota.programs.tree import Date

_COMPARE: Final = {"=": exp.EQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}


def compare_date(
    value: Any, symbol: str, constant: Date, dated: bool, has_time: bool, dialect: str
) -> Any:
    """Return the test of a date, or of a year that stands for its first of January.

    Args:
        value: the date in SQL, or the year.
        symbol: `=`, `>` and the like.
        constant: what it is compared with.
        dated: whether the value is a date, and not a year.
        has_time: whether dates have a time of day.
        dialect: of the SQL.
    """
    compare = _COMPARE[symbol]
    year, month, day = constant.year, constant.month, constant.day
    if not dated:
        return _compare_year(value, symbol, constant)
    if year and not month:
        return compare(this=part(value, "YEAR", dialect), expression=number_literal(year))
    if not year:
        own = part(value, "MONTH", dialect)
        if not day:
            return compare(this=own, expression=number_literal(month))
        own = own * 100 + part(value.copy(), "DAY", dialect)
        return compare(this=own, expression=number_literal(100 * month + day))
    if day and not has_time:
        return compare(this=value, expression=_written(year, month, day))
    return _within(value, symbol, _written(year, month, day or 1), _following(year, month, day))


def part(value: Any, name: str, dialect: str) -> Any:
    """Return the year, month or day of a date as a number."""
    if dialect == "sqlite":
        letter = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d"}[name]
        text = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(letter), value])
        return exp.cast(text, "int")
    if dialect in ("duckdb", "mysql"):
        return exp.Anonymous(this=name, expressions=[value])
    return exp.Extract(this=exp.var(name), expression=value)


def _compare_year(value: Any, symbol: str, constant: Date) -> Any:
    """A year counts as its first of January."""
    compare = _COMPARE[symbol]
    rest = 100 * constant.month + constant.day
    first = 100 * bool(constant.month) + bool(constant.day)
    if constant.year and not rest:
        return compare(this=value, expression=number_literal(constant.year))
    if not constant.year:
        holds = compare(this=number_literal(first), expression=number_literal(rest))
        return exp.and_(value.is_(exp.not_(exp.null())), holds)
    key = value * 10_000 + first
    return compare(this=key, expression=number_literal(10_000 * constant.year + rest))


def _within(value: Any, symbol: str, start: Any, end: Any) -> Any:
    """Compare with a span of time that begins at `start` and ends before `end`."""
    if symbol == "=":
        return exp.and_(
            exp.GTE(this=value, expression=start), exp.LT(this=value.copy(), expression=end)
        )
    edge = end if symbol in (">", "<=") else start
    return (exp.GTE if symbol in (">", ">=") else exp.LT)(this=value, expression=edge)


def _written(year: int, month: int, day: int) -> Any:
    return exp.Literal.string(f"{year:04}-{month:02}-{day:02}")


def _following(year: int, month: int, day: int) -> Any:
    """The day after a day, or the first of the next month."""
    try:
        if day:
            after = datetime.date(year, month, day) + datetime.timedelta(days=1)
            return _written(after.year, after.month, after.day)
    except OverflowError:
        pass
    return _written(year + month // 12, month % 12 + 1, 1)
