"""Search as the paper says it, one question at a time, in numpy.

The batched search in `denota.search.candidates` is held against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.axes import BLOCKS
from denota.search.beam import beam_search
from denota.search.candidates import Candidates
from denota.search.exact import AxisScores, program_entries, program_scores
from denota.search.prepare import Prepared

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


def ranked(count: int, *keys: Floats) -> Ids:
    """The first `count` places: by the first key, then the next, largest first, then by place."""
    return np.lexsort([-key for key in reversed(keys)])[:count]


def wanted(question: Prepared, ids: Ids, cfg: SearchConfig) -> NDArray[np.bool_]:
    """Which programs may be y* and have a share of u: all, or those that are not vacuous."""
    return np.ones(len(ids), bool) if cfg.vacuous else ~question.is_vacuous(ids)


def explore(question: Prepared, axis: AxisScores, cfg: SearchConfig, scores: Floats) -> Ids:
    """EXPLORE: by reward, ties by score + η critique. Zero reward is dropped."""
    if cfg.kind == "beam":
        ids = beam_search(question, axis, cfg, "explore")
        return ids[wanted(question, ids, cfg)]
    pool = np.flatnonzero(question.rewards > 0)
    pool = pool[wanted(question, pool, cfg)]
    rewards = question.rewards[pool]
    key = scores[pool] + np.float32(cfg.policy_eta) * question.words.critique[pool]
    return pool[ranked(cfg.explore, rewards, key)]


def rivals(question: Prepared, axis: AxisScores, cfg: SearchConfig, scores: Floats) -> Ids:
    """RIVALS: by score − R for margin methods, else by score."""
    if cfg.kind == "beam":
        return beam_search(question, axis, cfg, "rivals")
    key = scores - question.rewards if cfg.margin else scores
    return ranked(cfg.rivals, key)


def best(question: Prepared, axis: AxisScores, cfg: SearchConfig, count: int = 1) -> Ids:
    """The highest-scoring programs."""
    if cfg.kind == "beam":
        return beam_search(question, axis, cfg, "model")[:count]
    return ranked(count, program_scores(question, axis))


def log_explore(scores: Floats, rewards: Floats, critique: Floats, eta: float) -> Floats:
    """log u over the programs given; no mass anywhere if nothing is rewarded."""
    key = scores.astype(np.float64) + eta * critique
    if not len(key) or rewards.max() <= 0:
        return np.full(len(key), -np.inf, np.float32)
    key = np.where(rewards == rewards.max(), key, -np.inf)
    top = key.max()
    return (key - top - np.log(np.exp(key - top).sum())).astype(np.float32)


def draw(log_probs: Floats, uniform: float) -> int:
    """The program that a uniform number in [0, 1) picks."""
    total = np.exp(log_probs.astype(np.float64)).cumsum()
    return int(min(np.searchsorted(total, uniform * total[-1], side="right"), len(total) - 1))


@dataclass(frozen=True, eq=False)
class Found:
    """The candidates of one question before they are padded."""

    ids: Ids  #: (K,) programs, EXPLORE first
    log_explore: Floats  #: (K,) log u
    reference: int
    draw: int


def find(
    question: Prepared,
    axis: AxisScores,
    cfg: SearchConfig,
    draws_from: str | None = None,
    uniform: float = 0.0,
) -> Found:
    """K of one question."""
    scores = program_scores(question, axis)
    ahead = explore(question, axis, cfg, scores)
    ids = _join(question, axis, cfg, scores, ahead)
    rewards, critique = question.rewards[ids], question.words.critique[ids]
    reference = _reference(question, cfg, scores, ahead, ids)
    place = int(np.flatnonzero(ids == reference)[0]) if reference in ids else -1
    own = wanted(question, ids, cfg)
    log_u = np.full(len(ids), -np.inf, np.float32)
    log_u[own] = log_explore(scores[ids][own], rewards[own], critique[own], cfg.policy_eta)
    drawn = -1
    if draws_from == "model" and len(ids):
        drawn = draw(scores[ids] - scores[ids].max(), uniform)
    elif draws_from == "explore" and np.isfinite(log_u).any():
        drawn = draw(log_u, uniform)
    return Found(ids, log_u, place, drawn)


def _join(
    question: Prepared, axis: AxisScores, cfg: SearchConfig, scores: Floats, ahead: Ids
) -> Ids:
    """K: EXPLORE, then what RIVALS adds to it."""
    if cfg.candidates == "all":
        return np.arange(question.axes.programs)
    if cfg.candidates == "explore":
        return ahead
    behind = rivals(question, axis, cfg, scores)
    if cfg.candidates == "rivals":
        return behind
    return np.concatenate([ahead, behind[~np.isin(behind, ahead)]])


def _reference(question: Prepared, cfg: SearchConfig, scores: Floats, ahead: Ids, ids: Ids) -> int:
    """y*: the first of EXPLORE.

    With `reference_by = score`, the best-scoring program of K that is rewarded as much.
    """
    if not len(ahead):
        return -1
    if cfg.reference_by == "policy":
        return int(ahead[0])
    pool = ids[wanted(question, ids, cfg)]
    pool = pool[question.rewards[pool] == question.rewards[ahead[0]]]
    return int(pool[np.argmax(scores[pool])]) if len(pool) else -1


def pad(
    questions: Sequence[Prepared],
    found: Sequence[Found],
    entries: Tensor,
    offsets: Ids,
    recall: Tensor,
    model_eta: float = 0.0,
    outcome: bool = False,
) -> Candidates:
    """Score what was found with gradient, and pad it to one batch."""
    count = max(1, *(len(f.ids) for f in found))
    chosen = [
        program_entries(q, f.ids, offsets, outcome) for q, f in zip(questions, found, strict=True)
    ]
    nothing = int(offsets[BLOCKS.index("fixed")])
    width = max(own.shape[1] for own in chosen)
    index = np.full((len(questions), count, width), nothing, np.int64)
    missed, rewards, critique = (np.zeros((len(questions), count), np.float32) for _ in range(3))
    log_u = np.full((len(questions), count), -np.inf, np.float32)
    mask = np.zeros((len(questions), count), bool)
    for line, (question, one, own) in enumerate(zip(questions, found, chosen, strict=True)):
        k = len(one.ids)
        index[line, :k, : own.shape[1]] = own
        missed[line, :k] = question.words.recall_missed[one.ids]
        critique[line, :k] = question.words.critique[one.ids]
        rewards[line, :k] = question.rewards[one.ids]
        log_u[line, :k] = one.log_explore
        mask[line, :k] = True
    gathered = entries.gather(1, torch.from_numpy(index).flatten(1))
    scores = gathered.view(*index.shape).sum(dim=2)
    scores = scores + recall * torch.from_numpy(missed).to(entries.dtype)
    scores = scores + model_eta * torch.from_numpy(critique).to(entries.dtype)
    return Candidates(
        scores,
        torch.from_numpy(rewards).to(entries.dtype),
        torch.from_numpy(mask),
        torch.from_numpy(log_u).to(entries.dtype),
        torch.tensor([one.reference for one in found]),
        torch.tensor([one.draw for one in found]),
    )
