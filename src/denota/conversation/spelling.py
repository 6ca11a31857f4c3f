"""Words of a question that the table spells otherwise: without accents, or mistyped."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from denota.inflect import singular
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

CLOSE: Final = 0.8
"""How alike two words are, from 0 to 1, if one is mistyped for the other."""
SHORTEST: Final = 5
"""Letters of a word that is taken to be mistyped; shorter ones are too like each other."""


def respelt(
    question: str, table: Table, knows: Callable[[str], bool]
) -> tuple[str, dict[str, str]]:
    """Return a question in the table's spelling, and what was changed.

    Args:
        question: as it was asked.
        table: what it is about.
        knows: says whether a word is right as it is.

    >>> table = Table.from_rows(["Ville", "Director"], [["Besançon", "Steven Spielberg"]])
    >>> respelt("what did speilberg say of besancon?", table, {"what", "say"}.__contains__)
    ('what did spielberg say of besançon?', {'speilberg': 'spielberg', 'besancon': 'besançon'})
    """
    words = _words_of(table)
    changed: dict[str, str] = {}

    def mend(found: re.Match[str]) -> str:
        word = found[0].lower()
        meant = _meant(word, words, knows)
        if meant is None:
            return found[0]
        changed[found[0]] = meant
        return meant

    return _WORD.sub(mend, question), changed


def _meant(
    word: str, words: Mapping[str, Mapping[str, str]], knows: Callable[[str], bool]
) -> str | None:
    """The table's word that is meant, None if the word is fine or unknown."""
    folded = fold(word)
    near = words.get(folded[:1], {})
    if word in near.values() or singular(word) in near.values():
        return None
    if folded in near:
        return near[folded]
    if len(word) < SHORTEST or knows(word) or knows(singular(word)):
        return None
    alike = [other for other in near if abs(len(other) - len(folded)) <= 2]
    found = difflib.get_close_matches(folded, alike, n=1, cutoff=CLOSE)
    return near[found[0]] if found else None


def fold(word: str) -> str:
    """Return a word without accents.

    >>> fold("Besançon")
    'Besancon'
    """
    apart = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


@lru_cache(maxsize=16)
def _words_of(table: Table) -> dict[str, dict[str, str]]:
    """The words of names and texts by their first letter, each by how it is without accents."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for column in table.columns:
        texts = (column.name,) if column.kind == "number" else (column.name, *column.values)
        for text in texts:
            for word in tokenise(text[:200]):
                if len(word) > 3 and word not in FUNCTION_WORDS:
                    folded = fold(word)
                    found[folded[:1]].setdefault(folded, word)
    return dict(found)


_WORD: Final = re.compile(r"[^\W\d_]{4,}")
