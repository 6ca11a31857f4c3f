"""Questions made ready once for each previous answer they meet, and kept."""

from __future__ import annotations

from collections.abc import Iterable

from denota.data.example import Question
from denota.programs.denotation import Denotation
from denota.programs.operators import language_of
from denota.search.critique import read_lexicon
from denota.search.prepare import Prepared, prepare
from denota.tables.table import Cell


class Preparer:
    """Prepares questions of one language and lexicon, each once for each previous answer."""

    def __init__(self, language: str, lexicon: str | None = None) -> None:
        self.language, self.lexicon = language_of(language), read_lexicon(lexicon)
        self._kept: dict[tuple[int, Denotation | None, bool], Prepared] = {}
        self._questions: dict[int, Question] = {}

    def __call__(
        self, question: Question, previous: Denotation | None, answer: Iterable[Cell] | None = None
    ) -> Prepared:
        """Return a question made ready, given the answer before it and, for training, its own."""
        key = (id(question), previous, answer is not None)
        if key not in self._kept:
            self._questions[id(question)] = question  # keeps the id its own
            self._kept[key] = prepare(
                question.text,
                question.table,
                question.history,
                previous,
                answer,
                self.language,
                self.lexicon,
            )
        return self._kept[key]
