"""Intensities w(y): how strongly an update favours each program. Misra et al. (2018), Table 1.

Every intensity is a function of the candidates K alone, (B, K), never differentiated, 0 on padding
and 0 everywhere for a question that has nothing to favour.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from denota.config import UpdateConfig
from denota.registry import Registry
from denota.search.candidates import Candidates, one_hot
from denota.search.policies import log_model

Rule = Callable[[Candidates, UpdateConfig], Tensor]
INTENSITIES: Registry[Rule] = Registry("intensity")


@INTENSITIES.register
def posterior(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) ∝ 1{R(y) = 1} p(y): maximum marginal likelihood."""
    return _among_consistent(found, 1.0)


@INTENSITIES.register
def meritocratic(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) ∝ 1{R(y) = 1} p(y)^β.

    β = 0 is uniform over the consistent programs, β = 1 is MML, β = ∞ takes the most probable, ties
    shared.
    """
    return _among_consistent(found, cfg.beta)


@INTENSITIES.register
def reinforce(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) = 1{y = ŷ} R(y), with ŷ drawn from the model's p over K."""
    return (
        one_hot(found.draw, found.scores.shape[-1]).to(found.rewards) * found.rewards * found.mask
    )


@INTENSITIES.register
def expected_reward(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) = p(y) R(y): the exact gradient of Σ p R, which `reinforce` samples."""
    return log_model(found).exp() * found.rewards


@INTENSITIES.register
def off_policy(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) = 1{y = ŷ} R(y) p(y) / u(y), with ŷ drawn from the exploration policy u.

    With `update.draw = "top"`, ŷ is the most probable of u, the first of equals: at λ = ∞ the
    paper takes "the top scoring programs" as well.
    """
    chosen = _top_of_explore(found) if cfg.draw == "top" else found.draw
    drawn = one_hot(chosen, found.scores.shape[-1]).bool() & found.mask
    ratio = (log_model(found) - found.log_explore.masked_fill(~drawn, 0)).exp()
    return torch.where(drawn, ratio * found.rewards, 0.0)


@INTENSITIES.register
def explored(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) = u(y) R(y): every program that the exploration policy believes in, as far as it does.

    Not in the paper. With a teacher's policy as u and q = p this is distillation: the gradient is
    that of the cross entropy between the teacher's belief, given the answer, and the model's.
    """
    return found.log_explore.exp() * found.rewards * found.mask


@INTENSITIES.register
def taught(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) = ½ u(y) R(y) + ½ p_T(y): what a teacher believes given the answer, and without it.

    Not in the paper. p_T is the teacher's policy over K: what it holds of programs that do not give
    the answer is learnt as well. Without a teacher this is `explored`.
    """
    given = explored(found, cfg)
    return given if found.log_teacher is None else (given + found.log_teacher.exp()) / 2


@INTENSITIES.register
def reference(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """w(y) = 1{y = y*}: maximum margin reward and MAVER.

    Differs from the paper: without a consistent program, y* is the best partial one, as in DynSP.
    """
    return one_hot(found.reference, found.scores.shape[-1]).to(found.scores.dtype)


DRAWS_FROM = {"reinforce": "model", "off_policy": "explore"}
"""Which policy the sampled intensities draw their program from."""


def _top_of_explore(found: Candidates) -> Tensor:
    """(B,) the place of the most probable program of u, -1 where u has no mass."""
    place = found.log_explore.argmax(dim=-1)
    return place.masked_fill(~found.log_explore.isfinite().any(dim=-1), -1)


def _among_consistent(found: Candidates, beta: float) -> Tensor:
    consistent = found.consistent
    log_p = log_model(found).masked_fill(~consistent, -torch.inf)
    best = log_p.amax(dim=-1, keepdim=True)
    if beta == torch.inf:
        chosen = (consistent & (log_p == best)).to(log_p.dtype)
        return chosen / chosen.sum(dim=-1, keepdim=True).clamp(min=1)
    below = (log_p - best).masked_fill(~consistent, 0)  # at most 0, so that no beta overflows
    powered = (beta * below).masked_fill(~consistent, -torch.inf)
    some = consistent.any(dim=-1, keepdim=True)
    return torch.where(some, torch.softmax(powered, dim=-1), 0.0)
