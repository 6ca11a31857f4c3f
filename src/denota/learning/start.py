"""The parser that a run begins with, and the device it is on."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from denota.config import Config
from denota.errors import TrainingError
from denota.model.parser import Parser
from denota.programs.operators import language_of
from denota.search.prepare import Prepared


def new_parser(
    config: Config,
    ready: Sequence[Prepared],
    start_from: Parser | None = None,
    vectors: str | None = None,
) -> Parser:
    """Return a parser that knows the words of some questions, on the device that the config says.

    Args:
        config: its settings.
        ready: the questions.
        start_from: a parser to begin with in place of a new one.
        vectors: where word vectors come from, if not as the config says.
    """
    if start_from is None:
        parser = Parser.new(config, ready, vectors)
    else:
        _check_like(config, start_from)
        start_from.scorer.set_dropout(config.model.dropout)
        start_from.scorer.grow(language_of(config.data.language))
        start_from.scorer.meet(ready)
        parser = Parser(config, start_from.scorer)
    parser.scorer.to(device_of(config.train.device))
    return parser


def _check_like(config: Config, start_from: Parser) -> None:
    """A parser to begin with must be of the kind that the config says."""
    own, other = config.model, start_from.config.model
    names = [
        name
        for name in (
            *("scorer", "hidden", "dimension", "vectors"),
            *("surface", "bias", "encoder", "width", "cells"),
        )
        if getattr(own, name) != getattr(other, name)
    ]
    if names:
        wanted = " ".join(f"model.{name}={getattr(other, name)}" for name in names)
        raise TrainingError(f"the model to begin with is of another kind; --set {wanted}")


def device_of(name: str) -> torch.device:
    """Return the device a name means; `auto` is a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise TrainingError("there is no GPU here that torch can use; say cpu or auto")
    return torch.device(name)
