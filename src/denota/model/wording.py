"""What a question says, as far as lessons depend on it: its words, and what of a table it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from denota.programs.lexicon import triggers
from denota.programs.near_words import are_near
from denota.search.prepare import Prepared
from denota.tokens import FUNCTION_WORDS, tokenise

CALLING: Final = frozenset(
    word for words in triggers().values() for word in words if " " not in word
) - {"to", "by", "from", "up"}
"""Words that call for an operator."""
STEM: Final = 3
"""Letters that two words must share at least to be compared."""


@dataclass(frozen=True)
class Wording:
    """The words of a question."""

    text: str
    """All of them, in order: the same question has the same."""
    words: frozenset[str]
    """Those that say something: of what the question is about, or which operators it calls for."""
    named: frozenset[str]
    """Those of them that name values of the table, are numbers, or call for operators."""

    @property
    def values(self):
        return self.named - CALLING

    def is_within(self, other: Wording) -> bool:
        """Say whether another question has all that this one says.

        >>> one, other = (wording_of_text(t) for t in ("the oldest?", "who is the oldest player?"))
        >>> one.is_within(other), other.is_within(one)
        (True, False)
        """
        return self.text == other.text or (bool(self.words) and self.words <= other.words)

    def says_the_same(self, other: Wording) -> bool:
        """Say whether another question has just the words that say something."""
        return self.text == other.text or (bool(self.words) and self.words == other.words)


def wording_of(question: Prepared) -> Wording:
    """Return the words of a question."""
    plain = wording_of_text(question.text)
    said = {word: _near_stem(word) for word in plain.words}
    stems = set(said.values())
    known = {token for value in question.values for token in value if _near_stem(token) in stems}
    named = frozenset(
        word
        for word in plain.words
        if word in known or word in CALLING or is_near_any(word, known)
    )
    return Wording(plain.text, plain.words, plain.named | named)


def wording_of_text(text: str) -> Wording:
    """Return the words of a question by itself.

    >>> sorted(wording_of_text("Which of the Canadians is not the oldest?").words)
    ['canadians', 'not', 'oldest']
    """
    tokens = tokenise(text)
    words = frozenset(tokens) - (FUNCTION_WORDS - CALLING)
    numbers = frozenset(word for word in words if word[0] <= "9")
    return Wording(" ".join(tokens), words, numbers)


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


def _near_stem(word: str) -> str:
    return word[:STEM]
