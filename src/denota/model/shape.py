"""The sizes of a pretrained encoder, and what its attention takes for granted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

HIDDEN: Final = -30000.0
"""What is added to the attention on padding: no weight is left, no infinity arises, and every
type of float holds it."""
FARTHEST: Final = 128
"""Pieces this far apart or farther share MPNet's last bucket of distances."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of an encoder."""

    kind: str
    """`bert` or `mpnet`: decides the names of the weights in a file."""
    vocabulary: int
    size: int
    """D, of the hidden states."""
    layers: int
    heads: int
    inner: int
    """The width of the feed-forward part."""
    positions: int
    first: int
    """The row of the first piece in the table of positions."""
    segments: int
    """The kinds of text a piece can be marked as; 0 for MPNet, which marks none."""
    buckets: int
    """The buckets of distances between pieces; 0 for BERT, which has none."""
    epsilon: float

    @property
    def longest(self) -> int:
        """The pieces of the longest text that can be read."""
        return self.positions - self.first
