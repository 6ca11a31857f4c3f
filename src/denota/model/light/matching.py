"""How the words of columns and values match a question's, piece by piece, in plain numpy.

It computes what `model.matching` computes, for one question; a piece that occurs often is compared
once, and only with the pieces of the question and the one before. T pieces of both, U pieces of
texts, D dimensions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from denota.model.encoder_entries import MATCHES
from denota.model.light.transformer import Floats, Ids, Linear, WordVectors
from denota.model.reading import Texts

SMALLEST = np.float32(1e-6)


class Matching:
    """How far texts match a question, piece by piece: by cosine and exactly, pieces weighted.

    Args:
        words: the vectors of pieces.
        importance: how much a piece counts.
        pieces: (T,) of the text that is read.
        parts: (T,) what each belongs to, as in `QuestionText.parts`.
    """

    def __init__(self, words: WordVectors, importance: Linear, pieces: Ids, parts: Ids) -> None:
        self.words, self.importance = words, importance
        own = (parts == 1) | (parts == 2)
        self.pieces, asked = pieces[own], parts[own]
        self.sides = [np.flatnonzero(asked == part) for part in (1, 2)]
        vectors = words[self.pieces]
        self.asked, self.counts = _unit(vectors), self._counts(vectors)  # (T, D), (T,)

    def _counts(self, vectors: Floats) -> Floats:
        """(pieces,) how much each counts: softplus of its importance."""
        counts: Floats = np.logaddexp(np.float32(0), self.importance(vectors)[:, 0])
        return counts

    def __call__(self, texts: Texts, count: int) -> Floats:
        """(texts, MATCHES) the matching features of some texts."""
        found = np.zeros((count, MATCHES), np.float32)
        if not len(texts.pieces):
            return found
        pieces, place = np.unique(texts.pieces, return_inverse=True)
        vectors = self.words[pieces]
        counts = self._counts(vectors)  # (different pieces,)
        soft = np.maximum(_unit(vectors) @ self.asked.T, 0)  # (different pieces, T)
        exact = (pieces[:, None] == self.pieces).astype(np.float32)
        there, starts = text_starts(texts)
        totals = np.maximum(np.add.reduceat(counts[place], starts), SMALLEST)
        for side, asked in enumerate(self.sides):
            if not len(asked):
                continue
            weights = self.counts[asked]
            total = max(weights.sum(), SMALLEST)
            for kind, dots in enumerate((soft[:, asked], exact[:, asked])):
                best = counts * dots.max(axis=1)
                most = np.maximum.reduceat(dots[place], starts, axis=0)  # (texts there, asked)
                column = 4 * side + 2 * kind
                found[there, column] = np.add.reduceat(best[place], starts) / totals
                found[there, column + 1] = most @ weights / total
        return found


def text_starts(texts: Texts) -> tuple[Ids, Ids]:
    """Return which texts have pieces, and where in the line of pieces each of these begins."""
    starts = np.flatnonzero(np.diff(texts.owner, prepend=-1))
    return texts.owner[starts], starts


def mean_vectors(words: WordVectors, texts: Texts, count: int) -> Floats:
    """(texts, D) the mean word vector of each text."""
    found = np.zeros((count, words.numbers.shape[1]), np.float32)
    if len(texts.pieces):
        there, starts = text_starts(texts)
        sizes = np.diff(np.append(starts, len(texts.pieces))).astype(np.float32)
        found[there] = np.add.reduceat(words[texts.pieces], starts) / sizes[:, None]
    return found


def _unit(vectors: NDArray[np.float32]) -> Floats:
    """(pieces, D) vectors at length 1."""
    lengths = np.sqrt(np.einsum("ud,ud->u", vectors, vectors))
    found: Floats = vectors / np.maximum(lengths, np.float32(1e-12))[:, None]
    return found
