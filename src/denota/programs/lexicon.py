"""The lexicon: which words of a question call for which operator."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def triggers() -> dict[str, tuple[str, ...]]:
    """Return the words and phrases of each operator in `lexicon.toml`."""
    with files("denota.programs").joinpath("lexicon.toml").open("rb") as file:
        loaded = tomllib.load(file)
    return {name: tuple(words) for name, words in loaded["triggers"].items()}


def words_of(operator: str) -> tuple[str, ...]:
    """Return all words and phrases that call for an operator: those of the file, and those it is declared with."""
    from denota.programs.operators import declared  # which are declared with the help of this file

    own = declared().get(operator)
    return (*triggers().get(operator, ()), *(own.words if own is not None else ()))


@lru_cache(maxsize=1 << 16)
def has_trigger(operator: str, text: str) -> bool:
    """Say whether a text of space-separated tokens has a trigger of the operator; one with ^ must stand at the beginning.

    >>> has_trigger("max", " who has the most points "), has_trigger("max", " who plays ")
    (True, False)
    >>> has_trigger("exists", " did he play "), has_trigger("exists", " what did he play ")
    (True, False)
    """
    inside, first = _spaced(words_of(operator))
    return any(words in text for words in inside) or text.startswith(first)


@cache
def _spaced(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Triggers with spaces around them: those that may stand anywhere, and those that must stand first."""
    inside = tuple(f" {one} " for one in words if one[0] != "^")
    return inside, tuple(f" {one[1:]} " for one in words if one[0] == "^")


def is_called(operator: str, text: str) -> bool:
    """Say whether a text bears an operator out: it has a trigger, or the operator needs none."""
    from denota.programs.operators import declared

    return declared()[operator].needs != "trigger" or has_trigger(operator, text)
