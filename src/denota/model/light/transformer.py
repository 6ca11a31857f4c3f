"""A pretrained transformer encoder in plain numpy, one text at a time: BERT or MPNet.

It computes what `model.transformer` computes, for answering. T pieces, D dimensions, H heads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from denota.errors import ModelError
from denota.model.compact import NUMBERS, SCALE, Arrays, expand
from denota.model.shape import FARTHEST, Shape

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
AT_ONCE: Final = 16
"""Rows of the feed-forward part that go through GELU at once: they stay in the cache."""


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear map; its weight lies as small products read it fastest."""

    weight: Floats  #: (in, out)
    bias: Floats  #: (out,)

    @classmethod
    def of(cls, weights: Arrays, name: str) -> Self:
        """Return the map of a name among weights."""
        across = np.ascontiguousarray(expand(weights, f"{name}.weight").T)
        return cls(across, expand(weights, f"{name}.bias"))

    def __call__(self, given: Floats) -> Floats:
        """(..., in) to (..., out)."""
        found: Floats = given @ self.weight
        found += self.bias
        return found


@dataclass(frozen=True, eq=False)
class Norm:
    """Rows brought to mean 0 and variance 1, then scaled and moved."""

    weight: Floats  #: (D,)
    bias: Floats  #: (D,)
    epsilon: float

    @classmethod
    def of(cls, weights: Arrays, name: str, epsilon: float) -> Self:
        """Return the norm of a name among weights."""
        return cls(expand(weights, f"{name}.weight"), expand(weights, f"{name}.bias"), epsilon)

    def __call__(self, given: Floats) -> Floats:
        """(T, D) to (T, D)."""
        centred: Floats = given - given.mean(axis=1, keepdims=True)
        spread = np.einsum("td,td->t", centred, centred) / np.float32(given.shape[1])
        centred /= np.sqrt(spread + np.float32(self.epsilon))[:, None]
        centred *= self.weight
        centred += self.bias
        return centred


@dataclass(frozen=True, eq=False)
class WordVectors:
    """The word vectors of a vocabulary, in 8 bits with a scale a row where they were saved so."""

    numbers: NDArray[np.generic]  #: (vocabulary, D)
    scale: Floats | None  #: (vocabulary,)

    @classmethod
    def of(cls, weights: Arrays, name: str) -> Self:
        """Return the word vectors of a name among weights."""
        if name + NUMBERS in weights:
            return cls(weights[name + NUMBERS], weights[name + SCALE].astype(np.float32))
        return cls(expand(weights, name), None)

    def __getitem__(self, pieces: Ids) -> Floats:
        """(pieces, D) the vectors of some pieces."""
        found = self.numbers[pieces].astype(np.float32)
        if self.scale is not None:
            found *= self.scale[pieces][:, None]
        return found


