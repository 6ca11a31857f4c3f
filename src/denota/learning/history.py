"""The previous answer that each question is trained with in an epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from denota.data.answer import Cells
from denota.data.example import Example
from denota.evaluation.metrics import Key
from denota.evaluation.predict import gold_of, key_of
from denota.programs.denotation import Denotation

GOLD_SHARE: Final = 0.5
"""How often a question is trained with the gold previous answer, and not with y*'s."""


def previous_answers(
    examples: Sequence[Example], known: Mapping[Key, Denotation], rng: np.random.Generator
) -> dict[Key, Denotation | None]:
    """Choose the previous answer of each question: the right one, or that of y*.

    Args:
        examples: to learn from.
        known: the last answer of y* for questions.
        rng: chooses.
    """
    gold = gold_of(examples)
    chosen: dict[Key, Denotation | None] = {}
    for example, uniform in zip(examples, rng.random(len(examples)), strict=True):
        name, annotator, position = key_of(example.question)
        before = (name, annotator, position - 1)
        if position == 0 or before not in gold:
            chosen[name, annotator, position] = None
            continue
        own, right = known.get(before), gold[before].answer
        if not isinstance(right, Cells):  # the cells of a value are those of the program found
            chosen[name, annotator, position] = own
            continue
        use_gold = own is None or not own.rows or uniform < GOLD_SHARE
        chosen[name, annotator, position] = Denotation.of_cells(right.cells) if use_gold else own
    return chosen
