"""A column: its cells' text, and what the column as a whole says they are.

The type is decided by the column, never cell by cell: a name that contains a digit stays a name.
All work is done once for each distinct text and spread over the rows by an integer array, so a
column of 300,000 rows costs what its distinct values cost. Views are made when first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from denota.tables.cell_text import missing_among, normalise
from denota.tables.column_names import are_codes, says_years
from denota.tables.dates import DateReading, Dates, is_bare_year, read_date, settle
from denota.tables.number_columns import agree, shared_units
from denota.tables.numbers import LONGEST_NUMBER, NumberReading, decimal_mark, read_number

Kind = Literal["text", "number", "date"]
_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True)
class Column:
    """An immutable column of texts with number and date views.

    >>> Column("Year", ("1993-94", "1994-95", "n/a")).kind
    'number'
    """

    name: str
    text: tuple[str, ...]  #: (rows,) as in the source
    decimal: str = field(default=".", compare=False, repr=False)
    """The decimal mark where the column does not tell it: `1.234` is a thousand where it is `,`."""
    as_text: bool = field(default=False, repr=False)
    """Whether someone said that it is text, whatever stands in it."""

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.text)

    def __repr__(self) -> str:
        """Show the name, the type and the first cells."""
        cells = ", ".join(map(repr, self.text[:3])) + (", ..." if len(self) > 3 else "")
        return f"Column({self.name!r}, {self.kind}, [{cells}])"

    @property
    def kind(self) -> Kind:
        """`text`, `number` or `date`."""
        return self.reading.kind

    @property
    def unit(self) -> str:
        """The unit of a number column: `year`, `%`, a currency sign, `time` (seconds), a word."""
        return self.reading.unit

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The distinct texts in order of first occurrence."""
        return self._factors[0]

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """(rows,) index of each cell's text in `values`."""
        return self._factors[1]

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """(rows,) True where the cell is empty or a mark for a missing value (`-`, `n/a`)."""
        return self._spread(~np.array(self._present, dtype=bool))

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """(rows,) the number each cell states, NaN where it states none.

        All NaN unless the column is one of numbers.
        """
        readings = self.reading.numbers
        if not readings:
            return _frozen(np.full(len(self), np.nan))
        # adding 0 makes minus zero zero, which sorts and groups alike everywhere
        return self._spread(np.array([np.nan if r is None else r.value for r in readings]) + 0.0)

    @cached_property
    def dates(self) -> Dates:
        """The date each cell states; none unless the column is one of dates or of years."""
        readings = self.reading.dates
        if not readings:
            return _no_dates(len(self))
        parts = np.array([(0, 0, 0, 0.0) if r is None else r[:4] for r in readings]).reshape(-1, 4)
        return Dates(
            self._spread(parts[:, 0].astype(np.int16)),
            self._spread(parts[:, 1].astype(np.int8)),
            self._spread(parts[:, 2].astype(np.int8)),
            self._spread(parts[:, 3]),
        )

    @cached_property
    def unread(self) -> NDArray[np.bool_]:
        """(rows,) True where a cell of a number or date column could not be read."""
        if self.kind == "text":
            return _frozen(np.zeros(len(self), dtype=bool))
        known = np.isfinite(self.numbers) if self.kind == "number" else self.dates.known
        return _frozen(~known & ~self.missing)

    @cached_property
    def _factors(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        index: dict[str, int] = {}
        codes = np.fromiter(
            (index.setdefault(text, len(index)) for text in self.text), np.int32, len(self.text)
        )
        return tuple(index), _frozen(codes)

    @cached_property
    def _normalised(self) -> list[str]:
        return [normalise(text) for text in self.values]

    @cached_property
    def _present(self) -> list[bool]:
        return [not gone for gone in missing_among(self._normalised)]

    @cached_property
    def reading(self) -> ColumnReading:
        """The reading of the column's distinct texts."""
        if self.as_text:
            return ColumnReading("text")
        counts = np.bincount(self.codes, minlength=len(self.values))
        return _read(self.name, self._normalised, self._present, counts.tolist(), self.decimal)

    def _spread(self, by_value: NDArray[_T]) -> NDArray[_T]:
        return _frozen(by_value[self.codes])


@dataclass(frozen=True)
class ColumnReading:
    """The kind of a column, and its distinct texts read as numbers or dates; empty for others."""

    kind: Kind
    unit: str = ""
    numbers: Sequence[NumberReading | None] = ()
    dates: Sequence[DateReading | None] = ()


def _read(
    name: str,
    texts: Sequence[str],
    present: Sequence[bool],
    counts: Sequence[int],
    decimal: str,
) -> ColumnReading:
    """Decide what a column is from its distinct normalised texts."""
    cells = sum(compress(counts, present))
    speaking = [
        here and _SPEAKS.search(text) is not None for text, here in zip(texts, present, strict=True)
    ]

    def share(readings: Sequence[object | None]) -> float:
        return sum(c for c, r in zip(counts, readings, strict=True) if r is not None) / cells

    if not any(speaking):
        return ColumnReading("text")
    heard = list(compress(texts, speaking))
    all_heard = len(heard) == sum(present)
    if 2 * len(heard) >= sum(present) and are_codes(name, heard):
        return ColumnReading("text")
    digits_only = all_heard and "".join(heard).isdecimal()
    short = len(max(heard, key=len)) <= LONGEST_NUMBER
    if digits_only and short and not all(map(is_bare_year, heard)):
        return ColumnReading(
            "number", numbers=[read_number(t) for t in texts]
        )  # the commonest, in short
    dates = settle(
        [read_date(t) if speaks else None for t, speaks in zip(texts, speaking, strict=True)]
    )
    if any(dates):
        full = share([r if r is not None and r.form == "date" else None for r in dates])
        if share(dates) >= _SHARE and full >= share(dates) / 10:
            return ColumnReading("date", dates=dates)

    mark = decimal_mark(heard, decimal)
    stated = [
        read_number(t, mark) if speaks else None for t, speaks in zip(texts, speaking, strict=True)
    ]
    numbers, unit = agree(stated, counts)
    if _is_years(name, dates, numbers):
        years = [r._replace(month=0, day=0) if r and r.year else None for r in dates]
        numbers = [NumberReading(float(r.year)) if r else None for r in years]
        if share(numbers) >= _SHARE or _is_codes(share(numbers), numbers, present):
            return ColumnReading("number", "year", numbers, years)
    shared = shared_units(stated)
    bearing = [
        n or (s if s is not None and s.unit in shared else None)
        for n, s in zip(numbers, stated, strict=True)
    ]
    of_numbers = share(bearing) >= _SHARE and share(numbers) >= _SHARE / 2
    if of_numbers or _is_codes(share(numbers), numbers, present):
        return ColumnReading("number", unit, numbers)
    return ColumnReading("text")


def _is_years(
    name: str, dates: Sequence[DateReading | None], numbers: Sequence[NumberReading | None]
) -> bool:
    """Say whether a column's numbers are years: all can be, and the name says so or all are new."""
    values = [r.year for r in dates if r is not None and r.form == "year"]
    if not values or any(
        n is not None and (d is None or d.form != "year")
        for n, d in zip(numbers, dates, strict=True)
    ):
        return False
    if says_years(name):
        return True
    return len(values) >= 3 and min(values) >= 1850 and max(values) <= 2035


def _is_codes(
    share: float, readings: Sequence[NumberReading | None], present: Sequence[bool]
) -> bool:
    """Say whether the texts beside the numbers are a few codes (`DNF`, `Ret`)."""
    codes = sum(here and r is None for r, here in zip(readings, present, strict=True))
    return share >= 0.2 and codes <= min(6, sum(present) // 2)


def _no_dates(rows: int) -> Dates:
    parts = _frozen(np.zeros(rows, np.int8))
    return Dates(_frozen(np.zeros(rows, np.int16)), parts, parts, _frozen(np.zeros(rows)))


def _frozen(array: NDArray[_T]) -> NDArray[_T]:
    array.flags.writeable = False
    return array


_SHARE: Final = 0.5
"""The share of non-missing cells that must read as numbers or dates for the column to be one."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_SPEAKS: Final = re.compile(rf"\d|^e(?:ven)?$|^(?:{'|'.join(_MONTHS)})", re.IGNORECASE)