@dataclass(frozen=True, eq=False)
class Layer:
    """Attention and a feed-forward part, each added to what it was given and normalised after."""

    heads: int
    look: Linear
    """Queries, keys and values, side by side."""
    gather: Linear
    gathered: Norm
    widen: Linear
    narrow: Linear
    narrowed: Norm

    @classmethod
    def of(cls, weights: Arrays, name: str, shape: Shape) -> Self:
        """Return the layer of a name among weights, the queries scaled once and for all."""
        look = Linear.of(weights, f"{name}.look")
        scale = np.float32(1 / math.sqrt(shape.size // shape.heads))
        factor = np.repeat(np.array([scale, 1, 1], np.float32), shape.size)
        return cls(
            shape.heads,
            Linear(look.weight * factor, look.bias * factor),
            Linear.of(weights, f"{name}.gather"),
            Norm.of(weights, f"{name}.gathered", shape.epsilon),
            Linear.of(weights, f"{name}.widen"),
            Linear.of(weights, f"{name}.narrow"),
            Norm.of(weights, f"{name}.narrowed", shape.epsilon),
        )

    def __call__(self, hidden: Floats, bias: Floats | None) -> Floats:
        """(T, D) to (T, D), with an (H, T, T) bias of the attention if there is one."""
        attended = self.gather(self._attend(hidden, bias))
        attended += hidden
        hidden = self.gathered(attended)
        out = self.narrow(gelu(self.widen(hidden)))
        out += hidden
        return self.narrowed(out)

    def _attend(self, hidden: Floats, bias: Floats | None) -> Floats:
        """(T, D) the values that each piece attends to, head by head."""
        length, size = hidden.shape
        looked = self.look(hidden).reshape(length, 3, self.heads, size // self.heads)
        queries, keys, values = looked.transpose(1, 2, 0, 3)  # (H, T, D / H) each
        weights: Floats = queries @ keys.transpose(0, 2, 1)  # (H, T, T)
        if bias is not None:
            weights += bias
        weights -= weights.max(axis=2, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=2, keepdims=True)
        attended: Floats = (weights @ values).transpose(1, 0, 2).reshape(length, size)
        return attended


@dataclass(frozen=True, eq=False)
class Transformer:
    """Hidden states for the pieces of a text."""

    shape: Shape
    words: WordVectors
    positions: Floats  #: (positions, D)
    segments: Floats | None  #: (segments, D)
    distances: Floats | None  #: (buckets, H)
    norm: Norm
    layers: tuple[Layer, ...]

    @classmethod
    def of(cls, weights: Arrays, name: str, shape: Shape) -> Self:
        """Return the encoder of a name among weights."""
        return cls(
            shape,
            WordVectors.of(weights, f"{name}.words.weight"),
            expand(weights, f"{name}.positions.weight"),
            expand(weights, f"{name}.segments.weight") if shape.segments else None,
            expand(weights, f"{name}.distances.weight") if shape.buckets else None,
            Norm.of(weights, f"{name}.norm", shape.epsilon),
            tuple(Layer.of(weights, f"{name}.layers.{n}", shape) for n in range(shape.layers)),
        )

    def __call__(self, pieces: Ids, segments: Ids, places: Ids) -> Floats:
        """(T, D) the last hidden states of a text.

        Args:
            pieces: (T,) of the vocabulary.
            segments: (T,) the kind of text a piece belongs to; MPNet takes no notice.
            places: (T,) where each piece stands.
        """
        if len(pieces) > self.shape.longest:
            raise ModelError(
                f"a text of {len(pieces)} pieces is too long for the encoder, which reads "
                f"{self.shape.longest}"
            )
        hidden = self.words[pieces]
        hidden += self.positions[self.shape.first + places]
        if self.segments is not None:
            hidden += self.segments[segments]
        hidden = self.norm(hidden)
        bias = None
        if self.distances is not None:
            buckets = distance_buckets(places, self.shape.buckets)  # (T, T)
            bias = self.distances[buckets].transpose(2, 0, 1)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return hidden


def distance_buckets(places: Ids, buckets: int) -> Ids:
    """(T, T) the bucket of the distance from one place to another.

    As `model.transformer.distance_buckets` has them.

    >>> distance_buckets(np.arange(20), 32)[0, [0, 1, 7, 8, 11, 12, 19]].tolist()
    [0, 17, 23, 24, 24, 25, 26]
    """
    ahead = places[None, :] - places[:, None]
    side = buckets // 2
    exact = side // 2
    far = np.abs(ahead)
    # in float32, as when the weights were learnt: exact arithmetic would round otherwise
    share = np.log(np.maximum(far, 1).astype(np.float32) / np.float32(exact))
    share /= np.float32(math.log(FARTHEST / exact))
    ranged = np.minimum(exact + (share * (side - exact)).astype(np.int64), side - 1)
    found: Ids = np.where(far < exact, far, ranged) + side * (ahead > 0)
    return found


def gelu(given: Floats) -> Floats:
    """GELU, x Φ(x); the array that is given is written over.

    x Φ(x) = max(x, 0) − |x| Q(|x|), and the upper tail Q of the normal distribution is that of
    Abramowitz and Stegun (1964), 26.2.17: no farther off than 7.5e-8.

    >>> np.abs(gelu(np.array([-1, 0, 1], np.float32)) - [-0.15865525, 0, 0.84134475]).max() < 1e-6
    np.True_
    """
    rows = given.reshape(-1, given.shape[-1])
    for start in range(0, len(rows), AT_ONCE):
        own = rows[start : start + AT_ONCE]
        far = np.abs(own)
        step = np.float32(1) / (np.float32(0.2316419) * far + np.float32(1))
        tail = step * _TAIL[-1]
        for number in _TAIL[-2::-1]:
            tail += number
            tail *= step
        tail *= far
        far *= far
        far *= np.float32(-0.5)
        tail *= np.exp(far, out=far)
        np.maximum(own, 0, out=own)
        own -= tail
    return rows.reshape(given.shape)


_TAIL: Final = np.array(
    [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429], np.float32
) / np.float32(math.sqrt(2 * math.pi))
