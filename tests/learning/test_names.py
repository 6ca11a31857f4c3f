"""Names: of rules, of algorithms, and of settings that make no sense."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import inf, nan
from typing import Final

import pytest

from denota.config import UpdateConfig
from denota.errors import ConfigError
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import DRAWS_FROM, INTENSITIES
from denota.learning.presets import PRESETS
from denota.learning.update import update_coefficients
from denota.registry import Registry
from learning.strategies import SAMPLED, question

registries = pytest.mark.parametrize(
    "registry", [INTENSITIES, COMPETITORS], ids=lambda registry: registry.kind
)

#: Table 1 of the paper, its meritocratic row as the three rows of Table 2,
#: and the two mixes of Table 3.
PAPER: Final = {
    "mml": ("posterior", "model", None),
    "meritocratic_0": ("meritocratic", "model", 0.0),
    "meritocratic_0.5": ("meritocratic", "model", 0.5),
    "meritocratic_inf": ("meritocratic", "model", inf),
    "reinforce": ("reinforce", "model", None),
    "off_policy": ("off_policy", "model", None),
    "mmr": ("reference", "most_violating", None),
    "maver": ("reference", "mean_violating", None),
    "mmr_w_mml_q": ("reference", "model", None),
    "off_policy_w_mmr_q": ("off_policy", "most_violating", None),
}


@registries
def test_a_name_in_a_config_is_a_name_in_the_code(registry: Registry) -> None:
    assert len(registry) == len(list(registry)) > 0
    for name, rule in registry.items():
        assert rule.__name__ == name
        assert registry[name] is rule
        assert rule.__doc__, name


@registries
def test_an_unknown_name_suggests_the_nearest(registry: Registry) -> None:
    for name in registry:
        with pytest.raises(ConfigError, match=rf"{registry.kind} '{name}x'.*{name!r}"):
            registry[name + "x"]


@registries
def test_a_name_like_no_other_lists_them_all(registry: Registry) -> None:
    with pytest.raises(ConfigError) as caught:
        registry["#"]
    assert all(name in str(caught.value) for name in registry)


@registries
def test_one_may_ask_whether_there_is_a_name(registry: Registry) -> None:
    """A mapping answers `in` and `get`; only taking what is not there is an error."""
    assert all(name in registry for name in registry)
    assert "nonsense" not in registry
    assert registry.get("nonsense") is None


def test_registering_gives_the_function_back() -> None:
    shouts: Registry = Registry("shout")

    @shouts.register
    def hurrah() -> str:
        return "HURRAH"

    assert hurrah() == shouts["hurrah"]() == "HURRAH"
    assert list(shouts) == ["hurrah"]


@pytest.mark.parametrize("name", PRESETS)
def test_every_algorithm_resolves(name: str) -> None:
    cfg = SAMPLED[name]
    assert cfg.intensity in INTENSITIES
    assert cfg.competing in COMPETITORS
    found = question([0.5, 0.0, 1.0], [0, 1, 0.5], reference=1, draw=1)
    assert update_coefficients(found, cfg)[0, 1] > 0


@pytest.mark.parametrize("name", PAPER)
def test_the_algorithms_of_the_paper(name: str) -> None:
    intensity, competing, beta = PAPER[name]
    cfg = PRESETS[name]
    assert (cfg.intensity, cfg.competing) == (intensity, competing)
    assert beta is None or cfg.beta == beta


@pytest.mark.parametrize("part", ["intensity", "competing"])
def test_an_unknown_rule_in_a_config(part: str) -> None:
    cfg = UpdateConfig(**{part: "modell" if part == "competing" else "referenc"})
    with pytest.raises(ConfigError, match="did you mean"):
        update_coefficients(question([0.0], [1.0]), cfg)


@pytest.mark.parametrize("beta", [-0.001, -1.0, -inf, nan])
def test_beta_out_of_range(beta: float) -> None:
    with pytest.raises(ConfigError, match=r"update\.beta must be 0 or more"):
        UpdateConfig(beta=beta)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 1e9, inf])
def test_settings_in_range(beta: float) -> None:
    assert UpdateConfig(beta=beta).beta == beta


def test_the_default_is_maver() -> None:
    """What the paper found best."""
    assert UpdateConfig() == PRESETS["maver"]


def test_settings_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        UpdateConfig().beta = 2.0  # type: ignore[misc]


def test_the_sampled_intensities_say_what_they_draw_from() -> None:
    assert DRAWS_FROM == {"reinforce": "model", "off_policy": "explore"}
    assert set(DRAWS_FROM) <= set(INTENSITIES)
