"""Λ, the lexicon of the critique: pairs of a token and an operator. Misra et al. (2018), §3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from denota.errors import ConfigError
from denota.inflect import singular
from denota.programs.operators import SCOPES, TESTS


@dataclass(frozen=True)
class Lexicon:
    """What is known of words beforehand."""

    pairs: frozenset[tuple[str, str]]
    """A token and the name of an operator."""
    grounded: float = 0.0
    """g: what a condition adds whose operator and constants the question names."""
    length: float = 0.0
    """l: what each operator of a program of a large language costs."""
    stems: bool = False
    """Whether a token of a program matches its singular or plural in the question."""

    def said(self, tokens: Sequence[str]) -> frozenset[str]:
        """Return a question's tokens and phrases; a word of a phrase does not count by itself.

        >>> sorted(read_lexicon("careful").said(("at", "least", "two", "most")))
        ['at+least', 'most', 'two']
        """
        left, phrases = list(tokens), {token for token, _ in self.pairs if _is_phrase(token)}
        found = []
        for phrase in sorted(phrases, key=lambda text: (-text.count("+"), text)):
            words = phrase.split("+")
            for place in range(len(left) - len(words) + 1):
                if left[place : place + len(words)] == words:
                    left[place : place + len(words)] = [""] * len(words)
                    found.append(phrase)
        return frozenset([*filter(None, left), *found])

    def matched(self, asked: frozenset[str], vocabulary: Iterable[str]) -> Iterable[str]:
        """Return the tokens of a vocabulary that a question has, or those and more."""
        if not self.stems:
            return asked
        stems = {singular(token) for token in asked}
        return (token for token in vocabulary if singular(token) in stems)


OWN: Final = {"paper": "lexicon.txt", "careful": "lexicon_careful.txt"}
"""The project's own lexicons."""


@lru_cache(maxsize=8)
def read_lexicon(
    path: str = "paper", grounded: float = 0.0, length: float = 0.0, stems: bool = False
) -> Lexicon:
    """Read lexical pairs, a token or a phrase (`at+least`) and an operator a line.

    `paper` are the 40 of the paper; `careful` and a file are others.

    >>> ("most", "max") in read_lexicon().pairs, len(read_lexicon().pairs)
    (True, 40)
    """
    own = OWN.get(path)
    source = files("denota.search").joinpath(own) if own else Path(path)
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"the lexicon {path} cannot be read: {error.strerror}") from None
    pairs = []
    for number, line in enumerate(lines, start=1):
        fields = line.split("#")[0].split()
        if fields and (len(fields) != 2 or fields[1] not in {*TESTS, *SCOPES, "or", "and"}):
            raise ConfigError(
                f"line {number} of the lexicon is not a token and an operator: {line.strip()}"
            )
        if fields:
            pairs.append((fields[0], fields[1]))
    return Lexicon(frozenset(pairs), grounded, length, stems)


def _is_phrase(token: str) -> bool:
    words = token.split("+")
    return len(words) > 1 and all(words)
