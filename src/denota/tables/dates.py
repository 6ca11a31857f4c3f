"""Dates in cells: what one text can say, and what a column's texts say together.

`read_date` reads one normalised text into its parts and never guesses: where day and month, or a
season and a month, could be exchanged, it says so in `form` and the column decides (`settle`).
Parts that a cell does not state are 0.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.tables.cell_text import is_long

DateForm = Literal["date", "year", "season", "numeric"]


class DateReading(NamedTuple):
    """The parts of a date as one cell states them; 0 where it does not."""

    year: int
    month: int
    day: int
    seconds: float = 0.0
    form: DateForm = "date"
    """`year`: a bare year or span of years. `season`: `1993-94`, unless the column says month.
    `numeric`: `3/4/1993`, month first here, settled by the column."""


@dataclass(frozen=True)
class Dates:
    """A column's dates as arrays; a part that is not stated is 0."""

    year: NDArray[np.int16]  #: (rows,)
    month: NDArray[np.int8]  #: (rows,)
    day: NDArray[np.int8]  #: (rows,)
    seconds: NDArray[np.float64]  #: (rows,) time of day

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """(rows,) True where the cell states a date."""
        known: NDArray[np.bool_] = (self.year != 0) | (self.month != 0)
        known.flags.writeable = False
        return known

    @cached_property
    def order(self) -> NDArray[np.float64]:
        """(rows,) days since 1970 for comparing and sorting, NaN where there is no date.

        A missing month or day counts as the first; a missing year as a leap year of its own (4),
        so that dates without a year compare among themselves.
        """
        order = self._days if self.known.any() else np.full(len(self.year), np.nan)
        order.flags.writeable = False
        return order

    @property
    def _days(self) -> NDArray[np.float64]:
        years = (np.where(self.year == 0, 4, self.year).astype(np.int64) - 1970).astype("M8[Y]")
        months = years.astype("M8[M]") + (np.maximum(self.month, 1).astype(np.int64) - 1)
        days = months.astype("M8[D]") + (np.maximum(self.day, 1).astype(np.int64) - 1)
        exact = days.astype(np.int64) + self.seconds / 86400
        return np.where(self.known, exact, np.nan)


def read_date(text: str) -> DateReading | None:
    """Read one normalised text as a date, or return None.

    >>> read_date("May 17, 1993")
    DateReading(year=1993, month=5, day=17, seconds=0.0, form='date')
    >>> read_date("May Smith") is None
    True
    """
    if is_long(text):
        return None
    if text.isdecimal():
        return DateReading(int(text), 0, 0, form="year") if is_bare_year(text) else None
    found = _YEARS.match(text)
    if found:
        return _read_years(found)
    found = _QUARTER.match(text) or _WEEK.match(text)
    if found:
        return _read_part_of_year(found)
    if _HAS_MONTH.search(text):
        patterns = _PATTERNS
    elif _SEPARATED.search(text):
        patterns = _NUMERIC
    else:
        return None
    for pattern in patterns:
        found = pattern.match(text)
        if found:
            reading = _read_parts(found)
            rest = text[found.end() :]
            if reading is None or not _TAIL.match(rest):
                continue
            if reading.year == 0 and reading.day and (year := _LATER_YEAR.search(rest)):
                reading = reading._replace(year=int(year[1]))
            return _with_time(reading, rest)
    return None


def is_bare_year(text: str) -> bool:
    """Say whether the text is four digits that can be a year: 1000 to 2199."""
    return len(text) == 4 and text.isdecimal() and "1000" <= text < "2200"


