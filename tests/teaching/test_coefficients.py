"""A lesson's update in numpy is the batch update of the same pair of w and q, for every pair."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from denota.config import UpdateConfig
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import INTENSITIES
from denota.learning.update import update_coefficients
from denota.search.candidates import Candidates
from denota.teaching import coefficients
from denota.teaching.coefficients import LessonCandidates, lesson_coefficients


def test_every_rule_is_there() -> None:
    assert set(coefficients.INTENSITIES) == set(INTENSITIES)
    assert set(coefficients.COMPETITORS) == set(COMPETITORS)


@st.composite
def lessons(draw: st.DrawFn) -> LessonCandidates:
    count = draw(st.integers(1, 6))
    some = st.lists(st.sampled_from([-3.0, -0.5, 0.0, 0.25, 2.0]), min_size=count, max_size=count)
    shares = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=count, max_size=count)
    scores, rewards = np.array(draw(some)), np.array(draw(shares))
    mask = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    reference = draw(st.integers(0, count - 1))
    mask[reference] = True
    explored = np.where(rewards >= 1, 2 * scores, -np.inf)
    return LessonCandidates(scores, rewards, mask, explored, reference)


@pytest.mark.parametrize(("w", "q"), [*product(coefficients.INTENSITIES, coefficients.COMPETITORS)])
@given(
    found=lessons(),
    beta=st.sampled_from([0.0, 0.5, 1.0, np.inf]),
    chosen=st.sampled_from(["sample", "top"]),
)
def test_a_lesson_moves_as_a_batch_does(
    w: str, q: str, found: LessonCandidates, beta: float, chosen: str
) -> None:
    cfg = UpdateConfig(w, q, beta=beta, draw=chosen)
    given_arrays = (found.scores, found.rewards, found.mask, found.log_explore)
    places = torch.tensor([found.reference])
    batch = Candidates(*(torch.from_numpy(one)[None] for one in given_arrays), places, places)
    if w == "off_policy" and chosen == "sample" and np.isneginf(found.log_explore[found.reference]):
        return  # u has no mass where the program was drawn from: it never is
    expected = update_coefficients(batch, cfg)[0].numpy()
    np.testing.assert_allclose(lesson_coefficients(found, cfg), expected, rtol=1e-12, atol=1e-12)
