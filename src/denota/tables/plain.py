"""Tables whose numbers are read as plainly as can be, to learn what reading them well is worth."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import Final

from denota.kept import Kept
from denota.tables.column import Column, ColumnReading
from denota.tables.numbers import NumberReading
from denota.tables.table import Table

_PLAIN: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")


class PlainColumn(Column):
    """A column where a number is digits, commas between thousands, and a decimal point.

    No units, money, ranges, times or dates are read.

    >>> PlainColumn("Won", ("1,200", "7.5", "$3", "12-14", "")).numbers.tolist()
    [1200.0, 7.5, nan, nan, nan]
    """

    @cached_property
    def reading(self) -> ColumnReading:
        """Numbers, if half of the cells that are there are such."""
        if self.as_text:
            return ColumnReading("text")
        found = [_PLAIN.fullmatch(text) for text in self._normalised]
        numbers = [NumberReading(float(f[0].replace(",", ""))) if f else None for f in found]
        there = [numbers[code] for code in self.codes if self._present[code]]
        read = sum(number is not None for number in there)
        return (
            ColumnReading("number", numbers=numbers)
            if 0 < len(there) <= 2 * read
            else ColumnReading("text")
        )


def table_read_as(table: Table, numbers: str) -> Table:
    """Return a table with its numbers read `full`, as they are, or `plain`: bare ones alone."""
    return table if numbers == "full" else read_plainly(table)


def read_plainly(table: Table) -> Table:
    """Return a table with plain columns, the same one as long as the table lives."""
    if all(isinstance(column, PlainColumn) for column in table.columns):
        return table
    found = _PLAIN_TABLES.get(table)
    if found is None:
        columns = tuple(PlainColumn(c.name, c.text, as_text=c.as_text) for c in table.columns)
        found = _PLAIN_TABLES.put(table, None, replace(table, columns=columns))
    return found


_PLAIN_TABLES: Final = Kept[Table](1 << 20)
