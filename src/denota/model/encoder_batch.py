"""Prepared questions to the padded tensors that an encoder's scorer reads.

B questions, T pieces, C columns, V values, K constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.model.answering import widths_of
from denota.model.encoder_entries import (
    COLUMN_FEATURES,
    VALUE_FEATURES,
    column_features_of,
    question_features_of,
    value_features_of,
)
from denota.model.reading import Reader, Texts
from denota.model.scorer import AxisBatch
from denota.search.prepare import Prepared


@dataclass(frozen=True, eq=False)
class Owned:
    """Texts of several pieces each, the pieces of a question's texts in one line."""

    pieces: Tensor  #: (B, U)
    owner: Tensor  #: (B, U) the text each belongs to
    there: Tensor  #: (B, U) False on padding
    count: int
    """The most texts of a question."""


@dataclass(frozen=True, eq=False)
class EncoderBatch(AxisBatch):
    """A batch of questions as an encoder's scorer sees it."""

    pieces: Tensor  #: (B, T)
    parts: Tensor  #: (B, T) what each belongs to, as in `Reading.parts`
    places: Tensor  #: (B, T) where each stands, as in `Reading.places`
    columns: Tensor  #: (B, C, 2) where each name stands
    cells: Tensor  #: (B, the most shown, 2) where each shown value stands
    shown: Tensor  #: (B, V) the number of a value among the shown, -1 if it is not
    constants: Tensor  #: (B, K, 2)
    words: Tensor  #: (B, W, 2)
    names: Owned  #: C texts
    values: Owned  #: V texts
    value_columns: Tensor  #: (B, V)
    column_features: Tensor  #: (B, C, COLUMN_FEATURES)
    value_features: Tensor  #: (B, V, VALUE_FEATURES)
    question_features: Tensor  #: (B, QUESTION_FEATURES)
    asked: int
    """The two questions stand within so many pieces from the first, the table behind them."""


def make_encoder_batch(questions: Sequence[Prepared], reader: Reader) -> EncoderBatch:
    """Pad questions to one batch."""
    widths = widths_of(questions, outcome=True)
    columns, values = widths["select"], widths["equal"]
    read = [reader(q) for q in questions]
    shown = np.full((len(questions), values), -1, np.int64)
    of_column = np.zeros((len(questions), values), np.int64)
    column_features = np.zeros((len(questions), columns, COLUMN_FEATURES), np.float32)
    value_features = np.zeros((len(questions), values, VALUE_FEATURES), np.float32)
    for line, (q, one) in enumerate(zip(questions, read, strict=True)):
        shown[line, one.shown] = np.arange(len(one.shown))
        of_column[line, : len(q.values)] = q.axes.values[0]
        column_features[line, : len(q.names)] = column_features_of(q, one.phrases)
        value_features[line, : len(q.values)] = value_features_of(q, one.phrases)
    pad = reader.wordpieces.pad
    return EncoderBatch(
        widths,
        torch.from_numpy(_filled([r.pieces for r in read], pad)),
        torch.from_numpy(_filled([r.parts for r in read], 0)),
        torch.from_numpy(_filled([r.places for r in read], 0)),
        torch.from_numpy(_filled([r.columns for r in read], 0, columns)),
        torch.from_numpy(_filled([r.cells for r in read], 0)),
        torch.from_numpy(shown),
        torch.from_numpy(_filled([r.constants for r in read], 0, widths["constant"])),
        torch.from_numpy(_filled([r.words[: widths["word"]] for r in read], 0, widths["word"])),
        _owned([reader.texts(q.names, q.table) for q in questions], columns, pad),
        _owned([reader.texts(q.values, q.table) for q in questions], values, pad),
        torch.from_numpy(of_column),
        torch.from_numpy(column_features),
        torch.from_numpy(value_features),
        torch.from_numpy(np.stack([question_features_of(q) for q in questions])),
        max(1 + int(np.flatnonzero((r.parts == 1) | (r.parts == 2)).max(initial=0)) for r in read),
    )


def _filled(lines: Sequence[NDArray[np.int64]], filling: int, width: int = 0) -> NDArray[np.int64]:
    """Lines of different lengths as one array."""
    width = max(width, 1, *(len(line) for line in lines))
    found = np.full((len(lines), width, *lines[0].shape[1:]), filling, np.int64)
    for number, line in enumerate(lines):
        found[number, : len(line)] = line
    return found


def _owned(texts: Sequence[Texts], count: int, pad: int) -> Owned:
    pieces = _filled([t.pieces for t in texts], pad)
    lengths = np.array([len(t.pieces) for t in texts])
    return Owned(
        torch.from_numpy(pieces),
        torch.from_numpy(_filled([t.owner for t in texts], 0)),
        torch.from_numpy(np.arange(pieces.shape[1]) < lengths[:, None]),
        count,
    )
