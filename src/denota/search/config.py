"""The settings of search and of policy shaping."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from denota.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How the candidates of a question are found."""

    kind: Literal["exact", "beam"] = "exact"
    """Score all programs, or build them action by action keeping the best."""
    beam: int = 15
    """How many incomplete programs a beam keeps."""
    explore: int = 15
    """The length of EXPLORE: programs ranked by reward, then by the policy."""
    rivals: int = 15
    """The length of RIVALS: programs ranked by score − R (margin methods) or by score."""
    candidates: Literal["both", "explore", "rivals", "all"] = "both"
    """What K is made of; `all` takes every program of the space."""
    margin: bool = True
    """Whether RIVALS are ranked by score − R."""
    greed: float = inf
    """λ of the exploration policy b ∝ exp(λ R + score); infinity puts reward first."""
    shaping: Literal["none", "policy", "model"] = "none"
    """Where the critique acts: nowhere, on the exploration policy, or on the score itself."""
    eta: float = 5.0
    """η, the confidence in the critique."""
    reference: Literal["policy", "score"] = "policy"
    """y* is the first of EXPLORE under the policy in use, or its highest-scoring program of the best reward."""
    of_those: bool = False
    """DynSP's rule: "of those", "which one(s)" in a later question forbid a fresh SELECT."""
    lexicon: str | None = None
    """A file of lexical pairs in place of the project's own."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("beam", "explore", "rivals"):
            if getattr(self, name) < 1:
                raise ConfigError(f"search.{name} must be 1 or more, not {getattr(self, name)}")
        if not self.greed >= 0 or not self.eta >= 0:
            raise ConfigError("search.greed and search.eta must be 0 or more")

    @property
    def policy_eta(self) -> float:
        """η in the exploration policy."""
        return self.eta if self.shaping == "policy" else 0.0

    @property
    def model_eta(self) -> float:
        """η in the score."""
        return self.eta if self.shaping == "model" else 0.0
