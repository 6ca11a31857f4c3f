"""The vectors that DynSP++'s modules start from: averages of words, or random ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import torch
from torch import Tensor

from denota.model.vectors import WordVectors
from denota.programs.lexicon import triggers, words_of

Start = Literal["dynsp", "early", "blank"]

STARTS: Final[dict[str, str]] = {
    "greater": "more greater larger than",
    "at_least": "more greater larger than or equal to at least",
    "less": "less fewer smaller than",
    "at_most": "less fewer smaller than or equal to at most",
    "max": "most highest largest biggest greatest longest",
    "min": "least lowest smallest fewest shortest",
    "not_equal": "not",
    "or": "or",
}
"""The words an action's vector starts from: the average of theirs. Other actions start from
their triggers, or at random."""

EARLY_STARTS: Final[dict[str, str]] = {
    **STARTS,
    "at_least": "least more greater than",
    "at_most": "most less fewer than",
}
"""Those of early versions: "more than" is nearer to >= than to >, which DynSP's words avoid."""

WORDS: Final[Mapping[Start, Mapping[str, str]]] = {
    "dynsp": STARTS,
    "early": EARLY_STARTS,
    "blank": {},
}


def starting_words(operators: Iterable[str] = (), start: Start = "dynsp") -> frozenset[str]:
    """Return the words that vectors of actions start from: of the lexicon and of the operators."""
    more = (phrase.removeprefix("^") for name in sorted(operators) for phrase in words_of(name))
    own = WORDS[start].values()
    phrases = (*own, *(p for words in triggers().values() for p in words), *more)
    return frozenset(word for phrase in phrases for word in phrase.split())


def starting_vectors(names: Sequence[str], vectors: WordVectors, start: Start = "dynsp") -> Tensor:
    """(names, D) the vectors that actions of names such as "fixed/max" start from."""
    return torch.stack([starting_vector(name.partition("/")[2], vectors, start) for name in names])


def starting_vector(name: str, vectors: WordVectors, start: Start = "dynsp") -> Tensor:
    """(D,) the average of the words that an action's vector starts from, or a small random one.

    A blank start is random for every action, and another one for each seed.
    """
    size = vectors.matrix.shape[1]
    if start == "blank":
        return 0.1 * torch.randn(size)
    words = WORDS[start].get(name, " ".join(words_of(name)).replace("^", "")).split()
    known = [vectors.words[word] for word in words if word in vectors.words]
    if not known:
        generator = torch.Generator().manual_seed(sum(map(ord, name)))
        return 0.1 * torch.randn(size, generator=generator)
    return torch.from_numpy(vectors.matrix[known]).mean(dim=0)
