"""A parser whose scorer is a module of torch, so that it can be trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch

from denota.config import Config
from denota.model.cues import DynSPWithCues
from denota.model.dynsp import DynSP
from denota.model.encoder import Encoder
from denota.model.outcomes import DynSPWithOutcomes
from denota.model.parser import Parser
from denota.model.scorer import Scorer
from denota.programs.operators import language_of
from denota.search.prepare import Prepared

SCORERS: Final[dict[str, type[Scorer]]] = {
    "dynsp": DynSP,
    "cues": DynSPWithCues,
    "outcomes": DynSPWithOutcomes,
    "encoder": Encoder,
}
"""What can score the axes of a batch, by the name `model.scorer` gives it."""


@dataclass(eq=False)
class TorchParser(Parser):
    """A parser that can be trained."""

    scorer: Scorer

    @staticmethod
    def new(
        config: Config, questions: Sequence[Prepared], vectors: str | None = None
    ) -> TorchParser:
        """Make an untrained parser.

        Args:
            config: its settings.
            questions: some that it will meet.
            vectors: where word vectors come from, if not as the config says.
        """
        torch.manual_seed(config.seed)
        model = config.model
        operators = language_of(config.data.language)
        source = vectors or model.vectors
        scorer = SCORERS[model.scorer].new(model, questions, source, operators)
        return TorchParser(config, scorer)

    @property
    def device(self) -> torch.device:
        """Where the scorer is."""
        return self.scorer.device
