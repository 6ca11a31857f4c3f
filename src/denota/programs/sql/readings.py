"""What the texts of a table's columns state, beside what its engine takes the columns to be."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from denota.programs.sql.kinds import kinds_of
from denota.tables.column import Column
from denota.tables.stored import StoredKind
from denota.tables.table import Table

Outcome = float | None
"""The number or the days of a date that a text states, None if it states none."""


def readings_of(table: Table) -> dict[str, Reading]:
    """Return the reading of each column, made at the first call and kept while the table lives."""
    key = id(table)
    entry = _READINGS.get(key)
    if entry is None or entry[0]() is not table:
        kept = _READINGS  # bound here, for it may be gone when the interpreter ends
        pairs = zip(table.columns, kinds_of(table), strict=True)
        readings = {column.name: Reading(column, kind) for column, kind in pairs}
        entry = kept[key] = (weakref.ref(table, lambda _: kept.pop(key, None)), readings)
    return entry[1]


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
        return all(value == plain_number(text) for text, value in self.stated.items())

    @cached_property
    def cleaned(self) -> dict[str, Any]:
        """Dialect -> the expression that reads it, once that was found."""
        return {}

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


def plain_number(text: str) -> Outcome:
    """Return the number that a text is, infinity for one that is too large."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else np.inf


def same_value(read: Outcome, stated: Outcome) -> bool:
    """Say whether a text was read as it is meant."""
    if read is None or stated is None:
        return read is stated
    return abs(read - stated) <= 1e-12 * abs(stated)


ValueName = Literal["number", "year", "seconds", "date"]


def value_name(column: Column) -> ValueName:
    """Return what the values of a cleaned column are called, behind the column's name."""
    if column.kind == "date":
        return "date"
    return "year" if column.unit == "year" else "seconds" if column.unit == "time" else "number"


_READINGS: dict[int, tuple[weakref.ref[Table], dict[str, Reading]]] = {}
