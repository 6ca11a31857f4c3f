"""The lexicon: which words of a question call for which operator, and which follow up."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any


@cache
def _lexicon() -> dict[str, Any]:
    with files("denota.programs").joinpath("lexicon.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def triggers() -> dict[str, tuple[str, ...]]:
    """Return the words and phrases of `[triggers]` by operator."""
    return {name: tuple(words) for name, words in _lexicon()["triggers"].items()}


@cache
def more_triggers() -> dict[str, tuple[str, ...]]:
    """Return the words and phrases of `[more]` by operator."""
    more = _lexicon()["more"]
    own = {name: more[words] if isinstance(words, str) else words for name, words in more.items()}
    return {name: tuple(words) for name, words in own.items()}


@cache
def trigger_words() -> frozenset[str]:
    """Return the single words that call for any operator."""
    every = (
        word for own in (triggers(), more_triggers()) for words in own.values() for word in words
    )
    return frozenset(word.removeprefix("^") for word in every if " " not in word)


def follow_up_phrases(use: str) -> tuple[str, ...]:
    """Return the phrases with which a question follows up, in the `rule` or in a `conversation`.

    >>> follow_up_phrases("rule")
    ('of those', 'which one', 'which ones')
    """
    return tuple(_lexicon()["follow_up"][use])


def words_of(operator: str) -> tuple[str, ...]:
    """Return all words and phrases that call for an operator.

    An operator declared outside of this package brings words of its own.
    """
    from denota.programs.operators import declared  # operators are declared with this file's help

    own = declared().get(operator)
    declared_with = own.words if own is not None else ()
    return (*triggers().get(operator, ()), *more_triggers().get(operator, ()), *declared_with)


@lru_cache(maxsize=1 << 16)
def has_trigger(operator: str, text: str) -> bool:
    """Say whether a text of space-separated tokens has a word or phrase of the operator.

    >>> has_trigger("max", " who has the most points "), has_trigger("max", " who plays ")
    (True, False)
    >>> has_trigger("exists", " did he play "), has_trigger("exists", " what did he play ")
    (True, False)
    """
    inside, first = _spaced(words_of(operator))
    return any(words in text for words in inside) or text.startswith(first)


@cache
def _spaced(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Put spaces around triggers: those that may stand anywhere, and those that must be first."""
    inside = tuple(f" {word} " for word in words if word[0] != "^")
    return inside, tuple(f" {word[1:]} " for word in words if word[0] == "^")


def is_called(operator: str, text: str) -> bool:
    """Say whether a text calls for an operator: it has a trigger, or the operator needs none."""
    from denota.programs.operators import declared

    return declared()[operator].needs != "trigger" or has_trigger(operator, text)
