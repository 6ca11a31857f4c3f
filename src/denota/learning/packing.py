"""Which questions share a batch: any, in a random order, or those with texts of like length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.data.example import Question
from denota.model.reading import BEFORE

WINDOW: Final = 16
"""Batches whose questions are sorted by length together."""
Ids = NDArray[np.int64]


def batches_of(order: Ids, size: int) -> list[Ids]:
    """Cut an order of questions into batches.

    >>> [part.tolist() for part in batches_of(np.array([2, 0, 1]), 2)]
    [[2, 0], [1]]
    """
    return [order[first : first + size] for first in range(0, len(order), size)]


def packed(order: Ids, lengths: Ids, size: int, rng: np.random.Generator) -> list[Ids]:
    """Cut a random order into batches of like length, which come in a random order as well.

    Within a window of some batches the questions are sorted by length, so that a batch is still a
    random choice of such questions.

    Args:
        order: the questions.
        lengths: of the text of each question, by its number.
        size: questions a batch.
        rng: shuffles the batches.
    """
    found = []
    for window in batches_of(order, WINDOW * size):
        found += batches_of(window[np.argsort(lengths[window], kind="stable")], size)
    return [found[number] for number in rng.permutation(len(found))]


def text_lengths(questions: Sequence[Question]) -> Ids:
    """(questions,) about how long the text is that an encoder reads of each, in letters."""
    names: dict[int, int] = {}
    for question in questions:
        table = question.table
        if id(table) not in names:
            names[id(table)] = sum(len(name) + 4 for name in table.names)
    return np.array(
        [
            names[id(q.table)] + len(q.text) + sum(len(text) for text in q.history[-BEFORE:])
            for q in questions
        ],
        np.int64,
    )
