"""The programs of a batch laid end to end, scored and ranked at once.

On a CPU a family of programs at a time, from the axes of each question: here. On a GPU all at once,
from small arrays: `flat_programs`. `lay_flat` decides.

B questions, P programs of all of them together, S selections and N conditions likewise, L entries
of the padded axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.exact import condition_entries, first, select_entries
from denota.search.flat_arrays import FlatArrays, flat_arrays
from denota.search.flat_lists import ChosenPrograms, Listed, best_by_padding, padded_places
from denota.search.flat_programs import FlatPrograms
from denota.search.moving import moved
from denota.search.policies import margin_scores
from denota.search.prepare import Prepared
from denota.search.token_counts import TokenCounts


@dataclass(frozen=True, eq=False)
class FlatBatch:
    """The programs of a batch, their answers known, laid end to end on a CPU."""

    questions: Sequence[Prepared]
    offsets: NDArray[np.int64]
    """Where each block begins on the padded axis."""
    outcome: bool
    """Whether conditions are scored by what they would answer as well."""
    select: (
        Tensor  #: (S, width) entries of each selection, as places in the (B, L) scores laid flat
    )
    condition: Tensor  #: (N, WIDTH) entries of each condition, likewise
    starts: Tensor  #: (B,) the first program of each question
    counts: Tensor  #: (B,) how many programs it has
    most: int
    """The largest of the counts."""
    rewarded: Tensor  #: (B, Q) programs that can be among the first by reward, padded with 0
    some: Tensor  #: (B, Q) True where there is one
    rewarded_critique: Tensor  #: (B, Q) their critique
    rewarded_rewards: Tensor  #: (B, Q) their rewards, -1 for padding
    first_select: NDArray[np.int64]  #: (B,) the number of each question's first selection
    first_condition: NDArray[np.int64]  #: (B,) and of its first condition

    @property
    def device(self) -> torch.device:
        """Where the search runs."""
        return self.starts.device

    @property
    def total(self) -> int:
        """P."""
        return int(self.counts.sum())

    @cached_property
    def recall_missed(self) -> Tensor:
        """(P,) the recall feature."""
        return _joined([q.words.recall_missed for q in self.questions])

    @cached_property
    def critique(self) -> Tensor:
        """(P,) by the words of the question alone."""
        return _joined([q.words.critique for q in self.questions])

    @cached_property
    def vacuous(self) -> Tensor:
        """(N,) True for a condition that keeps every row of its scope."""
        return _joined([q.vacuous for q in self.questions])

    def scores(self, entries: Tensor, recall: Tensor, model_eta: float) -> Tensor:
        """(P,) the scores of all programs, from the (B, L) scores of the axis."""
        line = entries.reshape(-1)
        select, condition = line[self.select].sum(dim=1), line[self.condition].sum(dim=1)
        scores = self._scores_by_family(select, condition, recall)
        return scores + model_eta * self.critique if model_eta else scores

    def _scores_by_family(self, select: Tensor, condition: Tensor, recall: Tensor) -> Tensor:
        """(P,) selection, condition and recall of all programs, a family at a time."""
        of_select, of_condition = select.detach().numpy(), condition.detach().numpy()
        weight = np.float32(recall.item())
        scores = np.empty(self.total, np.float32)
        starts = (self.starts.tolist(), self.first_select.tolist(), self.first_condition.tolist())
        for q, start, s0, n0 in zip(self.questions, *starts, strict=True):
            own = scores[start : start + q.axes.programs]
            selections = of_select[s0 : s0 + len(q.axes.select_block)]
            conditions = of_condition[n0 : n0 + len(q.axes.condition_block)]
            words = q.words.missed if isinstance(q.words, TokenCounts) else None
            missed = words._replace(table=weight * words.table) if words is not None else None
            for p in q.axes.places:
                block = own[p.start : p.start + p.programs].reshape(p.s1 - p.s0, -1)
                np.add(selections[p.s0 : p.s1, None], conditions[p.conditions], out=block)
                if missed is not None:
                    classes, others = missed.select[p.s0 : p.s1], missed.condition[p.conditions]
                    alike = (classes == classes[0]).all()
                    block += missed.table[classes[0] if alike else classes].take(others, axis=-1)
            if missed is None:
                own += weight * q.words.recall_missed
        return torch.from_numpy(scores)

    def rival_keys(self, scores: Tensor, cfg: SearchConfig) -> Tensor:
        """(P,) what RIVALS are ranked by."""
        keys = scores.numpy().copy()
        for question, start in zip(self.questions, self.starts.tolist(), strict=True):
            assert question.rewarded_programs is not None
            ids, rewards = question.rewarded_programs  # the others keep their scores
            own = keys[start : start + question.axes.programs]
            own[ids] = margin_scores(own[ids], rewards, cfg)
        return torch.from_numpy(keys)

    def best(self, keys: Tensor, count: int) -> Listed:
        """The programs of each question with the highest (P,) keys, ties by place."""
        every, starts, counts = keys.numpy(), self.starts.tolist(), self.counts.tolist()
        count = min(count, self.most)
        places = np.repeat(np.array(starts)[:, None], count, axis=1)
        there = np.arange(count) < np.array(counts)[:, None]
        for line, (start, own) in enumerate(zip(starts, counts, strict=True)):
            chosen = first(every[start : start + own], count)
            places[line, : len(chosen)] += chosen
        return torch.from_numpy(places), torch.from_numpy(there)

    def ranked(self, keys: Tensor) -> Tensor:
        """(B, Q) the order of the pools by reward, then by (B, Q) key, then by place."""
        every, rewards = keys.numpy(), self.rewarded_rewards.numpy()
        order = np.tile(np.arange(every.shape[1]), (len(every), 1))
        for line, count in enumerate(self.some.sum(dim=1).tolist()):
            own, before = every[line, :count], rewards[line, :count]
            alike = count and (before == before[0]).all()
            order[line, :count] = first(own, count, None if alike else before)
        return torch.from_numpy(order)

    def programs(self, chosen: Tensor) -> ChosenPrograms:
        """Return what is known of (B, K) programs, given by their places in the flat order."""
        places, starts = chosen.numpy().ravel(), self.starts.numpy()
        of_question = np.searchsorted(starts, places, side="right") - 1
        order = np.argsort(of_question, kind="stable")
        ends = np.searchsorted(of_question[order], np.arange(len(starts) + 1))
        found = [np.empty(len(places), kind) for kind in ("i8", "i8", "f4", "f4", "f4")]
        for line, q in enumerate(self.questions):
            own = order[ends[line] : ends[line + 1]]
            ids = places[own] - starts[line]
            select, condition = q.axes.places_of(ids)
            found[0][own] = select + self.first_select[line]
            found[1][own] = condition + self.first_condition[line]
            found[2][own] = q.words.missed_by(ids, select, condition)
            found[3][own] = q.policy_critique(ids, select, condition)
            found[4][own] = q.rewards_of(ids)
        return ChosenPrograms(*(torch.from_numpy(part).reshape(chosen.shape) for part in found))


Flat = FlatBatch | FlatPrograms


def lay_flat(
    questions: Sequence[Prepared],
    offsets: NDArray[np.int64],
    width: int,
    cfg: SearchConfig,
    device: torch.device,
    outcome: bool = False,
) -> Flat:
    """Lay the programs of a batch end to end, in the way that is quicker on a device.

    Args:
        questions: B of them, their answers known.
        offsets: where each block begins on the padded axis.
        width: L, the length of the padded axis.
        cfg: the settings of the search.
        device: where the search will run.
        outcome: whether conditions are scored by what they would answer as well.
    """
    if device.type == "cpu":
        return _on_cpu(questions, offsets, width, cfg, outcome)
    arrays: FlatArrays = moved(flat_arrays(questions, offsets, width, cfg, outcome), device)
    return FlatPrograms(arrays, questions, outcome)


def _on_cpu(
    questions: Sequence[Prepared],
    offsets: NDArray[np.int64],
    width: int,
    cfg: SearchConfig,
    outcome: bool,
) -> FlatBatch:
    columns = max(q.axes.select_block.shape[1] for q in questions)
    select, condition = [], []
    for line, q in enumerate(questions):
        own = offsets + line * width
        select.append(select_entries(q, own, outcome, columns))
        condition.append(condition_entries(q, own, outcome))
    counts = np.array([q.axes.programs for q in questions])
    starts = _starts(counts)
    pools = [q.rewarded(cfg.explore, cfg.vacuous) for q in questions]
    rewarded, some = padded_places(pools, starts)
    critique, rewards = np.zeros(rewarded.shape, "f4"), np.full(rewarded.shape, -1, "f4")
    for line, (q, pool) in enumerate(zip(questions, pools, strict=True)):
        critique[line, : len(pool)] = q.rewarded_critique(cfg.explore, cfg.vacuous)
        rewards[line, : len(pool)] = q.rewards_of(pool)
    return FlatBatch(
        questions,
        offsets,
        outcome,
        _joined(select),
        _joined(condition),
        torch.from_numpy(starts),
        torch.from_numpy(counts),
        int(counts.max()),
        rewarded,
        some,
        torch.from_numpy(critique),
        torch.from_numpy(rewards),
        _starts([len(part) for part in select]),
        _starts([len(part) for part in condition]),
    )


def _starts(counts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of some parts laid end to end begins."""
    return np.cumsum([0, *counts[:-1]])


def _joined(parts: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts))


def flat_scores(flat: Flat, entries: Tensor, recall: Tensor, model_eta: float) -> Tensor:
    """(P,) the scores of all programs."""
    return flat.scores(entries, recall, model_eta)


def best_of_each(flat: Flat, scores: Tensor, count: int) -> Listed:
    """The programs of each question with the highest (P,) scores, ties by place."""
    return flat.best(scores, count)


def best_of_each_padded(flat: Flat, scores: Tensor, count: int) -> Listed:
    """The same in the way of a GPU."""
    return best_by_padding(scores, flat.starts, flat.counts, flat.most, count)
