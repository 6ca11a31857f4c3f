"""Exact search over a whole batch at once, in torch, on any device: the programs of all questions laid end to end.

The same lists, in the same order, as `search.lists` finds question by question (the tests hold one against the other). B questions, P programs of all of
them together, S selections and N conditions likewise, L entries of the padded axis, K candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.axes import BLOCKS
from denota.search.candidates import Candidates
from denota.search.policy import first
from denota.search.prepare import Prepared

Refine = Callable[[Tensor, Tensor], Tensor]
"""The (B, K, width) entries and (B, K, features) of programs to (B, K) what is added to their scores."""


@dataclass(frozen=True, eq=False)
class Flat:
    """The programs of a batch."""

    select: (
        Tensor  #: (S, width) entries of each selection, as places in the (B, L) scores laid flat
    )
    condition: Tensor  #: (N, WIDTH) entries of each condition, likewise
    program_select: Tensor  #: (P,) the selection of each program
    program_condition: Tensor  #: (P,) its condition
    missed: Tensor  #: (P,) the recall feature
    critique: Tensor  #: (P,)
    rewards: Tensor  #: (P,) none where answers are not looked at
    forbidden: Tensor | None  #: (P,) True where the "of those" rule forbids a program
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
    judged: bool = True,
    outcome: bool = False,
) -> Flat:
    """Lay the programs of a batch end to end.

    Args:
        questions: B of them.
        offsets: where each block begins on the padded axis.
        width: L, the length of the padded axis.
        cfg: the settings of the search.
        device: where the search will run.
        judged: whether the answers are known and looked at.
        outcome: whether conditions are scored by what they would answer as well.
    """
    most_selected = max(q.axes.select_block.shape[1] for q in questions)
    select, condition, of_select, of_condition = [], [], [], []
    s0 = n0 = 0
    for line, q in enumerate(questions):
        axes = q.axes
        own = offsets + line * width
        nothing = own[BLOCKS.index("fixed")]
        entries = np.full((len(axes.select_block), most_selected), nothing)
        entries[:, : axes.select_block.shape[1]] = own[axes.select_block] + axes.select_entry
        if outcome:
            block, entry = q.breadth
            entries = np.concatenate([entries, own[block] + entry], axis=1)
        select.append(entries)
        tests = own[axes.condition_block] + axes.condition_entry
        if outcome:
            block, entry = q.outcome
            tests = np.concatenate([tests, own[block] + entry], axis=1)
        condition.append(tests)
        for place in axes.places:
            chosen = np.arange(place.s0 + s0, place.s1 + s0, dtype=np.int32)
            of_select.append(chosen.repeat(len(place.conditions)))
            repeated = np.broadcast_to(place.conditions + n0, (len(chosen), len(place.conditions)))
            of_condition.append(repeated.ravel())
        s0, n0 = s0 + len(axes.select_block), n0 + len(axes.condition_block)
    counts = np.array([q.axes.programs for q in questions])
    starts = np.cumsum([0, *counts[:-1]])
    forbidden = None
    if cfg.of_those:
        lines = [q.forbidden(True) for q in questions]
        full = [np.zeros(c, bool) if f is None else f for f, c in zip(lines, counts, strict=True)]
        forbidden = _on(device, full)
    pools = [_pool(q, cfg) if judged else np.zeros(0, np.int64) for q in questions]
    rewarded = np.zeros((len(counts), max(1, *map(len, pools))), np.int64)
    some = np.zeros(rewarded.shape, bool)
    for line, pool in enumerate(pools):
        rewarded[line, : len(pool)] = starts[line] + pool
        some[line, : len(pool)] = True
    rewards = [q.rewards for q in questions if judged and q.rewards is not None]
    return Flat(
        _on(device, select),
        _on(device, condition),
        _on(device, of_select),
        _on(device, of_condition),
        _on(device, [q.words.missed for q in questions]),
        _on(device, [q.words.critique for q in questions]),
        _on(device, rewards) if rewards else torch.zeros(0, device=device),
        forbidden,
        torch.from_numpy(starts).to(device),
        torch.from_numpy(counts).to(device),
        int(counts.max()),
        torch.from_numpy(rewarded).to(device),
        torch.from_numpy(some).to(device),
    )


def _pool(question: Prepared, cfg: SearchConfig) -> NDArray[np.int64]:
    """The programs that EXPLORE chooses from."""
    assert question.rewards is not None
    if cfg.greed == np.inf:
        return question.rewarded(cfg.explore)
    return np.flatnonzero(question.rewards > 0)


def _on(device: torch.device, parts: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts)).to(device, non_blocking=True)


def flat_scores(flat: Flat, entries: Tensor, recall: Tensor, model_eta: float) -> Tensor:
    """(P,) the scores of all programs."""
    line = entries.reshape(-1)
    select, condition = line[flat.select].sum(dim=1), line[flat.condition].sum(dim=1)
    scores = select.index_select(0, flat.program_select)
    scores += condition.index_select(0, flat.program_condition)
    scores += recall * flat.missed
    return scores + model_eta * flat.critique if model_eta else scores


def best_of_each(flat: Flat, scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """(B, count) the places of each question's best programs in the flat order, ties by place, and which of them there are."""
    if flat.forbidden is not None:
        scores = scores.masked_fill(flat.forbidden, -torch.inf)
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


