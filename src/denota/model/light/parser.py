"""A saved parser as arrays, to answer with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from denota.model.light.encoder import LightEncoder
from denota.model.parser import Parser
from denota.model.saved import Saved, unreadable

SCORER: Final = "encoder"
"""The kind of scorer that is computed without torch."""


def light_parser(saved: Saved, path: Path) -> Parser:
    """Return the parser that a file holds, its scorer an encoder's.

    Raises:
        TrainingError: its weights are not those of such a parser.
    """
    try:
        scorer = LightEncoder(saved.config.model, saved.facts, saved.weights)
    except (ValueError, KeyError, TypeError) as error:
        raise unreadable(path, error) from None
    return Parser(saved.config, scorer, saved.calibration, saved.memory)
