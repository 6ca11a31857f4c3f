"""A question to prepare: what a store is made of, and a `Preparer` asks for."""

from __future__ import annotations

from dataclasses import dataclass

from denota.data.answer import Answer
from denota.data.example import Question
from denota.programs.denotation import Denotation
from denota.search.critique import Lexicon
from denota.search.prepare import Prepared, prepare


@dataclass(frozen=True, eq=False)
class Task:
    """A question, with the answer before it and, for training, its own."""

    question: Question
    previous: Denotation | None
    answer: Answer | None

    def prepare(
        self, language: frozenset[str], lexicon: Lexicon, keep_space: bool = False
    ) -> Prepared:
        """Make it ready."""
        asked = self.question
        of = (asked.text, asked.table, asked.history, self.previous, self.answer)
        return prepare(*of, language, lexicon, keep_space=keep_space)
