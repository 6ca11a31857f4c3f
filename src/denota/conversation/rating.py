"""What a parser makes of a question: its best programs, with what the steps choose by."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from denota.data.example import Question
from denota.model.parser import Parser, Rated
from denota.programs.denotation import Denotation
from denota.programs.tree import Program
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer

RATED: Final = 20
"""The most programs of a question that are looked at."""


@dataclass(frozen=True)
class RatedProgram:
    """A program that a question might mean."""

    program: Program
    answer: Denotation
    """The denotation shown."""
    model_answer: Denotation
    """The denotation before ties and requests."""
    probability: float
    """Among all programs."""
    critique: float
    """How well the question's words bear it out."""
    recall_missed: float
    """The share of what the question says of the table that the program leaves out."""
    grounded: bool = True
    """Whether the question calls for its operators and names its constants."""
    said: float = 0.0
    """Whether the table says what is asked for, as the parser takes it, in log-odds."""

    @staticmethod
    def certain(program: Program, answer: Denotation, found: Denotation) -> RatedProgram:
        """Return a program that a step knows without the parser."""
        return RatedProgram(program, answer, found, 1.0, 1.0, 0.0)


def rate(
    parser: Parser,
    preparer: Preparer,
    question: Question,
    previous: Denotation | None,
    count: int = RATED,
) -> tuple[RatedProgram, ...]:
    """Return a question's best programs, best first, given the answer before it."""
    return rate_all(parser, preparer, [(question, previous)], count)[0]


def rate_all(
    parser: Parser,
    preparer: Preparer,
    asked: Sequence[tuple[Question, Denotation | None]],
    count: int = RATED,
) -> list[tuple[RatedProgram, ...]]:
    """Return the best programs of several questions, each with the answer before it."""
    ready = [preparer(question, previous) for question, previous in asked]
    rated = parser.rated(ready, count)
    return [_programs(one, found) for one, found in zip(ready, rated, strict=True)]


def _programs(ready: Prepared, rated: Rated) -> tuple[RatedProgram, ...]:
    words = ready.words
    return tuple(
        RatedProgram(
            ready.space.program(number),
            answer,
            answer,
            probability,
            float(words.critique[number]),
            float(words.recall_missed[number]),
            ready.space.is_grounded(number),
            rated.said,
        )
        for number, probability in zip(rated.programs, rated.probabilities, strict=True)
        for answer in (ready.denotation(number),)
    )


def answer_key(answer: Denotation) -> Hashable:
    """Return what two answers have in common if they tell a person the same.

    >>> one, other = Denotation((0, 1), (0, 2)), Denotation((0, 1), (2, 0))
    >>> answer_key(one) == answer_key(other), alike(one, other)
    (True, True)
    """
    if answer.values is not None:
        return answer.values, answer.groups
    if not answer.rows or not answer.columns:
        return None
    return answer.rows, tuple(sorted(answer.columns))


def alike(one: Denotation, other: Denotation) -> bool:
    """Say whether two answers tell a person the same: the same value, or the same cells."""
    if one.values is not None and (one.values, one.groups) == (other.values, other.groups):
        return True
    return one.same_as(other)
