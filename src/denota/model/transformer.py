"""A pretrained transformer encoder: BERT (all-MiniLM-L6-v2) or MPNet (all-mpnet-base-v2), in plain torch.

Word vectors and position vectors are added, normalised, and pass through layers of attention and a feed-forward part, each added to what it was given
and normalised after. MPNet also adds to the attention a weight for how far apart two pieces stand, the same in every layer. B texts, T pieces,
D dimensions, H heads.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from denota.errors import ModelError

HIDDEN: Final = -30000.0
"""What is added to the attention on padding: no weight is left, no infinity arises, and every type of float holds it."""
FARTHEST: Final = 128
"""Pieces this far apart or farther share MPNet's last bucket of distances."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of an encoder."""

    kind: str
    """`bert` or `mpnet`: decides the names of the weights in a file."""
    vocabulary: int
    size: int
    """D, of the hidden states."""
    layers: int
    heads: int
    inner: int
    """The width of the feed-forward part."""
    positions: int
    first: int
    """The row of the first piece in the table of positions."""
    segments: int
    """The kinds of text a piece can be marked as; 0 for MPNet, which marks none."""
    buckets: int
    """The buckets of distances between pieces; 0 for BERT, which has none."""
    epsilon: float

    @property
    def longest(self) -> int:
        """The pieces of the longest text that can be read."""
        return self.positions - self.first


