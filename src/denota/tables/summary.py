"""A column in a few figures, for `denota show` and for checking how it was read."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import numpy as np

from denota.tables.column import Column, Kind


@dataclass(frozen=True)
class ColumnSummary:
    """A column as understood."""

    name: str
    kind: Kind
    unit: str
    """See `Column.unit`."""
    low: str
    """The smallest number or earliest date, or the first text; empty if there is none."""
    high: str
    distinct: int
    """Distinct texts, missing marks not counted."""
    missing: int
    """Cells that are empty or only mark that there is no value."""
    missing_marks: tuple[str, ...]
    """The marks for missing values."""
    unread: tuple[tuple[int, str], ...]
    """(row, text) of cells that could not be read as the column's kind."""


def summarise(column: Column) -> ColumnSummary:
    """Describe a column.

    >>> summarise(Column("Points", ("12", "7[a]", "n/a", "DNF"))).unread
    ((3, 'DNF'),)
    """
    present = ~column.missing
    low, high = _ends(column)
    gone = np.flatnonzero(column.missing)
    marks = dict.fromkeys(column.text[row] for row in gone[:10_000])
    return ColumnSummary(
        column.name,
        column.kind,
        column.unit,
        low,
        high,
        len(np.unique(column.codes[present])),
        len(gone),
        tuple(marks),
        tuple((int(row), column.text[row]) for row in np.flatnonzero(column.unread)),
    )


def _ends(column: Column) -> tuple[str, str]:
    if column.kind == "number":
        known = np.isfinite(column.numbers)
        if known.any():
            values = column.numbers[known]
            return _number(values.min(), column.unit), _number(values.max(), column.unit)
    elif column.kind == "date" and column.dates.known.any():
        order = column.dates.order
        return _date(column, int(np.nanargmin(order))), _date(column, int(np.nanargmax(order)))
    elif not column.missing.all():
        texts = sorted(
            {column.values[code] for code in np.unique(column.codes[~column.missing])},
            key=str.casefold,
        )
        return texts[0], texts[-1]
    return "", ""


def _number(value: float, unit: str) -> str:
    if unit == "year":
        return f"{value:.0f}"
    if unit == "time":
        return _clock(value)
    shown = f"{value:,.10g}"
    if unit in ("%", ""):
        return shown + unit
    return f"{unit}{shown}" if not unit.isalpha() and len(unit) == 1 else f"{shown} {unit}"


def _clock(seconds: float) -> str:
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    tail = f"{rest:06.3f}".rstrip("0").rstrip(".") if rest % 1 else f"{int(rest):02d}"
    return f"{sign}{hours}:{minutes:02d}:{tail}" if hours else f"{sign}{minutes}:{tail}"


def _date(column: Column, row: int) -> str:
    dates = column.dates
    year, month, day = int(dates.year[row]), int(dates.month[row]), int(dates.day[row])
    if not month:
        return str(year)
    shown = datetime.date(4, month, day or 1).strftime("%-d %B" if day else "%B")
    return f"{shown} {year}" if year else shown
