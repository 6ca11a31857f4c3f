"""Beam search: programs built action by action, the best few kept at each step, as in the paper.

The steps: a selection (or a follow-up); STOP, or a WHERE column; a test on it; OR or AND and a
second test. An incomplete program is ranked like a complete one: its reward is that of the program
so far executed as if finished (a WHERE column adds nothing yet), its critique and recall are those
of its tokens so far. A beam as wide as the space finds exactly what exact search finds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from denota.config import SearchConfig
from denota.errors import ConfigError
from denota.programs.operators import SCOPES
from denota.search.axes import BLOCKS, FamilySlice
from denota.search.critique import LexicalScores
from denota.search.exact import AxisScores, first
from denota.search.policies import log_shaped, margin_scores
from denota.search.prepare import Prepared
from denota.search.token_counts import TokenCounts

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Aim = Literal["explore", "rivals", "model"]
RankPrograms = Callable[[Floats, Floats, Floats, int], Ids]
"""(scores, rewards, critiques, count) -> the places of the best, best first."""


def beam_search(question: Prepared, axis: AxisScores, cfg: SearchConfig, aim: Aim) -> Ids:
    """Return the complete programs a beam finds, best first, as many as the list of that aim holds.

    Raises:
        ConfigError: the language has values: its programs are looked at all at once, or not at all.
    """
    if isinstance(question.words, TokenCounts):
        raise ConfigError(
            "a beam builds programs that select cells; "
            "use search.kind=exact for a language with values"
        )
    rank = _rank(cfg, aim)
    states = _States(question, axis)
    places = list(question.axes.places)
    heads = _joined([(n, s) for n, p in enumerate(places) for s in range(p.s0, p.s1)])
    whole = np.array([states.stopped(places[n], s) for n, s in heads], np.int64)
    kept = rank(states.heads(heads[:, 1], whole), *states.judged(whole), cfg.beam)
    heads, whole = heads[kept], whole[kept]
    finished = [whole]

    tested = _joined(
        [
            (n, s, c, w)
            for (n, s), w in zip(heads, whole, strict=True)
            for c in states.columns(places[n])
        ]
    )
    scores, critiques = states.with_column(tested, places)
    rewards, _ = states.judged(tested[:, 3])
    tested = tested[rank(scores, rewards, critiques, cfg.beam)]

    for grow in (states.simple, states.compound):
        parents = finished[-1] if grow == states.compound else None
        ids = _unique([grow(places[n], s, c, parents) for n, s, c, _ in tested])
        kept = rank(states.scores(ids), *states.judged(ids), cfg.beam)
        finished.append(ids[kept])
    found = _unique(finished)
    count = cfg.explore if aim == "explore" else cfg.rivals
    return found[rank(states.scores(found), *states.judged(found), count)]


def _rank(cfg: SearchConfig, aim: Aim) -> RankPrograms:
    """How a list ranks programs; see `search.candidates`."""

    def rank(scores: Floats, rewards: Floats, critiques: Floats, count: int) -> Ids:
        if aim == "explore":
            pool = np.flatnonzero(rewards > 0)
            key = log_shaped(scores[pool], critiques[pool], cfg)
            return pool[first(key, count, before=rewards[pool])]
        return first(margin_scores(scores, rewards, cfg) if aim == "rivals" else scores, count)

    return rank


class _States:
    """Scores, rewards and critiques of complete and incomplete programs of one question."""

    def __init__(self, question: Prepared, axis: AxisScores) -> None:
        self.question, self.axis = question, axis
        self.select = axis.selections(question)
        self.condition = axis.conditions(question)

    def stopped(self, place: FamilySlice, selection: int) -> int:
        """The complete program of a selection without condition."""
        return place.start + (selection - place.s0) * len(place.conditions)

    def heads(self, selections: Ids, whole: Ids) -> Floats:
        """Scores of selections not yet stopped; without a test, the critique is the match alone."""
        words = self.question.words
        scores = self.select[selections]
        return self._with_features(scores, words.recall_missed[whole], words.critique[whole])

    def columns(self, place: FamilySlice) -> list[int]:
        """The columns a place's conditions look at first; -1 for tests of row order."""
        conditions = place.conditions[1:]
        return [int(c) for c in np.unique(self.question.axes.condition_column[conditions])]

    def with_column(self, tested: Ids, places: list[FamilySlice]) -> tuple[Floats, Floats]:
        """Scores and critiques of selections with a WHERE column."""
        words = self.question.words
        assert isinstance(words, LexicalScores)
        selections, columns, whole = tested[:, 1], tested[:, 2], tested[:, 3]
        follows = np.array([SCOPES[p.scope].follows for p in places], bool)[tested[:, 0]]
        start = self.axis.offsets[
            np.where(follows, BLOCKS.index("follow_where"), BLOCKS.index("where"))
        ]
        rowwise = columns < 0
        where = np.where(rowwise, 0, self.axis.entries[start + np.maximum(columns, 0)])
        missed = np.where(
            rowwise, words.recall_missed[whole], words.partial_missed[selections, columns]
        )
        match = np.where(rowwise, words.critique[whole], words.partial_match[selections, columns])
        return self._with_features(self.select[selections] + where, missed, match), match

    def simple(self, place: FamilySlice, selection: int, column: int, parents: Ids | None) -> Ids:
        """The complete programs with one test on a column."""
        axes = self.question.axes
        here = (axes.condition_column[place.conditions] == column) & (
            axes.condition_parts[place.conditions, 0] < 0
        )
        here[0] = False  # no condition
        return self.stopped(place, selection) + np.flatnonzero(here)

    def compound(self, place: FamilySlice, selection: int, column: int, parents: Ids | None) -> Ids:
        """The complete programs that join a test of a kept program with another."""
        axes = self.question.axes
        assert parents is not None
        selections, conditions = self.question.axes.places_of(parents)
        own = conditions[selections == selection]
        parts = axes.condition_parts[place.conditions]
        here = (parts[:, 0] >= 0) & np.isin(parts, own).any(axis=1)
        return self.stopped(place, selection) + np.flatnonzero(here)

    def scores(self, ids: Ids) -> Floats:
        """Scores of complete programs."""
        words = self.question.words
        selections, conditions = self.question.axes.places_of(ids)
        scores = self.select[selections] + self.condition[conditions]
        return self._with_features(scores, words.recall_missed[ids], words.critique[ids])

    def judged(self, ids: Ids) -> tuple[Floats, Floats]:
        """Rewards and critiques of complete programs; no reward where the answer is not known."""
        rewards = self.question.rewards
        nothing = np.zeros(len(ids), np.float32)
        return nothing if rewards is None else rewards[ids], self.question.words.critique[ids]

    def _with_features(self, scores: Floats, missed: Floats, critique: Floats) -> Floats:
        full: Floats = (
            scores
            + np.float32(self.axis.recall) * missed
            + np.float32(self.axis.model_eta) * critique
        )
        return full


def _joined(rows: list[tuple[int, ...]]) -> Ids:
    return np.array(rows, np.int64).reshape(len(rows), -1 if rows else 4)


def _unique(parts: list[Ids]) -> Ids:
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64)
