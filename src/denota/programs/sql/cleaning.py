"""Columns whose texts state numbers or dates that SQL must first read: `$1.2 million`, `23[a]`.

The reading is one expression a column, written once, in a query on top of all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from sqlglot import exp

from denota.programs.sql.date_forms import FORMS, dates_in_forms, read_form
from denota.programs.sql.literals import moment_literal, number_literal
from denota.programs.sql.recipes import NUMBERS, PLAIN
from denota.tables.column import Column
from denota.tables.stored import StoredKind

MOST_WRITTEN: Final = 50
"""The most texts whose values are written out one by one."""
MOST_WRITTEN_PLAINLY: Final = 300
"""The same for a dialect that has no other way."""
Outcome = float | None


@dataclass(frozen=True)
class Reading:
    """A column's distinct texts, those of empty cells left out, and what each states."""

    column: Column
    kind: StoredKind
    """What the engine has."""

    @cached_property
    def stated(self) -> dict[str, Outcome]:
        """The number, or the days of the date, that each text states."""
        return {text: value for text, value in stated_by_texts(self.column).items() if text}

    @cached_property
    def is_plain(self) -> bool:
        """Whether the engine's own values are the ones stated."""
        if self.column.kind == "date":
            return self.kind in ("date", "timestamp")
        if self.kind != "number":
            return False
        return all(value == _number(text) for text, value in self.stated.items())

    @property
    def has_time(self) -> bool:
        """Whether a date has a time of day."""
        return bool(self.column.dates.seconds.any())


def stated_by_texts(column: Column) -> dict[str, Outcome]:
    """Return what each distinct text of a column states: a number, a date in days, or None."""
    first = np.zeros(len(column.values), np.int64)
    first[column.codes[::-1]] = np.arange(len(column) - 1, -1, -1)
    order = column.numbers if column.kind == "number" else column.dates.order
    values = order[first].tolist() if len(column) else []
    return {
        text: None if value != value else float(value)
        for text, value in zip(column.values, values, strict=True)
    }


def cleaned(
    reading: Reading, own: Any, literal: Callable[[str], Any], dialect: str
) -> tuple[Any, int]:
    """Return the expression that reads a column, and the number of texts that it reads wrongly.

    Args:
        reading: the column and what it states.
        own: the column in SQL.
        literal: makes the literal of a text, as the engine has that column.
        dialect: whose functions may be used.
    """
    is_date = reading.column.kind == "date"
    value_literal = moment_literal if is_date else number_literal
    stated = reading.stated
    unsaid: list[tuple[int, Any, list[str]]] = []
    for expression, read in _ways(reading, own, dialect):
        wrong = [text for text, value in stated.items() if not _same(read(text), value)]
        unsaid.append((len(wrong), expression, wrong))
        if not wrong:
            break
    everything = [text for text, value in stated.items() if value is not None]
    unsaid.append((len(everything) + 1, None, everything))
    _, otherwise, wrong = min(unsaid, key=lambda one: one[0])
    if not wrong and otherwise is not None:
        return otherwise, 0
    most = MOST_WRITTEN_PLAINLY if dialect in PLAIN else MOST_WRITTEN
    written, left = wrong[:most], wrong[most:]
    kind = "timestamp" if reading.has_time else "date"
    chosen = exp.Case(this=own.copy())
    for text in written:
        value = stated[text]
        result = exp.null() if value is None else value_literal(value)
        if is_date and otherwise is not None and value is not None:
            result = exp.cast(result, kind)
        chosen = chosen.when(literal(text), result, copy=False)
    if otherwise is not None:
        return chosen.else_(otherwise, copy=False), len(left)
    if not written:
        return exp.null(), len(left)
    return exp.cast(chosen, kind) if is_date and dialect != "sqlite" else chosen, len(left)


_Way = tuple[Any, Callable[[str], Outcome]]


def _ways(reading: Reading, own: Any, dialect: str) -> list[_Way]:
    """The ways a dialect has to read a column."""
    if reading.kind == "number":
        return [(own.copy(), _number)] if reading.column.kind == "number" else []
    if reading.kind == "time" and dialect in ("duckdb", "postgres"):
        seconds = exp.Extract(this=exp.var("EPOCH"), expression=own.copy())
        return [(seconds, _day_seconds)]
    if reading.kind != "text":
        return []
    if reading.column.kind == "date":
        return _date_ways(reading, own, dialect)
    texts = list(reading.stated)
    fitting = [one for one in NUMBERS if reading.column.unit == "year" or not one.of_years]
    ways = ((one.sql(own.copy(), dialect, texts), one.read) for one in fitting)
    return [(expression, read) for expression, read in ways if expression is not None]


def _date_ways(reading: Reading, own: Any, dialect: str) -> list[_Way]:
    """The forms of dates that read nothing wrongly, most used first, all together."""
    if reading.has_time:
        return []
    used: list[tuple[int, str]] = []
    for form in FORMS:
        found = [(read_form(text, form), value) for text, value in reading.stated.items()]
        read = [(own, value) for own, value in found if own is not None]
        if read and all(_same(own, value) for own, value in read):
            used.append((-len(read), form))
    forms: list[str] = []
    for _, form in sorted(used, key=lambda one: one[0]):
        left = [text for text in reading.stated if _first_of(text, forms) is None]
        if any(read_form(text, form) is not None for text in left):
            forms.append(form)
    forms = forms[:4]
    expression = dates_in_forms(own.copy(), forms, dialect) if forms else None
    if expression is None:
        return []
    return [(expression, lambda text: _first_of(text, forms))]


def _first_of(text: str, forms: Sequence[str]) -> Outcome:
    return next((v for form in forms if (v := read_form(text, form)) is not None), None)


def _number(text: str) -> Outcome:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else np.inf


def _day_seconds(text: str) -> Outcome:
    hours, minutes, *seconds = text.split(":")
    return 3600.0 * int(hours) + 60 * int(minutes) + (float(seconds[0]) if seconds else 0.0)


def _same(read: Outcome, stated: Outcome) -> bool:
    if read is None or stated is None:
        return read is stated
    return abs(read - stated) <= 1e-12 * abs(stated)


ValueName = Literal["number", "year", "seconds", "date"]


def value_name(column: Column) -> ValueName:
    """Return what the values of a cleaned column are called, behind the column's name."""
    if column.kind == "date":
        return "date"
    return "year" if column.unit == "year" else "seconds" if column.unit == "time" else "number"
