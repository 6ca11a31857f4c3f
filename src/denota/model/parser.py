"""A parser: a scorer with its words and settings, that can be saved, loaded and asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import torch
from torch import Tensor

from denota.config import Config, ModelConfig
from denota.model.batch import Batch, make_batch
from denota.model.cues import DynSPWithCues
from denota.model.dynsp import DynSP, starting_words
from denota.model.vectors import WordVectors, unknown, word_vectors
from denota.search.flat import Flat, best_of_each, flat_scores, lay_flat
from denota.search.lists import best
from denota.search.prepare import Prepared
from denota.search.score import AxisScores

SCORERS: Final[dict[str, type[DynSP]]] = {"dynsp": DynSP, "cues": DynSPWithCues}
"""What can score the axes of a batch, by the name `model.scorer` gives it."""


def new_scorer(model: ModelConfig, vectors: WordVectors) -> DynSP:
    """Return an untrained scorer."""
    kind = SCORERS[model.scorer]
    return kind(vectors, model.hidden, model.dropout, surface=model.surface, bias=model.bias)


@dataclass(eq=False)
class Parser:
    """What scores programs, and how it searches."""

    config: Config
    vectors: WordVectors
    scorer: DynSP

    @staticmethod
    def new(config: Config, words: Iterable[str], vectors: str | None = None) -> Parser:
        """Make an untrained parser that knows some words.

        Args:
            config: its settings.
            words: the words of the data.
            vectors: where word vectors come from, if not as the config says.
        """
        source = vectors or config.model.vectors
        known = word_vectors({*words, *starting_words()}, source, config.model.dimension)
        torch.manual_seed(config.seed)
        return Parser(config, known, new_scorer(config.model, known))

    @property
    def device(self) -> torch.device:
        """Where the scorer is."""
        return self.scorer.recall.device

    def learn_words(self, words: Iterable[str]) -> None:
        """Give words that were never seen the vectors that belong to them."""
        new = sorted({word for word in words if word not in self.vectors.words})
        if not new:
            return
        dimension = self.vectors.matrix.shape[1]
        source = self.config.model.vectors
        rows = np.stack([unknown(word, dimension, source) for word in new])
        numbers = {word: len(self.vectors.matrix) + place for place, word in enumerate(new)}
        matrix = np.concatenate([self.vectors.matrix, rows])
        self.vectors = WordVectors({**self.vectors.words, **numbers}, matrix)
        weight = self.scorer.words.weight
        more = torch.from_numpy(rows).to(weight)
        self.scorer.words = torch.nn.Embedding(
            len(matrix),
            dimension,
            padding_idx=0,
            sparse=True,
            _weight=torch.cat([weight.detach(), more]),
        )

    def _perhaps_new(self, question: Prepared) -> Iterable[str]:
        """The words of a question that were not all met before."""
        yield from question.question
        yield from question.previous_question
        for texts in (question.names, question.values):
            if not self.vectors.has_met(texts):
                yield from chain.from_iterable(texts)

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
        batch, entries = self._entries(questions)
        recall = float(self.scorer.recall.detach())
        return [
            best(q, AxisScores(line, batch.offsets, recall, cfg.model_eta), cfg, count)
            for q, line in zip(questions, entries.cpu().numpy(), strict=True)
        ]

    def axis(self, question: Prepared) -> AxisScores:
        """Return a question's scored axis, for search question by question."""
        batch, entries = self._entries([question])
        recall = float(self.scorer.recall.detach())
        eta = self.config.search.model_eta
        return AxisScores(entries[0].cpu().numpy(), batch.offsets, recall, eta)

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
        flat = lay_flat(questions, batch.offsets, batch.width, cfg, self.device, judged=False)
        return flat, flat_scores(flat, entries, self.scorer.recall, cfg.model_eta)

    def _entries(self, questions: Sequence[Prepared]) -> tuple[Batch, Tensor]:
        """(B, L) the scores of all axis entries of a batch."""
        with torch.inference_mode(False):  # new words are weights like any others
            self.learn_words(word for q in questions for word in self._perhaps_new(q))
        batch = make_batch(questions, self.vectors)
        with torch.inference_mode():
            return batch, self.scorer.eval()(batch.to(self.device))
