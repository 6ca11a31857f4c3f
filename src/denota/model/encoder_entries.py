"""What an encoder's scorer is given of columns, values and questions besides their words.

And which blocks of the axis its heads score. C columns, V values. Nothing here knows of torch.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.search.axes import BLOCKS
from denota.search.prepare import Prepared

REFINED: Final = 20
"""How many of a question's best programs are looked at as a whole."""
ACTIONS: Final = ("fixed", "outcome", "relation", "breadth")
"""Blocks of entries that are nothing but themselves."""
ENTRIES: Final = {"constants": ("compare",), "actions": ACTIONS, "acts": (*ACTIONS, "compare")}
"""The blocks whose entries have rows of their own, by head; comparisons have a constant as well."""
MATCHES: Final = 8
"""Matching features of a text: soft and exact, its pieces in the question and the question's in
it, for the question and the one before."""
COLUMN_KINDS: Final = ("text", "number", "date")
COLUMN_FEATURES: Final = 6 + 2 + len(COLUMN_KINDS)
"""Surface features; a column of the previous answer, and of a value that the question names in
full; the kind."""
VALUE_FEATURES: Final = 4 + 2 + 3
"""Surface features; phrases; how many rows have it, whether one, whether one of the previous
answer."""
QUESTION_FEATURES: Final = 5
"""A number in it; an earlier question; a previous answer, of one row, and how many rows."""


def column_features_of(question: Prepared, phrases: NDArray[np.float32]) -> NDArray[np.float32]:
    """(C, COLUMN_FEATURES) what is known of columns besides their words.

    Args:
        question: about them.
        phrases: (V, 2) `QuestionText.phrases`.
    """
    found = np.zeros((len(question.names), COLUMN_FEATURES), np.float32)
    found[:, :6] = question.column_surface
    if question.previous is not None:
        found[list(question.previous.columns), 6] = 1
    found[question.axes.values[0][phrases[:, 0] > 0], 7] = 1
    for number, column in enumerate(question.table.columns):
        found[number, 8 + COLUMN_KINDS.index(column.kind)] = 1
    return found


def value_features_of(question: Prepared, phrases: NDArray[np.float32]) -> NDArray[np.float32]:
    """(V, VALUE_FEATURES) what is known of values besides their words, likewise."""
    found = np.zeros((len(question.values), VALUE_FEATURES), np.float32)
    found[:, :4] = question.value_surface
    found[:, 4:6] = phrases
    axes = question.axes
    tests = np.flatnonzero(axes.condition_block[:, 1] == BLOCKS.index("equal"))
    tests = tests[axes.condition_parts[tests, 0] < 0]
    rows = axes.rows[tests]
    places = axes.condition_entry[tests, 1]
    kept = np.bitwise_count(rows).sum(axis=1)
    found[places, 6] = np.log1p(kept) / 3
    found[places, 7] = kept == 1
    if question.previous is not None and question.previous.rows:
        before = np.zeros(8 * rows.shape[1], bool)
        before[list(question.previous.rows)] = True
        found[places, 8] = (rows & np.packbits(before)).any(axis=1)
    return found


def question_features_of(question: Prepared) -> NDArray[np.float32]:
    """(QUESTION_FEATURES,) what is known of a question besides its words."""
    rows = len(question.previous.rows) if question.previous is not None else 0
    return np.array(
        [question.has_number, bool(question.history), rows > 0, rows == 1, np.log1p(rows) / 3],
        np.float32,
    )
