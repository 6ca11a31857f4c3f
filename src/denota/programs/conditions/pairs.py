"""Pairs of row sets that a program compares (`versus`)."""

from __future__ import annotations

from typing import Final

import numpy as np

from denota.programs.conditions.axis import PAIR
from denota.programs.conditions.grow import GrowingAxis
from denota.programs.conditions.support import best_supported

PAIRED: Final = 12
"""At most this many conditions are compared with each other: those with the most support."""


def add_pairs(axis: GrowingAxis) -> None:
    """Add every two of the best-supported conditions that keep different rows, in both orders."""
    so_far = axis.conditions()
    best = best_supported(so_far, PAIRED)
    left, right = (side.ravel() for side in np.meshgrid(best, best, indexing="ij"))
    other = (so_far.mask[left] != so_far.mask[right]).any(axis=1)
    left, right = left[other], right[other]
    axis.add_joined(PAIR, left, right, so_far.mask[left] | so_far.mask[right])
