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

from denota.config import Config
from denota.errors import ProgramError
from denota.evaluation.calibration import Calibration, answer_features
from denota.model.cues import DynSPWithCues
from denota.model.dynsp import DynSP
from denota.model.encoder import Encoder
from denota.model.features import Features
from denota.model.memory import (
    Memory,
    TableMemory,
    Vector,
    unit,
    with_turn_kind,
)
from denota.model.outcomes import DynSPWithOutcomes
from denota.model.scorer import Axis, AxisBatch, Scorer
from denota.programs.operators import language_of
from denota.programs.text import parse_program
from denota.search.beam import beam_search
from denota.search.exact import (
    AxisScores,
    Floats,
    Ids,
    first,
    log_probabilities,
    program_scores,
    refined,
)
from denota.search.prepare import Prepared
from denota.tokens import forget_texts

SCORERS: Final[dict[str, type[Scorer]]] = {
    "dynsp": DynSP,
    "cues": DynSPWithCues,
    "outcomes": DynSPWithOutcomes,
    "encoder": Encoder,
}
"""What can score the axes of a batch, by the name `model.scorer` gives it."""


POOL: Final = 200
"""How many of a question's best programs what was taught may raise."""
TAUGHT: Final = 5.0
"""By how much the program of a taught question comes before others, in log-probability."""
WORD_BUCKETS: Final = 512
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
        """The operators to search: those of the config's language that it was trained with."""
        return language_of(self.config.data.language) & self.operators

    @property
    def device(self) -> torch.device:
        """Where the scorer is."""
        return self.scorer.device

    def keep(self, most: int) -> None:
        """Set how many questions and texts are kept ready: few where many tables come and go."""
        self.scorer.keep(most)

    def forget(self) -> None:
        """Forget words of tables that may be gone; what is asked for again is worked out again."""
        forget_texts()
        self.scorer.forget()

    def best(self, questions: Sequence[Prepared], count: int = 1) -> list[Ids]:
        """Return the highest-scoring programs of each question."""
        cfg = self.config.search
        if any(self.memory.of(question.table) is not None for question in questions):
            return [np.array(ids) for ids, _ in self.rated(questions, count)]
        if cfg.kind == "beam":
            axes = self._axes(questions)
            found = (
                beam_search(q, axis, cfg, "model") for q, axis in zip(questions, axes, strict=True)
            )
            return [ids[:count] for ids in found]
        batch, axis = self._read(questions)
        return [first(own, count) for own in self._scores(questions, batch, axis)]

    def axis(self, question: Prepared) -> AxisScores:
        """Return a question's scored axis."""
        return self._axes([question])[0]

    def rated(
        self, questions: Sequence[Prepared], count: int
    ) -> list[tuple[list[int], list[float]]]:
        """Return each question's best programs and their probabilities among all programs.

        What was taught about a table counts.
        """
        scores, asked = self._scores_and_asked(questions)
        found = []
        for line, (question, own) in enumerate(zip(questions, scores, strict=True)):
            logs = log_probabilities(own)
            taught = self.memory.of(question.table)
            if taught is not None:
                found.append(_with_memory(question, logs, taught, asked[line], count))
            else:
                ids = first(own, count)
                found.append((ids.tolist(), np.exp(logs[ids]).tolist()))
        return found

    def read(self, question: Prepared) -> tuple[NDArray[np.float64], Vector]:
        """Return (P,) log-probabilities of all programs as trained, and (D,) the unit vector."""
        (scores,), (asked,) = self._scores_and_asked([question])
        return log_probabilities(scores), asked

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

    def _scores(self, questions: Sequence[Prepared], batch: AxisBatch, axis: Axis) -> list[Floats]:
        """The (P,) scores of each question's programs."""
        axes = self._axis_scores(batch, axis)
        scores = [program_scores(q, own) for q, own in zip(questions, axes, strict=True)]
        if self.scorer.refines:
            chosen = [first(own, self.scorer.refines) for own in scores]
            scores = refined(questions, axes, scores, chosen, partial(self._refine, axis))
        return scores

    def _scores_and_asked(self, questions: Sequence[Prepared]) -> tuple[list[Floats], list[Vector]]:
        """The (P,) scores of each question's programs, and what the scorer makes of it."""
        batch, axis = self._read(questions)
        scores = self._scores(questions, batch, axis)
        if axis.asked is None:
            asked = [_by_words(question) for question in questions]
        else:
            asked = [unit(line) for line in axis.asked.float().cpu().numpy()]
        follows = (bool(question.history) for question in questions)
        return scores, [
            with_turn_kind(one, later) for one, later in zip(asked, follows, strict=True)
        ]

    @torch.inference_mode()
    def _refine(self, axis: Axis, parts: Ids, features: Floats) -> Floats:
        """`Scorer.refine`, from arrays to an array."""
        given = (torch.from_numpy(each).to(self.device) for each in (parts, features))
        more: Floats = self.scorer.refine(axis, *given).float().cpu().numpy()
        return more

    def _axes(self, questions: Sequence[Prepared]) -> list[AxisScores]:
        return self._axis_scores(*self._read(questions))

    def _axis_scores(self, batch: AxisBatch, axis: Axis) -> list[AxisScores]:
        """The scored axis of each question of a batch."""
        recall = float(self.scorer.recall.detach())
        eta, outcome = self.config.search.model_eta, self.scorer.outcome
        return [
            AxisScores(line, batch.offsets, recall, eta, outcome)
            for line in axis.entries.float().cpu().numpy()
        ]

    def _read(self, questions: Sequence[Prepared]) -> tuple[AxisBatch, Axis]:
        """A batch and its scored axis."""
        with torch.inference_mode(False):  # new words are weights like any others
            self.scorer.meet(questions)
        batch = self.scorer.batch(questions)
        with torch.inference_mode():
            return batch, self.scorer.eval().read(batch.to(self.device))


def _with_memory(
    question: Prepared,
    logs: NDArray[np.float64],
    taught: TableMemory,
    asked: Vector,
    count: int,
) -> tuple[list[int], list[float]]:
    """A question's best programs and their probabilities, after adding what was taught.

    It is added to the scores of the best `POOL` programs. The program that the same question was
    taught to mean comes first, whatever its score.
    """
    some = np.argsort(-logs, kind="stable")[: max(POOL, count)]
    features = Features(question)
    meant = _meant(question, taught.taught(features.wording))
    if meant is not None and meant not in some:
        some = np.append(some, meant)
    parts = [features.of(int(number)) for number in some]
    raised = logs[some] + taught.bonus(asked, features.wording, parts)
    if meant is not None:
        raised[some == meant] = raised.max() + TAUGHT
    rest = max(0.0, 1.0 - float(np.exp(logs[some]).sum()))
    shares = np.exp(raised - raised.max())
    shares /= shares.sum() + rest * np.exp(-raised.max())
    order = np.argsort(-raised, kind="stable")[:count]
    return some[order].tolist(), shares[order].tolist()


def _meant(question: Prepared, taught: Sequence[str]) -> int | None:
    """The first of some programs that the question has, by its number."""
    for written in taught:
        try:
            found = question.space.index(parse_program(written))
        except ProgramError:
            continue
        if found is not None:
            return found
    return None


def _by_words(question: Prepared) -> Vector:
    """(WORDS,) a question by its words alone, for scorers that make no more of it."""
    vector = np.zeros(WORD_BUCKETS, np.float32)
    for word in question.question:
        vector[zlib.crc32(word.encode("utf-8", "replace")) % WORD_BUCKETS] += 1
    return unit(vector)
