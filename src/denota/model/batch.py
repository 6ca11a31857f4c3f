"""Prepared questions to padded tensors: what a scorer reads. B questions, T words, C columns, V values, K constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from denota.search.axes import BLOCKS, FIXED
from denota.search.prepare import Prepared

Ids = Callable[[Sequence[str]], list[int]]
"""Words to their numbers; 0 is padding."""


@dataclass(frozen=True, eq=False)
class Bags:
    """Texts of several words each, as one flat list a batch."""

    words: Tensor  #: (all words,) the words of all texts
    offsets: Tensor  #: (texts + 1,) where each text begins; the last is an empty text
    places: (
        Tensor  #: (B, most texts) the number of each question's texts; the empty text on padding
    )


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch of questions as a scorer sees it."""

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
    widths: dict[str, int]
    """The width of each block of axis entries, padding included."""

    @property
    def offsets(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """(blocks,) where each block begins on the joined axis."""
        return np.cumsum([0, *(self.widths[name] for name in BLOCKS[:-1])])


def make_batch(questions: Sequence[Prepared], ids: Ids) -> Batch:
    """Pad questions to one batch."""
    columns = max(len(q.names) for q in questions)
    values = max(1, *(len(q.values) for q in questions))
    constants = max(1, *(len(q.before_constant) for q in questions))
    words = max(1, *(int(_most_word(q)) for q in questions))
    widths = {
        **dict.fromkeys(("select", "where", "follow_where"), columns),
        **dict.fromkeys(("equal", "not_equal", "follow_equal", "follow_not_equal"), values),
        "compare": 4 * constants,
        "word": words,
        "constant": constants,
        "fixed": len(FIXED),
    }
    name_ids = [[ids(name) for name in q.names] for q in questions]
    flat = [[word for name in names for word in name] for names in name_ids]
    owner = [[c for c, name in enumerate(names) for _ in name] for names in name_ids]
    surface = np.zeros((len(questions), columns, 6), np.float32)
    value_surface = np.zeros((len(questions), values, 4), np.float32)
    before = np.zeros((len(questions), constants, 2), np.int64)
    for line, q in enumerate(questions):
        surface[line, : len(q.names)] = q.column_surface
        value_surface[line, : len(q.values)] = q.value_surface
        for k, tokens in enumerate(q.before_constant):
            before[line, k, : len(tokens)] = ids(tokens)
    return Batch(
        _padded([ids(q.question) for q in questions]),
        _padded([ids(q.previous_question) for q in questions]),
        _bags(name_ids, columns),
        _padded(flat),
        _padded(owner),
        _bags([[ids(value) for value in q.values] for q in questions], values),
        torch.from_numpy(surface),
        torch.from_numpy(value_surface),
        torch.from_numpy(before),
        torch.tensor([float(q.has_number) for q in questions]),
        widths,
    )


def _most_word(question: Prepared) -> int:
    block = question.axes.condition_block
    words = question.axes.condition_entry[block == BLOCKS.index("word")]
    return int(words.max(initial=0)) + 1


def _padded(lines: Sequence[Sequence[int]]) -> Tensor:
    width = max(1, *(len(line) for line in lines)) if lines else 1
    result = np.zeros((len(lines), width), np.int64)
    for number, line in enumerate(lines):
        result[number, : len(line)] = line
    return torch.from_numpy(result)


def _bags(texts: Sequence[Sequence[Sequence[int]]], width: int) -> Bags:
    every = [text for question in texts for text in question]
    lengths = np.array([len(text) for text in every], np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    words = np.fromiter((word for text in every for word in text), np.int64, int(lengths.sum()))
    places = np.full((len(texts), width), len(every), np.int64)
    start = 0
    for line, question in enumerate(texts):
        places[line, : len(question)] = np.arange(start, start + len(question))
        start += len(question)
    return Bags(torch.from_numpy(words), torch.from_numpy(offsets), torch.from_numpy(places))
