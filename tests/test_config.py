"""The configuration: every experiment loads, settings round-trip, and mistakes are said."""

from __future__ import annotations

import tomllib
from math import inf
from pathlib import Path

import pytest

from denota.config import Config, TrainConfig, UpdateConfig
from denota.errors import ConfigError
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import INTENSITIES
from denota.learning.presets import PRESETS, load_experiment
from denota.settings import ADDED, RENAMED, RETIRED, config_of, saved_config, to_toml

EXPERIMENTS = sorted((Path(__file__).parent.parent / "experiments").glob("*.toml"))


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_experiment_loads(path: Path) -> None:
    config = load_experiment(path)
    assert config.update.intensity in INTENSITIES
    assert config.update.competing in COMPETITORS


@pytest.mark.parametrize("name", PRESETS)
def test_the_name_of_an_algorithm_is_enough(tmp_path: Path, name: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f'update.algorithm = "{name}"\n')
    config = load_experiment(path)
    assert config.update == PRESETS[name]
    assert config.search.margin == config.update.competing.endswith("violating")
    same = [f"update.intensity={PRESETS[name].intensity}", "search.margin=true"]
    assert load_experiment(path, same).update == PRESETS[name]
    assert load_experiment(path, same).search.margin, "what is said is not changed"
    assert load_experiment(path, ["update.algorithm=mml"]).update == PRESETS["mml"]
    with pytest.raises(ConfigError, match=f"update.algorithm = {name} has competing"):
        load_experiment(path, ["update.competing=other"])


def test_an_algorithm_has_its_beta_and_its_name(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('[update]\nalgorithm = "meritocratic_0"\n')
    with pytest.raises(ConfigError, match=r"has beta 0\.0, not 2"):
        load_experiment(path, ["update.beta=2"])
    with pytest.raises(ConfigError, match=r"'mavr'.*maver"):
        load_experiment(path, ["update.algorithm=mavr"])


def test_a_file_may_extend_another(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("seed = 1\nupdate.beta = 2.0\ntrain.epochs = 3\n")
    (tmp_path / "b.toml").write_text('extends = "a.toml"\ntrain.epochs = 4\n')
    (tmp_path / "c.toml").write_text('extends = "b.toml"\n[train]\nbatch = 5\n')
    config = load_experiment(tmp_path / "c.toml", ["seed=2"])
    assert (config.seed, config.update.beta) == (2, 2.0)
    assert (config.train.epochs, config.train.batch) == (4, 5)
    (tmp_path / "a.toml").write_text('extends = "c.toml"\n')
    with pytest.raises(ConfigError, match="extends itself"):
        load_experiment(tmp_path / "c.toml")
    (tmp_path / "a.toml").write_text("extends = 3\n")
    with pytest.raises(ConfigError, match=r"names a file beside a\.toml"):
        load_experiment(tmp_path / "c.toml")
    (tmp_path / "a.toml").unlink()
    with pytest.raises(ConfigError, match="no config"):
        load_experiment(tmp_path / "c.toml")


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
        load_experiment(path, [change])


def test_a_saved_config_may_have_settings_that_were_removed() -> None:
    config = Config(seed=4, train=TrainConfig(made_up_epochs=3))
    saved = tomllib.loads(to_toml(config))
    for name in RETIRED:
        section, key = name.split(".")
        saved[section][key] = 7
    for name, now in RENAMED.items():
        (section, key), new = name.split("."), now.split(".")[1]
        saved[section][key] = saved[section].pop(new)
    saved["train"] |= {"optimiser": "adagrad", "schedule": "cosine"}
    lines = [
        f"{name}.{key} = {value!r}"
        for name, values in saved.items()
        if isinstance(values, dict)
        for key, value in values.items()
    ]
    text = "\n".join(["seed = 4", *lines]).replace("True", "true").replace("False", "false")
    assert saved_config(text) == config


def test_changes_are_applied(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[update]\nbeta = 0.5\n")
    config = load_experiment(
        path, ["update.beta=inf", "data.language=dynsp", "seed=3", "search.eta=2"]
    )
    assert (config.update.beta, config.data.language, config.seed, config.search.eta) == (
        inf,
        "dynsp",
        3,
        2.0,
    )
    with pytest.raises(ConfigError, match="no config"):
        load_experiment(tmp_path / "none.toml")


def test_a_model_saved_before_a_setting_keeps_what_it_was_trained_with() -> None:
    """The default is what new runs have; files that do not name the setting had another value."""
    old, new = saved_config("seed = 3"), saved_config(to_toml(Config(seed=3)))
    assert new == Config(seed=3)
    for name, before in ADDED.items():
        section, key = name.split(".")
        assert getattr(getattr(old, section), key) == before
        assert getattr(getattr(new, section), key) != before
