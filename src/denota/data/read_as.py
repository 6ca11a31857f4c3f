"""Loaded questions over tables whose numbers are read in another way."""

from __future__ import annotations

from dataclasses import replace

from denota.data.example import Example, Question
from denota.data.loaded import Loaded
from denota.tables.plain import read_plainly


def read_as(loaded: Loaded, numbers: str) -> Loaded:
    """Return what was loaded with numbers read `full`, or `plain` (bare numbers alone).

    Questions of one table share it as before.
    """
    if numbers == "full":
        return loaded
    questions = {
        id(question): replace(question, table=read_plainly(question.table))
        for question in (*loaded.questions, *(example.question for example in loaded.examples))
    }

    def other(question: Question) -> Question:
        return questions[id(question)]

    return replace(
        loaded,
        questions=tuple(map(other, loaded.questions)),
        examples=tuple(Example(other(e.question), e.answer) for e in loaded.examples),
    )
