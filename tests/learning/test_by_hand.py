"""Five programs, and what every algorithm makes of them, written out.

    program      0     1     2     3     4
    exp s        4     2     1     2     1      so Σ = 10
    p           .4    .2    .1    .2    .1
    R            0     1     1    .5     0
    u            0   1/8   1/2   1/4   1/8
    s − R     1.39  −.31  −1.0   .19   0.0

The reference y* is program 2, although program 1 is consistent too and scores higher; all others
violate its margin, program 0 the most. The program drawn is 3: its reward is 1/2 and its importance
weight p/u = .2 / .25 = .8.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, log, sqrt
from typing import Final

import pytest
import torch

from denota.config import UpdateConfig
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import INTENSITIES
from denota.learning.presets import PRESETS
from denota.learning.update import coefficients, surrogate_loss, update_coefficients
from denota.search.candidates import Candidates, one_hot
from denota.search.policies import log_model
from learning.strategies import SAMPLED, question

LOG2: Final = log(2)
TOY: Final = question(
    scores=[2 * LOG2, LOG2, 0, LOG2, 0],
    rewards=[0, 1, 1, 0.5, 0],
    explore=[0, 1 / 8, 1 / 2, 1 / 4, 1 / 8],
    reference=2,
    draw=3,
)
MODEL: Final = [0.4, 0.2, 0.1, 0.2, 0.1]

#: Of each algorithm: c, term by term, and the loss −Σ c s in units of log 2,
#: with s = (2, 1, 0, 1, 0).
EXPECTED: Final = {
    "mml": (
        [-0.4, 2 / 3 - 0.2, 1 / 3 - 0.1, -0.2, -0.1],
        0.4 * 2 - (2 / 3 - 0.2) + 0.2,
    ),
    "meritocratic_0": (
        [-0.4, 1 / 2 - 0.2, 1 / 2 - 0.1, -0.2, -0.1],
        0.4 * 2 - (1 / 2 - 0.2) + 0.2,
    ),
    "meritocratic_0.5": (  # √.2 : √.1 = √2 : 1, and √2 / (√2 + 1) = 2 − √2
        [-0.4, (2 - sqrt(2)) - 0.2, (sqrt(2) - 1) - 0.1, -0.2, -0.1],
        0.4 * 2 - (2 - sqrt(2) - 0.2) + 0.2,
    ),
    "meritocratic_inf": (
        [-0.4, 1 - 0.2, -0.1, -0.2, -0.1],
        0.4 * 2 - (1 - 0.2) + 0.2,
    ),
    "reinforce": (  # w(3) = R(3) = 1/2
        [-0.5 * 0.4, -0.5 * 0.2, -0.5 * 0.1, 0.5 * (1 - 0.2), -0.5 * 0.1],
        0.5 * 0.4 * 2 + 0.5 * 0.2 - 0.5 * (1 - 0.2),
    ),
    "off_policy": (  # w(3) = R(3) p(3) / u(3) = 1/2 · .8
        [-0.4 * 0.4, -0.4 * 0.2, -0.4 * 0.1, 0.4 * (1 - 0.2), -0.4 * 0.1],
        0.4 * 0.4 * 2 + 0.4 * 0.2 - 0.4 * (1 - 0.2),
    ),
    "mmr": ([-1, 0, 1, 0, 0], 2),
    "maver": ([-1 / 4, -1 / 4, 1, -1 / 4, -1 / 4], 1 / 4 * 2 + 1 / 4 + 1 / 4),
    "mmr_w_mml_q": ([-0.4, -0.2, 1 - 0.1, -0.2, -0.1], 0.4 * 2 + 0.2 + 0.2),
    "off_policy_w_mmr_q": ([-0.4, 0, 0, 0.4, 0], 0.4 * 2 - 0.4),
    "distil": (  # Σ w = 3/4
        [-0.3, 1 / 8 - 0.15, 1 / 2 - 0.075, 1 / 8 - 0.15, -0.075],
        0.3 * 2 - 2 * (1 / 8 - 0.15),
    ),
    "distil_beliefs": (  # without a teacher as above
        [-0.3, 1 / 8 - 0.15, 1 / 2 - 0.075, 1 / 8 - 0.15, -0.075],
        0.3 * 2 - 2 * (1 / 8 - 0.15),
    ),
}

#: Every rule by itself.
INTENSITY: Final = {
    "posterior": [0, 2 / 3, 1 / 3, 0, 0],
    "meritocratic": [0, 4 / 5, 1 / 5, 0, 0],  # β = 2
    "reinforce": [0, 0, 0, 1 / 2, 0],
    "expected_reward": [0, 0.2, 0.1, 0.2 / 2, 0],
    "off_policy": [0, 0, 0, 1 / 2 * 0.8, 0],
    "explored": [0, 1 / 8, 1 / 2, 1 / 4 * 1 / 2, 0],
    "taught": [0, 1 / 8, 1 / 2, 1 / 4 * 1 / 2, 0],
    "reference": [0, 0, 1, 0, 0],
}
COMPETING: Final = {
    "model": MODEL,
    "most_violating": [1, 0, 0, 0, 0],
    "mean_violating": [1 / 4, 1 / 4, 0, 1 / 4, 1 / 4],
}


def test_the_tables_above_leave_nothing_out() -> None:
    assert set(EXPECTED) == set(PRESETS)
    assert set(INTENSITY) == set(INTENSITIES)
    assert set(COMPETING) == set(COMPETITORS)


def test_the_model_is_normalised_over_the_candidates() -> None:
    close(log_model(TOY).exp(), MODEL)


@pytest.mark.parametrize("name", INTENSITY)
def test_intensity(name: str) -> None:
    close(INTENSITIES[name](TOY, UpdateConfig(beta=2.0, draw="sample")), INTENSITY[name])


@pytest.mark.parametrize("name", COMPETING)
def test_competing_distribution(name: str) -> None:
    close(COMPETITORS[name](TOY, UpdateConfig()), COMPETING[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_coefficients(name: str) -> None:
    close(update_coefficients(TOY, SAMPLED[name]), EXPECTED[name][0])


@pytest.mark.parametrize("name", EXPECTED)
def test_loss(name: str) -> None:
    assert surrogate_loss(TOY, SAMPLED[name]).item() == pytest.approx(
        EXPECTED[name][1] * LOG2, abs=1e-12
    )


def test_expected_reward_against_the_model() -> None:
    """No published row, but what `reinforce` samples: w = pR, Σ w = .4."""
    expected = [
        -0.4 * 0.4,
        0.2 - 0.4 * 0.2,
        0.1 - 0.4 * 0.1,
        0.1 - 0.4 * 0.2,
        -0.4 * 0.1,
    ]
    close(update_coefficients(TOY, UpdateConfig("expected_reward", "model")), expected)


@pytest.mark.parametrize("name", PRESETS)
def test_the_update_is_equation_9_to_the_letter(name: str) -> None:
    """Δθ = Σ_y w(y) ( φ(y) − Σ_y' q(y') φ(y') ) is minus the gradient of the loss in θ.

    Here s(y) = θ·φ(y), and both sums are written as they stand.
    """
    cfg = SAMPLED[name]
    φ = torch.tensor([[1, 0, 2], [0, 1, -1], [3, 1, 0], [0, -2, 1], [1, 1, 1]], dtype=torch.float64)
    θ = torch.linalg.lstsq(φ, TOY.scores[0]).solution.requires_grad_()
    found = replace(TOY, scores=(φ @ θ)[None])
    w = INTENSITIES[cfg.intensity](found, cfg)[0].tolist()
    q = COMPETITORS[cfg.competing](found, cfg)[0].tolist()
    expected = torch.zeros(3, dtype=torch.float64)
    for y in range(5):
        rivals = torch.zeros(3, dtype=torch.float64)
        for other in range(5):
            rivals += q[other] * φ[other]
        expected += w[y] * (φ[y] - rivals)
    surrogate_loss(found, cfg).backward()
    assert θ.grad is not None
    torch.testing.assert_close(θ.grad, -expected, rtol=0, atol=1e-12)
    assert expected.abs().max() > 0.01


def test_coefficients_of_given_w_and_q() -> None:
    """c = w − (Σ w) q, and nothing at all where q has no mass."""
    w = torch.tensor([[0.5, 1.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=torch.float64)
    q = torch.tensor([[0.25, 0.25, 0.5], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype=torch.float64)
    expected = torch.tensor(
        [[0.0, 1.0, -1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=torch.float64
    )
    torch.testing.assert_close(coefficients(w, q), expected, rtol=0, atol=0)


def test_a_place_becomes_one_hot() -> None:
    places = one_hot(torch.tensor([2, -1, 0]), 3)
    assert places.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


def test_consistent_means_full_reward_and_no_padding() -> None:
    found = Candidates(
        scores=torch.zeros(1, 4, dtype=torch.float64),
        rewards=torch.tensor([[1.0, 0.999, 1.0, 0.0]], dtype=torch.float64),
        mask=torch.tensor([[True, True, False, True]]),
        log_explore=torch.full((1, 4), -inf, dtype=torch.float64),
        reference=torch.tensor([0]),
        draw=torch.tensor([-1]),
    )
    assert found.consistent.tolist() == [[True, False, False, False]]
    close(log_model(found).exp(), [1 / 3, 1 / 3, 0, 1 / 3])


def close(found: torch.Tensor, expected: list[float]) -> None:
    """Assert that one question's values are these."""
    torch.testing.assert_close(
        found, torch.tensor([expected], dtype=torch.float64), rtol=0, atol=1e-12
    )


def test_off_policy_may_take_the_top_of_the_exploration_policy() -> None:
    """Program 2 is the most probable of u, whatever was drawn: w(2) = 1 · .1 / .5."""
    top = UpdateConfig(intensity="off_policy", competing="most_violating", draw="top")
    w = INTENSITIES["off_policy"](TOY, top)
    assert w.tolist()[0] == pytest.approx([0, 0, 0.2, 0, 0])
    nowhere = replace(TOY, draw=torch.full_like(TOY.draw, -1))
    assert torch.equal(INTENSITIES["off_policy"](nowhere, top), w)
    assert update_coefficients(TOY, top).tolist()[0] == pytest.approx([-0.2, 0, 0.2, 0, 0])
    no_mass = replace(TOY, log_explore=torch.full_like(TOY.log_explore, -inf))
    assert (INTENSITIES["off_policy"](no_mass, top) == 0).all()
