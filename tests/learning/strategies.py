"""What the tests of learning draw: batches of candidates, and every update there is.

Scores and rewards are binary fractions, so that their sums and differences are exact: ties are
ties, and a margin that is met is met exactly.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from math import inf, log
from typing import Final

import torch
from hypothesis import strategies as st
from torch import Tensor

from denota.config import UpdateConfig
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import INTENSITIES
from denota.learning.presets import PRESETS
from denota.search.candidates import Candidates

EXAMPLES: Final = float(os.environ.get("DENOTA_TEST_EXAMPLES", "1"))
"""A factor on the number of random cases, for a longer search."""

UPDATES: Final = [
    UpdateConfig(intensity, competing, beta=beta, draw="sample")
    for intensity in INTENSITIES
    for competing in COMPETITORS
    for beta in ((0.0, 0.5, 1.0, 3.0, inf) if intensity == "meritocratic" else (1.0,))
]
"""Every intensity with every competing distribution."""
SAMPLED: Final = {name: replace(preset, draw="sample") for name, preset in PRESETS.items()}
"""The published algorithms, off-policy with a draw from u: what holds on average is tested."""


def examples(count: int) -> int:
    """Return how many random cases to try where `count` is the usual number."""
    return max(1, int(count * EXAMPLES))


def question(
    scores: Sequence[float],
    rewards: Sequence[float],
    *,
    reference: int = -1,
    draw: int = -1,
    explore: Sequence[float] | None = None,
    dtype: torch.dtype = torch.float64,
) -> Candidates:
    """One question without padding; `explore` is u(y) itself, uniform unless told."""
    u = [1 / len(scores)] * len(scores) if explore is None else explore
    return Candidates(
        scores=torch.tensor([scores], dtype=dtype),
        rewards=torch.tensor([rewards], dtype=dtype),
        mask=torch.ones(1, len(scores), dtype=torch.bool),
        log_explore=torch.tensor([u], dtype=dtype).log(),
        reference=torch.tensor([reference]),
        draw=torch.tensor([draw]),
    )


def row(found: Candidates, place: int) -> Candidates:
    """The batch of one question of a batch."""
    return rows(found, slice(place, place + 1))


def rows(found: Candidates, which: slice | Tensor) -> Candidates:
    """Some questions of a batch."""
    return Candidates(
        found.scores[which],
        found.rewards[which],
        found.mask[which],
        found.log_explore[which],
        found.reference[which],
        found.draw[which],
    )


def drawing(found: Candidates, place: int, possible: Tensor) -> Candidates:
    """The candidates with the program at one place drawn, where `possible`, (B, K), says so."""
    return replace(found, draw=torch.where(possible[:, place], place, -1))


coarse_scores: Final = st.integers(-6, 6).map(lambda n: n / 2)
"""Scores that often tie, and often meet a margin exactly."""

fine_scores: Final = st.integers(-(2**13), 2**13).map(lambda n: n / 2**10)

distant_scores: Final = st.sampled_from([-512.0, -64.0, 0.0, 64.0, 512.0])
"""Scores so far apart that probabilities underflow."""

some_scores: Final = st.one_of(coarse_scores, coarse_scores, fine_scores, distant_scores)
some_rewards: Final = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.875, 1.0, 1.0])


@st.composite
def candidates(
    draw: st.DrawFn,
    *,
    scores: st.SearchStrategy[float] = some_scores,
    full_support: bool = False,
    max_questions: int = 3,
    max_programs: int = 5,
) -> Candidates:
    """A batch of questions: with padding anywhere, without reward, with one candidate, with none.

    A reference, where there is one, is a program with some reward. The exploration policy is a
    distribution over some of the programs, or over all with `full_support`, and the program drawn
    is one of them.
    """
    count = draw(st.integers(1, max_programs))
    drawn = [
        draw(_questions(count, scores, full_support))
        for _ in range(draw(st.integers(1, max_questions)))
    ]
    score, reward, mask, log_explore, reference, place = zip(*drawn, strict=True)
    return Candidates(
        scores=torch.tensor(score, dtype=torch.float64),
        rewards=torch.tensor(reward, dtype=torch.float64),
        mask=torch.tensor(mask),
        log_explore=torch.tensor(log_explore, dtype=torch.float64),
        reference=torch.tensor(reference),
        draw=torch.tensor(place),
    )


@st.composite
def _questions(
    draw: st.DrawFn, count: int, scores: st.SearchStrategy[float], full_support: bool
) -> tuple[list[float], list[float], list[bool], list[float], int, int]:
    real = draw(
        st.one_of(
            st.lists(st.booleans(), min_size=count, max_size=count),
            st.just([True] * count),
            st.integers(0, count - 1).map(lambda only: [k == only for k in range(count)]),
        )
    )
    rewarded = draw(st.sampled_from([True, True, True, False]))
    score, reward, log_explore = [], [], [-inf] * count
    for sits in real:
        # What stands on padding must not matter.
        score.append(draw(scores if sits else st.sampled_from([0.0, 50.0, -inf])))
        reward.append(draw(some_rewards if rewarded or not sits else st.just(0.0)))
    places = [k for k in range(count) if real[k]]
    support = [k for k in places if full_support or draw(st.booleans())]
    if support:
        mass = {k: draw(st.integers(1, 8)) for k in support}
        for k in support:
            log_explore[k] = log(mass[k] / sum(mass.values()))
    worthy = [k for k in places if reward[k] > 0]
    reference = draw(st.sampled_from([-1, *worthy, *worthy]))
    place = draw(st.sampled_from([-1, *support, *support]))
    return score, reward, real, log_explore, reference, place
