"""Teaching: the generalized update on a few examples, given as the right cells or values.

    ΔW = rate Σ_l Σ_y c_l(y) features(y) ⊗ φ(x_l)

This is Eq. 9 for the weights of `model.memory`, whose gradient of s(y) is features(y) ⊗ φ(x). The
coefficients c are those of MAVER, or of another update with a margin where the parser was trained
with one, over K as the search finds it: programs that give the answer, chosen under the shaped
policy, and the highest-scoring others. Lessons of a table are learnt together with accepted
answers, so that what was right stays right. L lessons, K programs, D dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.config import Config, UpdateConfig
from denota.errors import ProgramError
from denota.learning.presets import MARGIN_METHODS, PRESETS
from denota.model.features import Features
from denota.model.memory import PARTICULAR, UNSAID, TableMemory, Vector, nearness
from denota.model.parser import POOL, Parser
from denota.model.wording import Wording
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program
from denota.search.prepare import Prepared
from denota.teaching.coefficients import LessonCandidates, lesson_coefficients

UPDATE: Final = PRESETS["maver"]
"""How a lesson is learnt where the parser's own update has no margin. A lesson is one person's
correction, with no teacher and no crowd of questions beside it: y* has to lead its rivals by a
margin, however unlikely it was, and once it does nothing more is to be moved."""
RATE: Final = 0.1
MARGIN: Final = 2.0
"""The margin, in log-probability, of y* over a program that gets nothing right."""
ROUNDS: Final = 20
"""Passes over a table's lessons; fewer if nothing violates the margin any more."""
LEAP: Final = 2.0
"""What the critique takes from a program for each operator that the question does not call for and
each value it does not name."""
CONSISTENT: Final = 60
"""Programs of K that give the taught answer, at most."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A question with the programs that might be meant, and which of them give the right answer."""

    asked: Vector  #: (D,) φ(x)
    programs: tuple[Program, ...]
    """(K,) the consistent ones first, best under the shaped policy first."""
    features: tuple[tuple[str, ...], ...]
    """(K,) the parts of each."""
    logs: NDArray[np.float64]  #: (K,) log p(y) of the parser as it was trained
    rewards: NDArray[np.float64]  #: (K,)
    critique: NDArray[np.float64]  #: (K,)
    consistent: int
    """How many of the programs give the right answer."""
    wording: Wording
    """What the question says."""
    chosen: int | None = None
    """The place of the one that the person said is meant."""

    @property
    def taken(self) -> Program | None:
        """The program that is learnt, None if none gives the right answer."""
        return self.programs[self.chosen or 0] if self.consistent else None

    @property
    def readings(self) -> tuple[Program, ...]:
        """The programs that give the right answer, best first."""
        return self.programs[: self.consistent]


def lesson_of(parser: Parser, question: Prepared, program: str | None = None) -> Lesson:
    """Return a lesson: search for programs that give the right answer, and for their rivals.

    Args:
        parser: what is taught.
        question: with its right answer.
        program: as written, what the person said is meant.
    """
    assert question.rewards is not None
    logs, asked = parser.read(question)
    features = Features(question)
    critique = question.words.critique.astype(np.float64)
    right = _consistent(question, features, logs, critique, parser.config.search.eta, program)
    rivals = np.argsort(-logs, kind="stable")[:POOL]
    rivals = rivals[~np.isin(rivals, right)]
    ids = np.concatenate([right, rivals])
    programs = tuple(question.space.program(int(number)) for number in ids)
    chosen = None
    if program is not None:
        written = [print_program(one) for one in programs[: len(right)]]
        chosen = written.index(program) if program in written else None
    return Lesson(
        asked,
        programs,
        tuple(features.of(int(number)) for number in ids),
        logs[ids],
        question.rewards[ids].astype(np.float64),
        critique[ids],
        len(right),
        features.wording,
        chosen,
    )


