"""How the words of columns and values match a question's, piece by piece.

B questions, T pieces of questions, D dimensions.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from denota.model.encoder_batch import (
    EncoderBatch,
    Owned,
)


class Matching:
    """How far texts match a question, piece by piece: by cosine and exactly, pieces weighted."""

    def __init__(self, words: Tensor, importance: nn.Linear, batch: EncoderBatch) -> None:
        self.words, self.importance = words, importance
        self.pieces, parts = (each[:, : batch.asked] for each in (batch.pieces, batch.parts))
        vectors = words[self.pieces]
        self.asked = nn.functional.normalize(vectors, dim=2)  # (B, T, D)
        self.sides = [(parts == part) for part in (1, 2)]
        self.counts = self._counts(vectors)  # (B, T)

    def _counts(self, vectors: Tensor) -> Tensor:
        return nn.functional.softplus(self.importance(vectors))[..., 0]

    def __call__(self, texts: Owned) -> Tensor:
        """(B, texts, MATCHES) the matching features of some texts."""
        vectors = self.words[texts.pieces]  # (B, U, D)
        counts = self._counts(vectors) * texts.there  # (B, U)
        soft = nn.functional.normalize(vectors, dim=2) @ self.asked.transpose(1, 2)  # (B, U, T)
        exact = (texts.pieces[:, :, None] == self.pieces[:, None, :]).to(soft.dtype)
        features = []
        for side in self.sides:
            for dots in (soft, exact):
                features += self._both_ways(dots, side, counts, texts)
        return torch.stack(features, dim=2)

    def _both_ways(self, dots: Tensor, side: Tensor, counts: Tensor, texts: Owned) -> list[Tensor]:
        """Two (B, texts): the share of a text that the question has, and the other way round."""
        dots = dots.clamp(min=0) * side[:, None, :] * texts.there[..., None]
        best = dots.amax(dim=2)  # (B, U) of each piece of a text
        blank = counts.new_zeros(len(counts), texts.count)
        total = blank.scatter_add(1, texts.owner, counts).clamp(min=1e-6)
        text = blank.scatter_add(1, texts.owner, best * counts) / total
        owner = texts.owner[..., None].expand_as(dots)
        most = dots.new_zeros(len(dots), texts.count, dots.shape[2])
        most = most.scatter_reduce(1, owner, dots, "amax")  # (B, texts, T)
        asked = self.counts * side
        question = (most @ asked[..., None])[..., 0] / asked.sum(dim=1, keepdim=True).clamp(
            min=1e-6
        )
        return [text, question]


def _sums(states: Tensor) -> Tensor:
    """(B, T + 1, D) running sums, from which the mean of any span is one difference."""
    return nn.functional.pad(states.cumsum(dim=1), (0, 0, 1, 0))


def _spans(sums: Tensor, spans: Tensor) -> Tensor:
    """(B, spans, D) the means of [start, end), 0 for an empty one."""
    size = sums.shape[2]
    start, end = (spans[..., side, None] for side in (0, 1))
    total = sums.gather(1, end.expand(-1, -1, size)) - sums.gather(1, start.expand(-1, -1, size))
    return total / (end - start).clamp(min=1)


def _means(words: Tensor, texts: Owned) -> Tensor:
    """(B, texts, D) the mean word vector of each text."""
    vectors = words[texts.pieces] * texts.there[..., None]
    owner = texts.owner[..., None].expand_as(vectors)
    zero = vectors.new_zeros(len(vectors), texts.count, vectors.shape[2])
    total = zero.scatter_add(1, owner, vectors)
    count = zero[..., 0].scatter_add(1, texts.owner, texts.there.to(zero.dtype))
    return total / count.clamp(min=1)[..., None]


def _all_but(count: int, one: int, like: Tensor) -> Tensor:
    """(count,) ones with a single zero."""
    found = like.new_ones(count)
    found[one] = 0
    return found


def _each(summary: Tensor, texts: Tensor) -> Tensor:
    """(B, texts, M) the question's summary beside each of its texts."""
    return summary[:, None].expand(-1, texts.shape[1], -1)
