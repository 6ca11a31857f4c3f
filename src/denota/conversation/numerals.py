"""Numbers as people read them: in the style of the column that they come from."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from denota.tables.cell_text import normalise
from denota.tables.column import Column
from denota.tables.numbers import MONEY_UNITS, SCALE_WORDS, decimal_mark

LOOKED_AT: Final = 200
"""Cells of a column whose writing is looked at."""
MOST_DECIMALS: Final = 4


@dataclass(frozen=True)
class Style:
    """How a column writes its numbers."""

    before: str = ""
    """What stands before a number: a currency sign."""
    after: str = ""
    """What stands behind it: a unit."""
    decimals: int = 2
    padded: bool = False
    """Whether zeros fill up the decimals, as in prices."""
    mark: str = "."
    """The decimal mark."""
    form: Literal["number", "year", "time"] = "number"

    @property
    def unit(self) -> str:
        """The unit alone."""
        return "time" if self.form == "time" else self.before.strip() or self.after.strip()


PLAIN: Final = Style(decimals=0)
"""Counts."""


def style_of(column: Column) -> Style:
    """Return how a column writes its numbers.

    >>> prices = Column("Price", ("$1,200.50", "$7.25", "$12.00"))
    >>> numeral(8180.5, style_of(prices)), numeral(1907, style_of(Column("Year", ("1891", "1907"))))
    ('$8,180.50', '1907')
    """
    if column.unit == "year":
        return Style(decimals=0, form="year")
    texts = [normalise(text) for text in column.values[:LOOKED_AT]]
    mark = decimal_mark(texts, column.decimal)
    written = [found for text in texts if (found := _WRITTEN.match(text))]
    if column.unit == "time":
        fractions = [len(text.partition(".")[2]) for text in texts if ":" in text]
        return Style(decimals=min(max(fractions, default=0), 3), form="time")
    befores, afters, decimals = Counter[str](), Counter[str](), []
    for found in written:
        after, scaled = _without_scale(found["after"], column.unit in MONEY_UNITS)
        befores[found["before"]] += 1
        afters[after] += 1
        decimals.append(None if scaled else _decimals(found["number"], mark))
    shown = [count for count in decimals if count is not None]
    most = max(shown, default=0) if len(shown) == len(decimals) else 2
    money = column.unit in MONEY_UNITS
    before = befores.most_common(1)[0][0] if befores else ""
    after = afters.most_common(1)[0][0] if afters else ""
    return Style(
        before if money and before.strip() else "",
        after if column.unit and len(after) <= _LONGEST_UNIT else "",
        min(most, MOST_DECIMALS),
        padded=0 < most <= 2 and (set(decimals) == {most} or (money and _mostly(most, shown))),
        mark=mark,
    )


def _mostly(decimals: int, shown: list[int]) -> bool:
    """Whether most of a column's numbers have so many decimals."""
    return 2 * shown.count(decimals) > len(shown)


def numeral(value: float, style: Style = PLAIN, average: bool = False) -> str:
    """Return a number as people read it, with thousands apart; an average with one decimal more.

    >>> numeral(50.4567, PLAIN, average=True), numeral(1234567), numeral(0.00123, PLAIN)
    ('50.5', '1,234,567', '0.00123')
    """
    if not math.isfinite(value):
        return "none"
    if style.form == "time":
        return _clock(value, style.decimals)
    decimals = style.decimals + (average and style.decimals < 2)
    if abs(value) >= 1e15 or (value and round(value, decimals) == 0):
        text = f"{value:.3g}"
    else:
        text = f"{value:.{decimals}f}" if style.form == "year" else f"{value:,.{decimals}f}"
        if "." in text and not style.padded:
            text = text.rstrip("0").rstrip(".")
    if style.mark == ",":
        text = text.translate(_SWAP)
    sign = "-" if text.startswith("-") else ""
    return f"{sign}{style.before}{text.removeprefix('-')}{style.after}"


def amount(value: float, unit: str) -> str:
    """Return a number with its unit, where nothing is known of its column.

    >>> amount(1234.5, "$"), amount(12, "km"), amount(12.5, "%"), amount(90, "time")
    ('$1,234.5', '12 km', '12.5%', '1:30')
    """
    if unit == "time":
        return _clock(value, 0)
    if unit in MONEY_UNITS and not unit.isalpha():
        return numeral(value, Style(unit))
    return numeral(value, Style(after=unit if unit in ("%", "") else f" {unit}"))


def _without_scale(after: str, money: bool) -> tuple[str, bool]:
    """What stands behind a number without `million` and remarks, and whether there was such."""
    unit = after.partition("(")[0].rstrip()
    words = unit.split()
    scale = words[0].lower() if words else ""
    if scale in SCALE_WORDS or (money and scale in _SHORT_SCALES):
        rest = " ".join(words[1:])
        return (f" {rest}" if rest else ""), True
    return unit, False


def _decimals(number: str, mark: str) -> int:
    return len(number.rpartition(mark)[2]) if mark in number else 0


def _clock(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return "none"
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    sign, value = "-" if value < 0 else "", round(abs(value), decimals)
    minutes, seconds = divmod(value, 60)
    hours, minutes = divmod(int(minutes), 60)
    shown = f"{seconds:0{3 + decimals if decimals else 2}.{decimals}f}"
    return f"{sign}{hours}:{minutes:02}:{shown}" if hours else f"{sign}{minutes}:{shown}"


_LONGEST_UNIT: Final = 16
_SHORT_SCALES: Final = frozenset(("k", "bn", "mn", "tn", "m", "b"))
_SWAP: Final = str.maketrans(".,", ",.")
_WRITTEN: Final = re.compile(
    r"(?P<before>[^\d.,+-]{0,8}?)[+-]?(?P<number>\d(?:[\d,.' ]*\d)?|\.\d+)(?P<after>.*)$"
)