def settle(readings: Sequence[DateReading | None]) -> list[DateReading | None]:
    """Settle what each reading of a column leaves open: day or month first, season or month.

    >>> settle([read_date("3/4/1993"), read_date("17/4/1993")])[0]
    DateReading(year=1993, month=4, day=3, seconds=0.0, form='date')
    """
    numeric = [r for r in readings if r and r.form == "numeric"]
    day_first = sum(r.month > 12 for r in numeric) > sum(r.day > 12 for r in numeric)
    seasons = [r for r in readings if r and r.form == "season"]
    months = bool(seasons) and all(1 <= r.month <= 12 for r in seasons)
    months = months and any(r.month != (r.year + 1) % 100 for r in seasons)

    def settled(reading: DateReading | None) -> DateReading | None:
        if reading is None or reading.form in ("date", "year"):
            return reading
        if reading.form == "season":
            return (
                reading._replace(form="date") if months else reading._replace(month=0, form="year")
            )
        year, month, day, seconds, _ = reading
        if day_first or month > 12:
            month, day = day, month
        if (
            month > 12
        ):  # a cell that can be read only one way is read that way, whatever the others say
            month, day = day, month
        return DateReading(year, month, day, seconds) if _exists(year, month, day) else None

    return [settled(reading) for reading in readings]


_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ],
        start=1,
    )
    for name in names.split()
}
_DAYS_IN_MONTH: Final = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH = rf"(?P<month>{_NAME})\b\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_ABOUT = (
    r"(?:(?:c|ca|circa|about|approx|early|mid|late|before|after|since|from|until|by"
    r"|spring|summer|autumn|fall|winter)\b\.?[\s-]*|~\s*)?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)"
_TO_DAY = r"(?:\s?(?:-|to|/|&|and)\s?\d{1,2}(?:st|nd|rd|th)?(?![\d/.]))?"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_SHORT_YEAR = r"(?P<year>\d{4}|'?\d{2})(?!\d)"


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(r"\A" + _ABOUT + _WEEKDAY + body, re.IGNORECASE)


_PATTERNS: Final[tuple[re.Pattern[str], ...]] = (
    _pattern(r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)"),
    _pattern(
        r"(?P<first>\d{1,2})(?P<sep>[/.-])(?P<second>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})(?!\d)"
    ),
    _pattern(r"(?P<month>\d{1,2})/(?P<year>\d{4})(?!\d)"),
    _pattern(rf"{_MONTH}\s?{_DAY}{_TO_DAY},?\s+{_SHORT_YEAR}(?!:)"),
    _pattern(rf"{_MONTH},?\s?{_YEAR}"),
    _pattern(rf"{_MONTH}\s?(?P<year>'\d{{2}})(?!\d)"),
    _pattern(rf"{_MONTH}\s?{_DAY}{_TO_DAY}"),
    _pattern(rf"{_DAY}{_TO_DAY}(?:\s+|-)(?:of\s+)?{_MONTH},?(?:\s+|-){_SHORT_YEAR}(?!:)"),
    _pattern(rf"{_DAY}{_TO_DAY}(?:\s+|-)(?:of\s+)?{_MONTH}"),
    _pattern(rf"(?P<year>\d{{4}})[\s,-]+{_MONTH}(?:\s+{_DAY})?"),
    re.compile(rf"\A{_MONTH}(?:-(?P<year>\d{{2}}|\d{{4}}))?$", re.IGNORECASE),
)
_NUMERIC: Final = _PATTERNS[:3]
"""The date patterns without the name of a month."""
_HAS_MONTH: Final = re.compile(_NAME, re.IGNORECASE)
_SEPARATED: Final = re.compile(r"\d[-/.]\d")
_YEARS: Final = re.compile(
    r"\A" + _ABOUT + r"(?P<year>1\d{3}|20\d\d|21\d\d)(?P<decade>'?s)?"
    r"(?:\s?(?P<sep>[-/]|to)\s?(?:(?P<long>1\d{3}|20\d\d|21\d\d)|(?P<short>\d{2})(?!\d)|(?:present|current|now|date|\?)?(?=\s*(?:\(|$))))?"
    r"\??(?:\s*\(.*\))?\s*$",
    re.IGNORECASE,
)
_QUARTER: Final = re.compile(
    r"q(?P<quarter>[1-4])[\s/,-]{0,2}(?P<year>\d{4}|'?\d{2})$"
    r"|(?P<year2>\d{4})[\s/,-]{0,2}q(?P<quarter2>[1-4])$"
    r"|(?P<quarter3>[1-4])q[\s/-]?(?P<year3>\d{4}|'?\d{2})$",
    re.IGNORECASE,
)
_WEEK: Final = re.compile(
    r"(?P<year>\d{4})[-\s]?w(?P<week>[0-5]\d)(?:-?(?P<weekday>[1-7]))?$", re.IGNORECASE
)
# What may follow a date in its cell: nothing, a remark, the end of a span, a time, another date.
_TAIL: Final = re.compile(
    r"\A\s*+(?:$|[(;,/&|-]|to\b|until\b|and\b|at\b|(?:T\s*|(?<=\s))\d{1,2}:\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_NAME})\b|(?:{_NAME})\b\.?\s+\d)",
    re.IGNORECASE,
)
_LATER_YEAR: Final = re.compile(r"(?:^|[\s,])((?:1\d|20)\d\d)(?!\d)")
_TIME: Final = re.compile(
    r"\A[T,\s]\s*(?:at\s+)?(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?\s*(am|pm)?", re.IGNORECASE
)


