"""Columns whose texts state numbers or dates that SQL must first read: `$1.2 million`, `23[a]`.

The reading is one expression a column, written once, in a query on top of all others.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlglot import exp

from denota.programs.sql.date_forms import FORMS, dates_in_forms, read_form
from denota.programs.sql.literals import moment_literal, number_literal
from denota.programs.sql.readings import Outcome, Reading, plain_number, same_value
from denota.programs.sql.recipes import NUMBERS, PLAIN

MOST_WRITTEN: Final = 50
"""The most texts whose values are written out one by one."""
MOST_WRITTEN_PLAINLY: Final = 300
"""The same for a dialect that has no other way."""
MOST_TRIED: Final = 2_000
"""The texts by which a way to read a column is chosen."""


def cleaned(reading: Reading, own: Any, literal: Callable[[str], Any], dialect: str) -> Any:
    """Return the expression that reads a column.

    Texts beyond the most that are written out are read by the nearest way there is.

    Args:
        reading: the column and what it states.
        own: the column in SQL.
        literal: makes the literal of a text, as the engine has that column.
        dialect: whose functions may be used.
    """
    is_date = reading.column.kind == "date"
    value_literal = moment_literal if is_date else _short_number
    stated = reading.stated
    otherwise, wrong = _best_way(_ways(reading, own, dialect), stated)
    if not wrong and otherwise is not None:
        return otherwise
    most = MOST_WRITTEN_PLAINLY if dialect in PLAIN else MOST_WRITTEN
    written = wrong[:most]
    kind = "timestamp" if reading.has_time else "date"
    chosen = exp.Case(this=own.copy())
    for text in written:
        value = stated[text]
        result = exp.null() if value is None else value_literal(value)
        if is_date and otherwise is not None and value is not None:
            result = exp.cast(result, kind)
        chosen = chosen.when(literal(text), result, copy=False)
    if otherwise is not None:
        return chosen.else_(otherwise, copy=False)
    if not written:
        return exp.null()
    return exp.cast(chosen, kind) if is_date and dialect != "sqlite" else chosen


def _short_number(value: float) -> Any:
    """A number without the last bits of a product: 2.05 million is 2050000."""
    return number_literal(float(f"{value:.15g}"))


_Way = tuple[Any, Callable[[str], Outcome]]


def _best_way(ways: Sequence[_Way], stated: dict[str, Outcome]) -> tuple[Any, list[str]]:
    """The way that reads the fewest texts otherwise than denota, None for no way, and those texts.

    Of many texts the first decide, for every way takes its time.
    """
    first = dict(itertools.islice(stated.items(), MOST_TRIED))
    tried: list[tuple[int, _Way]] = []
    for way in ways:
        tried.append((len(_read_otherwise(way, first)), way))
        if not tried[-1][0]:
            break
    everything = [text for text, value in stated.items() if value is not None]
    if tried:
        count, way = min(tried, key=lambda one: one[0])
        if count <= sum(value is not None for value in first.values()):
            return way[0], _read_otherwise(way, stated)
    return None, everything


def _read_otherwise(way: _Way, stated: dict[str, Outcome]) -> list[str]:
    return [text for text, value in stated.items() if not same_value(way[1](text), value)]


def _ways(reading: Reading, own: Any, dialect: str) -> list[_Way]:
    """The ways a dialect has to read a column."""
    if reading.kind == "number":
        return [(own.copy(), plain_number)] if reading.column.kind == "number" else []
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
        if read and all(same_value(own, value) for own, value in read):
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


def _day_seconds(text: str) -> Outcome:
    hours, minutes, *seconds = text.split(":")
    return 3600.0 * int(hours) + 60 * int(minutes) + (float(seconds[0]) if seconds else 0.0)
