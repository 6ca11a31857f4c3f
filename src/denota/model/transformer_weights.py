"""A transformer encoder read from a folder: its shape, its weights and their names there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from denota.errors import ModelError
from denota.model.shape import Shape
from denota.model.transformer import Transformer


def read_transformer(
    folder: Path,
    layers: int | None = None,
    *,
    dropout: float = 0.1,
    attention_dropout: float = 0.1,
) -> Transformer:
    """Read an encoder from a folder with `config.json` and `model.safetensors`, in eval mode.

    Args:
        folder: see `model.pretrained`.
        layers: how many to keep, from the first; all if None.
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
    if kind not in LAYER_PARTS:
        raise ModelError(
            f"an encoder of type {kind} is not known; those are {', '.join(LAYER_PARTS)}"
        )
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
    """Return the names of an encoder's weights, ours to theirs.

    Ours with three of theirs is these stacked.
    """
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
        for own, parts in LAYER_PARTS[shape.kind].items()
        for end in ("weight", "bias")
    }
    return {own: (name,) for own, name in embeddings.items()} | layers


LAYER_PARTS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
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
