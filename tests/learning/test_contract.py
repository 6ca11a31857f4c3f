"""What holds of every intensity with every competing distribution, whatever the candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Final

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from denota.config import UpdateConfig
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import DRAWS_FROM, INTENSITIES
from denota.learning.update import surrogate_loss, update_coefficients
from denota.search.candidates import Candidates
from denota.search.policies import log_model
from learning.strategies import UPDATES, candidates, examples, question, row

ALL_TIED: Final = question([0.5] * 3, [1.0] * 3, reference=1, draw=2)
"""Three programs that cannot be told apart: each has a third, which is no binary fraction."""

NEEDS_REWARD: Final = set(INTENSITIES) - {"reference"}
"""Of the reference the search sees to it that it has a reward."""


@settings(max_examples=examples(30))
@given(found=candidates())
@example(found=ALL_TIED)
def test_every_update(found: Candidates) -> None:
    """Of the shape of the scores, finite, zero on padding, and what is added is taken away."""
    for cfg, c in walk(found):
        assert c.shape == found.scores.shape, cfg
        assert c.dtype == found.scores.dtype, cfg
        assert not c.requires_grad, cfg
        assert c.isfinite().all(), cfg
        assert (c[~found.mask] == 0).all(), cfg
        assert c.sum(dim=-1).abs().max() < 1e-9, cfg


@settings(max_examples=examples(30))
@given(found=candidates())
@example(found=ALL_TIED)
def test_every_intensity(found: Candidates) -> None:
    for cfg in UPDATES:
        w = INTENSITIES[cfg.intensity](found, cfg)
        assert w.shape == found.scores.shape, cfg
        assert w.dtype == found.scores.dtype, cfg
        assert w.isfinite().all(), cfg
        assert (w >= 0).all(), cfg
        assert (w[~found.mask] == 0).all(), cfg
        total = w.sum(dim=-1)
        if cfg.intensity in ("posterior", "meritocratic"):
            near(total, found.consistent.any(dim=-1).double(), cfg)
            assert (w[~found.consistent] == 0).all(), cfg
        if cfg.intensity == "reference":
            near(total, (found.reference >= 0).double(), cfg)


@settings(max_examples=examples(30))
@given(found=candidates())
@example(found=ALL_TIED)
def test_every_competing_distribution(found: Candidates) -> None:
    for name, competing in COMPETITORS.items():
        q = competing(found, UpdateConfig())
        assert q.shape == found.scores.shape, name
        assert q.dtype == found.scores.dtype, name
        assert q.isfinite().all(), name
        assert (q >= 0).all(), name
        assert (q[~found.mask] == 0).all(), name
        total = q.sum(dim=-1)
        near(total, (total > 0.5).double(), name)
        if name == "model":
            near(total, found.mask.any(dim=-1).double(), name)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize(
    "cfg", UPDATES, ids=lambda cfg: f"{cfg.intensity}({cfg.beta})-{cfg.competing}"
)
def test_every_rule_computes_in_the_precision_of_the_scores(
    cfg: UpdateConfig, dtype: torch.dtype
) -> None:
    found = question([0.5, 0.5, 0.5, 2.0], [1, 1, 1, 0], reference=0, draw=1, dtype=dtype)
    assert INTENSITIES[cfg.intensity](found, cfg).dtype == dtype
    assert COMPETITORS[cfg.competing](found, cfg).dtype == dtype
    assert update_coefficients(found, cfg).dtype == dtype


@settings(max_examples=examples(30))
@given(found=candidates())
def test_without_reward_no_update(found: Candidates) -> None:
    idle = ~((found.rewards > 0) & found.mask).any(dim=-1)
    unrewarded = replace(found, rewards=torch.zeros_like(found.rewards))
    for cfg, c in walk(found):
        assert (c[idle] == 0).all(), cfg
        if cfg.intensity in NEEDS_REWARD:
            assert (update_coefficients(unrewarded, cfg) == 0).all(), cfg


@settings(max_examples=examples(30))
@given(found=candidates())
def test_a_single_candidate_has_no_rival(found: Candidates) -> None:
    alone = found.mask.sum(dim=-1) <= 1
    for cfg, c in walk(found):
        assert c[alone].abs().sum() < 1e-9, cfg


@settings(max_examples=examples(30))
@given(found=candidates(), data=st.data())
def test_the_order_of_candidates_is_irrelevant(found: Candidates, data: st.DataObject) -> None:
    """Of equally violating programs, see the next test."""
    order = data.draw(st.permutations(range(found.scores.shape[-1])))
    moved = permuted(found, order)
    slack = (found.scores - found.rewards).masked_fill(~found.mask, -inf)
    clear = (slack == slack.amax(dim=-1, keepdim=True)).sum(dim=-1) == 1
    for cfg, c in walk(found):
        sure = clear if cfg.competing == "most_violating" else torch.ones_like(clear)
        near(update_coefficients(moved, cfg)[sure], c[:, order][sure], cfg)


def test_the_order_of_equally_violating_programs_is_irrelevant() -> None:
    """y* is program 1; programs 0 and 2 violate its margin alike.

    So they are pushed down alike, or else which comes first decides.
    """
    found = question([0.5, 0.0, 0.5], [0, 1, 0], reference=1)
    cfg = UpdateConfig("reference", "most_violating")
    order = [2, 1, 0]
    near(
        update_coefficients(permuted(found, order), cfg), update_coefficients(found, cfg)[:, order]
    )


@settings(max_examples=examples(30))
@given(found=candidates(), more=st.integers(1, 3), junk=st.sampled_from([0.0, 1.0, 99.0]))
def test_more_padding_is_irrelevant(found: Candidates, more: int, junk: float) -> None:
    longer = padded(found, more, junk)
    for cfg, c in walk(found):
        wide = update_coefficients(longer, cfg)
        near(wide[:, :-more], c, cfg)
        assert (wide[:, -more:] == 0).all(), cfg
        near(surrogate_loss(longer, cfg), surrogate_loss(found, cfg), cfg, scale=1000)


@settings(max_examples=examples(25))
@given(found=candidates(max_questions=4))
def test_a_batch_is_its_questions_one_by_one(found: Candidates) -> None:
    singles = [row(found, place) for place in range(len(found.scores))]
    for cfg, c in walk(found):
        near(c, torch.cat([update_coefficients(single, cfg) for single in singles]), cfg)
        losses = torch.stack([surrogate_loss(single, cfg) for single in singles])
        near(surrogate_loss(found, cfg), losses.sum(), cfg, scale=1000)


@settings(max_examples=examples(30))
@given(found=candidates())
def test_nothing_differentiates_through_w_and_q(found: Candidates) -> None:
    """The gradient of the loss in the scores is minus the coefficients, to the last bit."""
    for cfg, c in walk(found):
        scores = found.scores.clone().requires_grad_()
        surrogate_loss(replace(found, scores=scores), cfg).backward()
        assert scores.grad is not None
        assert torch.equal(scores.grad, -c), cfg


@settings(max_examples=examples(30))
@given(found=candidates(), shift=st.integers(-8, 8))
def test_only_differences_of_scores_matter(found: Candidates, shift: int) -> None:
    moved = replace(found, scores=found.scores + shift)
    for cfg, c in walk(found):
        near(update_coefficients(moved, cfg), c, cfg)


DISTILLING = ("explored", "taught")


@settings(max_examples=examples(30))
@given(found=candidates())
def test_each_rule_looks_at_its_own_fields_only(found: Candidates) -> None:
    """Sampled intensities look at the draw, off-policy and distilling at u, margins at y*.

    Where a field is absent, the others do not notice.
    """
    nothing = torch.full_like(found.draw, -1)
    for cfg, c in walk(found):
        if cfg.intensity not in DRAWS_FROM:
            near(update_coefficients(replace(found, draw=nothing), cfg), c, cfg)
        if DRAWS_FROM.get(cfg.intensity) != "explore" and cfg.intensity not in DISTILLING:
            blind = replace(found, log_explore=torch.full_like(found.log_explore, -inf))
            near(update_coefficients(blind, cfg), c, cfg)
        if cfg.intensity != "reference" and cfg.competing == "model":
            near(update_coefficients(replace(found, reference=nothing), cfg), c, cfg)


@settings(max_examples=examples(30))
@given(found=candidates())
def test_what_is_not_there_is_not_used(found: Candidates) -> None:
    """No draw, no sampled update; no reference, no margin update."""
    for cfg, c in walk(found):
        if cfg.intensity in DRAWS_FROM:
            assert (c[found.draw < 0] == 0).all(), cfg
        if cfg.intensity == "reference" or cfg.competing != "model":
            assert (c[found.reference < 0] == 0).all(), cfg


@settings(max_examples=examples(30))
@given(found=candidates())
def test_an_update_happens_unless_w_and_q_agree(found: Candidates) -> None:
    """c = Σw (w/Σw − q): it vanishes exactly where favoured and rival programs are the same.

    That is, where both w and q have mass.
    """
    for cfg, c in walk(found):
        w = INTENSITIES[cfg.intensity](found, cfg)
        q = COMPETITORS[cfg.competing](found, cfg)
        total = w.sum(dim=-1, keepdim=True)
        both = (total > 1e-6) & (q.sum(dim=-1, keepdim=True) > 0)
        apart = (w / total.clamp(min=1e-6) - q).abs().amax(dim=-1)
        moved = c.abs().amax(dim=-1)
        active = both.squeeze(-1)
        assert (moved[active & (apart > 1e-3)] > 1e-10).all(), cfg
        assert (moved[active & (apart == 0)] < 1e-10).all(), cfg
        assert (moved[~active] < 1e-5).all(), cfg


@settings(max_examples=examples(30))
@given(found=candidates())
def test_the_model_over_candidates(found: Candidates) -> None:
    """Normalised over the programs there are, proportional to exp s; −∞ on padding alone."""
    log_p = log_model(found)
    assert torch.equal(log_p > -inf, found.mask)
    near(log_p.exp().sum(dim=-1), found.mask.any(dim=-1).double())
    for b, k in found.mask.nonzero().tolist():
        for other in found.mask[b].nonzero().flatten().tolist():
            near(log_p[b, k] - log_p[b, other], found.scores[b, k] - found.scores[b, other])


def walk(found: Candidates) -> Iterator[tuple[UpdateConfig, Tensor]]:
    """Every update with its coefficients."""
    for cfg in UPDATES:
        yield cfg, update_coefficients(found, cfg)


@settings(max_examples=examples(30))
@given(found=candidates(), seed=st.integers(0, 99))
def test_scores_of_two_looks_both_learn(found: Candidates, seed: int) -> None:
    """Scores of the first look and of the second are updated each as if they were alone."""
    first = found.scores.detach() + torch.randn(
        found.scores.shape, generator=torch.Generator().manual_seed(seed), dtype=found.scores.dtype
    )
    first.requires_grad_(True)
    for cfg in (UpdateConfig(), UpdateConfig(competing="model")):
        scores = found.scores.detach().clone().requires_grad_(True)
        both = replace(found, scores=scores, first_pass_scores=first)
        of_first, of_second = torch.autograd.grad(surrogate_loss(both, cfg), (first, scores))
        near(of_first, -update_coefficients(replace(found, scores=first.detach()), cfg))
        near(of_second, -update_coefficients(replace(found, scores=scores.detach()), cfg))


def near(found: Tensor, expected: Tensor, what: object = "", scale: float = 1) -> None:
    """Assert equality but for the last bits."""
    torch.testing.assert_close(
        found, expected, rtol=0, atol=1e-9 * scale, msg=lambda text: f"{what}: {text}"
    )


def permuted(found: Candidates, order: Sequence[int]) -> Candidates:
    """The candidates in another order, the places of y* and of the draw with them."""
    now_at = torch.tensor([*(order.index(k) for k in range(len(order))), -1])
    return Candidates(
        scores=found.scores[:, order],
        rewards=found.rewards[:, order],
        mask=found.mask[:, order],
        log_explore=found.log_explore[:, order],
        reference=now_at[found.reference],
        draw=now_at[found.draw],
    )


def padded(found: Candidates, more: int, junk: float) -> Candidates:
    """The candidates with more padding, and something on it."""

    def longer(values: Tensor, filler: float | bool) -> Tensor:
        return torch.cat([values, values.new_full((len(values), more), filler)], dim=-1)

    return replace(
        found,
        scores=longer(found.scores, junk),
        rewards=longer(found.rewards, min(junk, 1.0)),
        mask=longer(found.mask, False),
        log_explore=longer(found.log_explore, -junk),
    )
