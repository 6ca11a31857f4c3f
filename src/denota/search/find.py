"""From scored axes to K: EXPLORE and RIVALS of every question of a batch, joined, padded and scored with gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from denota.config import SearchConfig
from denota.search.axes import BLOCKS
from denota.search.candidates import Candidates
from denota.search.lists import explore, rivals
from denota.search.policy import draw, log_explore
from denota.search.prepare import Prepared
from denota.search.score import AxisScores, program_entries, program_scores

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Found:
    """The candidates of one question before they are padded."""

    ids: Ids  #: (K,) programs, EXPLORE first
    log_explore: NDArray[np.float32]  #: (K,) log u
    reference: int
    """The place of y*, -1 if nothing is rewarded."""
    draw: int
    """The place of the sampled program, -1 if nothing was drawn."""


def find(
    question: Prepared,
    axis: AxisScores,
    cfg: SearchConfig,
    min_reward: float = 0.0,
    draws_from: str | None = None,
    uniform: float = 0.0,
) -> Found:
    """Search for the candidates of one question.

    Args:
        question: with its answer.
        axis: its scored axis.
        cfg: the settings of the search.
        min_reward: the reference must be rewarded with more than this, or with 1.
        draws_from: `model` or `explore`, for updates that sample a program.
        uniform: the random number in [0, 1) that picks it.
    """
    assert question.rewards is not None
    scores = program_scores(question, axis)
    ahead = explore(question, axis, cfg, scores)
    ids = _join(question, axis, cfg, scores, ahead)
    rewards, critique = question.rewards[ids], question.words.critique[ids]
    reference = _reference(question, cfg, scores, ahead, ids)
    if reference >= 0 and not (
        question.rewards[reference] > min_reward or question.rewards[reference] >= 1
    ):
        reference = -1
    place = int(np.flatnonzero(ids == reference)[0]) if reference in ids else -1
    log_u = log_explore(scores[ids], rewards, critique, cfg.greed, cfg.policy_eta)
    if not len(ids) or rewards.max(initial=0) <= 0:
        log_u = np.full(len(ids), -np.inf, np.float32)
    drawn = -1
    if draws_from == "model" and len(ids):
        drawn = draw(scores[ids] - scores[ids].max(), uniform)
    elif draws_from == "explore" and np.isfinite(log_u).any():
        drawn = draw(log_u, uniform)
    return Found(ids, log_u, place, drawn)


def pad(
    questions: Sequence[Prepared],
    found: Sequence[Found],
    entries: Tensor,
    offsets: NDArray[np.int64],
    recall: Tensor,
    model_eta: float = 0.0,
    outcome: bool = False,
) -> Candidates:
    """Score what was found with gradient, and pad it to one batch.

    Args:
        questions: B questions.
        found: their candidates.
        entries: (B, L) the axis scores, with gradient.
        offsets: where each block begins on the axis.
        recall: () the weight of the recall feature, with gradient.
        model_eta: η of model shaping.
        outcome: whether conditions are scored by what they would answer as well.
    """
    count = max(1, *(len(f.ids) for f in found))
    widths = [(q.axes.select_block.shape[1], q.axes.condition_block.shape[1]) for q in questions]
    width = max(map(sum, widths)) + 5 * outcome
    zero = int(offsets[BLOCKS.index("fixed")])  # the entry `nothing`
    index = np.full((len(questions), count, width), zero, np.int64)
    missed, rewards, critique = (np.zeros((len(questions), count), np.float32) for _ in range(3))
    log_u = np.full((len(questions), count), -np.inf, np.float32)
    mask = np.zeros((len(questions), count), bool)
    for line, (question, one) in enumerate(zip(questions, found, strict=True)):
        k = len(one.ids)
        chosen = program_entries(question, one.ids, offsets, outcome)
        index[line, :k, : chosen.shape[1]] = chosen
        missed[line, :k] = question.words.missed[one.ids]
        critique[line, :k] = question.words.critique[one.ids]
        rewards[line, :k] = question.rewards[one.ids] if question.rewards is not None else 0
        log_u[line, :k] = one.log_explore
        mask[line, :k] = True
    device, kind = entries.device, entries.dtype
    gathered = entries.gather(1, torch.from_numpy(index).to(device).flatten(1))
    scores = gathered.view(*index.shape).sum(dim=2)
    scores = scores + recall * torch.from_numpy(missed).to(device, kind)
    scores = scores + model_eta * torch.from_numpy(critique).to(device, kind)
    return Candidates(
        scores,
        torch.from_numpy(rewards).to(device, kind),
        torch.from_numpy(mask).to(device),
        torch.from_numpy(log_u).to(device, kind),
        torch.tensor([one.reference for one in found], device=device),
        torch.tensor([one.draw for one in found], device=device),
    )


def _join(
    question: Prepared, axis: AxisScores, cfg: SearchConfig, scores: NDArray[np.float32], ahead: Ids
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


def _reference(
    question: Prepared, cfg: SearchConfig, scores: NDArray[np.float32], ahead: Ids, ids: Ids
) -> int:
    """y*: the first of EXPLORE, or with `reference = score` the best-scoring program of K that is rewarded as much."""
    if not len(ahead):
        return -1
    assert question.rewards is not None
    if cfg.reference == "policy":
        return int(ahead[0])
    pool = ids[question.rewards[ids] == question.rewards[ahead[0]]]
    return int(pool[np.argmax(scores[pool])]) if len(pool) else -1
