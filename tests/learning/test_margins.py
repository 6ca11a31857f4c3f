"""The margin methods: the violations V, the most violating program, and mixes with other methods.

V = { y' ≠ y* : s(y') + R(y*) − R(y') > s(y*) }. Misra et al. (2018), Eq. 7, strict as in the
appendix.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Final

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from denota.config import UpdateConfig
from denota.learning.competing import COMPETITORS, violations
from denota.learning.intensity import INTENSITIES
from denota.learning.presets import PRESETS
from denota.learning.update import update_coefficients
from denota.search.candidates import Candidates
from learning.strategies import candidates, examples, question

MARGINS: Final = ("most_violating", "mean_violating")
margins = pytest.mark.parametrize("name", MARGINS)
methods = pytest.mark.parametrize("method", ["mmr", "maver"])


@settings(max_examples=examples(150))
@given(found=candidates())
def test_violations_are_the_definition(found: Candidates) -> None:
    """Program by program, in exact arithmetic."""
    violated = violations(found)
    for b, star in enumerate(found.reference.tolist()):
        s = [Fraction(x) if x > -inf else None for x in found.scores[b].tolist()]
        r = [Fraction(x) for x in found.rewards[b].tolist()]
        for k, sits in enumerate(found.mask[b].tolist()):
            expected = star >= 0 and sits and k != star and s[k] + r[star] - r[k] > s[star]
            assert violated[b, k].item() == expected


def test_a_margin_that_is_met_exactly_is_not_violated() -> None:
    """Program 1 is a whole reward worse and scores exactly 1 less, program 2 half and half.

    Program 3 is as good and scores the same.
    """
    found = question([1.5, 0.5, 1.0, 1.5], [1, 0, 0.5, 1], reference=0)
    assert not violations(found).any()
    closer = replace(found, scores=found.scores + torch.tensor([[0, 2**-20, 0, 0]]))
    assert violations(closer).tolist() == [[False, True, False, False]]


@settings(max_examples=examples(100))
@given(score=st.floats(-100, 100), reward=st.sampled_from([1 / 7, 1 / 3, 0.4, 0.9, 1.0]))
@example(score=0.1, reward=1.0)
@example(score=0.3, reward=1 / 3)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_programs_of_the_same_score_and_reward_do_not_violate(
    dtype: torch.dtype, score: float, reward: float
) -> None:
    """Equality is no violation whatever the numbers: the rounding of a sum must not make it one."""
    found = question([score, score], [reward, reward], reference=0, dtype=dtype)
    assert not violations(found).any()
    for method in ("mmr", "maver"):
        assert not update_coefficients(found, PRESETS[method]).any()


@settings(max_examples=examples(100))
@given(
    pairs=st.lists(
        st.tuples(
            st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.1, 2.3]),
            st.sampled_from([0.0, 0.1, 1 / 3, 0.6, 1.0]),
        ),
        min_size=2,
        max_size=5,
    )
)
@example(pairs=[(0.1, 1.0), (0.1, 1.0)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_the_most_violating_violates_whatever_the_rounding(
    dtype: torch.dtype, pairs: list[tuple[float, float]]
) -> None:
    """ȳ and V are two readings of one comparison: ȳ ∈ V where V is not empty.

    This holds also for numbers that are no binary fractions.
    """
    scores, rewards = zip(*pairs, strict=True)
    found = question(scores, rewards, reference=0, dtype=dtype)
    violated = violations(found)
    rival = COMPETITORS["most_violating"](found, UpdateConfig()) > 0
    assert torch.equal(rival.any(dim=-1), violated.any(dim=-1))
    assert not (rival & ~violated).any()


@settings(max_examples=examples(100))
@given(found=candidates())
def test_the_most_violating_violates(found: Candidates) -> None:
    """ȳ ∈ V unless V is empty, and no program of K has a greater s − R; without V, no ȳ."""
    violated = violations(found)
    rival = COMPETITORS["most_violating"](found, UpdateConfig()) > 0
    assert torch.equal(rival.any(dim=-1), violated.any(dim=-1))
    assert not (rival & ~violated).any()
    slack = (found.scores - found.rewards).masked_fill(~found.mask, -inf)
    worst = slack == slack.amax(dim=-1, keepdim=True)
    assert not (rival & ~worst).any()


@settings(max_examples=examples(60))
@given(found=candidates())
def test_all_violations_share_alike(found: Candidates) -> None:
    violated = violations(found)
    q = COMPETITORS["mean_violating"](found, UpdateConfig())
    assert torch.equal(q > 0, violated)
    share = 1 / violated.sum(dim=-1, keepdim=True).clamp(min=1).double()
    torch.testing.assert_close(q, violated * share, rtol=0, atol=1e-12)


@settings(max_examples=examples(60))
@given(found=candidates())
def test_the_reference_is_never_its_own_rival(found: Candidates) -> None:
    """Eq. 7 read with "≤" would have y* in V."""
    star = found.reference.clamp(min=0)[:, None]
    some = found.reference >= 0
    assert not violations(found).gather(1, star)[some].any()
    for name in MARGINS:
        q = COMPETITORS[name](found, UpdateConfig())
        assert not q.gather(1, star)[some].any()
    for method in ("mmr", "maver"):
        c = update_coefficients(found, PRESETS[method])
        favoured = c.gather(1, star).squeeze(-1)
        torch.testing.assert_close(
            favoured[some], violations(found)[some].any(dim=-1).double(), rtol=0, atol=1e-12
        )


@methods
def test_nothing_violated_no_update(method: str) -> None:
    found = question([3.0, 1.0, 1.5, 2.9], [1, 0, 0.5, 1], reference=0)
    assert not violations(found).any()
    assert not update_coefficients(found, PRESETS[method]).any()


@settings(max_examples=examples(60))
@given(found=candidates())
def test_an_update_exactly_where_something_is_violated(found: Candidates) -> None:
    some = violations(found).any(dim=-1)
    for method in ("mmr", "maver"):
        c = update_coefficients(found, PRESETS[method])
        assert torch.equal(c.any(dim=-1), some)


@methods
def test_consistent_programs_that_outscore_the_reference_are_rivals(method: str) -> None:
    """So the reference of a shaped policy teaches the model to leave a spurious program."""
    found = question([0.0, 0.5, -2.0], [1, 1, 0], reference=0)
    assert violations(found).tolist() == [[False, True, False]]
    assert update_coefficients(found, PRESETS[method]).tolist() == [[1, -1, 0]]


@methods
def test_consistent_programs_that_score_no_more_are_none(method: str) -> None:
    found = question([0.5, 0.5, 0.0, -2.0], [1, 1, 1, 0], reference=0)
    assert not update_coefficients(found, PRESETS[method]).any()


@methods
def test_a_reference_of_partial_reward_has_margins_of_its_own(method: str) -> None:
    """R(y*) = 1/2: program 1 must be 1/2 below and is not.

    Program 2, of reward 1/4, must be 1/4 below and is.
    """
    found = question([1.0, 0.75, 0.5, -1.0], [0.5, 0, 0.25, 0], reference=0)
    assert violations(found).tolist() == [[False, True, False, False]]
    assert update_coefficients(found, PRESETS[method]).tolist() == [[1, -1, 0, 0]]


def test_a_better_program_than_the_reference_is_a_rival_only_from_far_above() -> None:
    """R(y') > R(y*): the margin is negative, and y' may score up to 1/2 more."""
    found = question([1.0, 1.5, 1.75], [0.5, 1, 1], reference=0)
    assert violations(found).tolist() == [[False, False, True]]


@settings(max_examples=examples(60))
@given(found=candidates())
def test_without_reference_no_margin_update(found: Candidates) -> None:
    without = replace(found, reference=torch.full_like(found.reference, -1))
    assert not violations(without).any()
    for cfg in PRESETS.values():
        if cfg.intensity == "reference" or cfg.competing in MARGINS:
            assert not update_coefficients(without, cfg).any(), cfg


@settings(max_examples=examples(150))
@given(found=candidates())
def test_reference_against_model_is_meritocratic_at_infinity(found: Candidates) -> None:
    """With y* the highest-scoring consistent program, and it alone."""
    scores = found.scores.masked_fill(~found.consistent, -inf)
    best = found.consistent & (scores == scores.amax(dim=-1, keepdim=True))
    alone = best.sum(dim=-1) == 1
    scored = replace(found, reference=torch.where(alone, best.int().argmax(dim=-1), -1))
    torch.testing.assert_close(
        update_coefficients(scored, PRESETS["mmr_w_mml_q"])[alone],
        update_coefficients(scored, PRESETS["meritocratic_inf"])[alone],
        rtol=0,
        atol=1e-12,
    )


@settings(max_examples=examples(60))
@given(found=candidates())
def test_reference_against_model_always_updates(found: Candidates) -> None:
    """No margin needs violating: c(y*) = 1 − p(y*), nothing only where y* is alone."""
    c = update_coefficients(found, PRESETS["mmr_w_mml_q"])
    p = torch.softmax(found.scores.masked_fill(~found.mask, -inf), dim=-1)
    for b, star in enumerate(found.reference.tolist()):
        if star >= 0:
            assert c[b, star].item() == pytest.approx(1 - p[b, star].item(), abs=1e-12)


def test_reference_against_model_updates_where_mmr_rests() -> None:
    found = question([3.0, 1.0, 1.5], [1, 0, 0.5], reference=0)
    assert not update_coefficients(found, PRESETS["mmr"]).any()
    assert update_coefficients(found, PRESETS["mmr_w_mml_q"])[0, 0] > 0.1


@settings(max_examples=examples(60))
@given(found=candidates())
def test_off_policy_against_the_most_violating(found: Candidates) -> None:
    """ŷ goes up by R p/u and ȳ down by the same: ȳ is the reference's, whatever was drawn."""
    cfg = PRESETS["off_policy_w_mmr_q"]
    c = update_coefficients(found, cfg)
    w = INTENSITIES["off_policy"](found, cfg)
    q = COMPETITORS["most_violating"](found, cfg)
    some = violations(found).any(dim=-1, keepdim=True)
    expected = torch.where(some, w - w.sum(dim=-1, keepdim=True) * q, 0.0)
    torch.testing.assert_close(c, expected, rtol=0, atol=1e-12)


@margins
def test_the_rivals_are_those_of_the_reference_whatever_the_intensity(name: str) -> None:
    """The program drawn, or the most probable one, does not take the place of y* in q."""
    found = question([1.0, 0.0, 0.5], [0, 1, 1], reference=1, draw=2)
    rivals = COMPETITORS[name](found, UpdateConfig())
    for intensity in INTENSITIES:
        cfg = UpdateConfig(intensity, name, draw="sample")
        w = INTENSITIES[intensity](found, cfg)
        c = update_coefficients(found, cfg)
        torch.testing.assert_close(c, w - w.sum() * rivals, rtol=0, atol=1e-12)
        assert c.abs().max() > 0.01, intensity


@margins
def test_padding_is_no_rival(name: str) -> None:
    """However high what stands on it scores."""
    found = question([0.0, 0.5, 99.0], [1, 0, 0], reference=0)
    hidden = replace(found, mask=torch.tensor([[True, True, False]]))
    assert COMPETITORS[name](hidden, UpdateConfig()).tolist() == [[0, 1, 0]]
