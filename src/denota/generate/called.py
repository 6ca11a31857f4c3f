"""What people call a value that the table writes otherwise: `Texas` for TX, `the chinstraps`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from denota.inflect import plural
from denota.programs.codes import names_of_codes
from denota.programs.index import ColumnIndex
from denota.tokens import FUNCTION_WORDS, content

TELLING: Final = 4
"""The fewest letters of a word that tells."""


def names(texts: Sequence[str]) -> list[str]:
    """Return for each value of a column the name it is a code of, empty where it is none.

    >>> names(["TX", "NC", ""])
    ['Texas', 'North Carolina', '']
    """
    known = names_of_codes(texts)
    return [known.get(text, "").title() for text in texts]


def telling_word(said: str, index: ColumnIndex) -> str:
    """Return the first long word of a value of several that no other value has, or nothing."""
    words = said.replace("(", " ").replace(")", " ").split() if len(content(said)) > 1 else ()
    for word in words:
        small = word.lower()
        usable = len(word) >= TELLING and word.isalpha() and small not in FUNCTION_WORDS
        if usable and len(index.by_word.get(small, ())) == 1:
            return word
    return ""


def many(said: str) -> str:
    """Return a single word that begins in capitals as several of a kind: `Adelies`.

    >>> many("Adelie"), many("red")
    ('Adelies', '')
    """
    return plural(said) if said.isalpha() and said[:1].isupper() and len(said) >= TELLING else ""
