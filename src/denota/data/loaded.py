"""A data set that was read: questions, examples, and a problem for each line it could not use."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from denota.data.example import Example, Question


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a dataset that could not be used, and where it stands.

    >>> print(Problem(Path("mine.jsonl"), 12, 3, "the question is empty"))
    mine.jsonl:12 turn 3: the question is empty
    """

    path: Path
    line: int  #: counted from 1
    turn: int | None  #: counted from 1; None where the whole line is meant
    message: str

    def __str__(self) -> str:
        """Say where, then what."""
        turn = "" if self.turn is None else f" turn {self.turn}"
        return f"{self.path}:{self.line}{turn}: {self.message}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A dataset as read; nothing in the files is missing from all three fields."""

    questions: tuple[Question, ...]  #: every question that can be asked, answered or not
    examples: tuple[Example, ...] = ()  #: those of them whose answer is known
    problems: tuple[Problem, ...] = ()

    def without_tables(self, known: Collection[str]) -> Loaded:
        """Return what is about other tables than these; problems are told of once."""
        return Loaded(
            tuple(q for q in self.questions if q.table_file not in known),
            tuple(e for e in self.examples if e.question.table_file not in known),
        )
