"""What a parser makes of a question: its best programs, with all that a conversation needs to choose among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from denota.data.example import Question
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.tree import Program
from denota.search.preparer import Preparer

RATED: Final = 20
"""So many of the best programs are looked at; those with the same answer count for its probability."""


@dataclass(frozen=True)
class RatedProgram:
    """A program that a question might mean."""

    program: Program
    answer: Denotation
    """What it means, or what a conversation makes of that."""
    rated_as: Denotation
    """What it meant when it was rated."""
    probability: float
    """Among all programs."""
    critique: float
    """How well the question's words bear it out."""
    missed: float
    """The share of what the question says of the table that the program leaves out."""
    grounded: bool = True
    """Whether the question calls for its operators and names its constants."""


def rate(
    parser: Parser, preparer: Preparer, question: Question, previous: Denotation | None
) -> tuple[RatedProgram, ...]:
    """Return a question's best programs, best first.

    Args:
        parser: what rates them.
        preparer: makes questions ready as the parser wants them.
        question: with its table and the questions before it.
        previous: the answer before it.
    """
    ready = preparer(question, previous)
    ids, probabilities = parser.rated([ready], RATED)[0]
    words = ready.words
    answers = [ready.denotation(number) for number in ids]
    return tuple(
        RatedProgram(
            ready.space.program(number),
            answer,
            answer,
            probability,
            float(words.critique[number]),
            float(words.recall_missed[number]),
            ready.space.is_grounded(number),
        )
        for number, answer, probability in zip(ids, answers, probabilities, strict=True)
    )
