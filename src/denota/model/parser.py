"""A parser: a scorer with its words and settings, that can be saved, loaded and asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from denota.config import Config
from denota.model.batch import make_batch
from denota.model.dynsp import DynSP, starting_words
from denota.model.vectors import WordVectors, random_unit, word_vectors
from denota.search.lists import best
from denota.search.prepare import Prepared
from denota.search.score import AxisScores

SCORERS: Final[dict[str, type[DynSP]]] = {"dynsp": DynSP}
"""What can score the axes of a batch, by the name `model.scorer` gives it: made of word vectors, hidden size and dropout."""


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
        scorer = SCORERS[config.model.scorer](known, config.model.hidden, config.model.dropout)
        return Parser(config, known, scorer)

    def learn_words(self, words: Iterable[str]) -> None:
        """Give words that were never seen the vectors that belong to them."""
        new = sorted({word for word in words if word not in self.vectors.words})
        if not new:
            return
        dimension = self.vectors.matrix.shape[1]
        rows = np.stack([random_unit(word, dimension) for word in new])
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

    def best(
        self, questions: Sequence[Prepared], count: int = 1
    ) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """Return the highest-scoring programs of each question."""
        self.learn_words(word for q in questions for word in q.all_words())
        self.scorer.eval()
        batch = make_batch(questions, self.vectors.ids)
        with torch.no_grad():
            entries = self.scorer(batch).numpy()
            recall = float(self.scorer.recall)
        cfg = self.config.search
        return [
            best(q, AxisScores(line, batch.offsets, recall, cfg.model_eta), cfg, count)
            for q, line in zip(questions, entries, strict=True)
        ]
