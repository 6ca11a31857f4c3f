"""Axis scores to program scores: two gathers and a broadcast a family.

s(y) = selection + condition + recall weight × missed (+ η critique under model shaping). S selections, N conditions, P programs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from denota.search.prepare import Prepared

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class AxisScores:
    """A question's scored axis, detached: what search looks at."""

    entries: Floats  #: (L,) the scores of all axis entries
    offsets: NDArray[np.int64]  #: (blocks,) where each block begins
    recall: float
    """The weight of the recall feature."""
    model_eta: float = 0.0
    """η of model shaping."""
    outcome: bool = False
    """Whether conditions are scored by what they would answer as well."""

    def selections(self, question: Prepared) -> Floats:
        """(S,) the scores of selections."""
        axes = question.axes
        scores = self._sum(axes.select_block, axes.select_entry)
        return scores + self._sum(*question.breadth) if self.outcome else scores

    def conditions(self, question: Prepared) -> Floats:
        """(N,) the scores of conditions, STOP and the like included."""
        axes = question.axes
        scores = self._sum(axes.condition_block, axes.condition_entry)
        return scores + self._sum(*question.outcome) if self.outcome else scores

    def _sum(self, block: NDArray[np.int8], entry: NDArray[np.int16]) -> Floats:
        summed: Floats = self.entries[self.offsets[block] + entry].sum(axis=1)
        return summed


def program_scores(question: Prepared, axis: AxisScores) -> Floats:
    """(P,) the scores of all programs of a question."""
    select, condition = axis.selections(question), axis.conditions(question)
    parts = [
        (select[p.s0 : p.s1, None] + condition[p.conditions][None, :]).ravel()
        for p in question.axes.places
    ]
    scores: Floats = np.concatenate(parts) + np.float32(axis.recall) * question.words.missed
    if axis.model_eta:
        scores = scores + np.float32(axis.model_eta) * question.words.critique
    return scores


def program_entries(
    question: Prepared, ids: NDArray[np.int64], offsets: NDArray[np.int64], outcome: bool = False
) -> NDArray[np.int64]:
    """(ids, width) the axis entries whose sum, with the program-level features, is each program's score."""
    axes = question.axes
    select, condition = places_of(question, ids)
    chosen = [
        offsets[axes.select_block[select]] + axes.select_entry[select],
        offsets[axes.condition_block[condition]] + axes.condition_entry[condition],
    ]
    if outcome:
        for (block, entry), own in ((question.breadth, select), (question.outcome, condition)):
            chosen.append(offsets[block[own]] + entry[own])
    return np.concatenate(chosen, axis=1)


def places_of(
    question: Prepared, ids: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The selection and condition of each program."""
    select = np.zeros(len(ids), np.int64)
    condition = np.zeros(len(ids), np.int64)
    for place in question.axes.places:
        count = len(place.conditions)
        here = (ids >= place.start) & (ids < place.start + (place.s1 - place.s0) * count)
        line, column = np.divmod(ids[here] - place.start, count)
        select[here] = place.s0 + line
        condition[here] = place.conditions[column]
    return select, condition
