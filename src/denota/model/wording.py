"""What a question says, as far as lessons depend on it: its words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from denota.programs.lexicon import triggers
from denota.programs.near_words import are_near
from denota.tokens import FUNCTION_WORDS, tokenise

CALLING: Final = frozenset(
    word for words in triggers().values() for word in words if " " not in word
) - {"to", "by", "from", "up"}
"""Words that call for an operator."""


@dataclass(frozen=True)
class Wording:
    """The words of a question."""

    text: str
    """All of them, in order: the same question has the same."""
    words: frozenset[str]
    """Those that say something: what the question is about, or which operators it calls for."""

    def is_within(self, other: Wording) -> bool:
        """Say whether another question has all that this one says.

        >>> one, other = (wording_of(t) for t in ("the oldest?", "who is the oldest player?"))
        >>> one.is_within(other), other.is_within(one)
        (True, False)
        """
        return self.text == other.text or (bool(self.words) and self.words <= other.words)


def wording_of(text: str) -> Wording:
    """Return the words of a question.

    >>> sorted(wording_of("Which of the Canadians is not the oldest?").words)
    ['canadians', 'not', 'oldest']
    """
    tokens = tokenise(text)
    return Wording(" ".join(tokens), frozenset(tokens) - (FUNCTION_WORDS - CALLING))


def is_near_any(word: str, others: Iterable[str]) -> bool:
    """Say whether a word is one of others, or begins like one: `Canadians` and `Canada` do.

    >>> is_near_any("canadians", ["canada"]), is_near_any("austrian", ["australia"])
    (True, False)
    """
    return any(word == other or are_near(word, other) or _begins(word, other) for other in others)


def _begins(one: str, other: str) -> bool:
    """Whether words begin alike but for their endings."""
    if min(len(one), len(other)) < 5 or one[0] <= "9":
        return False
    alike = min(len(one), len(other)) - 1
    return one[:alike] == other[:alike]
