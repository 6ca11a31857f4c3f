"""Sets of rows and of tokens as arrays, and how often each kind of row is in a set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

ROOM: Final = 4_000_000
"""The most (condition, row) pairs that the values of one column, or the pairs of conditions of a
scope, may take. In tables of thousands of rows, columns with fewer classes than LONG become long,
and pairs of conditions that the question does not name are left out."""

Mask = NDArray[np.bool_]
"""Sets of rows: (..., R), True for the rows of the set."""
Bits = NDArray[np.uint64]
"""Sets of tokens, a bit each: (..., W) words of 64."""


def bits_of(texts: Sequence[Iterable[str]], vocabulary: Mapping[str, int]) -> Bits:
    """(texts, W) the token set of each text; tokens that the vocabulary lacks are left out.

    >>> bits_of([("a", "c"), ("b", "x")], {"a": 0, "b": 1, "c": 2}).tolist()
    [[5], [2]]
    """
    width = max(1, -(-len(vocabulary) // 64))
    sets = [sum(1 << vocabulary[t] for t in set(text) if t in vocabulary) for text in texts]
    packed = b"".join(one.to_bytes(8 * width, "little") for one in sets)
    return np.frombuffer(packed, "<u8").astype(np.uint64).reshape(len(sets), width)


def counted(codes: NDArray[np.int32], kinds: int, rows: Mask) -> NDArray[np.float32]:
    """(N, kinds) the number of rows of each kind in each set.

    Args:
        codes: (R,) the kind of each row, -1 for none.
        kinds: the number of kinds.
        rows: (N, R) the sets.

    >>> counted(np.array([0, 1, 1, -1], np.int32), 2, np.array([[True, True, True, True]])).tolist()
    [[1.0, 2.0]]
    """
    if len(codes) * kinds <= ROOM:
        known = np.flatnonzero(codes >= 0)
        one_hot = np.zeros((len(codes), kinds), np.float32)
        one_hot[known, codes[known]] = 1
        return rows.astype(np.float32) @ one_hot
    lines = [np.bincount(codes[line & (codes >= 0)], minlength=kinds) for line in rows]
    return np.array(lines, np.float32).reshape(len(rows), kinds)
