"""Numbers, dates and words of a question: a program's only constants besides cell values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from denota.programs.tree import Date, Number, Word
from denota.tables.cell_text import normalise
from denota.tables.dates import read_date, settle
from denota.tables.numbers import read_number
from denota.tokens import content, tokenise

_Item = TypeVar("_Item", Number, Date)


@dataclass(frozen=True)
class Constants:
    """The constants that a question offers."""

    text: str
    """The question's tokens, each between spaces: what phrases are looked up in."""
    tokens: frozenset[str]
    content: frozenset[str]
    numbers: tuple[Number, ...]
    """Written in digits."""
    number_words: tuple[Number, ...]
    """Written in words, ordinals too: `two`, `second`."""
    dates: tuple[Date, ...]
    decades: tuple[Number, ...]
    """The first years of decades: 1990 for `the 90s`."""
    words: tuple[Word, ...]
    """Content words, for looking inside cells."""


@lru_cache(maxsize=1 << 15)
def constants_in(question: str) -> Constants:
    """Find the constants of a question.

    >>> found = constants_in("which two ships left after May 17, 1893 with over 1,500 crew?")
    >>> [n.value for n in found.numbers], [n.value for n in found.number_words]
    ([17.0, 1893.0, 1500.0], [2.0])
    >>> [(d.year, d.month, d.day) for d in found.dates]
    [(1893, 5, 17), (1893, 0, 0), (0, 5, 0)]
    """
    text = normalise(question.lower())
    tokens = tokenise(question)
    about = content(question)
    return Constants(
        f" {' '.join(tokens)} ",
        frozenset(tokens),
        about,
        _numbers(text),
        _distinct(Number(float(_WORDS[t]), t) for t in tokens if t in _WORDS),
        _dates(text),
        _distinct(Number(_decade(m[0]), m[0]) for m in _DECADE.finditer(text)),
        tuple(Word(token) for token in dict.fromkeys(tokens) if token in about),
    )


def _numbers(text: str) -> tuple[Number, ...]:
    found = []
    for match in _NUMBER.finditer(text):
        reading = read_number(match[0].strip().rstrip(".,:"))
        if reading is not None:
            found.append(Number(reading.value, match[0].strip()))
            unit = _TIME.match(text, match.end())
            if unit:  # times are in seconds
                found.append(Number(reading.value * _SECONDS[unit[1][0]], f"{match[0]}{unit[0]}"))
    return _distinct(found)


def _dates(text: str) -> tuple[Date, ...]:
    found = []
    for match in _DATE.finditer(text):
        reading = settle([read_date(match[0].strip(" ,"))])[0]
        if reading is not None and reading.form != "year":
            found.append(Date(reading.year, reading.month, reading.day, match[0].strip()))
    for match in _YEAR.finditer(text):
        found.append(Date(int(match[0]), written=match[0]))
    for match in _MONTH.finditer(text):
        name = match[1] or match[2]
        reading = read_date(name)
        if reading is not None:
            found.append(Date(0, reading.month, 0, name))
    return _distinct(found)


def _decade(text: str) -> float:
    year = int(text.rstrip("s'"))
    return float(year if year >= 100 else 1900 + year)


def _distinct(items: Iterable[_Item]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys(items))


_NUMBER: Final = re.compile(
    r"(?<![\w.])-?[$€£#]?\d[\d,]*(?::\d\d)*(?:\.\d+)?(?:st|nd|rd|th|%|k|m|bn|(?:\s(?:thousand|million|billion)))?(?!\w)"
)
_NAMES = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATE: Final = re.compile(
    rf"\b(?:{_NAMES})\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?(?!\w)|\b(?:{_NAMES})\.?,?\s\d{{4}}(?!\w)"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?(?:{_NAMES})(?:,?\s\d{{4}})?(?!\w)|\b\d{{4}}-\d\d-\d\d(?!\d)|\b\d{{1,2}}/\d{{1,2}}/\d{{4}}(?!\d)"
    rf"|\b\d{{4}}/\d{{1,2}}/\d{{1,2}}(?![\d/])|(?<![\d.])\d{{1,2}}\.\d{{1,2}}\.\d{{4}}(?![\d.])|(?<![\d/])\d{{1,2}}/\d{{1,2}}/\d{{2}}(?![\d/])"
    rf"|(?<![\d/])\d{{1,2}}/(?:19|20)\d\d(?![\d/])|\b\d{{1,2}}-(?:{_NAMES})-(?:\d{{4}}|\d{{2}})(?!\w)|\b(?:{_NAMES})-(?:\d{{4}}|\d{{2}})(?!\w)"
)
_TIME: Final = re.compile(r"\s(hours?|minutes?|mins?|hrs?)\b")
_SECONDS: Final = {"h": 3600, "m": 60}
_DECADE: Final = re.compile(r"(?<!\d)(?:1[5-9]|20)?\d0'?s\b")
_YEAR: Final = re.compile(r"(?<![\d.,])(?:1\d|20|21)\d\d(?![\d,.]\d|\d|%)")
_MONTH: Final = re.compile(
    rf"\b(?:in|of|during|since|after|before|by|until|from|this|last|for|the|than|to)\s({_NAMES})\b|\b((?!may\b|mar\b)(?:{_NAMES}))\b"
)
CARDINALS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
).split()
"""From 0 on."""
ORDINALS: Final = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
"""From 1 on."""
_WORDS: Final = {
    **{word: value for value, word in enumerate(CARDINALS)},
    **{word: value for value, word in enumerate(ORDINALS, start=1)},
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "once": 1,
    "twice": 2,
    "dozen": 12,
    "single": 1,
}
