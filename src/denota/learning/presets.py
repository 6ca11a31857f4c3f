"""The published algorithms by name, and experiment files that name them.

An algorithm is a pair of an intensity w and a competing distribution q. Misra et al. (2018),
Tables 1 to 3. `[update] algorithm = "maver"` in an experiment stands for its pair, and for the
list of RIVALS that goes with q.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, Final

from denota.config import Config, UpdateConfig
from denota.errors import ConfigError
from denota.settings import config_of, read_settings

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
    "distil": UpdateConfig("explored", "model"),
    "distil_beliefs": UpdateConfig("taught", "model"),
}
MARGIN_METHODS: Final = ("most_violating", "mean_violating")
"""The competing distributions that compare margins: their RIVALS are ranked by score − R."""


def load_experiment(path: str | Path, changes: Sequence[str] = ()) -> Config:
    """Read an experiment from TOML, changed by `a.b=c` settings.

    Raises:
        ConfigError: a setting does not exist (with the nearest that does) or is out of range.
    """
    return config_of(resolved(read_settings(path, changes)))


def resolved(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings with `update.algorithm` replaced by its w, q and list of RIVALS.

    >>> resolved({"update": {"algorithm": "mmr"}})["update"]["competing"]
    'most_violating'

    Raises:
        ConfigError: there is no such algorithm, or other settings contradict it.
    """
    update = settings.get("update")
    if not isinstance(update, dict) or "algorithm" not in update:
        return _with_margin(settings)
    name = update["algorithm"]
    if name not in PRESETS:
        raise ConfigError(f"there is no algorithm {name!r}; there are {', '.join(PRESETS)}")
    preset = PRESETS[name]
    known: dict[str, str | float] = {"intensity": preset.intensity, "competing": preset.competing}
    if preset.intensity == "meritocratic":
        known["beta"] = preset.beta
    for key, value in known.items():
        if update.get(key, value) != value:
            raise ConfigError(
                f"update.algorithm = {name} has {key} {value}, not {update[key]}; leave out one"
            )
    own = {key: value for key, value in update.items() if key != "algorithm"}
    return _with_margin({**settings, "update": {**own, **known}})


def _with_margin(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with the list of RIVALS that goes with q, where q is named and the list is not."""
    update, search = settings.get("update"), settings.get("search", {})
    if not isinstance(update, dict) or "competing" not in update or not isinstance(search, dict):
        return settings
    margin = {"margin": update["competing"] in MARGIN_METHODS}
    return {**settings, "search": {**margin, **search}}
