"""The pairs against the objectives they come from, differentiated by autograd.

Misra et al. (2018), §4.1 and appendix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from denota.config import UpdateConfig
from denota.learning.competing import violations
from denota.learning.presets import PRESETS
from denota.learning.update import said_loss, update_coefficients
from denota.search.candidates import Candidates
from denota.search.policies import log_model
from learning.strategies import (
    SAMPLED,
    candidates,
    coarse_scores,
    drawing,
    examples,
    fine_scores,
    question,
    rows,
)

near_scores = st.one_of(coarse_scores, fine_scores)


@settings(max_examples=examples(100))
@given(found=candidates())
def test_mml_is_the_gradient_of_the_log_marginal(found: Candidates) -> None:
    """∇ log Σ_{R=1} p for the questions with a consistent program.

    The others have no likelihood and no update.
    """
    some = found.consistent.any(dim=-1)

    def log_marginal(scores: Tensor) -> Tensor:
        log_p = policy(scores, found)[some]
        return log_p.masked_fill(~found.consistent[some], -inf).logsumexp(dim=-1).sum()

    c = update_coefficients(found, PRESETS["mml"])
    near(c[some], gradient(log_marginal, found)[some])
    assert (c[~some] == 0).all()


@settings(max_examples=examples(100))
@given(found=candidates())
def test_expected_reward_is_the_gradient_of_the_expected_reward(found: Candidates) -> None:
    c = update_coefficients(found, UpdateConfig("expected_reward", "model"))
    near(c, reward_gradient(found))


@settings(max_examples=examples(60))
@given(found=candidates(scores=near_scores))
def test_reinforce_on_average_is_the_gradient_of_the_expected_reward(found: Candidates) -> None:
    """Σ_ŷ p(ŷ) c(ŷ), over every draw there is, is ∇ Σ p R."""
    p = log_model(found).exp()
    near(average(found, "reinforce", p), reward_gradient(found))


@settings(max_examples=examples(60))
@given(found=candidates(scores=near_scores, full_support=True))
def test_off_policy_on_average_is_the_same_whatever_u_explores(found: Candidates) -> None:
    """With u(y) > 0 everywhere the importance weights undo u."""
    near(average(found, "off_policy", found.log_explore.exp()), reward_gradient(found))


@settings(max_examples=examples(60))
@given(found=candidates(scores=near_scores))
def test_off_policy_on_average_is_the_gradient_over_what_u_explores(found: Candidates) -> None:
    """Σ_{u(y)>0} p R ∇ log p: what u never draws is never favoured, though it is a rival still."""
    p = log_model(found).exp()
    explored = found.log_explore > -inf

    def over_support(scores: Tensor) -> Tensor:
        weight = torch.where(explored, p * found.rewards, 0.0)
        return (weight * policy(scores, found).masked_fill(~found.mask, 0)).sum()

    near(
        average(found, "off_policy", found.log_explore.exp()),
        gradient(over_support, found),
    )


@settings(max_examples=examples(60))
@given(found=candidates(scores=near_scores))
def test_distilling_is_the_gradient_of_the_cross_entropy(found: Candidates) -> None:
    """∇ Σ_y u(y) R(y) log p(y), u the teacher's belief."""
    u = found.log_explore.exp() * found.rewards

    def agreement(scores: Tensor) -> Tensor:
        return (u * policy(scores, found).masked_fill(~found.mask, 0)).sum()

    near(update_coefficients(found, PRESETS["distil"]), gradient(agreement, found))


@settings(max_examples=examples(60))
@given(found=candidates(scores=near_scores), seed=st.integers(0, 99))
def test_a_teachers_beliefs_are_learnt_with_and_without_the_answer(
    found: Candidates, seed: int
) -> None:
    """∇ Σ_y (½ u(y) R(y) + ½ p_T(y)) log p(y), p_T the teacher's policy whatever the reward."""
    torch.manual_seed(seed)
    drawn = torch.randn(found.scores.shape, dtype=torch.float64).masked_fill(~found.mask, -inf)
    log_teacher = drawn.log_softmax(dim=1).masked_fill(~found.mask, -inf)
    found = replace(found, log_teacher=log_teacher)
    u = (found.log_explore.exp() * found.rewards + log_teacher.exp()) / 2

    def agreement(scores: Tensor) -> Tensor:
        return (u * policy(scores, found).masked_fill(~found.mask, 0)).sum()

    near(update_coefficients(found, PRESETS["distil_beliefs"]), gradient(agreement, found))


def test_off_policy_that_misses_rewarded_programs_is_biased() -> None:
    """u at λ = ∞ has mass on the programs of maximal reward only.

    Program 2, of reward 1/2, is pushed down where the full gradient pushes it up.
    """
    found = question([2.0, 0.0, 0.5, -0.5], [0, 1, 0.5, 1], explore=[0, 0.7, 0, 0.3])
    update = average(found, "off_policy", found.log_explore.exp())
    full = reward_gradient(found)
    p = torch.softmax(found.scores, dim=-1)
    by_hand = p * torch.tensor([[0.0, 1, 0, 1]]) - (p[0, 1] + p[0, 3]) * p
    near(update, by_hand)
    assert update[0, 2] < 0 < full[0, 2]


