"""K, the candidates an update learns from: EXPLORE and RIVALS, joined and scored with gradient.

Misra et al. (2018), §3: K holds programs that evaluate to the answer and high-scoring incorrect
ones.

- EXPLORE: ranked by reward, ties by score + η critique, zero reward dropped. It supplies the
  programs to learn.
- RIVALS: ranked by score − R for margin methods and by score for the others. It supplies the
  high-scoring incorrect ones.
- y*, the reference: the first of EXPLORE.

With `search.vacuous = false` a program whose condition keeps every row is in K by its score alone:
it is never in EXPLORE, y* or u.

Differs from the paper: it speaks of one search; a list by reward alone never contains a
high-scoring wrong program, so K joins two lists.

The programs of all questions are laid end to end and searched at once, on any device; a beam finds
its lists question by question instead. B questions, P programs of all of them together, S
selections and N conditions likewise, L entries of the padded axis, K candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from denota.config import SearchConfig
from denota.search.beam import Aim, beam_search
from denota.search.exact import AxisScores
from denota.search.flat_batch import Flat
from denota.search.flat_lists import Listed, padded_places
from denota.search.policies import draw, log_explore, log_shaped

RefineTensors = Callable[[Tensor, Tensor], Tensor]
"""The (B, K, width) entries and (B, K, features) of programs to (B, K) what is added to their
scores."""


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
    log_teacher: Tensor | None = None
    """(B, K) the log of a teacher's policy over K, whatever the reward; None without a teacher."""

    @property
    def consistent(self) -> Tensor:
        """(B, K) True where R(y, z) = 1."""
        return self.mask & (self.rewards >= 1)


@dataclass(frozen=True, eq=False)
class Guide:
    """Another parser's scores of a batch: its policy explores in place of the model's own."""

    entries: Tensor  #: (B, L) its axis scores
    recall: Tensor  #: () its weight of the recall feature
    refine: RefineTensors | None = None
    """What it adds to the scores of K."""


def one_hot(place: Tensor, count: int) -> Tensor:
    """(B, K) 1 at a place, all 0 where the place is -1."""
    return (torch.arange(count, device=place.device) == place[:, None]).double()


