"""The configuration: every experiment loads, settings round-trip, and mistakes are said."""

from __future__ import annotations

import tomllib
from math import inf
from pathlib import Path

import pytest

from denota.config import (
    RETIRED,
    Config,
    TrainConfig,
    UpdateConfig,
    config_of,
    load_config,
    saved_config,
    to_toml,
)
from denota.errors import ConfigError
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import INTENSITIES

EXPERIMENTS = sorted((Path(__file__).parent.parent / "experiments").glob("*.toml"))


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_experiment_loads(path: Path) -> None:
    config = load_config(path)
    assert config.update.intensity in INTENSITIES
    assert config.update.competing in COMPETITORS


def test_settings_round_trip() -> None:
    config = Config(seed=5, update=UpdateConfig("meritocratic", "model", beta=inf))
    assert config_of(tomllib.loads(to_toml(config))) == config


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("update.betta=1", "did you mean update.beta"),
        ("sed=1", "did you mean seed"),
        ("update.beta=-1", "0 or more"),
        ("train.epochs=0", "1 or more"),
        ("train.epochs=many", "must be a int"),
        ("search.shaping=all", "must be one of none, policy, model"),
        ("seed.x=1", "nothing below it"),
        ("seed", "written a.b=c"),
        ("data=5", "is a section"),
        ("train.warmup=2", "0 to 1"),
        ("train.optimiser=adagrad", "must be one of sgd, adam"),
        ("train.first=2", "train.first is now called train.made_up_epochs"),
        *((f"{name}=1", f"{name} was removed; every run is now as with") for name in RETIRED),
    ],
)
def test_mistakes_are_said(tmp_path: Path, change: str, said: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text("seed = 1\n")
    with pytest.raises(ConfigError, match=said):
        load_config(path, [change])


def test_a_saved_config_may_have_settings_that_were_removed() -> None:
    config = Config(seed=4, train=TrainConfig(made_up_epochs=3))
    saved = tomllib.loads(to_toml(config))
    for name in RETIRED:
        section, key = name.split(".")
        saved[section][key] = 7
    saved["train"]["first"] = saved["train"].pop("made_up_epochs")
    saved["train"] |= {"optimiser": "adagrad", "schedule": "cosine"}
    lines = [f"{name}.{key} = {value!r}" for name, values in saved.items() if isinstance(values, dict)
             for key, value in values.items()]  # fmt: skip
    text = "\n".join(["seed = 4", *lines]).replace("True", "true").replace("False", "false")
    assert saved_config(text) == config


def test_changes_are_applied(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[update]\nbeta = 0.5\n")
    config = load_config(path, ["update.beta=inf", "data.language=dynsp", "seed=3", "search.eta=2"])
    assert (config.update.beta, config.data.language, config.seed, config.search.eta) == (
        inf,
        "dynsp",
        3,
        2.0,
    )
    with pytest.raises(ConfigError, match="no config"):
        load_config(tmp_path / "none.toml")
