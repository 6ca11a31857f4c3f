"""Singular and plural of English noun phrases, as far as column names need it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final


@lru_cache(maxsize=1 << 12)
def plural(phrase: str) -> str:
    """Return the plural of a singular noun phrase.

    The noun is the last word, or the one before `of` and its like.

    >>> plural("country"), plural("date of birth"), plural("coach")
    ('countries', 'dates of birth', 'coaches')
    """
    before, noun, after = _split(phrase)
    return before + _plural_word(noun) + after


@lru_cache(maxsize=1 << 12)
def singular(phrase: str) -> str:
    """Return the singular of a plural noun phrase; a singular one stays as it is.

    >>> singular("countries"), singular("goals against"), singular("class")
    ('country', 'goal against', 'class')
    """
    before, noun, after = _split(phrase)
    return before + _singular_word(noun) + after


def is_plural(phrase: str) -> bool:
    """Say whether a noun phrase is in the plural.

    >>> is_plural("points"), is_plural("goals for"), is_plural("attendance"), is_plural("series")
    (True, True, False, False)
    """
    return singular(phrase) != phrase


def with_article(phrase: str) -> str:
    """Put `a` or `an` in front.

    >>> with_article("attendance"), with_article("year"), with_article("university")
    ('an attendance', 'a year', 'a university')
    """
    first = phrase.lower()
    vowel = first[:1] in ("a", "e", "i", "o", "u") and not _LIKE_YOU.match(first)
    return f"an {phrase}" if vowel or _LIKE_HOUR.match(first) else f"a {phrase}"


def _split(phrase: str) -> tuple[str, str, str]:
    """(what stands before the noun, the noun, what stands after it)."""
    link = _LINK.search(phrase)
    head, after = (phrase[: link.start()], phrase[link.start() :]) if link else (phrase, "")
    space = head.rfind(" ") + 1
    return head[:space], head[space:], after


def _plural_word(word: str) -> str:
    low = word.lower()
    if low in _PLURALS:
        return _PLURALS[low]
    if not low.isalpha() or low in _SAME or low in _SINGULARS:
        return word
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if low.endswith("y") and low[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return word[:-1] + "ies"
    if low.endswith("ed") and len(low) > 4:
        return word
    if low.endswith("man") and len(low) > 4 and low != "german":
        return word[:-3] + "men"
    return word + "s"


def _singular_word(word: str) -> str:
    low = word.lower()
    if low in _SINGULARS:
        return _SINGULARS[low]
    if not low.isalpha() or low in _SAME or len(low) < 4 or not low.endswith("s"):
        return word
    if low.endswith(("ss", "us", "is")):
        return word
    if low.endswith("ies"):
        return word[:-3] + "y"
    if low.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1]


_LINK: Final = re.compile(
    r" (?:a|an|of|for|against|in|per|by|at|with|to|on|from)\b(?! *$)| (?:for|against)$"
    r"| (?:sold|seen|played|won|lost|led|held|served|scored|conceded)$"
)
_LIKE_YOU: Final = re.compile(r"(?:uni(?!n)|use|usu|eu|one\b|once|u\.|us\b|uk\b)")
_LIKE_HOUR: Final = re.compile(r"(?:hour|honou?r|heir)")
_SAME: Final = frozenset(
    """series species aircraft sheep fish crew staff status gross focus bus bonus census virus
    campus class pass loss mass news sales earnings proceeds headquarters takings savings winnings
    innings apps tennis gas since from to by per""".split()
)
_PLURALS: Final = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "foot": "feet",
    "tooth": "teeth",
    "mouse": "mice",
    "goose": "geese",
    "wife": "wives",
    "life": "lives",
    "half": "halves",
    "leaf": "leaves",
    "runner-up": "runners-up",
    "medium": "media",
    "genus": "genera",
    "loss": "losses",
    "pass": "passes",
    "class": "classes",
    "bus": "buses",
    "status": "statuses",
    "bonus": "bonuses",
    "campus": "campuses",
}
_SINGULARS: Final = {many: one for one, many in _PLURALS.items()} | {
    "movies": "movie",
    "ties": "tie",
}
