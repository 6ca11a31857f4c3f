"""The parser that a run begins with, and the device it is on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import torch

from denota.config import Config
from denota.errors import TrainingError
from denota.model.checkpoint import load_parser
from denota.model.ensemble import together
from denota.model.scorer import Scorer
from denota.model.torch_parser import SCORERS, TorchParser
from denota.programs.operators import language_of
from denota.search.prepare import Prepared

BEST: Final = "best.safetensors"
"""The file of a run's parser."""


def new_parser(
    config: Config,
    ready: Sequence[Prepared],
    start_from: TorchParser | None = None,
    vectors: str | None = None,
) -> TorchParser:
    """Return a parser that knows the words of some questions, on the device that the config says.

    Args:
        config: its settings.
        ready: the questions.
        start_from: a parser to begin with in place of a new one.
        vectors: where word vectors come from, if not as the config says.
    """
    if start_from is None:
        parser = TorchParser.new(config, ready, vectors)
    else:
        _check_like(config, start_from)
        start_from.scorer.set_dropout(config.model.dropout)
        start_from.scorer.grow(language_of(config.data.language))
        start_from.scorer.meet(ready)
        parser = TorchParser(config, start_from.scorer)
    parser.scorer.to(device_of(config.train.device))
    return parser


def _check_like(config: Config, start_from: TorchParser) -> None:
    """A parser to begin with must be of the kind that the config says."""
    own, other = config.model, start_from.config.model
    names = [
        name
        for name in (
            *("scorer", "hidden", "dimension", "vectors"),
            *("surface", "bias", "encoder", "layers", "width"),
        )
        if getattr(own, name) != getattr(other, name)
    ]
    if names:
        wanted = " ".join(f"model.{name}={getattr(other, name)}" for name in names)
        raise TrainingError(f"the model to begin with is of another kind; --set {wanted}")


def teacher_of(config: Config, ready: Sequence[Prepared]) -> Scorer | None:
    """Return the scorer whose policy is to explore, on the device that the config says.

    Args:
        config: names it.
        ready: the questions, whose words it meets.

    Raises:
        TrainingError: it is of another kind, or does not know the language.
    """
    if not config.train.teacher:
        return None
    parsers = [load_parser(path)[0] for path in teacher_files(config.train.teacher)]
    for path, parser in zip(teacher_files(config.train.teacher), parsers, strict=True):
        unknown = sorted(language_of(config.data.language) - parser.operators)
        if unknown:
            raise TrainingError(f"the teacher {path} does not know {', '.join(unknown)}")
        if parser.scorer.outcome != SCORERS[config.model.scorer].outcome:
            raise TrainingError(
                f"the teacher {path} is of the kind {parser.config.model.scorer}, which scores "
                f"other things than {config.model.scorer}"
            )
    if config.search.kind != "exact":
        raise TrainingError("a teacher needs search.kind = exact")
    scorer = together(parsers).scorer
    scorer.meet(ready)
    return scorer.eval().requires_grad_(False).to(device_of(config.train.device))


def teacher_files(named: str) -> list[Path]:
    """Return the files of the parsers that teach together."""
    paths = [Path(one.strip()) for one in named.split(",") if one.strip()]
    return [path / BEST if path.is_dir() else path for path in paths]


def device_of(name: str) -> torch.device:
    """Return the device a name means; `auto` is a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise TrainingError("there is no GPU here that torch can use; say cpu or auto")
    return torch.device(name)
