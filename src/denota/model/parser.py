"""A parser: a scorer with its words and settings, that can be saved, loaded and asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from denota.config import Config
from denota.model.cues import DynSPWithCues
from denota.model.dynsp import DynSP
from denota.model.encoder import Encoder
from denota.model.scorer import AxisBatch, Scorer
from denota.search.flat import Flat, best_of_each, flat_scores, lay_flat
from denota.search.lists import best
from denota.search.prepare import Prepared
from denota.search.score import AxisScores

SCORERS: Final[dict[str, type[Scorer]]] = {
    "dynsp": DynSP,
    "cues": DynSPWithCues,
    "encoder": Encoder,
}
"""What can score the axes of a batch, by the name `model.scorer` gives it."""


@dataclass(eq=False)
class Parser:
    """What scores programs, and how it searches."""

    config: Config
    scorer: Scorer

    @staticmethod
    def new(config: Config, questions: Sequence[Prepared], vectors: str | None = None) -> Parser:
        """Make an untrained parser.

        Args:
            config: its settings.
            questions: some that it will meet.
            vectors: where word vectors come from, if not as the config says.
        """
        torch.manual_seed(config.seed)
        model = config.model
        scorer = SCORERS[model.scorer].new(model, questions, vectors or model.vectors)
        return Parser(config, scorer)

    @property
    def device(self) -> torch.device:
        """Where the scorer is."""
        return self.scorer.device

    def best(
        self, questions: Sequence[Prepared], count: int = 1
    ) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """Return the highest-scoring programs of each question."""
        cfg = self.config.search
        if cfg.kind == "exact":
            flat, scores = self._scored(questions)
            places, there = best_of_each(flat, scores, count)
            ids = (places - flat.starts[:, None]).cpu().numpy()
            return [line[here] for line, here in zip(ids, there.cpu().numpy(), strict=True)]
        return [
            best(q, axis, cfg, count)
            for q, axis in zip(questions, self._axes(questions), strict=True)
        ]

    def axis(self, question: Prepared) -> AxisScores:
        """Return a question's scored axis, for search question by question."""
        return self._axes([question])[0]

    def _axes(self, questions: Sequence[Prepared]) -> list[AxisScores]:
        batch, entries = self._entries(questions)
        recall = float(self.scorer.recall.detach())
        eta, outcome = self.config.search.model_eta, self.scorer.outcome
        return [
            AxisScores(line, batch.offsets, recall, eta, outcome) for line in entries.cpu().numpy()
        ]

    def rated(self, question: Prepared, count: int) -> tuple[list[int], list[float]]:
        """Return a question's best programs, best first, and the model's probability of each among all programs."""
        ids = self.best([question], count)[0].tolist()
        _, scores = self._scored([question])
        return ids, torch.softmax(scores.double(), dim=0)[ids].tolist()

    @torch.inference_mode()
    def _scored(self, questions: Sequence[Prepared]) -> tuple[Flat, Tensor]:
        """The programs of a batch and (P,) their scores."""
        cfg = self.config.search
        batch, entries = self._entries(questions)
        outcome = self.scorer.outcome
        flat = lay_flat(
            questions, batch.offsets, batch.width, cfg, self.device, judged=False, outcome=outcome
        )
        return flat, flat_scores(flat, entries, self.scorer.recall, cfg.model_eta)

    def _entries(self, questions: Sequence[Prepared]) -> tuple[AxisBatch, Tensor]:
        """(B, L) the scores of all axis entries of a batch."""
        with torch.inference_mode(False):  # new words are weights like any others
            self.scorer.meet(questions)
        batch = self.scorer.batch(questions)
        with torch.inference_mode():
            return batch, self.scorer.eval()(batch.to(self.device))
