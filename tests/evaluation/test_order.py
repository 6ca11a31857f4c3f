"""The order of readings: its fit against autograd, and what it learns of readings left out."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from denota.evaluation.order import Choices, Order, fit_order

NAMES = ("left_out", "noise")


def drawn(count: int, data: str = "one", minds: float = 1.5, seed: int = 0) -> list[Choices]:
    """Questions of five readings; the more one leaves out, the less likely it is right."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        rated = rng.dirichlet(np.ones(5))
        features = np.stack([rng.integers(0, 3, 5).astype(float), rng.random(5)], axis=1)
        chance = rated * np.exp(-minds * features[:, 0])
        right = np.zeros(5, bool)
        right[rng.choice(5, p=chance / chance.sum())] = True
        right |= rng.random(5) < 0.1  # others are right by luck
        found.append(Choices(data, rated, features, right))
    return found


def loss(order: Order, choices: list[Choices], ridge: float) -> torch.Tensor:
    """The mean of −log Σ_right p(y), and what holds the weights back."""
    own = torch.tensor(order.weights, dtype=torch.float64, requires_grad=True)
    start = torch.zeros_like(own)
    start[0] = 1.0
    total = ridge * ((own - start) ** 2).sum()
    for one in choices:
        logs = np.log(one.probabilities)
        lines = np.concatenate([(logs - logs.max())[:, None], order.scaled(one.features)], axis=1)
        shares = torch.log_softmax(torch.tensor(lines) @ own, 0)
        total = total - torch.logsumexp(shares[torch.tensor(one.right)], 0) / len(choices)
    total.backward()  # type: ignore[no-untyped-call]
    assert own.grad is not None
    return own.grad


def test_the_fit_is_where_the_gradient_of_the_likelihood_is_nothing() -> None:
    choices = drawn(300)
    order = fit_order(choices, NAMES, 0.1)
    assert loss(order, choices, 0.1).abs().max() < 1e-5
    moved = Order(order.features, (*order.weights[:-1], 0.3), order.middle, order.spread)
    assert loss(moved, choices, 0.1).abs().max() > 1e-2


def test_it_learns_what_tells_and_not_what_does_not() -> None:
    of_rating, left_out, noise = fit_order(drawn(2000), NAMES, 1e-4).weights
    assert left_out < -0.5 and of_rating > 0.5
    assert abs(noise) < 0.15


def test_data_sets_count_the_same() -> None:
    minding, not_minding = drawn(1500, "minds"), drawn(150, "does not", minds=0.0, seed=1)
    both = fit_order([*minding, *not_minding], NAMES, 1e-4).weights[1]
    alone = fit_order(minding, NAMES, 1e-4).weights[1]
    assert both == pytest.approx(alone / 2, rel=0.35)


def test_without_anything_to_learn_it_is_the_parser_s_order() -> None:
    order = fit_order(drawn(20), NAMES, ridge=1e6)
    assert order.weights[0] == pytest.approx(1, abs=1e-3)
    assert order.weights[1:] == pytest.approx((0, 0), abs=1e-3)
    rated = np.array([0.2, 0.5, 0.3])
    assert order.scores(rated, np.ones((3, 2))).argsort().tolist() == [0, 2, 1]
