"""Words of a table that are near a question's: `Japan` for "Japanese", `Weight` for "weigh".

Two words are near if they begin alike for most of their length. What a near word means is for the
parser to learn; that it may be meant is said here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

SHORTEST: Final = 4
"""Letters that near words have in common at least, at their beginning."""
SHARE: Final = 0.6
"""The part of the longer word that this must be."""


def are_near(one: str, other: str) -> bool:
    """Say whether two different words begin alike, or one is the other's plural.

    >>> are_near("japanese", "japan"), are_near("weigh", "weight"), are_near("cars", "car")
    (True, True, True)
    >>> are_near("coast", "country"), are_near("1970", "1971"), are_near("oslo", "oslo")
    (False, False, False)
    """
    if one == other or one[0] <= "9" or other[0] <= "9":
        return False
    if one + "s" == other or other + "s" == one:
        return True
    alike = max(SHORTEST, ceil(SHARE * max(len(one), len(other))))
    return min(len(one), len(other)) >= alike and one[:alike] == other[:alike]


def near_words(asked: Iterable[str], known: Sequence[str]) -> set[str]:
    """Return the known words near those asked that are not known themselves.

    Args:
        asked: the content words of a question.
        known: the words of a table, sorted.

    >>> sorted(near_words({"japanese", "cars"}, ["car", "cars", "japan", "japery"]))
    ['japan']
    """
    found: set[str] = set()
    for word in asked:
        place = bisect_left(known, word)
        if word[0] <= "9" or (place < len(known) and known[place] == word):
            continue
        place = bisect_left(known, word[: SHORTEST - 1])
        while place < len(known) and known[place].startswith(word[: SHORTEST - 1]):
            if are_near(word, known[place]):
                found.add(known[place])
            place += 1
    return found
