"""EXPLORE and RIVALS, the two lists K is made of, by exact search.

EXPLORE: ranked by reward, ties by score + η critique, zero reward dropped. It supplies the programs to learn.
RIVALS: ranked by score − R for margin methods and by score for the others. It supplies the high-scoring incorrect ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from denota.config import SearchConfig
from denota.search.beam import beam_search
from denota.search.policy import first
from denota.search.prepare import Prepared
from denota.search.score import AxisScores, program_scores

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


def explore(question: Prepared, axis: AxisScores, cfg: SearchConfig, scores: Floats) -> Ids:
    """Return the programs of EXPLORE, best first."""
    assert question.rewards is not None
    eta = np.float32(cfg.policy_eta)
    if cfg.kind == "beam":
        return beam_search(question, axis, cfg, "explore")
    if cfg.greed == np.inf:
        pool = question.rewarded(cfg.explore)
        key = scores[pool] + eta * question.words.critique[pool]
        return pool[first(key, cfg.explore, before=question.rewards[pool])]
    pool = np.flatnonzero(question.rewards > 0)
    key = scores[pool] + eta * question.words.critique[pool] + cfg.greed * question.rewards[pool]
    return pool[first(key, cfg.explore)]


def rivals(question: Prepared, axis: AxisScores, cfg: SearchConfig, scores: Floats) -> Ids:
    """Return the programs of RIVALS, best first."""
    if cfg.kind == "beam":
        return beam_search(question, axis, cfg, "rivals")
    key = scores
    if cfg.margin:
        assert question.rewards is not None
        key = scores - question.rewards
    return first(_allowed(question, cfg, key), cfg.rivals)


def best(question: Prepared, axis: AxisScores, cfg: SearchConfig, count: int = 1) -> Ids:
    """Return the highest-scoring programs, as at test time: no answer is looked at."""
    if cfg.kind == "beam":
        return beam_search(question, axis, cfg, "model")[:count]
    return first(_allowed(question, cfg, program_scores(question, axis)), count)


def _allowed(question: Prepared, cfg: SearchConfig, key: Floats) -> Floats:
    """The keys with forbidden programs at the very end."""
    forbidden = question.forbidden(cfg.of_those)
    return key if forbidden is None else np.where(forbidden, -np.inf, key).astype(np.float32)
