"""Policies over programs, as ranks and as log-probabilities. Misra et al. (2018), §3 and §5.1.

    model        p(y)   ∝ exp( s(y) )
    exploration  b(y)   ∝ exp( λ R(y) + s(y) )
    critique     p_c(y) ∝ exp( η critique(y) )
    shaped       p_b(y) ∝ b(y) p_c(y)

At λ = ∞ programs are ranked by reward, then by s + η critique, and the probability mass lies on those of the largest reward alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def first(key: Floats, count: int, before: Floats | None = None) -> NDArray[np.int64]:
    """Return the places of the largest keys, largest first, ties by place; `before`, if given, decides first."""
    if before is None:
        if count < len(key):
            cut = np.partition(key, len(key) - count)[len(key) - count]
            pool = np.flatnonzero(key >= cut)
        else:
            pool = np.arange(len(key))
        return pool[np.argsort(-key[pool], kind="stable")[:count]]
    return np.lexsort((-key, -before))[:count]


def log_explore(
    scores: Floats, rewards: Floats, critique: Floats, greed: float, eta: float
) -> Floats:
    """Log-probabilities of the exploration policy, shaped if η > 0, over the programs given."""
    key = scores.astype(np.float64) + eta * critique
    if greed == np.inf:
        key = np.where(rewards == rewards.max(initial=0), key, -np.inf)
    else:
        key = key + greed * rewards
    if not len(key):
        return key.astype(np.float32)
    top = key.max()
    log: Floats = (key - top - np.log(np.exp(key - top).sum())).astype(np.float32)
    return log


def draw(log_probs: Floats, uniform: float) -> int:
    """Return the program that a uniform number in [0, 1) picks from a distribution.

    >>> draw(np.log(np.array([0.25, 0.75], np.float32)), 0.3)
    1
    """
    total = np.exp(log_probs.astype(np.float64)).cumsum()
    return int(min(np.searchsorted(total, uniform * total[-1], side="right"), len(total) - 1))
