"""K, the candidates an update learns from: what the search found, padded to K programs a question.

Misra et al. (2018), §3: K holds programs that evaluate to the answer and high-scoring incorrect ones. B questions, K programs.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Candidates:
    """The programs of a batch that the update sees."""

    scores: Tensor  #: (B, K) s(y), with a gradient
    rewards: Tensor  #: (B, K) R(y, z) in [0, 1]
    mask: Tensor  #: (B, K) True where a program really sits
    log_explore: Tensor  #: (B, K) log u(y), -inf where the exploration policy has no mass
    reference: Tensor  #: (B,) the place of y*, -1 where there is none
    draw: Tensor  #: (B,) the place of the sampled program, -1 where nothing was drawn
    at_first: Tensor | None = (
        None  #: (B, K) s(y) before programs were looked at as a whole, where they were; with a gradient too
    )

    @property
    def consistent(self) -> Tensor:
        """(B, K) True where R(y, z) = 1."""
        return self.mask & (self.rewards >= 1)


def log_model(found: Candidates) -> Tensor:
    """(B, K) log p(y), the model's Boltzmann policy normalised over K; -inf on padding."""
    scores = found.scores.masked_fill(~found.mask, -torch.inf)
    some = found.mask.any(dim=-1, keepdim=True)
    return torch.where(some, torch.log_softmax(scores, dim=-1), -torch.inf)


def one_hot(place: Tensor, count: int) -> Tensor:
    """(B, K) 1 at a place, all 0 where the place is -1."""
    return (torch.arange(count, device=place.device) == place[:, None]).double()
