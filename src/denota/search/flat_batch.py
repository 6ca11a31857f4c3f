"""The programs of a batch laid end to end, scored and ranked at once, in torch, on any device.

B questions, P programs of all of them together, S selections and N conditions likewise, L entries
of the padded axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.exact import condition_entries, first, select_entries
from denota.search.prepare import Prepared
from denota.search.token_counts import TokenCounts

Listed = tuple[Tensor, Tensor]
"""(B, length) programs of each question, best first, by their places in the flat order; and (B,
length) True where there is one."""


@dataclass(frozen=True, eq=False)
class FlatBatch:
    """The programs of a batch, their answers known, laid end to end.

    Arrays of all P programs are made when they are asked for: a GPU searches with them, a CPU is
    quicker with the axes of each question and what is known of some programs.
    """

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

    @cached_property
    def program_select(self) -> Tensor:
        """(P,) the selection of each program."""
        parts = [
            np.arange(place.s0 + s0, place.s1 + s0, dtype=np.int32).repeat(len(place.conditions))
            for q, s0 in zip(self.questions, self.first_select, strict=True)
            for place in q.axes.places
        ]
        return _on(self.device, parts)

    @cached_property
    def program_condition(self) -> Tensor:
        """(P,) its condition."""
        parts = [
            np.tile(place.conditions + np.int32(n0), place.s1 - place.s0)
            for q, n0 in zip(self.questions, self.first_condition, strict=True)
            for place in q.axes.places
        ]
        return _on(self.device, parts)

    @cached_property
    def recall_missed(self) -> Tensor:
        """(P,) the recall feature."""
        return _on(self.device, [q.words.recall_missed for q in self.questions])

    @cached_property
    def critique(self) -> Tensor:
        """(P,) by the words of the question alone."""
        return _on(self.device, [q.words.critique for q in self.questions])

    @cached_property
    def agreement(self) -> Tensor:
        """(P,) how consistent programs agree on altered tables, 0 where that is not known."""
        parts = [np.zeros(q.axes.programs, np.float32) for q in self.questions]
        for q, part in zip(self.questions, parts, strict=True):
            if q.agreement is not None and q.rewarded_programs is not None:
                part[q.rewarded_programs.ids] = q.agreement
        return _on(self.device, parts)

    @cached_property
    def rewards(self) -> Tensor:
        """(P,)."""
        return _on(self.device, [_rewards(q) for q in self.questions])

    def programs(self, chosen: Tensor) -> ChosenPrograms:
        """Return what is known of (B, K) programs, given by their places in the flat order."""
        if self.device.type != "cpu":
            return ChosenPrograms(
                self.program_select[chosen],
                self.program_condition[chosen],
                self.recall_missed[chosen],
                self.critique[chosen] + self.agreement[chosen],
                self.rewards[chosen],
            )
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


class ChosenPrograms(NamedTuple):
    """What is known of (B, K) programs."""

    select: Tensor  #: the selection of each, by its number in the batch
    condition: Tensor  #: the condition, likewise
    recall_missed: Tensor
    critique: Tensor
    rewards: Tensor


def lay_flat(
    questions: Sequence[Prepared],
    offsets: NDArray[np.int64],
    width: int,
    cfg: SearchConfig,
    device: torch.device,
    outcome: bool = False,
) -> FlatBatch:
    """Lay the programs of a batch end to end.

    Args:
        questions: B of them, their answers known.
        offsets: where each block begins on the padded axis.
        width: L, the length of the padded axis.
        cfg: the settings of the search.
        device: where the search will run.
        outcome: whether conditions are scored by what they would answer as well.
    """
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
    flat = FlatBatch(
        questions,
        offsets,
        outcome,
        _on(device, select),
        _on(device, condition),
        torch.from_numpy(starts).to(device),
        torch.from_numpy(counts).to(device),
        int(counts.max()),
        rewarded.to(device),
        some.to(device),
        torch.from_numpy(critique).to(device),
        torch.from_numpy(rewards).to(device),
        _starts([len(part) for part in select]),
        _starts([len(part) for part in condition]),
    )
    if device.type != "cpu":  # laid on the GPU now, so that it is waited for once
        for name in _OF_ALL:
            getattr(flat, name)
    return flat


_OF_ALL: Final = (
    *("program_select", "program_condition", "recall_missed"),
    *("critique", "agreement", "rewards"),
)


def _starts(counts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of some parts laid end to end begins."""
    return np.cumsum([0, *counts[:-1]])


