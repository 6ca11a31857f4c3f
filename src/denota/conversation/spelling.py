"""Words of a question that the table spells otherwise: without accents, or mistyped."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Final

from denota.conversation.words import fold, words_of
from denota.inflect import singular
from denota.tables.table import Table

CLOSE: Final = 0.8
"""The least likeness, from 0 to 1, of a mistyped word and the word that is meant."""
SHORTEST: Final = 5
"""The fewest letters of a word that may be mistyped; shorter ones are too like each other."""


def respelled(
    question: str, table: Table, knows: Callable[[str], bool]
) -> tuple[str, dict[str, str]]:
    """Return a question in the table's spelling, and what was changed.

    Args:
        question: as it was asked.
        table: what it is about.
        knows: says whether a word is right as it is.

    >>> table = Table.from_rows(["Ville", "Director"], [["Besançon", "Steven Spielberg"]])
    >>> respelled("what did speilberg say of besancon?", table, {"what", "say"}.__contains__)
    ('what did spielberg say of besançon?', {'speilberg': 'spielberg', 'besancon': 'besançon'})
    """
    words = words_of(table).by_letter
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


_WORD: Final = re.compile(r"[^\W\d_]{4,}")
