"""The surface features: how column names and values overlap with the question's words.

Misra et al. (2018), appendix.

C columns, V values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import Bits
from denota.search.critique import EntryWords

Floats = NDArray[np.float32]


def surface_features(
    tokens: EntryWords, columns: NDArray[np.int16], asked: tuple[str, ...]
) -> tuple[Floats, Floats]:
    """(C, 3) exact and overlap of a column's name, related: some cell of the column overlaps.

    (V, 2) exact and overlap of a value.
    """
    words = tokens.asked(asked)
    values = _surface(tokens.values, words)
    related = np.zeros((len(tokens.names), 1), np.float32)
    related[columns[values[:, 1] > 0]] = 1
    return np.concatenate([_surface(tokens.names, words), related], axis=1), values


def _surface(texts: Bits, words: Bits) -> Floats:
    """(texts, 2) exact: all tokens occur in the question; overlap: at least one."""
    lacks = (texts & ~words).any(axis=1)
    return np.stack([~lacks & texts.any(axis=1), (texts & words).any(axis=1)], 1).astype(np.float32)
