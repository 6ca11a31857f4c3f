"""The lexicon: which words of a question call for which operator."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def triggers() -> dict[str, tuple[str, ...]]:
    """Return the words and phrases of each operator, from `lexicon.toml`."""
    with files("denota.programs").joinpath("lexicon.toml").open("rb") as file:
        loaded = tomllib.load(file)
    return {name: tuple(words) for name, words in loaded["triggers"].items()}


@lru_cache(maxsize=1 << 16)
def has_trigger(operator: str, text: str) -> bool:
    """Say whether a text of space-separated tokens has a trigger of the operator.

    >>> has_trigger("max", " who has the most points "), has_trigger("max", " who plays ")
    (True, False)
    """
    return any(f" {words} " in text for words in triggers().get(operator, ()))
