"""The text of one cell: odd characters, footnotes, and marks for a missing value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final


def normalise(text: str) -> str:
    r"""Return the text with plain spaces, dashes and digits, and without footnote marks.

    >>> normalise("\u221212\u00a0345[a]")
    '-12 345'
    """
    if not text.isascii():
        text = _RAISED.sub("", text.translate(_PLAIN))
    if "[" in text:
        text = _FOOTNOTE.sub("", text)
    return text.strip(" \t\r\n*†‡§^,;")


def is_long(text: str) -> bool:
    """Say whether a text is longer than any number or date with all that may stand around it.

    >>> is_long("about 1,200 (of whom 300 in the north)"), is_long("1." * 500)
    (False, True)
    """
    return len(text) > LONGEST_VALUE


def is_missing(normalised: str) -> bool:
    """Say whether a normalised text only marks that there is no value.

    >>> is_missing("n/a"), is_missing("0")
    (True, False)
    """
    return len(normalised) <= 8 and normalised.lower() in _MISSING


def missing_among(texts: Sequence[str]) -> list[bool]:
    """Say which of a column's distinct normalised texts only mark that there is no value.

    `ND` and `NA` do not among other codes of two capitals: they are a state and a country.

    >>> missing_among(["5", "NA", "7"]), missing_among(["OH", "ND", "TX", "CA", "NY"])
    ([False, True, False], [False, False, False, False, False])
    """
    missing = [is_missing(text) for text in texts]
    if ":" in texts:  # statistics mark a missing figure so; elsewhere it is a character
        figures = sum(any(c.isdecimal() for c in text) for text in texts)
        missing[texts.index(":")] = 2 * figures > len(texts) - sum(missing)
    marks = [text for text, gone in zip(texts, missing, strict=True) if gone and _is_code(text)]
    if not marks:
        return missing
    others = [text for text, gone in zip(texts, missing, strict=True) if not gone]
    if len(others) < 3 or sum(map(_is_code, others)) < 0.8 * len(others):
        return missing
    return [gone and not _is_code(text) for text, gone in zip(texts, missing, strict=True)]


def _is_code(text: str) -> bool:
    return len(text) == 2 and text.isascii() and text.isalpha() and text.isupper()


LONGEST_VALUE: Final = 120
"""Characters of a cell that is read as a number or date; a longer one is text."""
_SPACES = (
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_QUOTES = {"\u2018": "'", "\u2019": "'", "\u2032": "'", "\u201c": '"', "\u201d": '"', "\u2033": '"'}
_FRACTIONS = {"½": " 1/2", "⅓": " 1/3", "⅔": " 2/3", "¼": " 1/4", "¾": " 3/4", "⅛": " 1/8"}
_ZEROS = "\u0660\u06f0\u0966\u09e6\u0e50"  # other scripts' digits, each a run of ten from its zero

_PLAIN: Final = {
    **dict.fromkeys(map(ord, _SPACES), " "),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _INVISIBLE), ""),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != 0xFF0D},
    **{ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **{ord(mark): plain for mark, plain in {**_QUOTES, **_FRACTIONS}.items()},
}
_FOOTNOTE: Final = re.compile(r"(?<!\s)\s*\[[^\[\]]{0,16}\]")
"""White space is looked at from its start alone, so that no run of it is read again and again."""
_RAISED: Final = re.compile(r"(?<=[0-9.)%])(?<!10)[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,2}$")
"""A footnote's number behind a number; 10⁶ is a power."""
_MISSING: Final = frozenset(
    [
        "",
        "-",
        "--",
        "---",
        ".",
        "..",
        "...",
        "?",
        "??",
        "n/a",
        "na",
        "n.a.",
        "n.a",
        "n/d",
        "nd",
        "none",
        "nil",
        "null",
        "nan",
        "unknown",
        "tba",
        "tbc",
        "tbd",
        "tbd.",
        "#n/a",
        "#div/0!",
        "#ref!",
        "#value!",
        "#num!",
        "#name?",
        "#null!",
        "n.d.",
        "no data",
    ]
)
