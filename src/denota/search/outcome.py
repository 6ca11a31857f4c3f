"""What a program would answer, as more entries of the axes: for a scorer that looks at it.

Differs from the paper: its parser scores actions alone.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.operators import SCOPES, TESTS
from denota.search.axes import BLOCK_NUMBER, BREADTHS, COMPARISONS, OUTCOMES, SIZES, Axes


def outcome_entries(
    axes: Axes, before: tuple[int, ...]
) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """(N, 3) more entries of every condition.

    Its column in the block of its kind of test, how many rows it keeps, and how those relate to the
    rows of the previous answer.

    A scorer that looks at what a program would answer scores these too; the paper's does not.
    """
    block = np.full((len(axes.condition_test), 3), BLOCK_NUMBER["fixed"], np.int8)
    entry = np.zeros(block.shape, np.int16)
    kinds = _KIND[axes.condition_test]
    there = (kinds != BLOCK_NUMBER["fixed"]) & (axes.condition_column >= 0)
    block[there, 0], entry[there, 0] = kinds[there], axes.condition_column[there]
    kept = _counts(axes.rows)
    block[:, 1] = BLOCK_NUMBER["outcome"]
    entry[:, 1] = np.searchsorted(SIZES, kept)
    for place, own in axes.scopes:
        everything = kept[place.none]
        entry[own, 1] = np.where(kept[own] == everything, len(SIZES) + 1, entry[own, 1])
        if SCOPES[place.scope].follows:
            entry[own, 1] = entry[own, 1] % (OUTCOMES // 2) + OUTCOMES // 2
    block[:, 2] = BLOCK_NUMBER["relation"]
    if before:
        rows = np.zeros(8 * axes.rows.shape[1], bool)
        rows[list(before)] = True
        again = _counts(axes.rows & np.packbits(rows))
        inside = np.where(again == len(before), 1, 2)
        entry[:, 2] = np.where(again == kept, inside, np.where(again == 0, 3, 4))
    return block, entry


def _counts(rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """(N,) how many rows each of (N, R / 8) sets has; columns are added, for they are long."""
    counts: NDArray[np.uint64] = np.bitwise_count(np.ascontiguousarray(rows.T)).sum(axis=0)
    return counts


def selection_entries(axes: Axes) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """(S, 2) two more entries of every selection: how many columns it names, and nothing."""
    block = np.full((len(axes.select_block), 2), BLOCK_NUMBER["fixed"], np.int8)
    entry = np.zeros(block.shape, np.int16)
    named = (axes.select_block == BLOCK_NUMBER["select"]).sum(axis=1)
    block[:, 0], entry[:, 0] = BLOCK_NUMBER["breadth"], np.minimum(named, BREADTHS - 1)
    return block, entry


_KIND: Final = np.array(
    [
        BLOCK_NUMBER[
            "ranked"
            if TESTS[name].ranks
            else "compared"
            if name in COMPARISONS
            else "stated"
            if TESTS[name].takes is None and TESTS[name].has_column
            else "fixed"
        ]
        for name in TESTS
    ]
    + [BLOCK_NUMBER["fixed"]],
    np.int8,
)
"""The block that a test's column stands in besides WHERE, by its place in TESTS; the last is for
none."""
