"""Saved parsers as modules of torch, to go on training them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import Config
from denota.model.compact import expanded
from denota.model.parser import Parser
from denota.model.saved import Saved, read_saved, unreadable
from denota.model.scorer import Scorer
from denota.model.torch_parser import SCORERS, TorchParser


def load_parser(path: Path) -> tuple[TorchParser, dict[str, Tensor], Mapping[str, str]]:
    """Read a parser, and the tensors and facts saved beside it.

    Raises:
        TrainingError: there is no such file, it is damaged, or it is no parser.
        FormatError: a newer denota wrote it.
    """
    saved = read_saved(path)
    return parser_of(saved, path), _tensors(saved.state), saved.facts


def parser_of(saved: Saved, path: Path) -> TorchParser:
    """Return the parser that a file holds.

    Raises:
        TrainingError: its weights are not those of such a parser.
    """
    try:
        scorer = _scorer(saved.config, saved.facts, saved.weights)
    except (ValueError, KeyError, RuntimeError) as error:
        raise unreadable(path, error) from None
    return TorchParser(saved.config, scorer, saved.calibration, saved.memory)


def trainable(parser: Parser) -> TorchParser:
    """Return a parser of its own with the same weights, which can be trained."""
    scorer = _scorer(parser.config, parser.scorer.facts(), parser.scorer.weights())
    return TorchParser(parser.config, scorer, parser.calibration, parser.memory)


def _scorer(
    config: Config, facts: Mapping[str, str], weights: Mapping[str, NDArray[np.generic]]
) -> Scorer:
    kind = SCORERS[config.model.scorer]
    return kind.restored(config.model, facts, _tensors(expanded(weights)))


def _tensors(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, Tensor]:
    return {name: torch.tensor(array) for name, array in arrays.items()}
