"""The prediction loop: conversations in order, each question with the model's own last answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from denota.data.answer import Answer, Cells, Values
from denota.data.example import Example, Question, conversations
from denota.evaluation.metrics import Key
from denota.programs.denotation import Denotation
from denota.programs.rewards import denotation_items
from denota.search.prepare import Prepared
from denota.tables.table import Table

Ids = np.ndarray[tuple[int], np.dtype[np.int64]]
Best = Callable[[Sequence[Prepared]], list[Ids]]
Prepare = Callable[[Question, Denotation | None], Prepared]
AnswerTurn = Callable[[Sequence[Question], Sequence[Denotation | None]], Sequence[Denotation]]


LOOKED_THROUGH: Final = 100
"""Where cells are asked for, the best program that gives cells is looked for among this many."""


def key_of(question: Question) -> Key:
    """Return what identifies a question in the official files."""
    return question.id, question.annotator, question.position


def predict(
    questions: Sequence[Question],
    best: Best,
    prepare: Prepare,
    batch: int = 256,
    gold: Mapping[Key, Example] | None = None,
) -> dict[Key, Denotation]:
    """Answer every question.

    Args:
        questions: of any number of conversations.
        best: a parser's best programs of prepared questions.
        prepare: makes a question ready, given the answer before it.
        batch: how many questions are scored at once.
        gold: the examples, if the history should be gold and not the model's own, which it still is
            where the right cells are not known.
    """

    def answer(asked: Sequence[Question], before: Sequence[Denotation | None]) -> list[Denotation]:
        found = []
        for start in range(0, len(asked), batch):
            some = zip(asked[start : start + batch], before[start : start + batch], strict=True)
            ready = [prepare(question, previous) for question, previous in some]
            pairs = zip(ready, best(ready), strict=True)
            found += [prepared.denotation(int(ids[0])) for prepared, ids in pairs]
        return found

    return predict_by_turns(questions, answer, gold)


def best_that_gives_cells(best: Callable[[Sequence[Prepared], int], list[Ids]]) -> Best:
    """Return what finds the best program that gives cells, or the best at all where none does.

    Args:
        best: a parser's best programs of prepared questions, so many of each.
    """

    def found(questions: Sequence[Prepared]) -> list[Ids]:
        chosen = []
        for question, ids in zip(questions, best(questions, LOOKED_THROUGH), strict=True):
            gives = [n for n, number in enumerate(ids.tolist()) if question.gives_cells(number)]
            first = gives[0] if gives else 0
            chosen.append(ids[first : first + 1])
        return chosen

    return found


def predict_by_turns(
    questions: Sequence[Question], answer: AnswerTurn, gold: Mapping[Key, Example] | None = None
) -> dict[Key, Denotation]:
    """Answer every question: the first ones of all conversations, then the second ones, and so on.

    Args:
        questions: of any number of conversations.
        answer: answers questions, each given the answer before it.
        gold: as in `predict`.
    """
    answers: dict[Key, Denotation] = {}
    turns = conversations(questions)
    for turn in range(max(map(len, turns), default=0)):
        now = [conversation[turn] for conversation in turns if turn < len(conversation)]
        before = [
            _before(c[turn - 1], answers, gold) if turn else None for c in turns if turn < len(c)
        ]
        for question, found in zip(now, answer(now, before), strict=True):
            answers[key_of(question)] = found
    return answers


def gold_of(examples: Sequence[Example]) -> dict[Key, Example]:
    """Return examples by what identifies their questions."""
    return {key_of(example.question): example for example in examples}


def in_form_of(gold: Mapping[Key, Example], answers: Mapping[Key, Denotation]) -> dict[Key, Answer]:
    """Return answers to gold questions, each as cells or values, whichever its gold answer is."""
    return {
        key: as_cells(answer)
        if isinstance(gold[key].answer, Cells)
        else as_values(answer, gold[key].question.table)
        for key, answer in answers.items()
        if key in gold
    }


def as_cells(answer: Denotation) -> Cells:
    """Return a denotation as the cells it is; a value is no cells."""
    return Cells(answer.cells if answer.values is None else frozenset())


def as_values(answer: Denotation, table: Table) -> Values:
    """Return what a denotation says: its values, or the texts of its cells by row, then column."""
    return Values(denotation_items(answer, table))


def _before(
    question: Question, answers: dict[Key, Denotation], gold: Mapping[Key, Example] | None
) -> Denotation:
    key = key_of(question)
    known = gold[key].cells if gold is not None and key in gold else None
    return Denotation.of_cells(known) if known else answers[key]
