"""The number, date or text that a value states in a column, which `=` compares."""

from __future__ import annotations

from typing import Literal

import numpy as np

from denota.tables.cell_text import normalise
from denota.tables.column import Column
from denota.tables.dates import read_date
from denota.tables.numbers import read_number

Stated = tuple[Literal["number", "date", "text"], float | str]


def stated(column: Column, row: int) -> Stated:
    """Return what a cell states: a number, a date in days, or else its text."""
    if column.kind == "number" and not np.isnan(column.numbers[row]):
        return "number", float(column.numbers[row])
    if column.kind == "date" and column.dates.known[row]:
        return "date", float(column.dates.order[row])
    return "text", column.text[row]


def stated_by(column: Column, text: str) -> Stated:
    """Return what a value written as text states in a column, even if no cell has that text."""
    try:
        return stated(column, column.text.index(text))
    except ValueError:
        pass
    if column.kind == "number":
        number = read_number(normalise(text))
        if number is not None and number.form == "plain":
            return "number", number.value
    if column.kind == "date":
        date = read_date(normalise(text))
        if date is not None and date.form in ("date", "year"):
            one = Column("", (text,))
            if one.dates.known[0]:
                return "date", float(one.dates.order[0])
    return "text", text
