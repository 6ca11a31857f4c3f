"""Exact search for answers: score all programs, take the best, refine the scores of the best few.

    s(y) = selection + condition + recall weight × recall_missed (+ η critique under model shaping)

Two gathers and a broadcast a family score a question. Entries are summed from left to right, so
that padding changes no digit. All in numpy: nothing here needs torch. Search for training, a batch
at once and with gradient, is in `search.candidates`. B questions, L axis entries, S selections, N
conditions, P programs, K of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.search.axes import BLOCKS, FIXED
from denota.search.prepare import Prepared

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Lines = slice | Ids
ALL: Final = slice(None)
RefineArrays = Callable[[Ids, Floats], Floats]
"""The (B, K, width) entries, as places in the (B, L) scores laid flat, and (B, K, 2) features of
programs to (B, K) what is added to their scores."""


@dataclass(frozen=True, eq=False)
class AxisScores:
    """A question's scored axis."""

    entries: Floats  #: (L,) the scores of all axis entries
    offsets: Ids  #: (blocks,) where each block begins
    recall: float
    """The weight of the recall feature."""
    model_eta: float = 0.0
    """η of model shaping."""
    outcome: bool = False
    """Whether conditions are scored by what they would answer as well."""

    def selections(self, question: Prepared) -> Floats:
        """(S,) the scores of selections."""
        return self._sum(select_entries(question, self.offsets, self.outcome))

    def conditions(self, question: Prepared) -> Floats:
        """(N,) the scores of conditions, STOP and the like included."""
        return self._sum(condition_entries(question, self.offsets, self.outcome))

    def _sum(self, places: Ids) -> Floats:
        """(lines,) the scores at (lines, width) places of the axis, added from left to right."""
        scores = self.entries[places]
        total: Floats = scores[:, 0].copy()
        for column in range(1, places.shape[1]):
            total += scores[:, column]
        return total


def select_entries(
    question: Prepared, offsets: Ids, outcome: bool, columns: int = 0, lines: Lines = ALL
) -> Ids:
    """(S, width) the axis entries of each selection.

    Args:
        question: whose.
        offsets: where each block begins.
        outcome: whether what selections would answer is scored as well.
        columns: how many entries to fill up to with `nothing` before that, so that selections of
            several questions are of one width.
        lines: some selections, if not all.
    """
    block, entry = question.axes.select_block[lines], question.axes.select_entry[lines]
    parts = [offsets[block] + entry]
    lacks = columns - block.shape[1]
    if lacks > 0:
        nothing = offsets[BLOCKS.index("fixed")] + FIXED.index("nothing")
        parts.append(np.full((len(block), lacks), nothing))
    if outcome:
        block, entry = question.breadth
        parts.append(offsets[block[lines]] + entry[lines])
    return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]


def condition_entries(question: Prepared, offsets: Ids, outcome: bool, lines: Lines = ALL) -> Ids:
    """(N, width) the axis entries of each condition, or of some, with their outcome if asked."""
    axes = question.axes
    entries: Ids = offsets[axes.condition_block[lines]] + axes.condition_entry[lines]
    if outcome:
        block, entry = question.outcome
        entries = np.concatenate([entries, offsets[block[lines]] + entry[lines]], axis=1)
    return entries


def program_scores(question: Prepared, axis: AxisScores) -> Floats:
    """(P,) the scores of all programs of a question."""
    select, condition = axis.selections(question), axis.conditions(question)
    scores: Floats = np.empty(question.axes.programs, np.float32)
    for p in question.axes.places:
        own = scores[p.start : p.start + p.programs].reshape(p.s1 - p.s0, -1)
        np.add(select[p.s0 : p.s1, None], condition[p.conditions], out=own)
    scores += np.float32(axis.recall) * question.words.recall_missed
    if axis.model_eta:
        scores += np.float32(axis.model_eta) * question.words.critique
    return scores


def first(key: Floats, count: int, before: Floats | None = None) -> Ids:
    """Return the places of the largest keys, largest first, ties by place.

    `before`, if given, decides first.

    >>> first(np.array([1, 3, 3, 2], np.float32), 3)
    array([1, 2, 3])
    """
    if before is not None:
        return np.lexsort((-key, -before))[:count]
    if count == 1 and len(key):
        return np.array([key.argmax()])
    pool = np.arange(len(key))
    if count < len(key):
        pool = np.flatnonzero(key >= _at_most_the_last(key, count))
    return pool[np.argsort(-key[pool], kind="stable")[:count]]


def _at_most_the_last(key: Floats, count: int) -> np.float32:
    """A bound that at least `count` keys reach: of many, the last of the best parts' largest."""
    parts = 4 * count
    if len(key) >= 8 * parts:
        key = key[: len(key) // parts * parts].reshape(parts, -1).max(axis=1)
    bound: np.float32 = np.partition(key, len(key) - count)[len(key) - count]
    return bound


def refined(
    questions: Sequence[Prepared],
    axes: Sequence[AxisScores],
    scores: Sequence[Floats],
    chosen: Sequence[Ids],
    refine: RefineArrays,
) -> list[Floats]:
    """Return (P,) scores of each question after looking at its best programs once more.

    A shift keeps the rest below the best of them.

    Args:
        questions: B of them.
        axes: as scored.
        scores: (P,) of all programs, a question each.
        chosen: (K,) the programs to look at.
        refine: what adds to their scores.
    """
    count = max(map(len, chosen))
    columns = max(question.axes.select_block.shape[1] for question in questions)
    parts, features = [], np.zeros((len(questions), count, 2), np.float32)
    for line, (question, axis, ids) in enumerate(zip(questions, axes, chosen, strict=True)):
        own = program_entries(question, ids, axis.offsets, axis.outcome, columns)
        padding = ((0, count - len(ids)), (0, 0))
        parts.append(np.pad(own + line * len(axis.entries), padding))
        features[line, : len(ids)] = program_features(question, ids)
    more = refine(np.stack(parts), features)
    found = []
    for line, (known, ids) in enumerate(zip(scores, chosen, strict=True)):
        before = known[ids]
        after = before + more[line, : len(ids)]
        again = known.copy()
        again[ids] = after + (before.max() - after.max())
        found.append(again)
    return found


def program_entries(
    question: Prepared, ids: Ids, offsets: Ids, outcome: bool = False, columns: int = 0
) -> Ids:
    """(K, width) the axis entries that each program's score sums, besides its features.

    See `select_entries`.
    """
    select, condition = question.axes.places_of(ids)
    parts = (
        select_entries(question, offsets, outcome, columns, select),
        condition_entries(question, offsets, outcome, condition),
    )
    return np.concatenate(parts, axis=1)


def program_features(question: Prepared, ids: Ids) -> Floats:
    """(K, 2) recall and critique of some programs."""
    select, condition = question.axes.places_of(ids)
    words = question.words
    features = (words.missed_by(ids, select, condition), words.critique_of(ids, select, condition))
    return np.stack(features, axis=1)


def log_probabilities(scores: Floats) -> NDArray[np.float64]:
    """(P,) log p(y), the model's policy over all programs of a question."""
    shifted = scores.astype(np.float64) - scores.max()
    log: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return log
