"""Competing distributions q(y): which programs an update pushes down. Misra et al. (2018), Table 1.

Like an intensity, a competing distribution is a function of K alone. It sums to 1, or is 0
everywhere where there is no rival: then there is no update. Whatever the intensity, y* here is the
reference of the candidates.
"""

from __future__ import annotations

import torch
from torch import Tensor

from denota.config import UpdateConfig
from denota.learning.intensity import Rule
from denota.registry import Registry
from denota.search.candidates import Candidates
from denota.search.policies import log_model

COMPETITORS: Registry[Rule] = Registry("competing distribution")


@COMPETITORS.register
def model(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """q(y) = p(y): the likelihood and policy gradient methods."""
    return log_model(found).exp()


@COMPETITORS.register
def most_violating(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """q(y) = 1{y = ȳ}, ȳ = argmax s(y) − R(y): maximum margin reward (MMR).

    Differs from the paper: ties are shared, so that the order of candidates does not matter.
    """
    slack = (found.scores - found.rewards).masked_fill(~found.mask, -torch.inf)
    worst = violations(found) & (slack == slack.amax(dim=-1, keepdim=True))
    return worst / worst.sum(dim=-1, keepdim=True).clamp(min=1).to(found.scores.dtype)


@COMPETITORS.register
def mean_violating(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """q(y) = 1{y ∈ V} / |V|: maximum margin average violation reward (MAVER)."""
    violated = violations(found)
    return violated / violated.sum(dim=-1, keepdim=True).clamp(min=1).to(found.scores.dtype)


def violations(found: Candidates) -> Tensor:
    """(B, K) True for V = { y' ≠ y* : s(y') + R(y*) − R(y') > s(y*) }.

    The programs that violate MMR's margin, R(y*) − R(y'); none where there is no y*. Misra et al.
    (2018), Eq. 7. Differs from the paper: strict, as in its appendix; ≤ would put y* into V.

    Compared as s(y') − R(y') > s(y*) − R(y*), so that rounding makes no violation of equal
    programs.
    """
    slack = found.scores - found.rewards
    place = found.reference.clamp(min=0)[:, None]
    return (slack > slack.gather(1, place)) & found.mask & (found.reference >= 0)[:, None]
