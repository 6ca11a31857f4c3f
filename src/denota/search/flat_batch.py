"""The programs of a batch laid end to end, scored and ranked at once, in torch, on any device.

B questions, P programs of all of them together, S selections and N conditions likewise, L entries
of the padded axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.exact import condition_entries, first, select_entries
from denota.search.prepare import Prepared

Listed = tuple[Tensor, Tensor]
"""(B, length) programs of each question, best first, by their places in the flat order; and (B,
length) True where there is one."""


@dataclass(frozen=True, eq=False)
class FlatBatch:
    """The programs of a batch, their answers known, laid end to end."""

    questions: Sequence[Prepared]
    offsets: NDArray[np.int64]
    """Where each block begins on the padded axis."""
    outcome: bool
    """Whether conditions are scored by what they would answer as well."""
    select: (
        Tensor  #: (S, width) entries of each selection, as places in the (B, L) scores laid flat
    )
    condition: Tensor  #: (N, WIDTH) entries of each condition, likewise
    program_select: Tensor  #: (P,) the selection of each program
    program_condition: Tensor  #: (P,) its condition
    recall_missed: Tensor  #: (P,) the recall feature
    critique: Tensor  #: (P,)
    rewards: Tensor  #: (P,)
    starts: Tensor  #: (B,) the first program of each question
    counts: Tensor  #: (B,) how many programs it has
    most: int
    """The largest of the counts."""
    rewarded: Tensor  #: (B, Q) programs that can be among the first by reward, padded with 0
    some: Tensor  #: (B, Q) True where there is one


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
    select, condition, of_select, of_condition = [], [], [], []
    s0 = n0 = 0
    for line, q in enumerate(questions):
        own = offsets + line * width
        select.append(select_entries(q, own, outcome, columns))
        condition.append(condition_entries(q, own, outcome))
        for place in q.axes.places:
            chosen = np.arange(place.s0 + s0, place.s1 + s0, dtype=np.int32)
            of_select.append(chosen.repeat(len(place.conditions)))
            repeated = np.broadcast_to(place.conditions + n0, (len(chosen), len(place.conditions)))
            of_condition.append(repeated.ravel())
        s0, n0 = s0 + len(select[-1]), n0 + len(condition[-1])
    counts = np.array([q.axes.programs for q in questions])
    starts = np.cumsum([0, *counts[:-1]])
    rewarded, some = padded_places(
        [q.rewarded(cfg.explore, cfg.vacuous) for q in questions], starts
    )
    return FlatBatch(
        questions,
        offsets,
        outcome,
        _on(device, select),
        _on(device, condition),
        _on(device, of_select),
        _on(device, of_condition),
        _on(device, [q.words.recall_missed for q in questions]),
        _on(device, [q.words.critique for q in questions]),
        _on(device, [_rewards(q) for q in questions]),
        torch.from_numpy(starts).to(device),
        torch.from_numpy(counts).to(device),
        int(counts.max()),
        rewarded.to(device),
        some.to(device),
    )


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
    scores = select.index_select(0, flat.program_select)
    scores += condition.index_select(0, flat.program_condition)
    scores += recall * flat.recall_missed
    return scores + model_eta * flat.critique if model_eta else scores


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
