"""The surface of a question: capital letters, the question mark, and a typo now and then."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random
from typing import Final

from denota.programs.lexicon import triggers


def finish(text: str, rng: Random, typos: float, loose: float = 0.0) -> str:
    """Return the question as someone types it.

    Args:
        text: the question in lower case, with constants between guards (`scene.guard`).
        rng: the random generator.
        typos: the share of questions with a slip; never in a constant or in a word that calls for
            an operator.
        loose: the share in which it may be polite or in a hurry, as people are.
    """
    text = " ".join(text.split())
    if rng.random() < typos:
        text = _slip(text, rng)
    text = text.translate(_GUARDS).replace(" ,", ",").replace(",,", ",").strip(" ,")
    text = text.lower() if rng.random() < 0.5 else text[:1].upper() + text[1:]
    if loose:
        text = _TWICE.sub(r"\1", text)
    if loose and rng.random() < loose:
        return _by_hand(text, rng)
    if rng.random() < 0.75:
        text = text.rstrip(".?") + ("." if _ORDER.match(text) else "?")
    return text


def _by_hand(text: str, rng: Random) -> str:
    """Return a question with a please, a greeting, capitals, or no question mark."""
    point = rng.random()
    if point < 0.06 and _ORDER.match(text):
        return f"{rng.choice(('please', 'pls', 'Please'))} {text[:1].lower()}{text[1:]}"
    if point < 0.12:
        return f"{text}{rng.choice((' please', ' pls', ' thanks', ', please?'))}"
    if point < 0.15 and not _WHETHER.match(text):
        return f"{rng.choice(('hi, ', 'hey ', 'ok, ', 'so '))}{text[:1].lower()}{text[1:]}"
    if point < 0.17:
        return text.upper()
    return f"{text}?" if point > 0.7 else text


def _slip(text: str, rng: Random) -> str:
    """Exchange, drop or double a letter inside one word that may be changed."""
    words = [m for m in _WORD.finditer(_GUARDED.sub(_blank, text)) if m[0].lower() not in _needed()]
    if not words:
        return text
    word = words[int(rng.random() * len(words))]
    place = word.start() + 1 + int(rng.random() * (len(word[0]) - 2))
    kind = rng.random()
    if kind < 0.4:
        changed = text[place + 1] + text[place]
        return text[:place] + changed + text[place + 2 :]
    return (
        text[:place] + text[place + 1 :]
        if kind < 0.8
        else text[:place] + text[place] + text[place:]
    )


def _blank(guarded: re.Match[str]) -> str:
    return " " * len(guarded[0])


@lru_cache(maxsize=1)
def _needed() -> frozenset[str]:
    return frozenset(
        word for phrases in triggers().values() for phrase in phrases for word in phrase.split()
    )


_GUARDS: Final = {2: None, 3: None}
_GUARDED: Final = re.compile("\x02[^\x03]*\x03")
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_ORDER: Final = re.compile(
    r"(?:(?:from|of) [\w ]+, )?(?:name|list|show|give|tell|find|count|sum|just|keep|say|read"
    r"|please|now|go|skip|drop|leave|narrow|pick|remind|spell|every|same|i|only)\b",
    re.IGNORECASE,
)
"""The beginning of a question that is an order or a wish."""
_TWICE: Final = re.compile(r"\b(total|average|minimum|maximum) \1\b", re.IGNORECASE)
_WHETHER: Final = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had)\b", re.IGNORECASE)
"""The beginning of a question for yes or no, which must stand first."""