def _read_years(found: re.Match[str]) -> DateReading | None:
    year = int(found["year"])
    if found["short"]:
        short = int(found["short"])
        if found["sep"] in ("-", "/"):
            return DateReading(year, short, 0, form="season")
    elif found["long"] and int(found["long"]) < year:
        return None
    return DateReading(year, 0, 0, form="year")


def _read_part_of_year(found: re.Match[str]) -> DateReading | None:
    """Read a quarter as its first month, and an ISO week as its Monday."""
    part = found.groupdict()
    if "week" not in part:
        digits = part["year"] or part["year2"] or part["year3"]
        quarter = int(part["quarter"] or part["quarter2"] or part["quarter3"])
        return DateReading(_full_year(digits), 3 * quarter - 2, 0)
    weekday = int(part["weekday"] or 1)
    try:
        day = datetime.date.fromisocalendar(int(part["year"]), int(part["week"]), weekday)
    except ValueError:
        return None
    return DateReading(day.year, day.month, day.day)


def _read_parts(found: re.Match[str]) -> DateReading | None:
    part = found.groupdict()
    year = _full_year(part["year"]) if part.get("year") else 0
    if part.get("first"):
        first, second = int(part["first"]), int(part["second"])
        if found["sep"] == "." and second <= 12:  # dots are European: day first
            first, second = second, first
        possible = _exists(year, first, second) or _exists(year, second, first)
        form: DateForm = "date" if found["sep"] == "." and first <= 12 else "numeric"
        return DateReading(year, first, second, form=form) if possible else None
    name = part["month"].lower()
    month = int(name) if name.isdigit() else _MONTHS[name]
    day = int(part["day"]) if part.get("day") else 0
    return DateReading(year, month, day) if _exists(year, month, day or 1) else None


def _full_year(digits: str) -> int:
    """Read two digits as the year in 1931 to 2030."""
    digits = digits.lstrip("'")
    year = int(digits)
    return year if len(digits) == 4 else 1900 + year if year > 30 else 2000 + year


def _exists(year: int, month: int, day: int) -> bool:
    if not (1 <= month <= 12 and 1 <= day <= _DAYS_IN_MONTH[month]):
        return False
    leap = year == 0 or (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return day < 29 or month != 2 or leap


def _with_time(reading: DateReading, rest: str) -> DateReading:
    time = _TIME.match(rest)
    if not time or not reading.day:
        return reading
    hours, minutes, seconds = int(time[1]), int(time[2]), float(time[3] or 0)
    if time[4]:
        hours = hours % 12 + (12 if time[4].lower() == "pm" else 0)
    if hours > 23 or minutes > 59 or seconds >= 61:
        return reading
    return reading._replace(seconds=3600.0 * hours + 60 * minutes + seconds)
