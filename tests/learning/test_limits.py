"""The meritocratic intensity between its limits: w(y) ∝ 1{R(y) = 1} p(y)^β."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Final

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from denota.config import UpdateConfig
from denota.learning.intensity import INTENSITIES
from denota.learning.presets import PRESETS
from denota.learning.update import update_coefficients
from denota.search.candidates import Candidates
from learning.strategies import candidates, examples, question

THREE_TIED: Final = question([2.0, 0.5, 0.5, -1.0, 0.5], [0, 1, 1, 1, 1])


def intensity(found: Candidates, beta: float) -> torch.Tensor:
    """w of the meritocratic intensity."""
    return INTENSITIES["meritocratic"](found, UpdateConfig(beta=beta))


@settings(max_examples=examples(60))
@given(found=candidates())
def test_one_is_mml(found: Candidates) -> None:
    posterior = INTENSITIES["posterior"](found, UpdateConfig())
    assert torch.equal(intensity(found, 1.0), posterior)
    assert torch.equal(
        update_coefficients(found, replace(PRESETS["meritocratic_0"], beta=1.0)),
        update_coefficients(found, PRESETS["mml"]),
    )


@settings(max_examples=examples(40))
@given(found=candidates(), beta=st.sampled_from([0.0, 0.5, 7.0, inf]))
def test_the_posterior_ignores_beta(found: Candidates, beta: float) -> None:
    assert torch.equal(
        INTENSITIES["posterior"](found, UpdateConfig(beta=beta)),
        INTENSITIES["posterior"](found, UpdateConfig()),
    )


@settings(max_examples=examples(60))
@given(found=candidates())
def test_zero_is_uniform_over_the_consistent(found: Candidates) -> None:
    consistent = found.consistent.double()
    expected = consistent / consistent.sum(dim=-1, keepdim=True).clamp(min=1)
    torch.testing.assert_close(intensity(found, 0.0), expected, rtol=0, atol=1e-12)


@settings(max_examples=examples(60))
@given(found=candidates())
@example(found=THREE_TIED)
def test_infinity_is_the_most_probable_and_ties_are_shared(found: Candidates) -> None:
    """The most probable of the consistent is the one with the highest score.

    A third is a third to the last bit of float64.
    """
    scores = found.scores.masked_fill(~found.consistent, -inf)
    best = (found.consistent & (scores == scores.amax(dim=-1, keepdim=True))).double()
    expected = best / best.sum(dim=-1, keepdim=True).clamp(min=1)
    torch.testing.assert_close(
        intensity(found, inf), expected, rtol=0, atol=1e-12, check_dtype=False
    )


def test_three_tied_programs_have_a_third_each() -> None:
    assert intensity(THREE_TIED, inf)[0].tolist() == pytest.approx(
        [0, 1 / 3, 1 / 3, 0, 1 / 3], abs=1e-12
    )
    c = update_coefficients(THREE_TIED, PRESETS["meritocratic_inf"])
    assert abs(c.sum().item()) < 1e-12


@settings(max_examples=examples(60))
@given(found=candidates(), beta=st.sampled_from([1e5, 1e8, 1e12]))
def test_large_approaches_infinity(found: Candidates, beta: float) -> None:
    """Scores differ by at least 2⁻¹⁰ or not: at β = 10⁵ the second best has e⁻⁹⁷ of the best."""
    torch.testing.assert_close(
        intensity(found, beta), intensity(found, inf), rtol=0, atol=1e-7, check_dtype=False
    )


@pytest.mark.parametrize("beta", [1e300, 1e308, sys.float_info.max])
def test_however_large_it_approaches_infinity(beta: float) -> None:
    """Also where p(y)^β is nothing a float can hold, even as a logarithm."""
    found = question([9.0, 0.0, 1.0], [0, 1, 1])
    torch.testing.assert_close(
        intensity(found, beta), intensity(found, inf), rtol=0, atol=1e-7, check_dtype=False
    )


@settings(max_examples=examples(40))
@given(found=candidates())
def test_the_larger_the_more_aggressive(found: Candidates) -> None:
    """The intensity of the most probable consistent program grows with β (§4.2)."""
    most = [intensity(found, beta).amax(dim=-1) for beta in (0.0, 0.5, 1.0, 2.0, 8.0, inf)]
    for less, more in pairwise(most):
        assert (less <= more + 1e-7).all()


@settings(max_examples=examples(40))
@given(found=candidates(), beta=st.sampled_from([0.25, 0.5, 2.0, 5.0]))
def test_ratios_are_powers(found: Candidates, beta: float) -> None:
    """w(y) / w(y') = (p(y) / p(y'))^β, as logarithms of what does not underflow."""
    log_w = intensity(found, beta).log()
    for b in range(len(log_w)):
        kept = log_w[b] > -100
        differences = log_w[b][kept] - log_w[b][kept][:1]
        scores = found.scores[b][kept]
        torch.testing.assert_close(differences, beta * (scores - scores[:1]), rtol=0, atol=1e-9)


@settings(max_examples=examples(40))
@given(found=candidates(), beta=st.sampled_from([0.0, 0.5, 1.0, inf]))
def test_partial_reward_counts_for_nothing(found: Candidates, beta: float) -> None:
    """1{R = 1}, not R: whatever the inconsistent programs earn, the intensity is the same."""
    none = replace(found, rewards=torch.where(found.rewards >= 1, 1.0, 0.0).double())
    assert torch.equal(intensity(found, beta), intensity(none, beta))
