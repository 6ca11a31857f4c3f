"""The coefficients of Eq. 9 for the candidates of one lesson, in plain numpy.

The intensities w and competing distributions q are those of `learning.intensity` and
`learning.competing`, which learn from whole batches and need torch; a lesson is learnt without. A
test holds every pair to the same numbers. K programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.config import UpdateConfig

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LessonCandidates:
    """The programs of a lesson that the update sees."""

    scores: Floats  #: (K,) s(y)
    rewards: Floats  #: (K,) R(y, z) in [0, 1]
    mask: NDArray[np.bool_]  #: (K,) True for y* and the programs that it competes with
    log_explore: Floats  #: (K,) log u(y), -inf where the exploration policy has no mass
    reference: int
    """The place of y*, which is also the program that sampled rules draw."""


Rule = Callable[[LessonCandidates, UpdateConfig], Floats]


def lesson_coefficients(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    """(K,) c = w − (Σ w) q of the configured pair; 0 where q has no mass."""
    w, q = INTENSITIES[cfg.intensity](found, cfg), COMPETITORS[cfg.competing](found, cfg)
    return w - w.sum() * q if q.sum() > 0 else np.zeros_like(w)


def _posterior(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    return _among_consistent(found, 1.0)


def _meritocratic(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    return _among_consistent(found, cfg.beta)


def _reinforce(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    return _reference(found, cfg) * found.rewards * found.mask


def _expected_reward(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    return _model(found, cfg) * found.rewards


def _off_policy(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    chosen = int(found.log_explore.argmax()) if cfg.draw == "top" else found.reference
    w = np.zeros_like(found.scores)
    if found.mask[chosen] and np.isfinite(found.log_explore).any():
        ratio = np.exp(_log_model(found)[chosen] - found.log_explore[chosen])
        w[chosen] = ratio * found.rewards[chosen]
    return w


def _explored(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    return np.exp(found.log_explore) * found.rewards * found.mask


def _reference(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    w = np.zeros_like(found.scores)
    w[found.reference] = 1
    return w


def _model(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    return np.exp(_log_model(found))


def _most_violating(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    slack = np.where(found.mask, found.scores - found.rewards, -np.inf)
    return _shared(_violations(found) & (slack == slack.max()))


def _mean_violating(found: LessonCandidates, cfg: UpdateConfig) -> Floats:
    return _shared(_violations(found))


INTENSITIES: Final[Mapping[str, Rule]] = {
    "posterior": _posterior,
    "meritocratic": _meritocratic,
    "reinforce": _reinforce,
    "expected_reward": _expected_reward,
    "off_policy": _off_policy,
    "explored": _explored,
    "taught": _explored,  # a lesson has no teacher but its person
    "reference": _reference,
}
COMPETITORS: Final[Mapping[str, Rule]] = {
    "model": _model,
    "most_violating": _most_violating,
    "mean_violating": _mean_violating,
}


def _log_model(found: LessonCandidates) -> Floats:
    """(K,) log p(y), normalised over the candidates."""
    return _log_softmax(np.where(found.mask, found.scores, -np.inf))


def _among_consistent(found: LessonCandidates, beta: float) -> Floats:
    """(K,) ∝ p(y)^β over the programs that give the answer; β = ∞ takes the most probable."""
    consistent = found.mask & (found.rewards >= 1)
    if not consistent.any():
        return np.zeros_like(found.scores)
    log_p = np.where(consistent, _log_model(found), -np.inf)
    if beta == np.inf:
        return _shared(log_p == log_p.max())
    below = np.where(consistent, log_p - log_p.max(), 0)
    return np.exp(_log_softmax(np.where(consistent, beta * below, -np.inf)))


def _violations(found: LessonCandidates) -> NDArray[np.bool_]:
    """(K,) True for V = { y' ≠ y* : s(y') − R(y') > s(y*) − R(y*) }."""
    slack = found.scores - found.rewards
    violated: NDArray[np.bool_] = (slack > slack[found.reference]) & found.mask
    return violated


def _shared(chosen: NDArray[np.bool_]) -> Floats:
    """(K,) 1 shared among the chosen, 0 everywhere where there are none."""
    return chosen / max(1, int(chosen.sum()))


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max()
    found: Floats = shifted - np.log(np.exp(shifted).sum())
    return found
