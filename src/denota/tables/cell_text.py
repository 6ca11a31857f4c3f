"""The text of one cell: odd characters, footnotes, and marks for a missing value."""

from __future__ import annotations

import re
from typing import Final


def normalise(text: str) -> str:
    r"""Return the text with plain spaces, dashes and digits, and without footnote marks.

    >>> normalise("\u221212\u00a0345[a]")
    '-12 345'
    """
    if not text.isascii():
        text = text.translate(_PLAIN)
    if "[" in text:
        text = _FOOTNOTE.sub("", text)
    return text.strip(" \t\r\n*†‡§^,;")


def is_missing(normalised: str) -> bool:
    """Say whether a normalised text only marks that there is no value.

    >>> is_missing("n/a"), is_missing("0")
    (True, False)
    """
    return len(normalised) <= 8 and normalised.lower() in _MISSING


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
_FOOTNOTE: Final = re.compile(r"\s*\[[^\[\]]{0,16}\]")
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
    ]
)
