"""The published algorithms as pairs of an intensity and a competing distribution. Misra et al. (2018), Tables 1 to 3."""

from __future__ import annotations

from dataclasses import fields, replace
from math import inf
from typing import Final

from denota.config import UpdateConfig
from denota.errors import ConfigError

PRESETS: Final[dict[str, UpdateConfig]] = {
    "mml": UpdateConfig("posterior", "model"),
    "meritocratic_0": UpdateConfig("meritocratic", "model", beta=0.0),
    "meritocratic_0.5": UpdateConfig("meritocratic", "model", beta=0.5),
    "meritocratic_inf": UpdateConfig("meritocratic", "model", beta=inf),
    "reinforce": UpdateConfig("reinforce", "model"),
    "off_policy": UpdateConfig("off_policy", "model"),
    "mmr": UpdateConfig("reference", "most_violating"),
    "maver": UpdateConfig("reference", "mean_violating"),
    "mmr_w_mml_q": UpdateConfig("reference", "model"),
    "off_policy_w_mmr_q": UpdateConfig("off_policy", "most_violating"),
}


def preset(name: str, **changes: object) -> UpdateConfig:
    """Return a named algorithm's settings, changed as asked.

    >>> preset("mml").intensity
    'posterior'
    """
    if name not in PRESETS:
        raise ConfigError(f"there is no algorithm {name!r}; there are {', '.join(PRESETS)}")
    unknown = set(changes) - {field.name for field in fields(UpdateConfig)}
    if unknown:
        raise ConfigError(f"an update has no setting {', '.join(sorted(unknown))}")
    return replace(PRESETS[name], **changes)  # type: ignore[arg-type]
