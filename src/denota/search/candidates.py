"""K, the candidates an update learns from: EXPLORE and RIVALS, joined and scored with gradient.

Misra et al. (2018), §3: K holds programs that evaluate to the answer and high-scoring incorrect
ones.

- EXPLORE: ranked by reward, ties by score + η critique, zero reward dropped. It supplies the
  programs to learn.
- RIVALS: ranked by score − R for margin methods and by score for the others. It supplies the
  high-scoring incorrect ones.
- y*, the reference: the first of EXPLORE.

The programs of all questions are laid end to end and searched at once, in torch, on any device; a
beam finds its lists question by question instead. B questions, P programs of all of them together,
S selections and N conditions likewise, L entries of the padded axis, K candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.beam import Aim, beam_search
from denota.search.exact import AxisScores, condition_entries, first, select_entries
from denota.search.policies import draw, log_explore, log_shaped, margin_scores
from denota.search.prepare import Prepared

RefineTensors = Callable[[Tensor, Tensor], Tensor]
"""The (B, K, width) entries and (B, K, features) of programs to (B, K) what is added to their
scores."""
Listed = tuple[Tensor, Tensor]
"""(B, length) programs of each question, best first, by their places in the flat order; and (B,
length) True where there is one."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The programs of a batch that the update sees."""

    scores: Tensor  #: (B, K) s(y), with a gradient
    rewards: Tensor  #: (B, K) R(y, z) in [0, 1]
    mask: Tensor  #: (B, K) True where a program really sits
    log_explore: Tensor  #: (B, K) log u(y), -inf where the exploration policy has no mass
    reference: Tensor  #: (B,) the place of y*, -1 where there is none
    draw: Tensor  #: (B,) the place of the sampled program, -1 where nothing was drawn
    first_pass_scores: Tensor | None = None  #: (B, K) s(y) before refining, with a gradient

    @property
    def consistent(self) -> Tensor:
        """(B, K) True where R(y, z) = 1."""
        return self.mask & (self.rewards >= 1)


def one_hot(place: Tensor, count: int) -> Tensor:
    """(B, K) 1 at a place, all 0 where the place is -1."""
    return (torch.arange(count, device=place.device) == place[:, None]).double()


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
    rewarded, some = _padded([q.rewarded(cfg.explore) for q in questions], starts)
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


def _padded(lists: Sequence[NDArray[np.int64]], starts: NDArray[np.int64]) -> Listed:
    """The programs of each question as a matrix of places in the flat order, padded with 0."""
    places = np.zeros((len(lists), max(1, *map(len, lists))), np.int64)
    there = np.zeros(places.shape, bool)
    for line, ids in enumerate(lists):
        places[line, : len(ids)] = starts[line] + ids
        there[line, : len(ids)] = True
    return torch.from_numpy(places), torch.from_numpy(there)


def _on(device: torch.device, parts: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts)).to(device, non_blocking=True)


def find_candidates(
    flat: FlatBatch,
    entries: Tensor,
    recall: Tensor,
    cfg: SearchConfig,
    draws_from: str | None = None,
    uniforms: Tensor | None = None,
    refine: RefineTensors | None = None,
) -> tuple[Candidates, Tensor]:
    """K of every question, scored with gradient, and (B, K) the programs by their flat places.

    Args:
        flat: the programs.
        entries: (B, L) the axis scores, with gradient.
        recall: () the weight of the recall feature, with gradient.
        cfg: the settings of the search.
        draws_from: `model` or `explore`, for updates that sample a program.
        uniforms: (B,) the random numbers in [0, 1) that pick it.
        refine: what adds to the scores of K, looking at its programs as a whole.
    """
    with torch.no_grad():
        scores = flat_scores(flat, entries.float(), recall, cfg.model_eta)
        if cfg.kind == "beam":
            axes = _axes(flat, entries, recall, cfg)
            ahead = _beamed(flat, axes, cfg, "explore")
            chosen, mask = _join(flat, cfg, ahead, lambda: _beamed(flat, axes, cfg, "rivals"))
        else:
            ahead = explore(flat, scores, cfg)
            chosen, mask = _join(flat, cfg, ahead, lambda: rivals(flat, scores, cfg))
        rewards, critique = flat.rewards[chosen] * mask, flat.critique[chosen]
    line = entries.reshape(-1)
    parts = _parts(flat, chosen)
    with_gradient = line[parts].sum(dim=2) + recall * flat.recall_missed[chosen]
    if cfg.model_eta:
        with_gradient = with_gradient + cfg.model_eta * critique
    own, first_pass_scores = scores[chosen], None
    if refine is not None:
        more = refine(parts, torch.stack([flat.recall_missed[chosen], critique], dim=2))
        first_pass_scores = with_gradient
        with_gradient, own = with_gradient + more, own + more.detach()
    with torch.no_grad():
        if refine is not None:
            ahead = _explore_again(cfg, own, rewards, critique, chosen, mask)
        reference = _reference(cfg, own, rewards, mask, chosen, ahead)
        log_u = log_explore(own, rewards, critique, mask, cfg)
        drawn = torch.full_like(reference, -1)
        if draws_from is not None and uniforms is not None:
            model = own.masked_fill(~mask, -torch.inf)
            drawn = draw(model if draws_from == "model" else log_u, uniforms)
    found = Candidates(with_gradient, rewards, mask, log_u, reference, drawn, first_pass_scores)
    return found, chosen


