"""Answers: cells of the table, or values that need not stand in it, and when two are the same.

Values are compared by the rule of WikiTableQuestions (WTQ, Pasupat and Liang 2015): texts are
folded (accents, kinds of quotes and dashes, a citation or a bracketed part at the end, case), a
text that reads as a number matches an equal number, one that reads as a date an equal date. The
official rule compares two values at a time. Here each value has a key, and two match where their
keys are equal, so that a whole table can be matched at once. What is ours:

- The official gold numbers and dates come with the release as canonical values. Here both sides
  are read from their text, the gold side conservatively: `1,234`, `$5`, `5%` and `54 years` are
  numbers, `3rd`, `1:23`, `1993-94` and `5 Kings` are texts.
- Numbers are equal if they are equal to six decimals; officially they are if they differ by less
  than 1e-6, which is no equivalence.
- Officially a prediction is read as a number only if it is a bare one, so that `$5` does not match
  a gold `5`; here it does.
- An officially empty date (`xxxx-xx-xx`) is a text; a date of which only the year is known is a
  number on both sides.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from denota.tables.dates import read_date
from denota.tables.table import Cell, Table

Item = str | float | bool
"""A text, a number, or yes or no."""


@dataclass(frozen=True, slots=True)
class Cells:
    """An answer that is cells of the table."""

    cells: frozenset[Cell]


@dataclass(frozen=True, slots=True)
class Values:
    """An answer of values, from the table or computed; no items mean that there is none."""

    items: tuple[Item, ...]
    repeats: bool = False
    """Items count as often as they are listed (WikiSQL); else they are a set (WTQ)."""


Answer = Cells | Values


def is_right(predicted: Sequence[Item], gold: Values) -> bool:
    """Say whether items are the gold answer: the same set of values, or with the same repeats.

    >>> is_right(["12,467"], Values((12467.0,))), is_right(["Oslo", "Moss"], Values(("Oslo",)))
    (True, False)
    >>> is_right(["Oslo", "Oslo"], Values(("Oslo",), repeats=True))
    False
    """
    found, wanted = _counted(predicted, gold.repeats), _counted(gold.items, gold.repeats)
    return found == wanted


def partial(predicted: Sequence[Item], gold: Values) -> float:
    """Return the Jaccard index of the keys of items and gold answer: 1 where they are right.

    >>> partial(["Oslo", "Moss"], Values(("oslo",)))
    0.5
    """
    found, wanted = _counted(predicted, gold.repeats), _counted(gold.items, gold.repeats)
    union = (found | wanted).total()
    return (found & wanted).total() / union if union else 1.0


def keys_of(answer: Values) -> tuple[Hashable, ...]:
    """Return the keys of an answer's items in their order, each once unless it counts repeats.

    >>> keys_of(Values(("Oslo", "5", 5.0)))
    ('oslo', 5.0)
    """
    return tuple(_counted(answer.items, answer.repeats).elements())


def items_of(answer: Answer, table: Table) -> tuple[Item, ...]:
    """Return what an answer says: its values, or the texts of its cells by row, then column."""
    if isinstance(answer, Values):
        return answer.items
    return tuple(table.cell(*cell) for cell in sorted(answer.cells))


def item_key(item: Item) -> Hashable:
    """Return the key of an item: a number, a date `(year, month, day)`, or a folded text.

    Unknown parts of a date are 0.

    Two items match where their keys are equal.

    >>> item_key("1,234"), item_key(1234.0), item_key("Zürich [1]")
    (1234.0, 1234.0, 'zurich')
    >>> item_key("May 5, 1993"), item_key(True)
    ((1993, 5, 5), 'yes')
    """
    if isinstance(item, str):
        return _text_key(item)
    if isinstance(item, bool):
        return "yes" if item else "no"
    return _number_key(item)


def fold(text: str) -> str:
    """Return a text as the official rule of WTQ compares it.

    >>> fold("“Café  Noir” (1984)[2]†"), fold("No."), fold("(a)")
    ('cafe noir', 'no', '(a)')
    """
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in parts if unicodedata.category(c) != "Mn").translate(_PLAIN)
    elif "`" in text:
        text = text.replace("`", "'")
    text = text.strip()
    while text and (shorter := _without_end(text)) != text:
        text = shorter
    return " ".join(text.removesuffix(".").split()).lower()


def _without_end(text: str) -> str:
    """Drop marks, a citation or a bracketed part from a text's end, or the quotes around it."""
    last = text[-1]
    if last in _MARKS:
        return text.rstrip(_MARKS).rstrip()
    if last == "]":
        start = text.find("[", text.rfind("]", 0, -1) + 1)
        if start == 0 and not text[1:-1].isdecimal():  # a text that is all in brackets is kept
            start = text.find("[", 1)
        return text[:start].rstrip() if start >= 0 else text
    if last == ")":
        start = text.find(" (", text.rfind(")", 0, -1) + 1)
        return text[:start].rstrip() if start > 0 else text
    if last == '"' and text[0] == '"' and len(text) > 1 and '"' not in text[1:-1]:
        return text[1:-1].strip()
    return text


