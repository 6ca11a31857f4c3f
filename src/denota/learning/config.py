"""The settings of an update."""

from __future__ import annotations

from dataclasses import dataclass

from denota.errors import ConfigError


@dataclass(frozen=True, slots=True)
class UpdateConfig:
    """Which update of the generalized equation (Misra et al. 2018, Eq. 9)."""

    intensity: str = "reference"
    """w, the name of an intensity."""
    competing: str = "mean_violating"
    """q, the name of a competing distribution."""
    beta: float = 1.0
    """Of the meritocratic intensity: 0 is uniform over the consistent programs, 1 MML, infinity the most probable."""
    reference_min_reward: float = 0.0
    """The reference's reward must exceed this, or equal 1; 1 takes the paper by its word and skips questions without a consistent program."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not self.beta >= 0:
            raise ConfigError(f"update.beta must be 0 or more, not {self.beta}")
        if not 0 <= self.reference_min_reward <= 1:
            raise ConfigError(
                f"update.reference_min_reward must lie in 0 to 1, not {self.reference_min_reward}"
            )