def test_off_policy_with_u_the_model_is_reinforce() -> None:
    found = question([1.0, 0.0, 0.5, -0.5], [0, 1, 0.5, 1])
    found = replace(found, log_explore=log_model(found))
    for place in range(4):
        drawn = drawing(found, place, found.mask)
        near(
            update_coefficients(drawn, SAMPLED["off_policy"]),
            update_coefficients(drawn, SAMPLED["reinforce"]),
        )


@settings(max_examples=examples(150))
@given(found=candidates(scores=near_scores))
def test_mmr_descends_the_hinge(found: Candidates) -> None:
    """−∇ max(0, max_y' (s(y') − R(y')) + R(y*) − s(y*)), away from its kinks.

    That is, where one program alone attains the maximum.
    """
    sure = found.reference >= 0
    slack = (found.scores - found.rewards).masked_fill(~found.mask, -inf)
    sure &= (slack == slack.amax(dim=-1, keepdim=True)).sum(dim=-1) == 1

    def hinge(scores: Tensor) -> Tensor:
        star = found.reference[sure][:, None]
        worst = (scores - found.rewards).masked_fill(~found.mask, -inf)[sure].amax(dim=-1)
        reward = found.rewards[sure].gather(1, star).squeeze(-1)
        score = scores[sure].gather(1, star).squeeze(-1)
        return (worst + reward - score).clamp(min=0).sum()

    c = update_coefficients(found, PRESETS["mmr"])
    near(c[sure], -gradient(hinge, found)[sure])


@settings(max_examples=examples(60))
@given(found=candidates(scores=near_scores))
def test_mmr_descends_the_hinge_by_its_value(found: Candidates) -> None:
    """At a kink too the update is a subgradient.

    The hinge, which is convex, lies nowhere below the plane that the update spans.
    """
    found = rows(found, found.reference >= 0)
    c = update_coefficients(found, PRESETS["mmr"])
    for step in (-3.0, -0.25, 0.125, 0.5, 4.0):
        for k in range(found.scores.shape[-1]):
            nudge = torch.zeros_like(found.scores)
            nudge[:, k] = step
            nudge = nudge * found.mask
            moved = replace(found, scores=found.scores + nudge)
            plane = hinge_of(found) - (c * nudge).sum(dim=-1)
            assert (hinge_of(moved) >= plane - 1e-9).all()


@settings(max_examples=examples(100))
@given(found=candidates(scores=near_scores))
def test_maver_climbs_the_average_over_violations(found: Candidates) -> None:
    """∇ −1/|V| Σ_V (s(y') − s(y*) + R(y*) − R(y')), V held fixed."""
    violated = violations(found)
    some = violated.any(dim=-1)

    def average_violation(scores: Tensor) -> Tensor:
        star = found.reference[some][:, None]
        reward = found.rewards[some].gather(1, star)
        beyond = scores[some] - scores[some].gather(1, star) + reward - found.rewards[some]
        terms = torch.where(violated[some], beyond, 0.0)
        return -(terms.sum(dim=-1) / violated[some].sum(dim=-1)).sum()

    c = update_coefficients(found, PRESETS["maver"])
    near(c[some], gradient(average_violation, found)[some])
    assert (c[~some] == 0).all()


def gradient(objective: Callable[[Tensor], Tensor], found: Candidates) -> Tensor:
    """(B, K) the gradient of an objective in the scores, by autograd."""
    scores = found.scores.masked_fill(~found.mask, 0).requires_grad_()
    return torch.autograd.grad(objective(scores), scores)[0]


def policy(scores: Tensor, found: Candidates) -> Tensor:
    """(B, K) log p, written apart from the package, to be differentiated.

    It is −∞ on padding and 0 for a question without candidates.
    """
    some = found.mask.any(dim=-1, keepdim=True)
    kept = scores.masked_fill(~found.mask & some, -inf)
    return torch.where(some, kept - kept.logsumexp(dim=-1, keepdim=True), 0.0)


def reward_gradient(found: Candidates) -> Tensor:
    """(B, K) ∇ Σ p R."""
    rewards = found.rewards * found.mask
    return gradient(lambda scores: (policy(scores, found).exp() * rewards).sum(), found)


def average(found: Candidates, name: str, chances: Tensor) -> Tensor:
    """(B, K) the exact mean of a sampled algorithm's coefficients, one draw after the other."""
    total = torch.zeros_like(found.scores)
    for place in range(found.scores.shape[-1]):
        drawn = drawing(found, place, found.mask & (chances > 0))
        total += chances[:, place, None] * update_coefficients(drawn, SAMPLED[name])
    return total


def hinge_of(found: Candidates) -> Tensor:
    """(B,) max(0, max_y' (s(y') − R(y')) + R(y*) − s(y*))."""
    slack = (found.scores - found.rewards).masked_fill(~found.mask, -inf)
    star = slack.gather(1, found.reference[:, None]).squeeze(-1)
    return (slack.amax(dim=-1) - star).clamp(min=0)


def near(found: Tensor, expected: Tensor) -> None:
    """Assert equality but for the last bits."""
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-9)


@settings(max_examples=examples(50))
@given(odds=st.lists(st.floats(-20, 20), min_size=1, max_size=5), is_said=st.booleans())
def test_what_a_table_says_is_learnt_by_its_likelihood(odds: list[float], is_said: bool) -> None:
    """The gradient of cross-entropy in log-odds is the chance less what is so."""
    log_odds = torch.tensor(odds, dtype=torch.float64, requires_grad=True)
    said_loss(log_odds, is_said).backward()
    near(log_odds.grad, torch.sigmoid(log_odds.detach()) - float(is_said))
