"""A few questions, a linear score, and gradient ascent: the updates lead where they should."""

from __future__ import annotations

from math import inf

import pytest
import torch
from torch import Tensor

from denota.config import UpdateConfig
from denota.learning.competing import violations
from denota.learning.presets import PRESETS
from denota.learning.update import surrogate_loss
from denota.search.candidates import Candidates
from denota.search.policies import log_model

QUESTIONS, PROGRAMS, FEATURES = 8, 6, 12
STEPS, RATE = 300, 0.1


def toy() -> tuple[Tensor, Tensor]:
    """Features (B, K, D) and rewards (B, K) of questions that a linear score can learn.

    Some weights rank the first program highest. The first program is right, in every other question
    the second is so too by accident, the third is half right.
    """
    random = torch.Generator().manual_seed(0)
    φ = torch.randn(QUESTIONS, PROGRAMS, FEATURES, generator=random, dtype=torch.float64)
    φ[..., 0] = 0
    φ[:, 0, 0] = 1
    rewards = torch.zeros(QUESTIONS, PROGRAMS, dtype=torch.float64)
    rewards[:, 0] = 1
    rewards[::2, 1] = 1
    rewards[:, 2] = 0.5
    return φ, rewards


def candidates_at(θ: Tensor, φ: Tensor, rewards: Tensor) -> Candidates:
    """What a search that finds everything gives: y* is the highest-scoring consistent program."""
    scores = φ @ θ
    best = scores.detach().masked_fill(rewards < 1, -inf).argmax(dim=-1)
    return Candidates(
        scores=scores,
        rewards=rewards,
        mask=torch.ones_like(rewards, dtype=torch.bool),
        log_explore=torch.full_like(rewards, -inf),
        reference=best,
        draw=torch.full_like(best, -1),
    )


def learn(cfg: UpdateConfig) -> tuple[Candidates, Candidates]:
    """The candidates before and after."""
    φ, rewards = toy()
    random = torch.Generator().manual_seed(1)
    θ = torch.randn(FEATURES, generator=random, dtype=torch.float64).requires_grad_()
    before = candidates_at(θ.detach().clone(), φ, rewards)
    optimiser = torch.optim.SGD([θ], lr=RATE)
    for _ in range(STEPS):
        optimiser.zero_grad()
        surrogate_loss(candidates_at(θ, φ, rewards), cfg).backward()
        optimiser.step()
    return before, candidates_at(θ.detach(), φ, rewards)


def answered(found: Candidates) -> Tensor:
    """(B,) True where the highest-scoring program is consistent."""
    return found.rewards.gather(1, found.scores.argmax(dim=-1)[:, None]).squeeze(-1) == 1


@pytest.mark.parametrize("name", ["mml", "meritocratic_inf", "mmr", "maver", "mmr_w_mml_q"])
def test_consistent_programs_come_out_on_top(name: str) -> None:
    before, after = learn(PRESETS[name])
    assert not answered(before).all()
    assert answered(after).all()


def test_mml_gathers_the_probability_on_the_consistent() -> None:
    before, after = learn(PRESETS["mml"])

    def marginal(found: Candidates) -> Tensor:
        return (log_model(found).exp() * found.consistent).sum(dim=-1)

    assert marginal(before).min() < 0.5
    assert marginal(after).min() > 0.9


@pytest.mark.parametrize("name", ["mmr", "maver"])
def test_margin_methods_rest_when_all_margins_are_met(name: str) -> None:
    before, after = learn(PRESETS[name])
    assert violations(before).any()
    assert not violations(after).any()
    for b, star in enumerate(after.reference.tolist()):
        lead = after.scores[b, star] - after.scores[b]
        assert (lead >= 1 - after.rewards[b]).all()


def test_expected_reward_grows() -> None:
    before, after = learn(UpdateConfig("expected_reward", "model"))

    def expected(found: Candidates) -> float:
        return (log_model(found).exp() * found.rewards).sum().item() / QUESTIONS

    assert expected(after) > expected(before) + 0.2
