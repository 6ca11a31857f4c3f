"""Which questions share a batch: any, in a random order, or those with texts of like length."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.model.scorer import Scorer
from denota.search.prepare import Prepared

WINDOW: Final = 16
"""Batches whose questions are sorted by length together."""
GROUPS: Final = 12
"""A batch has questions about the tables of one of so many groups, where that can be."""
Ids = NDArray[np.int64]


def batches_of(order: Ids, size: int) -> list[Ids]:
    """Cut an order of questions into batches.

    >>> [part.tolist() for part in batches_of(np.array([2, 0, 1]), 2)]
    [[2, 0], [1]]
    """
    return [order[first : first + size] for first in range(0, len(order), size)]


def packed(order: Ids, lengths: Ids, size: int, rng: np.random.Generator) -> list[Ids]:
    """Cut a random order into batches of like length, which come in a random order as well.

    Within a window of some batches the questions are sorted by length, so that a batch is still a
    random choice of such questions.

    Args:
        order: the questions.
        lengths: of the text of each question, by its number.
        size: questions a batch.
        rng: shuffles the batches.
    """
    found = []
    for window in batches_of(order, WINDOW * size):
        found += batches_of(window[np.argsort(lengths[window], kind="stable")], size)
    return [found[number] for number in rng.permutation(len(found))]


def packed_by_group(
    order: Ids, groups: Ids, lengths: Ids, size: int, rng: np.random.Generator
) -> list[Ids]:
    """Cut a random order into batches of like length, each about the tables of one group.

    The groups come by turns. So if as many processes as there are groups, or a half or a third as
    many, make the batches by turns, each of them reads its own tables alone and reads them once.
    What is left of the groups when all full batches are cut comes last.

    Args:
        order: the questions.
        groups: of each question, by its number.
        lengths: of the text of each, likewise.
        size: questions a batch.
        rng: shuffles the batches.
    """
    own = [order[groups[order] == group] for group in range(GROUPS)]
    full = [len(some) - len(some) % size for some in own]
    parts = [packed(some[:end], lengths, size, rng) for some, end in zip(own, full, strict=True)]
    rounds = max(map(len, parts))
    by_turns = [part[turn] for turn in range(rounds) for part in parts if turn < len(part)]
    left = np.concatenate([some[end:] for some, end in zip(own, full, strict=True)])
    return by_turns + packed(rng.permutation(left), lengths, size, rng)


def groups_of(tables: Sequence[object]) -> Ids:
    """Return the group of each question, by its table: tables are dealt out as they come.

    >>> one, other = object(), object()
    >>> groups_of([one, other, one]).tolist()
    [0, 1, 0]
    """
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(id(t), len(numbers)) % GROUPS for t in tables], np.int64)


def text_lengths(ready: Sequence[Prepared], scorer: Scorer, jobs: int = 0) -> Ids:
    """(questions,) how many pieces the text has that an encoder reads of each.

    Args:
        ready: the questions.
        scorer: what reads them.
        jobs: how many processes share the work; 0 for none but this.
    """
    if jobs <= 1:
        return np.array([scorer.text_length(one) for one in ready], np.int64)
    global _shared
    _shared = (ready, scorer)
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        parts = pool.map(_lengths_of, np.array_split(np.arange(len(ready)), 8 * jobs), chunksize=1)
    _shared = ((), None)
    return np.concatenate(parts)


_shared: tuple[Sequence[Prepared], Scorer | None] = ((), None)
"""What a forked process is born with, so that no question is sent."""


def _lengths_of(numbers: Ids) -> Ids:
    ready, scorer = _shared
    assert scorer is not None
    return np.array([scorer.text_length(ready[number]) for number in numbers], np.int64)
