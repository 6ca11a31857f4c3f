"""Prepared questions to padded tensors: what a scorer reads.

B questions, T words, C columns, V values, K constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.model.answering import widths_of
from denota.model.scorer import AxisBatch
from denota.model.vectors import WordVectors
from denota.search.prepare import Prepared

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bags:
    """Texts of several words each, as one flat list a batch."""

    words: Tensor  #: (all words,) the words of all texts
    offsets: Tensor  #: (texts + 1,) where each text begins; the last is an empty text
    places: (
        Tensor  #: (B, most texts) the number of each question's texts; the empty text on padding
    )


@dataclass(frozen=True, eq=False)
class Batch(AxisBatch):
    """A batch of questions as a scorer sees it.

    Words are numbered within the batch, so that a step touches the vectors of its own words alone.
    """

    words: Tensor  #: (U,) the batch's words as vocabulary numbers, the first is padding
    question: Tensor  #: (B, T) words, 0 on padding
    previous: Tensor  #: (B, T') words of the previous question, all 0 where there is none
    names: Bags  #: C texts a question
    name_words: Tensor  #: (B, W) the words of all names, 0 on padding
    name_columns: Tensor  #: (B, W) the column each belongs to
    values: Bags  #: V texts a question
    column_surface: Tensor  #: (B, C, 6)
    value_surface: Tensor  #: (B, V, 4)
    before_constant: Tensor  #: (B, K, 2) the two words before each constant, 0 where there is none
    has_number: Tensor  #: (B,)


def make_batch(questions: Sequence[Prepared], vectors: WordVectors, outcome: bool = False) -> Batch:
    """Pad questions to one batch, with or without outcome blocks."""
    widths = widths_of(questions, outcome)
    columns, values, constants = widths["select"], widths["equal"], widths["constant"]
    surface = np.zeros((len(questions), columns, 6), np.float32)
    value_surface = np.zeros((len(questions), values, 4), np.float32)
    before = np.zeros((len(questions), constants, 2), np.int64)
    for line, q in enumerate(questions):
        surface[line, : len(q.names)] = q.column_surface
        value_surface[line, : len(q.values)] = q.value_surface
        for k, tokens in enumerate(q.before_constant):
            before[line, k, : len(tokens)] = vectors.ids(tokens)
    names = [vectors.texts(q.names, q.table) for q in questions]
    numbered = {
        "question": _padded([vectors.ids(q.question) for q in questions]),
        "previous": _padded([vectors.ids(q.previous_question) for q in questions]),
        "names": np.concatenate([flat for flat, _ in names]),
        "name_words": _padded([flat for flat, _ in names]),
        "before": before,
    }
    texts = [vectors.texts(q.values, q.table) for q in questions]
    numbered["values"] = np.concatenate([flat for flat, _ in texts])
    used = np.zeros(len(vectors.matrix), bool)
    used[0] = True
    for ids in numbered.values():
        used[ids] = True
    local = np.cumsum(used) - 1
    of = {name: torch.from_numpy(local[ids]) for name, ids in numbered.items()}
    owners = [np.repeat(np.arange(len(lengths)), lengths) for _, lengths in names]
    return Batch(
        widths,
        torch.from_numpy(np.flatnonzero(used)),
        of["question"],
        of["previous"],
        _bags(of["names"], [lengths for _, lengths in names], columns),
        of["name_words"],
        torch.from_numpy(_padded(owners)),
        _bags(of["values"], [lengths for _, lengths in texts], values),
        torch.from_numpy(surface),
        torch.from_numpy(value_surface),
        of["before"],
        torch.tensor([float(q.has_number) for q in questions]),
    )


def _padded(lines: Sequence[Sequence[int] | Ids]) -> Ids:
    width = max(1, *(len(line) for line in lines)) if lines else 1
    result = np.zeros((len(lines), width), np.int64)
    for number, line in enumerate(lines):
        result[number, : len(line)] = line
    return result


def _bags(words: Tensor, lengths: Sequence[Ids], width: int) -> Bags:
    counts = np.array([len(own) for own in lengths])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    starts = np.cumsum(counts) - counts
    place = np.arange(width)
    places = np.where(place < counts[:, None], starts[:, None] + place, counts.sum())
    return Bags(words, torch.from_numpy(offsets), torch.from_numpy(places))