def _consistent(
    question: Prepared,
    features: Features,
    logs: NDArray[np.float64],
    critique: NDArray[np.float64],
    eta: float,
    program: str | None,
) -> NDArray[np.int64]:
    """The programs that give the right answer, best first under the shaped policy.

    Those that say what the question does not are worth less, also in `critique`: three tied ages of
    37 are the largest for a question that names no 37.
    """
    assert question.rewards is not None
    every = np.flatnonzero(question.rewards >= 1)
    shaped = logs[every] + eta * critique[every]  # log of b · p_c, up to a constant
    some = every[np.argsort(-shaped, kind="stable")][: CONSISTENT * 4]
    meant = _number(question, program)
    if meant is not None and meant in every and meant not in some:
        some = np.append(some, meant)
    trees = [question.space.program(int(number)) for number in some]
    critique[some] -= LEAP * np.array([features.unsaid(tree) for tree in trees])
    best = some[np.argsort(-(logs[some] + eta * critique[some]), kind="stable")]
    first = best[:CONSISTENT]
    if meant is not None and meant in best and meant not in first:
        first = np.append(first[:-1], meant)
    return first


def _number(question: Prepared, program: str | None) -> int | None:
    """The number of a program as written, None if the question has none such."""
    try:
        return question.space.index(parse_program(program)) if program else None
    except ProgramError:
        return None


def learn(lessons: Sequence[Lesson], config: Config) -> TableMemory:
    """Return what a table's lessons teach; those that no program answers teach nothing.

    Args:
        lessons: of tables with one header.
        config: the parser's; it learns by its update, if that has a margin.
    """
    known = [lesson for lesson in lessons if lesson.consistent]
    if not known:
        return TableMemory(np.zeros((0, 1), np.float32), ())
    questions = np.stack([lesson.asked for lesson in known])  # (L, D)
    places = {f: n for n, f in enumerate({f for one in known for f in _all(one)})}
    near = nearness(questions, questions.T)  # (L, L)
    says_it = [[own.wording.is_within(one.wording) for own in known] for one in known]
    same, other = near * np.array(says_it), near * ~np.array(says_it)  # (L, L) each
    own = np.array([feature.startswith(PARTICULAR) for feature in places])  # (F,)
    unsaid = [np.array([UNSAID in one for one in lesson.features]) for lesson in known]  # (K,)
    parts = [_matrix(lesson, places) for lesson in known]  # (K, F) each
    weights = np.zeros((len(known), len(places)))  # (L, F)
    for _ in range(ROUNDS):
        learnt = False
        for number, (lesson, part) in enumerate(zip(known, parts, strict=True)):
            of_others = part @ np.where(own, 0.0, other[number] @ weights)  # (K,)
            of_others = np.where(unsaid[number], np.minimum(of_others, 0.0), of_others)
            scores = lesson.logs + part @ (same[number] @ weights) + of_others  # (K,)
            pull = _coefficients(lesson, scores, config)  # (K,)
            if pull.any():
                learnt = True
                weights[number] += RATE * (pull @ part)
        if not learnt:
            break
    names = list(places)
    kept = tuple(
        {names[n]: float(line[n]) for n in np.flatnonzero(line).tolist()} for line in weights
    )
    wordings = tuple(lesson.wording for lesson in known)
    programs = tuple(print_program(one.taken) if one.taken else "" for one in known)
    return TableMemory(questions.astype(np.float32), kept, wordings, programs)


def _coefficients(
    lesson: Lesson, scores: NDArray[np.float64], config: Config
) -> NDArray[np.float64]:
    """(K,) c(y) of the update by which lessons are learnt.

    Other programs with the same answer are no rivals: lowering them would teach nothing. Where the
    person said which one is meant, they are half right. So y* is all that was explored.
    """
    rewards, others = lesson.rewards, lesson.rewards < 1
    if lesson.chosen is not None:
        reference = lesson.chosen
        rewards = np.where(others, rewards, 0.5)
        rewards[reference] = 1.0
        others = np.ones_like(others)
    else:
        shaped = scores + config.search.eta * lesson.critique
        reference = int(shaped[: lesson.consistent].argmax())
    others[reference] = True
    explored = np.full(len(scores), -np.inf)
    explored[reference] = 0.0
    found = LessonCandidates(scores / MARGIN, rewards, others, explored, reference)
    return lesson_coefficients(found, _update(config))


def _update(config: Config) -> UpdateConfig:
    """The parser's own update, if it has a margin."""
    return config.update if config.update.competing in MARGIN_METHODS else UPDATE


def _all(lesson: Lesson) -> list[str]:
    return [feature for features in lesson.features for feature in features]


def _matrix(lesson: Lesson, places: dict[str, int]) -> NDArray[np.float64]:
    """(K, F) how often each program has each feature."""
    matrix = np.zeros((len(lesson.programs), len(places)))
    for line, features in zip(matrix, lesson.features, strict=True):
        for feature in features:
            line[places[feature]] += 1
    return matrix
