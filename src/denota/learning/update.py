"""The generalized update. Misra et al. (2018), Eq. 9.

    Δθ = Σ_y w(y) ( ∇s(y) − Σ_y' q(y') ∇s(y') ) = Σ_y c(y) ∇s(y)   with   c = w − (Σ w) q

So a learning algorithm is a pair of names, and its loss is one line.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from denota.config import UpdateConfig
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import INTENSITIES
from denota.search.candidates import Candidates


def surrogate_loss(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """−Σ_y sg[c(y)] s(y), summed over questions: its gradient is −Δθ.

    Differs from the paper: a batch has several questions. Their losses are summed and not averaged,
    so that the step of a question does not depend on the batch it is in.

    Where the best programs are looked at as a whole, the scores that chose them learn too, by the
    same update: else the right program need not be among the best.
    """
    if found.first_pass_scores is not None:
        first = replace(found, scores=found.first_pass_scores, first_pass_scores=None)
        return surrogate_loss(first, cfg) + surrogate_loss(
            replace(found, first_pass_scores=None), cfg
        )
    scores = found.scores.masked_fill(~found.mask, 0)
    return -(update_coefficients(found, cfg) * scores).sum()


def said_loss(log_odds: Tensor, is_said: bool) -> Tensor:
    """Cross-entropy, summed over questions, of whether their tables say what is asked for.

    Not in the paper, where every question has an answer.
    """
    wanted = torch.full_like(log_odds, float(is_said))
    return nn.functional.binary_cross_entropy_with_logits(log_odds, wanted, reduction="sum")


def update_coefficients(found: Candidates, cfg: UpdateConfig) -> Tensor:
    """(B, K) c(y) of the configured pair, detached."""
    w = INTENSITIES[cfg.intensity](found, cfg).detach()
    q = COMPETITORS[cfg.competing](found, cfg).detach()
    return coefficients(w, q)


def coefficients(w: Tensor, q: Tensor) -> Tensor:
    """(B, K) c = w − (Σ w) q; 0 where q has no mass: no rival, nothing to learn."""
    has_rival = q.sum(dim=-1, keepdim=True) > 0
    return (w - w.sum(dim=-1, keepdim=True) * q) * has_rival