def best_of_each_padded(flat: Flat, scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
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


def find_all(
    flat: Flat,
    entries: Tensor,
    recall: Tensor,
    cfg: SearchConfig,
    min_reward: float = 0.0,
    draws_from: str | None = None,
    uniforms: Tensor | None = None,
    refine: Refine | None = None,
) -> tuple[Candidates, Tensor]:
    """K of every question, scored with gradient, and (B, K) the programs by their flat places.

    Args:
        flat: the programs, their answers known.
        entries: (B, L) the axis scores, with gradient.
        recall: () the weight of the recall feature, with gradient.
        cfg: the settings of the search.
        min_reward: the reference must be rewarded with more than this, or with 1.
        draws_from: `model` or `explore`, for updates that sample a program.
        uniforms: (B,) the random numbers in [0, 1) that pick it.
        refine: what adds to the scores of K, looking at its programs as a whole.
    """
    with torch.no_grad():
        scores = flat_scores(flat, entries.float(), recall, cfg.model_eta)
        ahead, ahead_there = _explore(flat, scores, cfg)
        chosen, mask = _join(flat, scores, cfg, ahead, ahead_there)
        rewards = flat.rewards[chosen] * mask
    line = entries.reshape(-1)
    parts = parts_of(flat, chosen)
    with_gradient = line[parts].sum(dim=2) + recall * flat.missed[chosen]
    if cfg.model_eta:
        with_gradient = with_gradient + cfg.model_eta * flat.critique[chosen]
    own, at_first = scores[chosen], None
    if refine is not None:
        more = refine(parts, features_of(flat, chosen))
        at_first = with_gradient
        with_gradient, own = with_gradient + more, own + more.detach()
    with torch.no_grad():
        if refine is not None:
            ahead, ahead_there = _ahead_again(
                cfg, own, rewards, flat.critique[chosen], chosen, mask
            )
        reference = _reference(cfg, own, rewards, mask, chosen, ahead, ahead_there)
        at = rewards.gather(1, reference.clamp(min=0)[:, None])[:, 0]
        reference = torch.where((at > min_reward) | (at >= 1), reference, -1)
        log_u = _log_explore(cfg, own, rewards, flat.critique[chosen], mask)
        drawn = _drawn(own, log_u, mask, draws_from, uniforms)
    found = Candidates(with_gradient, rewards, mask, log_u, reference, drawn, at_first)
    return found, chosen


def parts_of(flat: Flat, chosen: Tensor) -> Tensor:
    """(B, K, width) the entries of some programs, as places in the (B, L) scores laid flat."""
    select = flat.select[flat.program_select[chosen]]
    return torch.cat([select, flat.condition[flat.program_condition[chosen]]], dim=2)


def features_of(flat: Flat, chosen: Tensor) -> Tensor:
    """(B, K, 2) recall and critique of some programs."""
    return torch.stack([flat.missed[chosen], flat.critique[chosen]], dim=2)


def refined(flat: Flat, scores: Tensor, count: int, refine: Refine) -> Tensor:
    """(P,) scores, those of each question's best so many refined; the others stay behind the best of them."""
    places, there = best_of_each(flat, scores, count)
    before = scores[places].masked_fill(~there, -torch.inf)
    after = before + refine(parts_of(flat, places), features_of(flat, places))
    shift = before.amax(dim=1, keepdim=True) - after.amax(dim=1, keepdim=True)
    return scores.index_put((places[there],), (after + shift)[there])


def _ahead_again(
    cfg: SearchConfig,
    scores: Tensor,
    rewards: Tensor,
    critique: Tensor,
    chosen: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    """(B, 1) the first of EXPLORE by refined scores, and whether there is one."""
    key = scores + cfg.policy_eta * critique
    if cfg.greed == np.inf:
        best = rewards.masked_fill(~mask, -1).amax(dim=1, keepdim=True)
        pool = mask & (rewards == best) & (best > 0)
    else:
        key, pool = key + cfg.greed * rewards, mask & (rewards > 0)
    first = key.masked_fill(~pool, -torch.inf).argmax(dim=1, keepdim=True)
    return chosen.gather(1, first), pool.any(dim=1, keepdim=True)


def _explore(flat: Flat, scores: Tensor, cfg: SearchConfig) -> tuple[Tensor, Tensor]:
    """(B, explore) EXPLORE, best first, and where there is one."""
    pool, there = flat.rewarded, flat.some
    key = scores[pool] + cfg.policy_eta * flat.critique[pool]
    if cfg.greed != np.inf:
        key = key + cfg.greed * flat.rewards[pool]
    order = key.masked_fill(~there, -torch.inf).sort(dim=1, descending=True, stable=True).indices
    if cfg.greed == np.inf:
        rewards = flat.rewards[pool].masked_fill(~there, -1).gather(1, order)
        order = order.gather(1, rewards.sort(dim=1, descending=True, stable=True).indices)
    order = order[:, : cfg.explore]
    return pool.gather(1, order), there.gather(1, order)


def _join(
    flat: Flat, scores: Tensor, cfg: SearchConfig, ahead: Tensor, ahead_there: Tensor
) -> tuple[Tensor, Tensor]:
    """(B, K) K: EXPLORE, then what RIVALS adds to it; padding at the end."""
    if cfg.candidates == "explore":
        return ahead, ahead_there
    if cfg.candidates == "all":
        place = torch.arange(flat.most, device=scores.device)
        every = flat.starts[:, None] + place
        return every.clamp(max=len(scores) - 1), place < flat.counts[:, None]
    key = scores - flat.rewards if cfg.margin else scores
    behind, behind_there = best_of_each(flat, key, cfg.rivals)
    if cfg.candidates == "rivals":
        return behind, behind_there
    same = (behind[:, :, None] == ahead[:, None, :]) & ahead_there[:, None, :]
    chosen = torch.cat([ahead, behind], dim=1)
    mask = torch.cat([ahead_there, behind_there & ~same.any(dim=2)], dim=1)
    order = (~mask).to(torch.int8).sort(dim=1, stable=True).indices
    return chosen.gather(1, order), mask.gather(1, order)


def _reference(
    cfg: SearchConfig,
    scores: Tensor,
    rewards: Tensor,
    mask: Tensor,
    chosen: Tensor,
    ahead: Tensor,
    ahead_there: Tensor,
) -> Tensor:
    """(B,) the place of y* in K, -1 if there is none."""
    first, found = ahead[:, :1], ahead_there[:, 0]
    here = (chosen == first) & mask & found[:, None]
    if cfg.reference == "score":
        top = torch.where(found, rewards.masked_fill(~mask, 0).amax(dim=1), -1)
        pool = mask & (rewards == top[:, None])
        best = scores.masked_fill(~pool, -torch.inf).argmax(dim=1)
        return torch.where(found & pool.any(dim=1), best, -1)
    return torch.where(here.any(dim=1), here.to(torch.int8).argmax(dim=1), -1)


def _log_explore(
    cfg: SearchConfig, scores: Tensor, rewards: Tensor, critique: Tensor, mask: Tensor
) -> Tensor:
    """(B, K) log u, the exploration policy over K, shaped if η > 0; -inf where it has no mass."""
    key = scores.double() + cfg.policy_eta * critique
    top = rewards.amax(dim=1, keepdim=True)
    mass = mask & (top > 0)
    if cfg.greed == np.inf:
        mass = mass & (rewards == top)
    else:
        key = key + cfg.greed * rewards
    key = key.masked_fill(~mass, -torch.inf)
    log = torch.log_softmax(key, dim=1)
    return torch.where(mass, log, -torch.inf).to(scores.dtype)


def _drawn(
    scores: Tensor, log_u: Tensor, mask: Tensor, draws_from: str | None, uniforms: Tensor | None
) -> Tensor:
    """(B,) the place of the sampled program in K, -1 if nothing was drawn."""
    if draws_from is None or uniforms is None:
        return torch.full(mask.shape[:1], -1, device=mask.device)
    log = torch.where(mask, scores, -torch.inf) if draws_from == "model" else log_u
    some = torch.isfinite(log).any(dim=1)
    weights = torch.softmax(log.double().masked_fill(~some[:, None], 0.0), dim=1)
    total = weights.cumsum(dim=1)
    picked = torch.searchsorted(total, uniforms.double()[:, None] * total[:, -1:], right=True)[:, 0]
    last = mask.shape[1] - 1 - mask.flip(1).to(torch.int8).argmax(dim=1)
    return torch.where(some, torch.minimum(picked, last), -1)
