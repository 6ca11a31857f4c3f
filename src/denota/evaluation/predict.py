"""The prediction loop: conversations answered in order, each question with the model's own previous answer as its history."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from denota.data.example import Example, Question, conversations
from denota.evaluation.metrics import Key
from denota.programs.denotation import Denotation
from denota.search.prepare import Prepared
from denota.tables.table import Cell

Best = Callable[[Sequence[Prepared]], list[np.ndarray[tuple[int], np.dtype[np.int64]]]]
Prepare = Callable[[Question, Denotation | None], Prepared]


def key_of(question: Question) -> Key:
    """Return what identifies a question in the official files."""
    return question.id, question.annotator, question.position


def predict(
    questions: Sequence[Question],
    best: Best,
    prepare: Prepare,
    batch: int = 256,
    gold: dict[Key, frozenset[Cell]] | None = None,
) -> dict[Key, Denotation]:
    """Answer every question.

    Args:
        questions: of any number of conversations.
        best: a parser's best programs of prepared questions.
        prepare: makes a question ready, given the answer before it.
        batch: how many questions are scored at once.
        gold: the right cells, if the history should be gold and not the model's own, which it is still where they are not known.
    """
    answers: dict[Key, Denotation] = {}
    turns = conversations(questions)
    for turn in range(max(map(len, turns), default=0)):
        now = [conversation[turn] for conversation in turns if turn < len(conversation)]
        before = [
            _before(c[turn - 1], answers, gold) if turn else None for c in turns if turn < len(c)
        ]
        for start in range(0, len(now), batch):
            some = now[start : start + batch]
            ready = [
                prepare(q, p) for q, p in zip(some, before[start : start + batch], strict=True)
            ]
            for question, prepared, found in zip(some, ready, best(ready), strict=True):
                answers[key_of(question)] = prepared.denotation(int(found[0]))
    return answers


def gold_of(examples: Sequence[Example]) -> dict[Key, frozenset[Cell]]:
    """Return the right cells of each question."""
    return {key_of(example.question): example.answer for example in examples}


def _before(
    question: Question, answers: dict[Key, Denotation], gold: dict[Key, frozenset[Cell]] | None
) -> Denotation:
    key = key_of(question)
    return answers[key] if gold is None or key not in gold else Denotation.of_cells(gold[key])
