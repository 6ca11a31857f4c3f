"""A pretrained transformer encoder in plain torch: BERT (MiniLM-L6-v2) or MPNet (mpnet-base-v2).

Word vectors and position vectors are added, normalised, and pass through layers of attention and a
feed-forward part, each added to what it was given and normalised after. MPNet also adds to the
attention a weight for how far apart two pieces stand, the same in every layer. B texts, T pieces, D
dimensions, H heads.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from denota.errors import ModelError
from denota.model.dropout import Dropout
from denota.model.shape import FARTHEST, HIDDEN, Shape


class Transformer(nn.Module):
    """Hidden states for the pieces of a batch of texts.

    Its weights are 0 until some are loaded (`read_transformer`): random ones would take time to
    draw, only to be thrown away.
    """

    def __init__(
        self,
        shape: Shape,
        layers: int | None = None,
        *,
        dropout: float = 0.1,
        attention_dropout: float = 0.1,
    ) -> None:
        super().__init__()
        if layers is not None and not 1 <= layers <= shape.layers:
            raise ModelError(f"an encoder of {shape.layers} layers cannot keep {layers} of them")
        self.shape = shape = replace(shape, layers=layers or shape.layers)
        self.words = _embedding(shape.vocabulary, shape.size)
        self.positions = _embedding(shape.positions, shape.size)
        self.segments = _embedding(shape.segments, shape.size) if shape.segments else None
        self.distances = _embedding(shape.buckets, shape.heads) if shape.buckets else None
        self.norm = nn.LayerNorm(shape.size, shape.epsilon)
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(
            Layer(shape, dropout, attention_dropout) for _ in range(shape.layers)
        )
        if shape.buckets:
            self.buckets: Tensor  #: (T, T) of the longest text
            buckets = distance_buckets(shape.longest, shape.buckets)
            self.register_buffer("buckets", buckets, persistent=False)

    @property
    def word_vectors(self) -> Tensor:
        """(vocabulary, D) the table of word vectors, before positions are added."""
        return self.words.weight

    def forward(
        self,
        ids: Tensor | None,
        mask: Tensor | None = None,
        segments: Tensor | None = None,
        *,
        words: Tensor | None = None,
        places: Tensor | None = None,
    ) -> Tensor:
        """(B, T, D) the last hidden states; those of padding mean nothing.

        Args:
            ids: (B, T) the pieces, or None where `words` is given.
            mask: (B, T) true where there is a piece, padding last; None if there is no padding.
            segments: (B, T) the kind of text a piece belongs to, 0 without; MPNet has no kinds and
                takes no notice.
            words: (B, T, D) vectors to read in place of those of `ids`.
            places: (B, T) where each piece stands, if not one after the other; pieces may share a
                place.
        """
        if (ids is None) == (words is None):
            raise ValueError("an encoder reads ids or words, one of the two")
        hidden: Tensor = self.words(ids) if words is None else words
        length = hidden.shape[1]
        if length > self.shape.longest:
            raise ModelError(
                f"a text of {length} pieces is too long for the encoder, which reads "
                f"{self.shape.longest}"
            )
        if places is None:
            places = torch.arange(length, device=hidden.device)[None]
        hidden = hidden + self.positions(self.shape.first + places)
        if self.segments is not None:
            kinds = self.segments.weight[0] if segments is None else self.segments(segments)
            hidden = hidden + kinds
        hidden = self.dropout(self.norm(hidden))
        bias = self._bias(hidden, mask, places)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return hidden

    def _bias(self, hidden: Tensor, mask: Tensor | None, places: Tensor) -> Tensor | None:
        """(B or 1, H or 1, T or 1, T) what is added to the attention of all layers."""
        bias = None
        if mask is not None:
            bias = hidden.new_zeros(mask.shape).masked_fill_(~mask.bool(), HIDDEN)[:, None, None]
        if self.distances is not None:
            buckets = self.buckets[places[:, :, None], places[:, None, :]]  # (B or 1, T, T)
            far = self.distances(buckets).permute(0, 3, 1, 2).to(hidden.dtype)
            bias = far if bias is None else bias + far
        kind = hidden.device.type
        if bias is not None and torch.is_autocast_enabled(kind):  # once, not in every layer
            bias = bias.to(torch.get_autocast_dtype(kind))
        return bias.contiguous() if bias is not None and kind != "cpu" else bias


class Layer(nn.Module):
    """Attention and a feed-forward part, each added to what it was given and normalised after."""

    def __init__(self, shape: Shape, dropout: float, attention_dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.attention_dropout = Dropout(attention_dropout)
        self.look = Linear(shape.size, 3 * shape.size)
        """Queries, keys and values, side by side: one product in place of three."""
        self.gather = Linear(shape.size, shape.size)
        self.gathered = nn.LayerNorm(shape.size, shape.epsilon)
        self.widen = Linear(shape.size, shape.inner)
        self.narrow = Linear(shape.inner, shape.size)
        self.narrowed = nn.LayerNorm(shape.size, shape.epsilon)
        self.dropout = Dropout(dropout)

    def forward(self, hidden: Tensor, bias: Tensor | None) -> Tensor:
        """(B, T, D) to (B, T, D), with a bias of the attention that broadcasts to (B, H, T, T)."""
        hidden = self.gathered(hidden + self.dropout(self.gather(self._attend(hidden, bias))))
        inner = functional.gelu(self.widen(hidden))  # (B, T, inner)
        out: Tensor = self.narrowed(hidden + self.dropout(self.narrow(inner)))
        return out

    def _attend(self, hidden: Tensor, bias: Tensor | None) -> Tensor:
        """(B, T, D) the values that each piece attends to, head by head."""
        texts, length, size = hidden.shape
        looked = self.look(hidden).view(texts, length, 3, self.heads, size // self.heads)
        queries, keys, values = looked.permute(2, 0, 3, 1, 4)  # (B, H, T, D / H) each
        if self.training and hidden.device.type == "cpu":
            attended = self._attend_in_steps(queries, keys, values, bias)
        else:
            dropout = self.attention_dropout.p if self.training else 0.0
            attended = functional.scaled_dot_product_attention(queries, keys, values, bias, dropout)
        return attended.transpose(1, 2).reshape(texts, length, size)

    def _attend_in_steps(
        self, queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None
    ) -> Tensor:
        """(B, H, T, D / H) the same; on a CPU the fused one learns at a third of the speed."""
        scores = (queries / math.sqrt(queries.shape[3])) @ keys.transpose(2, 3)  # (B, H, T, T)
        weights = torch.softmax(scores if bias is None else scores + bias, dim=3)
        attended: Tensor = self.attention_dropout(weights.to(values.dtype)) @ values
        return attended


class Linear(nn.Linear):
    """A linear map whose weights are 0 until they are loaded."""

    def reset_parameters(self) -> None:
        """Set the weights to 0."""
        self.weight = nn.Parameter(_zeros(self.out_features, self.in_features))
        self.bias = nn.Parameter(_zeros(self.out_features))


def _embedding(rows: int, size: int) -> nn.Embedding:
    return nn.Embedding(rows, size, _weight=_zeros(rows, size))


def _zeros(*shape: int) -> Tensor:
    """Zeros by numpy, which takes no memory for them until they are written to."""
    return torch.from_numpy(np.zeros(shape, np.float32))


def distance_buckets(length: int, buckets: int) -> Tensor:
    """(T, T) the bucket of the distance from one piece to another.

    Half of the buckets are for pieces before, half for pieces after; half of each for one distance,
    the rest for ranges that grow as the logarithm does.

    >>> distance_buckets(20, 32)[0, [0, 1, 7, 8, 11, 12, 19]].tolist()
    [0, 17, 23, 24, 24, 25, 26]
    """
    places = torch.arange(length)
    ahead = places[None, :] - places[:, None]
    side = buckets // 2
    exact = side // 2
    far = ahead.abs()
    # in float32, as when the weights were learnt: exact arithmetic would round otherwise
    share = torch.log(far.clamp(min=1).float() / exact) / math.log(FARTHEST / exact)
    ranged = (exact + (share * (side - exact)).long()).clamp(max=side - 1)
    return torch.where(far < exact, far, ranged) + side * (ahead > 0)
