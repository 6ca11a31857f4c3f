"""Lists of programs of a batch, by their places among all programs laid end to end.

B questions, P programs of all of them together, K programs of each list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Listed = tuple[Tensor, Tensor]
"""(B, length) programs of each question, best first, by their places in the flat order; and (B,
length) True where there is one."""


class ChosenPrograms(NamedTuple):
    """What is known of (B, K) programs."""

    select: Tensor  #: the selection of each, by its number in the batch
    condition: Tensor  #: the condition, likewise
    recall_missed: Tensor
    critique: Tensor
    rewards: Tensor


def padded_places(lists: Sequence[NDArray[np.int64]], starts: NDArray[np.int64]) -> Listed:
    """The programs of each question as a matrix of places in the flat order, padded with 0."""
    places = np.zeros((len(lists), max(1, *map(len, lists))), np.int64)
    there = np.zeros(places.shape, bool)
    for line, ids in enumerate(lists):
        places[line, : len(ids)] = starts[line] + ids
        there[line, : len(ids)] = True
    return torch.from_numpy(places), torch.from_numpy(there)


def best_by_padding(
    scores: Tensor, starts: Tensor, counts: Tensor, most: int, count: int
) -> Listed:
    """The programs of each question with the highest (P,) scores, ties by place.

    The questions are padded to one matrix, which is quicker on a GPU than a loop.
    """
    place = torch.arange(most, device=scores.device)
    there = place < counts[:, None]  # (B, most)
    padded = scores[(starts[:, None] + place).clamp(max=len(scores) - 1)]
    keys = torch.where(there, _ordered(padded), -(1 << 62))
    keys = keys - place  # no two alike: equal scores go by place
    _, chosen = keys.topk(min(count, most), dim=1)
    found = there.gather(1, chosen)
    return starts[:, None] + chosen * found, found


def _ordered(scores: Tensor) -> Tensor:
    """Floats as integers in the same order, with room for a place below each."""
    bits = scores.contiguous().view(torch.int32).long()
    return torch.where(bits >= 0, bits, -(bits & 0x7FFFFFFF)) << 31
