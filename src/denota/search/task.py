"""A question to prepare: what a store is made of, and a `Preparer` asks for."""

from __future__ import annotations

from dataclasses import dataclass

from denota.data.answer import Answer
from denota.data.example import Question
from denota.programs.denotation import Denotation
from denota.search.lexicon import Lexicon
from denota.search.new_previous import prepare_with_new_previous
from denota.search.prepare import Prepared, prepare
from denota.search.sought import ANY, Sought


@dataclass(frozen=True, eq=False)
class Task:
    """A question, with the answer before it and, for training, its own."""

    question: Question
    previous: Denotation | None
    answer: Answer | None
    sought: Sought = ANY
    """Which of the programs that give the answer are looked for."""

    def prepare(
        self,
        language: frozenset[str],
        lexicon: Lexicon,
        known: Prepared | None = None,
        keep_space: bool = False,
    ) -> Prepared:
        """Make it ready, from what it was with another previous answer if that is known."""
        asked = self.question
        of = (asked.text, asked.table, asked.history, self.previous, self.answer, language, lexicon)
        if known is None or (known.rewarded_programs is None and self.answer is not None):
            return prepare(*of, keep_space=keep_space, sought=self.sought)
        return prepare_with_new_previous(known, *of, sought=self.sought)