class Transformer(nn.Module):
    """Hidden states for the pieces of a batch of texts.

    Its weights are 0 until some are loaded (`read_transformer`): random ones would take time to draw, only to be thrown away.
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
        self.dropout = nn.Dropout(dropout)
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
            segments: (B, T) the kind of text a piece belongs to, 0 without; MPNet has no kinds and takes no notice.
            words: (B, T, D) vectors to read in place of those of `ids`.
            places: (B, T) where each piece stands, if not one after the other; pieces may share a place.
        """
        if (ids is None) == (words is None):
            raise ValueError("an encoder reads ids or words, one of the two")
        hidden: Tensor = self.words(ids) if words is None else words
        length = hidden.shape[1]
        if length > self.shape.longest:
            raise ModelError(
                f"a text of {length} pieces is too long for the encoder, which reads {self.shape.longest}"
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
        return bias


class Layer(nn.Module):
    """Attention and a feed-forward part, each added to what it was given and normalised after."""

    def __init__(self, shape: Shape, dropout: float, attention_dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.attention_dropout = attention_dropout
        self.look = Linear(shape.size, 3 * shape.size)
        """Queries, keys and values, side by side: one product in place of three."""
        self.gather = Linear(shape.size, shape.size)
        self.gathered = nn.LayerNorm(shape.size, shape.epsilon)
        self.widen = Linear(shape.size, shape.inner)
        self.narrow = Linear(shape.inner, shape.size)
        self.narrowed = nn.LayerNorm(shape.size, shape.epsilon)
        self.dropout = nn.Dropout(dropout)

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
        dropout = self.attention_dropout if self.training else 0.0
        attended = functional.scaled_dot_product_attention(queries, keys, values, bias, dropout)
        return attended.transpose(1, 2).reshape(texts, length, size)


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

    Half of the buckets are for pieces before, half for pieces after; half of each for one distance, the rest for ranges that grow as the logarithm does.

    >>> distance_buckets(20, 32)[0, [0, 1, 7, 8, 11, 12, 19]].tolist()
    [0, 17, 23, 24, 24, 25, 26]
    """
    places = torch.arange(length)
    ahead = places[None, :] - places[:, None]
    side = buckets // 2
    exact = side // 2
    far = ahead.abs()
    # in float32, as when the weights were learnt: exact arithmetic would round some distances otherwise
    share = torch.log(far.clamp(min=1).float() / exact) / math.log(FARTHEST / exact)
    ranged = (exact + (share * (side - exact)).long()).clamp(max=side - 1)
    return torch.where(far < exact, far, ranged) + side * (ahead > 0)


def read_transformer(
    folder: Path,
    layers: int | None = None,
    *,
    dropout: float = 0.1,
    attention_dropout: float = 0.1,
) -> Transformer:
    """Read an encoder from a folder with `config.json` and `model.safetensors`, ready to answer (in eval mode).

    Args:
        folder: see `model.pretrained`.
        layers: keep only the first so many.
        dropout: of hidden states, in training.
        attention_dropout: of attention weights, in training.

    Raises:
        ModelError: a file is missing or damaged, or not of an encoder that is known.
    """
    shape = read_shape(folder / "config.json")
    path = folder / "model.safetensors"
    try:
        theirs = load_file(path)
    except FileNotFoundError:
        raise ModelError(f"there are no weights at {path}") from None
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} is not a file of weights, or damaged: {error}") from None
    model = Transformer(shape, layers, dropout=dropout, attention_dropout=attention_dropout)
    try:
        ours = weights_of(theirs, shape)
        load_weights(model, ours)
    except ModelError as error:
        raise ModelError(f"{path} does not go with its config.json: {error}") from None
    return model.eval()


def read_shape(path: Path) -> Shape:
    """Read the sizes of an encoder from its `config.json`."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"there is no {path.name} in {path.parent}") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from None
    if not isinstance(settings, dict):
        raise ModelError(f"{path} is not a list of settings")
    try:
        return shape_of(settings)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def shape_of(settings: Mapping[str, Any]) -> Shape:
    """Return the sizes that the settings of a Hugging Face `config.json` tell."""
    kind = settings.get("model_type")
    if kind not in PARTS:
        raise ModelError(f"an encoder of type {kind} is not known; those are {', '.join(PARTS)}")
    expected = {"hidden_act": "gelu", "position_embedding_type": "absolute"}
    for name, value in expected.items():
        if settings.get(name, value) != value:
            raise ModelError(f"{name} is {settings[name]}, and only {value} is known")
    try:
        shape = Shape(
            kind=kind,
            vocabulary=int(settings["vocab_size"]),
            size=int(settings["hidden_size"]),
            layers=int(settings["num_hidden_layers"]),
            heads=int(settings["num_attention_heads"]),
            inner=int(settings["intermediate_size"]),
            positions=int(settings["max_position_embeddings"]),
            first=0 if kind == "bert" else int(settings.get("pad_token_id", 1)) + 1,
            segments=int(settings.get("type_vocab_size", 2)) if kind == "bert" else 0,
            buckets=int(settings.get("relative_attention_num_buckets", 32)) * (kind == "mpnet"),
            epsilon=float(settings.get("layer_norm_eps", 1e-12)),
        )
    except KeyError as error:
        raise ModelError(f"the setting {error.args[0]} is missing") from None
    except (TypeError, ValueError) as error:
        raise ModelError(f"a setting is not a number: {error}") from None
    if shape.heads < 1 or shape.size % shape.heads:
        raise ModelError(f"{shape.size} dimensions do not divide among {shape.heads} heads")
    return shape


def load_weights(model: Transformer, ours: Mapping[str, Tensor]) -> None:
    """Put weights in the place of a model's own; those of layers that it did not keep are left."""
    own = model.state_dict()
    for name, weight in own.items():
        if ours[name].shape != weight.shape:
            raise ModelError(
                f"{name} has shape {tuple(ours[name].shape)} and should have {tuple(weight.shape)}"
            )
    model.load_state_dict({name: ours[name].float() for name in own}, assign=True)


def weights_of(theirs: Mapping[str, Tensor], shape: Shape) -> dict[str, Tensor]:
    """Return the weights of a Hugging Face model by our names.

    Raises:
        ModelError: a name is missing, or one is there that means nothing here.
    """
    names = names_of(shape)
    wanted = {name for parts in names.values() for name in parts}
    missing = sorted(wanted - set(theirs))
    if missing:
        raise ModelError(f"{_some(missing)} missing")
    unexpected = sorted(name for name in set(theirs) - wanted if not UNUSED.fullmatch(name))
    if unexpected:
        raise ModelError(f"{_some(unexpected)} not expected")
    return {own: _stacked([theirs[part] for part in parts], own) for own, parts in names.items()}


def _stacked(parts: list[Tensor], own: str) -> Tensor:
    if len(parts) == 1:
        return parts[0]
    shapes = {tuple(part.shape) for part in parts}
    if len(shapes) > 1:
        raise ModelError(f"the parts of {own} differ in shape: {', '.join(map(str, shapes))}")
    return torch.cat(parts)


def _some(names: list[str]) -> str:
    """The first of some names and how many more there are, with a verb."""
    more = f" and {len(names) - 1} more are" if len(names) > 1 else " is"
    return names[0] + more


def names_of(shape: Shape) -> dict[str, tuple[str, ...]]:
    """Return the names of an encoder's weights, ours to theirs; ours with three of theirs is these stacked."""
    embeddings = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        "norm.weight": "embeddings.LayerNorm.weight",
        "norm.bias": "embeddings.LayerNorm.bias",
    }
    if shape.segments:
        embeddings["segments.weight"] = "embeddings.token_type_embeddings.weight"
    if shape.buckets:
        embeddings["distances.weight"] = "encoder.relative_attention_bias.weight"
    layers = {
        f"layers.{number}.{own}.{end}": tuple(
            f"encoder.layer.{number}.{part}.{end}" for part in parts
        )
        for number in range(shape.layers)
        for own, parts in PARTS[shape.kind].items()
        for end in ("weight", "bias")
    }
    return {own: (name,) for own, name in embeddings.items()} | layers


PARTS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "bert": {
        "look": ("attention.self.query", "attention.self.key", "attention.self.value"),
        "gather": ("attention.output.dense",),
        "gathered": ("attention.output.LayerNorm",),
        "widen": ("intermediate.dense",),
        "narrow": ("output.dense",),
        "narrowed": ("output.LayerNorm",),
    },
    "mpnet": {
        "look": ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
        "gather": ("attention.attn.o",),
        "gathered": ("attention.LayerNorm",),
        "widen": ("intermediate.dense",),
        "narrow": ("output.dense",),
        "narrowed": ("output.LayerNorm",),
    },
}
"""The parts of a layer: our name, and theirs for each type of encoder."""
UNUSED: Final = re.compile(r"pooler\.dense\.(weight|bias)|embeddings\.(position|token_type)_ids")
"""Names in files that say nothing of hidden states."""
