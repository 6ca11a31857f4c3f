"""Words of questions, column names and cells: one tokeniser for everything that compares them.

What separates words is a fixed set of characters, so that the same rule can be written as a
regular expression in SQL.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

SEPARATORS: Final = (
    r"\x00-\x2f:-@\[-`{-\x7f" + "\u00a0\u2000-\u206f\u3000-\u3003\u00ab\u00b7\u00bb\u2212"
)
"""The inside of a character class: ASCII punctuation and white space, and their usual relatives."""


@lru_cache(maxsize=1 << 16)
def tokenise(text: str) -> tuple[str, ...]:
    """Return the lower-case words and numbers of a text; numbers without their commas.

    >>> tokenise("Who's over 1,234.5 points?")
    ('who', 's', 'over', '1234.5', 'points')
    """
    return tuple(
        word.replace(",", "") if word[0] <= "9" else word for word in _WORD.findall(lower(text))
    )


def lower(text: str) -> str:
    """Return the text in lower case, letter by letter as databases do it.

    There is no final sigma, and no letter becomes two.
    """
    if text.isascii():
        return text.lower()
    return "".join(c.lower()[0] for c in text)


@lru_cache(maxsize=1 << 16)
def content(text: str) -> frozenset[str]:
    """Return the distinct words of a text that carry meaning of their own.

    >>> sorted(content("which of the teams are from Oslo?"))
    ['oslo', 'teams']
    """
    return frozenset(tokenise(text)) - FUNCTION_WORDS


def forget_texts() -> None:
    """Forget the texts whose words are kept, which may be of tables that are gone."""
    tokenise.cache_clear()
    content.cache_clear()


def word_pattern(word: str) -> str:
    """Return a regular expression (RE2 and re) that finds a token in lower-case text.

    >>> bool(re.search(word_pattern("1234"), "over 1,234 points"))
    True
    >>> bool(re.search(word_pattern("over"), "overall"))
    False
    """
    if word[0] <= "9":
        digits = ",?".join(re.escape(digit) for digit in word)
        return rf"(?:^[.,]?|[^0-9.,]|[^0-9][.,]){digits}(?:[.,]?$|[^0-9.,]|[.,][^0-9])"
    return f"(?:^|[0-9{SEPARATORS}]){re.escape(word)}(?:$|[0-9{SEPARATORS}])"


_WORD: Final = re.compile(rf"[0-9]+(?:[.,][0-9]+)*|[^0-9{SEPARATORS}]+")

FUNCTION_WORDS: Final = frozenset(
    """a an and any are as at be been being both but by can could did do does done down each either
    else ever every few for from get got had has have having he her here hers him his how i
    if in into is it its itself just let like many may me might more most much must my no nor
    not of off on one ones only or other our out over own s same shall she should so some
    such t than that the their them then there these they this those through to too under
    until up upon us very was we were what when where which while who whom whose why will
    with within without would you your all also about above after again against before below
    between during""".split()
)
"""Words that say how a question is built rather than what it is about."""
