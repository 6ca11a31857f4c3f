"""Cell values, numbers and dates as questions write them, so that they can be read back.

A number or date is only ever written in a form from which `constants_in` finds it again.
"""

from __future__ import annotations

import calendar
import re
from random import Random
from typing import Final

from denota.programs.constants import CARDINALS, ORDINALS
from denota.programs.tree import Date
from denota.tables.cell_text import is_missing, normalise
from denota.tables.numbers import read_number
from denota.tokens import content


def say_value(text: str) -> str:
    """Return a cell's text as spoken, None if it is too long, missing or has no content word.

    >>> say_value("Oslo[a]"), say_value("n/a"), say_value("this and that")
    ('Oslo', '', '')
    """
    if len(text) > _LONGEST or not text.isprintable():
        return ""
    said = " ".join(normalise(text).split())
    if is_missing(said) or '"' in said or "{" in said:
        return ""
    return said if content(said) & content(text) else ""


def shorten(said: str) -> str:
    """Return a value without the remark in brackets behind it, or nothing where it has none.

    >>> shorten("Lindqvist (captain)"), shorten("Lindqvist")
    ('Lindqvist', '')
    """
    short = _REMARK.sub("", said).strip()
    return short if short != said and content(short) else ""


def surname(said: str) -> str:
    """Return the last word of a person's name of two or three words, else nothing.

    >>> surname("Ada van Hoek"), surname("Ada")
    ('Hoek', '')
    """
    words = said.split()
    named = 2 <= len(words) <= 3 and all(word[:1].isalpha() for word in words)
    return (
        words[-1]
        if named and len(words[-1]) > 2 and words[-1].isalpha() and content(words[-1])
        else ""
    )


def write_number(
    value: float, unit: str, rng: Random, commas: bool = True, loose: float = 0.0
) -> str:
    """Write a number so that it reads back as itself, or return nothing where it cannot be.

    >>> write_number(1200000.0, "$", Random(3)), write_number(8101.0, "time", Random(0))
    ('$1.2 million', '2:15:01')
    >>> write_number(1998.0, "", Random(0), False)
    '1998'
    """
    if not 0 <= value < 1e13:
        return ""
    if unit == "time" and value >= 60:
        return _clock(value, rng)
    sign = unit if unit in ("$", "€", "£") else ""
    if loose and rng.random() < loose:
        if sign and value >= 10_000 and value % 1_000 == 0 and value < 1e6 and rng.random() < 0.4:
            return f"{sign}{value / 1000:.0f}k"
        word = _MONEY.get(sign, "")
        if word and value == int(value) and rng.random() < 0.3:
            return f"{int(value)} {word}"
        sign = sign if rng.random() < 0.6 else ""
    mark = "%" if unit == "%" and rng.random() < 0.7 else ""
    if value >= 1e6 and rng.random() < 0.5:
        for scale, word in ((1e9, "billion"), (1e6, "million")):
            short = f"{value / scale:.10g}"
            if value >= scale and len(short) <= 6 and float(short) * scale == value:
                return f"{sign}{short} {word}"
    if value != int(value):
        written = f"{value:.2f}" if sign else f"{value:.10g}"
        exact = float(written) == value and "e" not in written and len(written) <= 10
        return f"{sign}{written}{mark}" if exact else ""
    commas = value >= 10_000 or (value >= 1_000 and commas and rng.random() < 0.5)
    return f"{sign}{int(value):,}{mark}" if commas else f"{sign}{int(value)}{mark}"


def write_count(value: int, rng: Random, words: bool) -> str:
    """Write a small number in digits or, if allowed, as a word."""
    return (
        CARDINALS[value]
        if words and value <= _LARGEST_IN_WORDS and rng.random() < 0.6
        else str(value)
    )


def write_ordinal(value: int, rng: Random, words: bool) -> str:
    """Write `second` or `2nd`."""
    return (
        ORDINALS[value - 1]
        if words and rng.random() < 0.9
        else f"{value}{_SUFFIXES.get(value, 'th')}"
    )


def write_date(date: Date, rng: Random, loose: float = 0.0) -> str:
    """Write a date in one of the usual ways.

    >>> write_date(Date(1893, 5, 17), Random(0)), write_date(Date(0, 5), Random(0))
    ('17 May 1893', 'May')
    """
    month = calendar.month_name[date.month] if date.month else ""
    if not month:
        return str(date.year)
    if loose and rng.random() < loose:
        return _by_hand(date, month, rng)
    if not date.day:
        return f"{month} {date.year}" if date.year else month
    year = f", {date.year}" if date.year else ""
    if rng.random() < 0.5:
        return f"{month} {date.day}{year}"
    return f"{date.day} {month}{year.replace(',', '')}"


def _by_hand(date: Date, month: str, rng: Random) -> str:
    """Write `3rd of May 2019`, `May 3rd`, `Mar 2019` or `2019-05-03`."""
    year = f" {date.year}" if date.year else ""
    if not date.day:
        short = month[:3] if date.month != 3 or date.year else month
        return f"{short if rng.random() < 0.5 else month}{year}"
    suffix = "th" if 10 < date.day < 20 else _SUFFIXES.get(date.day % 10, "th")
    day = f"{date.day}{'st' if date.day in (1, 21, 31) else suffix}"
    forms = [f"{day} of {month}{year}", f"{month} {day}{year}", f"{date.day} {month[:3]}{year}"]
    if date.year:
        forms.append(f"{date.year}-{date.month:02d}-{date.day:02d}")
    return rng.choice(forms)


def write_decade(start: int, rng: Random) -> str:
    """Write `1990s`, or `90s` in the last century."""
    return f"{start % 100}s" if 1910 <= start <= 1990 and rng.random() < 0.25 else f"{start}s"


def _clock(value: float, rng: Random) -> str:
    whole = int(value)
    hours, minutes, seconds = whole // 3600, whole // 60 % 60, whole % 60
    if value == whole and whole and whole % 3600 == 0 and rng.random() < 0.5:
        return f"{hours} hour{'s' * (hours > 1)}"
    if value == whole and whole and whole % 60 == 0 and rng.random() < 0.5:
        return f"{whole // 60} minute{'s' * (whole > 60)}"
    part = f"{value - whole:.3f}".rstrip("0").rstrip(".")[1:]
    written = (
        f"{hours}:{minutes:02d}:{seconds:02d}{part}" if hours else f"{minutes}:{seconds:02d}{part}"
    )
    reading = read_number(written)
    return written if reading is not None and reading.value == value else ""


_LONGEST: Final = 48
_REMARK: Final = re.compile(r"(?<!\s)\s*\([^()]*\)$")
_LARGEST_IN_WORDS: Final = 10
_MONEY: Final = {"$": "dollars", "€": "euros", "£": "pounds"}
_SUFFIXES: Final = {2: "nd", 3: "rd"}
