"""A parser: a scorer with its words and settings, that can be saved, loaded and asked.

Nothing here knows of torch: `model.torch_parser` is the parser that can be trained.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from denota.config import Config
from denota.errors import ProgramError
from denota.evaluation.calibration import Calibration
from denota.model.answering import AnswerScorer, Scored
from denota.model.features import Features
from denota.model.memory import (
    Memory,
    TableMemory,
    Vector,
    unit,
    with_turn_kind,
)
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

POOL: Final = 200
"""How many of a question's best programs what was taught may raise."""
TAUGHT: Final = 5.0
"""By how much the program of a taught question comes before others, in log-probability."""
WORD_BUCKETS: Final = 512
"""Dimensions of a question that is only its words."""


@dataclass(eq=False)
class Parser:
    """What scores programs, and how it searches."""

    config: Config
    scorer: AnswerScorer
    calibration: Calibration | None = None
    """How confidence is had from probabilities, where that was measured."""
    memory: Memory = Memory()  # noqa: RUF009 - frozen
    """What it was taught of tables since."""

    @property
    def operators(self) -> frozenset[str]:
        """Those that its scorer was trained with."""
        return self.scorer.names.operators

    @property
    def language(self) -> frozenset[str]:
        """The operators to search: those of the config's language that it was trained with."""
        return language_of(self.config.data.language) & self.operators

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
            return [np.array(one.programs) for one in self.rated(questions, count)]
        if cfg.kind == "beam":
            found = (
                beam_search(question, axis, cfg, "model")
                for group in self._groups(questions)
                for question, axis in zip(group.questions, group.axes, strict=True)
            )
            return [ids[:count] for ids in found]
        return [
            first(own, count) for group in self._groups(questions) for own in self._scores(group)
        ]

    def axis(self, question: Prepared) -> AxisScores:
        """Return a question's scored axis."""
        return next(self._groups([question])).axes[0]

    def rated(self, questions: Sequence[Prepared], count: int) -> list[Rated]:
        """Return each question's best programs and their probabilities among all programs.

        What was taught about a table counts.
        """
        scores, asked, said = self._read(questions)
        found = []
        for line, (question, own) in enumerate(zip(questions, scores, strict=True)):
            logs = log_probabilities(own)
            taught = self.memory.of(question.table)
            if taught is not None:
                best = _with_memory(question, logs, taught, asked[line], count)
                found.append(Rated(*best, said[line]))
            else:
                ids = first(own, count)
                found.append(Rated(ids.tolist(), np.exp(logs[ids]).tolist(), said[line]))
        return found

    def read(self, question: Prepared) -> tuple[NDArray[np.float64], Vector]:
        """Return (P,) log-probabilities of all programs as trained, and (D,) the unit vector."""
        (scores,), (asked,), _ = self._read([question])
        return log_probabilities(scores), asked

    def _read(
        self, questions: Sequence[Prepared]
    ) -> tuple[list[Floats], list[Vector], list[float]]:
        """The (P,) scores of each question's programs, and what the scorer makes of it."""
        scores: list[Floats] = []
        asked: list[Vector] = []
        said: list[float] = []
        for group in self._groups(questions):
            scores += self._scores(group)
            if group.scored.asked is None:
                found = [_by_words(question) for question in group.questions]
            else:
                found = [unit(line) for line in group.scored.asked]
            for question, one in zip(group.questions, found, strict=True):
                asked.append(with_turn_kind(one, bool(question.history)))
            own = group.scored.said
            said += [0.0] * len(group.questions) if own is None else own.tolist()
        return scores, asked, said

    def _scores(self, group: _Group) -> list[Floats]:
        """The (P,) scores of each question's programs."""
        some, axes = group.questions, group.axes
        scores = [program_scores(q, own) for q, own in zip(some, axes, strict=True)]
        if group.scored.refine is not None:
            chosen = [first(own, self.scorer.refines) for own in scores]
            scores = refined(some, axes, scores, chosen, group.scored.refine)
        return scores

    def _groups(self, questions: Sequence[Prepared]) -> Iterator[_Group]:
        """The questions in groups, as the scorer scores them, with their axes."""
        recall, outcome = self.scorer.recall_weight, self.scorer.outcome
        eta, start = self.config.search.model_eta, 0
        for scored in self.scorer.scored(questions):
            some = questions[start : start + len(scored.entries)]
            start += len(some)
            axes = [
                AxisScores(line, scored.offsets, recall, eta, outcome) for line in scored.entries
            ]
            yield _Group(some, axes, scored)


class Rated(NamedTuple):
    """What a parser makes of a question."""

    programs: list[int]
    """The best, by their numbers in the space."""
    probabilities: list[float]
    """Theirs, among all programs."""
    said: float = 0.0
    """Whether the table says what is asked for, in log-odds; 0 from a scorer that does not tell."""


class _Group(NamedTuple):
    """Questions that were scored together."""

    questions: Sequence[Prepared]
    axes: list[AxisScores]
    scored: Scored


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
