"""The policies over programs that search ranks and updates sample by: policy shaping is here.

Misra et al. (2018), §3 and §5.1.

    model        p(y)   ∝ exp( s(y) )
    exploration  b(y)   ∝ exp( λ R(y) + s(y) ),  λ = ∞
    critique     p_c(y) ∝ exp( η critique(y) )
    shaped       p_b(y) ∝ b(y) p_c(y)

At λ = ∞ programs are ranked by reward, then by s + η critique, and all probability mass lies on
those of the largest reward. u is the policy that explores: shaped where η > 0, else b.

Ranks are of numpy arrays and of tensors alike, log-probabilities of (B, K) tensors. Answering
needs no torch, so nothing here imports it. B questions, K programs.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from denota.config import SearchConfig

if TYPE_CHECKING:
    from torch import Tensor

    from denota.search.candidates import Candidates

Scores = TypeVar("Scores", "Tensor", "NDArray[np.float32]")
"""One number a program, of any shape."""


def log_shaped(scores: Scores, critique: Scores, cfg: SearchConfig) -> Scores:
    """Return log p_b(y) up to a constant, among programs of equal reward: s + η critique."""
    return scores + cfg.policy_eta * critique


def margin_scores(scores: Scores, rewards: Scores, cfg: SearchConfig) -> Scores:
    """Return what RIVALS are ranked by: s − R for margin methods, else s."""
    return scores - rewards if cfg.margin else scores


def log_model(found: Candidates) -> Tensor:
    """(B, K) log p(y), the model's Boltzmann policy normalised over K; -inf on padding.

    Differs from the paper: Eq. 9 normalises over all programs; importance weights over thousands
    of them would stall learning.
    """
    log = found.scores.masked_fill(~found.mask, -inf).log_softmax(dim=-1)
    return log.masked_fill(~found.mask.any(dim=-1, keepdim=True), -inf)


def log_explore(
    scores: Tensor, rewards: Tensor, critique: Tensor, mask: Tensor, cfg: SearchConfig
) -> Tensor:
    """(B, K) log u(y), normalised over K; -inf where it has no mass.

    Differs from the paper: at λ = ∞ all mass lies on the programs of the largest reward in K.
    """
    top = rewards.amax(dim=1, keepdim=True)
    mass = mask & (top > 0) & (rewards == top)
    shaped = log_shaped(scores.double(), critique, cfg)
    log = shaped.masked_fill(~mass, -inf).log_softmax(dim=1)
    return log.masked_fill(~mass, -inf).to(scores.dtype)


def draw(log_probs: Tensor, uniforms: Tensor) -> Tensor:
    """(B,) the programs that uniform numbers pick from (B, K) distributions; -1 without mass.

    Args:
        log_probs: up to a constant a question, -inf where there is no mass.
        uniforms: (B,) a number in [0, 1) a question.
    """
    some = log_probs.isfinite()  # (B, K)
    none = ~some.any(dim=1, keepdim=True)
    total = log_probs.double().masked_fill(none, 0.0).softmax(dim=1).cumsum(dim=1)
    picked = (total <= uniforms.double()[:, None] * total[:, -1:]).sum(dim=1)
    last = some.shape[1] - 1 - some.flip(1).int().argmax(dim=1)
    return picked.minimum(last).masked_fill(none[:, 0], -1)