@lru_cache(maxsize=1 << 19)  # WikiSQL has 330,978 different cells, WTQ 148,594
def _text_key(text: str) -> Hashable:
    folded = fold(text)
    if not any(map(str.isdigit, folded)):
        return folded
    if (number := _read_number(folded)) is not None:
        return _number_key(number)
    if (amount := _AMOUNT.fullmatch(text.strip())) is not None:
        return _number_key(float(amount["digits"].replace(",", "")))
    if (date := _read_date(folded)) is not None:
        year, month, day = date
        return date if month or day else float(year)
    return folded


def _number_key(number: float) -> Hashable:
    if math.isnan(number):
        return "nan"  # a key equals itself
    return round(float(number), _DECIMALS) + 0.0  # no minus zero


def _read_number(folded: str) -> float | None:
    """Read a bare number, with commas between thousands or not, money or a percentage."""
    found = _NUMBER.fullmatch(folded)
    if found is None:
        return None
    value = float(found["sign"] + found["digits"].replace(",", ""))
    return value if math.isfinite(value) else None


def _read_date(folded: str) -> tuple[int, int, int] | None:
    """Read a whole text as a date: `y-m-d`, `xx` for unknown parts, or with the month's name."""
    found = _YEAR_MONTH_DAY.fullmatch(folded)
    if found is not None:
        year, month, day = (0 if part[0] == "x" else int(part) for part in found.groups())
        return (year, month, day) if month <= 12 and day <= 31 and (year or month or day) else None
    if _NAMED_DATE.fullmatch(folded) is None:
        return None
    reading = read_date(folded)
    return None if reading is None else (reading.year, reading.month, reading.day)


def _counted(items: Iterable[Item], repeats: bool) -> Counter[Hashable]:
    keys = [item_key(item) for item in items]
    return Counter(keys if repeats else list(dict.fromkeys(keys)))


_DECIMALS: Final = 6
_PLAIN: Final = str.maketrans(
    {
        **dict.fromkeys("‘’\u00b4`", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("\u2010\u2011\u2012–—−", "-"),
    }
)
_MARKS: Final = "•♦†‡*#+"
_NUMBER: Final = re.compile(
    r"(?P<sign>[+-]?)(?:[$£€¥] ?)?"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?(?:e[+-]?[0-9]{1,3})?|\.[0-9]+)"
    r"(?: ?%)?"
)
_AMOUNT: Final = re.compile(
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?) [a-z]+\.?"
)
"""A number with a unit, which no name is: `54 years`."""
_YEAR_MONTH_DAY: Final = re.compile(r"([0-9]{4}|xx(?:xx)?)-([0-9]{1,2}|xx)-([0-9]{1,2}|xx)")
_WEEKDAY: Final = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?"
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY: Final = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_NAMED_DATE: Final = re.compile(
    rf"{_WEEKDAY}(?:{_MONTH} {_DAY}(?:,? [0-9]{{4}})?"
    rf"|{_DAY} {_MONTH}(?:,? [0-9]{{4}})?|{_MONTH},? [0-9]{{4}})"
)
