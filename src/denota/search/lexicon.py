"""Λ, the lexicon of the critique: pairs of a token and an operator. Misra et al. (2018), §3.

A lexicon of weights, which the paper does not have, gives each pair a number, may name any
operator, and takes the place of all other words that call for operators. `learning.learn_lexicon`
learns one from answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Final

from denota.errors import ConfigError
from denota.inflect import singular
from denota.programs.operators import SCOPES, TESTS
from denota.search.operators_of_axes import OPERATORS


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
    weights: tuple[tuple[str, str, float], ...] | None = None
    """A token or phrase, an operator and what the pair adds, of a lexicon of weights."""
    altered: int = 0
    """On how many altered tables consistent programs are compared."""

    def weight_of_operators(self, tokens: Sequence[str]) -> dict[str, float]:
        """Return what each operator adds for a question, in a lexicon of weights."""
        found: dict[str, float] = {}
        for token in sorted(said_by(tokens)):
            for operator, weight in self._by_token.get(token, ()):
                found[operator] = found.get(operator, 0.0) + weight
        return found

    @cached_property
    def _by_token(self) -> dict[str, list[tuple[str, float]]]:
        found: dict[str, list[tuple[str, float]]] = {}
        for token, operator, weight in self.weights or ():
            found.setdefault(token, []).append((operator, weight))
        return found

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
EVERYWHERE: Final = "*"
"""The token that every question has, in a lexicon of weights."""


def said_by(tokens: Sequence[str]) -> frozenset[str]:
    """Return the tokens and the pairs of neighbours of a question, for a lexicon of weights.

    >>> sorted(said_by(("how", "many")))
    ['*', 'how', 'how+many', 'many']
    """
    pairs = (f"{one}+{two}" for one, two in pairwise(tokens))
    return frozenset((EVERYWHERE, *tokens, *pairs))


@lru_cache(maxsize=8)
def read_lexicon(
    path: str = "paper",
    grounded: float = 0.0,
    length: float = 0.0,
    stems: bool = False,
    altered: int = 0,
) -> Lexicon:
    """Read lexical pairs, a token or a phrase (`at+least`) and an operator a line.

    `paper` are the 40 of the paper, `careful` and a file are others; `none` has no words for
    operators at all. With a weight as third field on any line, it is a lexicon of weights.

    >>> ("most", "max") in read_lexicon().pairs, len(read_lexicon().pairs)
    (True, 40)
    """
    if path == "none":
        return Lexicon(frozenset(), grounded, length, stems, (), altered)
    own = OWN.get(path)
    source = files("denota.search").joinpath(own) if own else Path(path)
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"the lexicon {path} cannot be read: {error.strerror}") from None
    numbered = [(n, line.split("#")[0].split()) for n, line in enumerate(lines, start=1)]
    weighted = any(len(fields) == 3 for _, fields in numbered)
    known = OPERATORS if weighted else {*TESTS, *SCOPES, "or", "and"}
    pairs, weights = [], []
    for number, fields in numbered:
        if not fields:
            continue
        if len(fields) not in (2, 2 + weighted) or fields[1] not in known:
            raise ConfigError(
                f"line {number} of the lexicon is not a token and an operator: "
                f"{lines[number - 1].strip()}"
            )
        pairs.append((fields[0], fields[1]))
        weights.append((*pairs[-1], _weight(fields[2], number) if len(fields) == 3 else 1.0))
    own_weights = tuple(weights) if weighted else None
    return Lexicon(frozenset(pairs), grounded, length, stems, own_weights, altered)


def _weight(text: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(
            f"line {line} of the lexicon has no number for a weight: {text}"
        ) from None


def _is_phrase(token: str) -> bool:
    words = token.split("+")
    return len(words) > 1 and all(words)