def find_candidates(
    flat: Flat,
    entries: Tensor,
    recall: Tensor,
    cfg: SearchConfig,
    draws_from: str | None = None,
    uniforms: Tensor | None = None,
    refine: RefineTensors | None = None,
    guide: Guide | None = None,
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
        guide: whose scores the exploration policy goes by, if not by the model's; not for a beam.
    """
    with torch.no_grad():
        scores = flat.scores(entries.float(), recall, cfg.model_eta)
        guiding = scores if guide is None else flat.scores(guide.entries, guide.recall, 0.0)
        if cfg.kind == "beam":
            axes = _axes(flat, entries, recall, cfg)
            ahead = _beamed(flat, axes, cfg, "explore")
            chosen, mask = _join(flat, cfg, ahead, lambda: _beamed(flat, axes, cfg, "rivals"))
        else:
            ahead = explore(flat, guiding, cfg)
            chosen, mask = _join(flat, cfg, ahead, lambda: rivals(flat, scores, cfg))
        known = flat.programs(chosen)
        rewards, critique = known.rewards * mask, known.critique
        wanted = mask if cfg.vacuous else mask & ~flat.vacuous[known.condition]
    line = entries.reshape(-1)
    parts = torch.cat([flat.select[known.select], flat.condition[known.condition]], dim=2)
    with_gradient = line[parts].sum(dim=2) + recall * known.recall_missed
    if cfg.model_eta:
        with_gradient = with_gradient + cfg.model_eta * critique
    own, first_pass_scores = scores[chosen], None
    features = torch.stack([known.recall_missed, critique], dim=2)
    if refine is not None:
        more = refine(parts, features)
        first_pass_scores = with_gradient
        with_gradient, own = with_gradient + more, own + more.detach()
    with torch.no_grad():
        policy = own if guide is None else guiding[chosen]  # (B, K)
        if guide is not None and guide.refine is not None:
            policy = policy + guide.refine(parts, features)
        if refine is not None or guide is not None:
            ahead = _explore_again(cfg, policy, rewards, critique, chosen, wanted)
        reference = _reference(cfg, own, rewards, wanted, chosen, ahead)
        log_u = log_explore(policy, rewards * wanted, critique, wanted, cfg)
        drawn = torch.full_like(reference, -1)
        if draws_from is not None and uniforms is not None:
            model = own.masked_fill(~mask, -torch.inf)
            drawn = draw(model if draws_from == "model" else log_u, uniforms)
        log_teacher = None if guide is None else _log_softmax(policy, mask)
    return Candidates(
        with_gradient, rewards, mask, log_u, reference, drawn, first_pass_scores, log_teacher
    ), chosen


def _log_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """(B, K) the log of the Boltzmann policy over K, -inf on padding."""
    log = scores.masked_fill(~mask, -torch.inf).log_softmax(dim=1)
    return log.masked_fill(~mask, -torch.inf)


def explore(flat: Flat, scores: Tensor, cfg: SearchConfig) -> Listed:
    """EXPLORE of every question, from the (P,) scores of all programs."""
    pool, there = flat.rewarded, flat.some
    order = flat.ranked(log_shaped(scores[pool], flat.rewarded_critique, cfg))[:, : cfg.explore]
    return pool.gather(1, order), there.gather(1, order)


def rivals(flat: Flat, scores: Tensor, cfg: SearchConfig) -> Listed:
    """RIVALS of every question, from the (P,) scores of all programs."""
    return flat.best(flat.rival_keys(scores, cfg), cfg.rivals)


def _axes(flat: Flat, entries: Tensor, recall: Tensor, cfg: SearchConfig) -> list[AxisScores]:
    """The scored axes of the questions, for a beam."""
    weight, eta = float(recall.detach()), cfg.model_eta
    lines = entries.detach().float().cpu().numpy()
    return [AxisScores(line, flat.offsets, weight, eta, flat.outcome) for line in lines]


def _beamed(flat: Flat, axes: Sequence[AxisScores], cfg: SearchConfig, aim: Aim) -> Listed:
    """The list of an aim as a beam finds it."""
    lists = [beam_search(q, axis, cfg, aim) for q, axis in zip(flat.questions, axes, strict=True)]
    if aim == "explore" and not cfg.vacuous:
        lists = [ids[~q.is_vacuous(ids)] for q, ids in zip(flat.questions, lists, strict=True)]
    places, there = padded_places(lists, flat.starts.cpu().numpy())
    return places.to(flat.starts.device), there.to(flat.starts.device)


def _join(
    flat: Flat, cfg: SearchConfig, ahead: Listed, find_rivals: Callable[[], Listed]
) -> Listed:
    """K: EXPLORE, then what RIVALS adds to it; padding at the end."""
    if cfg.candidates == "explore":
        return ahead
    if cfg.candidates == "all":
        place = torch.arange(flat.most, device=flat.starts.device)
        every = flat.starts[:, None] + place
        return every.clamp(max=flat.total - 1), place < flat.counts[:, None]
    behind, behind_there = find_rivals()
    if cfg.candidates == "rivals":
        return behind, behind_there
    explored, there = ahead
    same = (behind[:, :, None] == explored[:, None, :]) & there[:, None, :]
    chosen = torch.cat([explored, behind], dim=1)
    mask = torch.cat([there, behind_there & ~same.any(dim=2)], dim=1)
    order = (~mask).to(torch.int8).sort(dim=1, stable=True).indices
    return chosen.gather(1, order), mask.gather(1, order)


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

    Differs from the paper: "highest scoring" (§4.1) is read as first under the policy in use; by
    score alone, shaping would almost never change y*.
    """
    first, found = ahead[0][:, :1], ahead[1][:, 0]
    here = (chosen == first) & mask & found[:, None]
    if cfg.reference_by == "score":
        top = torch.where(found, rewards.masked_fill(~mask, 0).amax(dim=1), -1)
        pool = mask & (rewards == top[:, None]) & (rewards > 0)
        best = scores.masked_fill(~pool, -torch.inf).argmax(dim=1)
        return torch.where(found & pool.any(dim=1), best, -1)
    return torch.where(here.any(dim=1), here.to(torch.int8).argmax(dim=1), -1)