def flat_scores(flat: FlatBatch, entries: Tensor, recall: Tensor, model_eta: float) -> Tensor:
    """(P,) the scores of all programs."""
    line = entries.reshape(-1)
    select, condition = line[flat.select].sum(dim=1), line[flat.condition].sum(dim=1)
    scores = select.index_select(0, flat.program_select)
    scores += condition.index_select(0, flat.program_condition)
    scores += recall * flat.recall_missed
    return scores + model_eta * flat.critique if model_eta else scores


def explore(flat: FlatBatch, scores: Tensor, cfg: SearchConfig) -> Listed:
    """EXPLORE of every question, from the (P,) scores of all programs."""
    pool, there = flat.rewarded, flat.some
    key = log_shaped(scores[pool], flat.critique[pool], cfg)
    order = key.masked_fill(~there, -torch.inf).sort(dim=1, descending=True, stable=True).indices
    rewards = flat.rewards[pool].masked_fill(~there, -1).gather(1, order)
    order = order.gather(1, rewards.sort(dim=1, descending=True, stable=True).indices)
    order = order[:, : cfg.explore]
    return pool.gather(1, order), there.gather(1, order)


def rivals(flat: FlatBatch, scores: Tensor, cfg: SearchConfig) -> Listed:
    """RIVALS of every question, from the (P,) scores of all programs."""
    return best_of_each(flat, margin_scores(scores, flat.rewards, cfg), cfg.rivals)


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


def _axes(flat: FlatBatch, entries: Tensor, recall: Tensor, cfg: SearchConfig) -> list[AxisScores]:
    """The scored axes of the questions, for a beam."""
    weight, eta = float(recall.detach()), cfg.model_eta
    lines = entries.detach().float().cpu().numpy()
    return [AxisScores(line, flat.offsets, weight, eta, flat.outcome) for line in lines]


def _beamed(flat: FlatBatch, axes: Sequence[AxisScores], cfg: SearchConfig, aim: Aim) -> Listed:
    """The list of an aim as a beam finds it."""
    lists = [beam_search(q, axis, cfg, aim) for q, axis in zip(flat.questions, axes, strict=True)]
    places, there = _padded(lists, flat.starts.cpu().numpy())
    return places.to(flat.starts.device), there.to(flat.starts.device)


def _join(
    flat: FlatBatch, cfg: SearchConfig, ahead: Listed, find_rivals: Callable[[], Listed]
) -> Listed:
    """K: EXPLORE, then what RIVALS adds to it; padding at the end."""
    if cfg.candidates == "explore":
        return ahead
    if cfg.candidates == "all":
        place = torch.arange(flat.most, device=flat.starts.device)
        every = flat.starts[:, None] + place
        return every.clamp(max=len(flat.rewards) - 1), place < flat.counts[:, None]
    behind, behind_there = find_rivals()
    if cfg.candidates == "rivals":
        return behind, behind_there
    explored, there = ahead
    same = (behind[:, :, None] == explored[:, None, :]) & there[:, None, :]
    chosen = torch.cat([explored, behind], dim=1)
    mask = torch.cat([there, behind_there & ~same.any(dim=2)], dim=1)
    order = (~mask).to(torch.int8).sort(dim=1, stable=True).indices
    return chosen.gather(1, order), mask.gather(1, order)


def _parts(flat: FlatBatch, chosen: Tensor) -> Tensor:
    """(B, K, width) the entries of some programs, as places in the (B, L) scores laid flat."""
    select = flat.select[flat.program_select[chosen]]
    return torch.cat([select, flat.condition[flat.program_condition[chosen]]], dim=2)


def _explore_again(
    cfg: SearchConfig,
    scores: Tensor,
    rewards: Tensor,
    critique: Tensor,
    chosen: Tensor,
    mask: Tensor,
) -> Listed:
    """The first of EXPLORE by refined scores."""
    key = log_shaped(scores, critique, cfg)
    best = rewards.masked_fill(~mask, -1).amax(dim=1, keepdim=True)
    pool = mask & (rewards == best) & (best > 0)
    first = key.masked_fill(~pool, -torch.inf).argmax(dim=1, keepdim=True)
    return chosen.gather(1, first), pool.any(dim=1, keepdim=True)


def _reference(
    cfg: SearchConfig,
    scores: Tensor,
    rewards: Tensor,
    mask: Tensor,
    chosen: Tensor,
    ahead: Listed,
) -> Tensor:
    """(B,) the place of y* in K, -1 if there is none.

    It is the first of EXPLORE, or with `reference_by = score` the best-scoring program of K among
    those with the largest reward.
    """
    first, found = ahead[0][:, :1], ahead[1][:, 0]
    here = (chosen == first) & mask & found[:, None]
    if cfg.reference_by == "score":
        top = torch.where(found, rewards.masked_fill(~mask, 0).amax(dim=1), -1)
        pool = mask & (rewards == top[:, None]) & (rewards > 0)
        best = scores.masked_fill(~pool, -torch.inf).argmax(dim=1)
        return torch.where(found & pool.any(dim=1), best, -1)
    return torch.where(here.any(dim=1), here.to(torch.int8).argmax(dim=1), -1)