def _rewards(question: Prepared) -> NDArray[np.float32]:
    assert question.rewards is not None
    return question.rewards


def padded_places(lists: Sequence[NDArray[np.int64]], starts: NDArray[np.int64]) -> Listed:
    """The programs of each question as a matrix of places in the flat order, padded with 0."""
    places = np.zeros((len(lists), max(1, *map(len, lists))), np.int64)
    there = np.zeros(places.shape, bool)
    for line, ids in enumerate(lists):
        places[line, : len(ids)] = starts[line] + ids
        there[line, : len(ids)] = True
    return torch.from_numpy(places), torch.from_numpy(there)


def _on(device: torch.device, parts: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts)).to(device, non_blocking=True)


def flat_scores(flat: FlatBatch, entries: Tensor, recall: Tensor, model_eta: float) -> Tensor:
    """(P,) the scores of all programs."""
    line = entries.reshape(-1)
    select, condition = line[flat.select].sum(dim=1), line[flat.condition].sum(dim=1)
    if flat.device.type == "cpu":
        scores = _scores_by_family(flat, select, condition, recall)
    else:
        scores = select.index_select(0, flat.program_select)
        scores += condition.index_select(0, flat.program_condition)
        scores += recall * flat.recall_missed
    return scores + model_eta * flat.critique if model_eta else scores


def _scores_by_family(flat: FlatBatch, select: Tensor, condition: Tensor, recall: Tensor) -> Tensor:
    """(P,) the same sums, a family of programs at a time."""
    of_select, of_condition = select.detach().numpy(), condition.detach().numpy()
    weight = np.float32(recall.item())
    scores = np.empty(int(flat.counts.sum()), np.float32)
    starts = (flat.starts.tolist(), flat.first_select.tolist(), flat.first_condition.tolist())
    for q, start, s0, n0 in zip(flat.questions, *starts, strict=True):
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


def best_of_each(flat: FlatBatch, scores: Tensor, count: int) -> Listed:
    """The programs of each question with the highest (P,) scores, ties by place."""
    if scores.device.type != "cpu":
        return best_of_each_padded(flat, scores, count)
    keys, starts, counts = scores.numpy(), flat.starts.tolist(), flat.counts.tolist()
    count = min(count, flat.most)
    places = np.repeat(np.array(starts)[:, None], count, axis=1)
    there = np.arange(count) < np.array(counts)[:, None]
    for line, (start, own) in enumerate(zip(starts, counts, strict=True)):
        chosen = first(keys[start : start + own], count)
        places[line, : len(chosen)] += chosen
    return torch.from_numpy(places), torch.from_numpy(there)


def best_of_each_padded(flat: FlatBatch, scores: Tensor, count: int) -> Listed:
    """The same by padding the questions to one matrix, which is quicker on a GPU than a loop."""
    place = torch.arange(flat.most, device=scores.device)
    there = place < flat.counts[:, None]  # (B, most)
    padded = scores[(flat.starts[:, None] + place).clamp(max=len(scores) - 1)]
    keys = torch.where(there, _ordered(padded), -(1 << 62))
    keys = keys - place  # no two alike: equal scores go by place
    _, chosen = keys.topk(min(count, flat.most), dim=1)
    found = there.gather(1, chosen)
    return flat.starts[:, None] + chosen * found, found


def _ordered(scores: Tensor) -> Tensor:
    """Floats as integers in the same order, with room for a place below each."""
    bits = scores.contiguous().view(torch.int32).long()
    return torch.where(bits >= 0, bits, -(bits & 0x7FFFFFFF)) << 31
