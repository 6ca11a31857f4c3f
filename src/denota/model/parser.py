"""A parser: a scorer with its words and settings, that can be saved, loaded and asked."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import Config
from denota.evaluation.calibration import Calibration, answer_features
from denota.model.cues import DynSPWithCues
from denota.model.dynsp import DynSP
from denota.model.encoder import Encoder
from denota.model.memory import (
    Memory,
    TableMemory,
    Vector,
    features_of,
    situated,
    unit,
)
from denota.model.scorer import Axis, AxisBatch, Scorer
from denota.programs.operators import language_of
from denota.search.flat import Flat, best_of_each, flat_scores, lay_flat, refined
from denota.search.lists import best
from denota.search.prepare import Prepared
from denota.search.score import AxisScores

SCORERS: Final[dict[str, type[Scorer]]] = {
    "dynsp": DynSP,
    "cues": DynSPWithCues,
    "encoder": Encoder,
}
"""What can score the axes of a batch, by the name `model.scorer` gives it."""


POOL: Final = 200
"""So many of a question's best programs may be raised by what was taught."""
WORDS: Final = 512
"""Dimensions of a question that is only its words."""
SURE: Final = 0.5
"""Without a calibration, an answer is sure if it has this share of all probability."""


@dataclass(eq=False)
class Parser:
    """What scores programs, and how it searches."""

    config: Config
    scorer: Scorer
    calibration: Calibration | None = None
    """How confidence is had from probabilities, where that was measured."""
    memory: Memory = Memory()  # noqa: RUF009 - frozen
    """What it was taught of tables since."""

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
        operators = language_of(config.data.language)
        source = vectors or model.vectors
        scorer = SCORERS[model.scorer].new(model, questions, source, operators)
        return Parser(config, scorer)

    @property
    def operators(self) -> frozenset[str]:
        """Those that its scorer was trained with."""
        return self.scorer.names.operators

    @property
    def language(self) -> frozenset[str]:
        """The operators to search: those of its config's language, less what the language gained since it was trained."""
        return language_of(self.config.data.language) & self.operators

    @property
    def device(self) -> torch.device:
        """Where the scorer is."""
        return self.scorer.device

    def best(
        self, questions: Sequence[Prepared], count: int = 1
    ) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """Return the highest-scoring programs of each question."""
        cfg = self.config.search
        if any(self.memory.of(question.table) is not None for question in questions):
            return [np.array(ids) for ids, _ in self.rated(questions, count)]
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
        batch, axis = self._read(questions)
        recall = float(self.scorer.recall.detach())
        eta, outcome = self.config.search.model_eta, self.scorer.outcome
        return [
            AxisScores(line, batch.offsets, recall, eta, outcome)
            for line in axis.entries.cpu().numpy()
        ]

    def rated(
        self, questions: Sequence[Prepared], count: int
    ) -> list[tuple[list[int], list[float]]]:
        """Return each question's best programs, best first, and the probability of each among all programs; what was taught of a table has its say."""
        flat, scores, asked = self._scored_and_asked(questions)
        places, there = best_of_each(flat, scores, count)
        found = []
        for line, start in enumerate(flat.starts.tolist()):
            own = scores[start : start + int(flat.counts[line])].double()
            taught = self.memory.of(questions[line].table)
            if taught is not None:
                found.append(_with_memory(questions[line], own, taught, asked[line], count))
                continue
            ids = (places[line][there[line]] - start).tolist()
            found.append((ids, torch.softmax(own, dim=0)[ids].tolist()))
        return found

    def read(self, question: Prepared) -> tuple[NDArray[np.float64], Vector]:
        """Return (P,) the log-probabilities of all programs of a question as it was trained, and (D,) what it makes of the question, at length 1."""
        _, scores, asked = self._scored_and_asked([question])
        return torch.log_softmax(scores.double(), dim=0).numpy(), asked[0]

    def confidence(
        self, probabilities: Sequence[float], same: Sequence[bool], follows: bool
    ) -> tuple[float, bool]:
        """Return how likely an answer is right, and whether that is sure.

        Args:
            probabilities: of the best programs.
            same: which of them give the answer.
            follows: whether a question came before.
        """
        if self.calibration is None:
            own = min(1.0, sum(p for p, s in zip(probabilities, same, strict=True) if s))
            return own, own >= SURE
        features = answer_features(probabilities, same, follows)
        found = float(self.calibration.confidence(features[None])[0])
        return found, found >= self.calibration.sure

    def _scored(self, questions: Sequence[Prepared]) -> tuple[Flat, Tensor]:
        """The programs of a batch and (P,) their scores."""
        return self._scored_and_asked(questions)[:2]

    @torch.inference_mode()
    def _scored_and_asked(self, questions: Sequence[Prepared]) -> tuple[Flat, Tensor, list[Vector]]:
        """The programs of a batch, (P,) their scores, and what the scorer makes of each question."""
        cfg, scorer = self.config.search, self.scorer
        batch, axis = self._read(questions)
        flat = lay_flat(
            questions,
            batch.offsets,
            batch.width,
            cfg,
            self.device,
            judged=False,
            outcome=scorer.outcome,
        )
        scores = flat_scores(flat, axis.entries, scorer.recall, cfg.model_eta)
        if scorer.refines:
            scores = refined(flat, scores, scorer.refines, partial(scorer.refine, axis))
        if axis.asked is None:
            asked = [_by_words(question) for question in questions]
        else:
            asked = [unit(line) for line in axis.asked.float().cpu().numpy()]
        follows = (bool(question.history) for question in questions)
        placed = [situated(one, later) for one, later in zip(asked, follows, strict=True)]
        return flat, scores, placed

    def _read(self, questions: Sequence[Prepared]) -> tuple[AxisBatch, Axis]:
        """A batch and its scored axis."""
        with torch.inference_mode(False):  # new words are weights like any others
            self.scorer.meet(questions)
        batch = self.scorer.batch(questions)
        with torch.inference_mode():
            return batch, self.scorer.eval().read(batch.to(self.device))


def _with_memory(
    question: Prepared,
    scores: Tensor,
    taught: TableMemory,
    asked: Vector,
    count: int,
) -> tuple[list[int], list[float]]:
    """A question's best programs and their probabilities, with what was taught added to the scores of the best so many."""
    logs = torch.log_softmax(scores, dim=0).numpy()
    some = np.argsort(-logs, kind="stable")[: max(POOL, count)]
    features = [features_of(question, int(number)) for number in some]
    raised = logs[some] + taught.bonus(asked, features)
    rest = max(0.0, 1.0 - float(np.exp(logs[some]).sum()))
    shares = np.exp(raised - raised.max())
    shares /= shares.sum() + rest * np.exp(-raised.max())
    order = np.argsort(-raised, kind="stable")[:count]
    return some[order].tolist(), shares[order].tolist()


def _by_words(question: Prepared) -> Vector:
    """(WORDS,) a question by its words alone, for scorers that make no more of it."""
    vector = np.zeros(WORDS, np.float32)
    for word in question.question:
        vector[zlib.crc32(word.encode("utf-8", "replace")) % WORDS] += 1
    return unit(vector)
