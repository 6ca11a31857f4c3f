"""Optimisers against torch's own, schedules by their ends, and the average by its definition."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from denota.config import TrainConfig
from denota.errors import TrainingError
from denota.learning.optimise import SELDOM, Optimiser, rate_at
from denota.model.dynsp import DynSP
from denota.model.vectors import WordVectors

OTHERS = {
    "sgd": lambda weights, rate: torch.optim.SGD(weights, rate),
    "adam": lambda weights, rate: torch.optim.Adam(weights, rate),
}


def scorer() -> DynSP:
    torch.manual_seed(0)
    matrix = np.random.default_rng(0).normal(size=(9, 6)).astype(np.float32)
    matrix[0] = 0
    return DynSP(WordVectors({f"w{i}": i for i in range(1, 9)}, matrix), hidden=3)


def give_gradients(model: torch.nn.Module, step: int, sparse: bool, size: float = 0.1) -> None:
    """The same random gradients for models of the same shapes; of word vectors sparse or not."""
    for number, (name, weight) in enumerate(model.named_parameters()):
        generator = torch.Generator().manual_seed(1000 * step + number)
        gradient = size * torch.randn(weight.shape, generator=generator)
        if name == "words.weight" and sparse:
            rows = torch.tensor([1, 3, 3, 5])
            values = size * torch.randn(4, weight.shape[1], generator=generator)
            gradient = torch.sparse_coo_tensor(
                rows[None], values, weight.shape, check_invariants=True
            )
        weight.grad = gradient


@pytest.mark.parametrize("name", OTHERS)
def test_steps_are_those_of_torch(name: str) -> None:
    mine, theirs = scorer(), scorer()
    optimiser = Optimiser(mine, TrainConfig(optimiser=name, rate=0.05, clip=1e9), 10)
    other = OTHERS[name](list(theirs.parameters()), 0.05)
    for step in range(4):
        give_gradients(mine, step, sparse=False)
        give_gradients(theirs, step, sparse=False)
        optimiser.step()
        other.step()
    for (where, one), two in zip(mine.named_parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-5, atol=1e-6, msg=where)


@pytest.mark.parametrize("name", OTHERS)
def test_of_word_vectors_only_those_of_the_step_move(name: str) -> None:
    model = scorer()
    before = model.words.weight.detach().clone()
    give_gradients(model, 0, sparse=True)
    Optimiser(model, TrainConfig(optimiser=name), 10).step()
    moved = (model.words.weight != before).any(dim=1)
    assert moved.nonzero()[:, 0].tolist() == [1, 3, 5]


def test_the_norm_of_all_gradients_together_is_clipped() -> None:
    model = scorer()
    before = copy.deepcopy(model)
    give_gradients(model, 0, sparse=True, size=10.0)
    Optimiser(model, TrainConfig(rate=1.0, clip=0.5), 10).step()
    moved = [
        (a - b).detach().pow(2).sum()
        for a, b in zip(model.parameters(), before.parameters(), strict=True)
    ]
    assert float(sum(moved)) ** 0.5 == pytest.approx(0.5, rel=1e-4)


def test_a_gradient_that_is_no_number_leaves_the_weights_alone() -> None:
    model = scorer()
    before = copy.deepcopy(model)
    give_gradients(model, 0, sparse=False)
    model.recall.grad = torch.tensor(float("nan"))
    with pytest.raises(TrainingError, match="no longer a number"):
        Optimiser(model, TrainConfig(), 10).step()
    for one, two in zip(model.parameters(), before.parameters(), strict=True):
        assert torch.equal(one, two)


def test_a_schedule_starts_at_the_rate_and_ends_near_nothing() -> None:
    cfg = TrainConfig(rate=0.2, schedule="linear")
    rates = [rate_at(cfg, step, 100) for step in range(100)]
    assert rates[0] == 0.2
    assert rates[-1] < 0.005
    assert rates == sorted(rates, reverse=True)
    assert rates[50] == pytest.approx(0.1)


def test_warm_up_rises_to_the_rate() -> None:
    cfg = TrainConfig(rate=0.2, warmup=0.1)
    rates = [rate_at(cfg, step, 100) for step in range(12)]
    assert rates[:10] == pytest.approx([0.02 * (step + 1) for step in range(10)])
    assert rates[10:] == [0.2, 0.2]


@pytest.mark.parametrize(("warmup", "steps"), [(0.05, 4), (0.1, 25), (1.0, 3)])
def test_warm_up_never_goes_beyond_the_rate(warmup: float, steps: int) -> None:
    cfg = TrainConfig(rate=0.1, warmup=warmup)
    assert max(rate_at(cfg, step, steps) for step in range(steps)) <= 0.1


def test_the_average_of_word_vectors_is_up_to_date_when_settled() -> None:
    model = scorer()
    optimiser = Optimiser(model, TrainConfig(rate=0.5, average=0.5), 100)
    for step in range(7):
        give_gradients(model, step, sparse=True)
        optimiser.step()
    before = optimiser.best.words.weight.detach().clone()
    optimiser.settle()
    after = optimiser.best.words.weight.detach().clone()
    moved = (after != before).any(dim=1)
    assert moved.nonzero()[:, 0].tolist() == [1, 3, 5]
    torch.testing.assert_close(after[1], model.words.weight[1].detach(), rtol=0.2, atol=0.2)
    optimiser.settle()
    assert torch.equal(optimiser.best.words.weight, after), "settled once is settled"


def test_the_average_follows_the_weights() -> None:
    model = scorer()
    optimiser = Optimiser(model, TrainConfig(rate=0.01, average=0.9), 1000)
    expected = model.compare.detach().clone()
    words = model.words.weight.detach().clone()
    for step in range(1, 2 * SELDOM + 1):
        give_gradients(model, step, sparse=True)
        optimiser.step()
        keep = min(0.9, step / (10 + step))
        expected = keep * expected + (1 - keep) * model.compare.detach()
        if step % SELDOM == 0:
            words = keep**SELDOM * words + (1 - keep**SELDOM) * model.words.weight.detach()
    torch.testing.assert_close(optimiser.best.compare.detach(), expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(optimiser.best.words.weight.detach(), words, rtol=1e-4, atol=1e-5)
    assert optimiser.best is not model
    assert Optimiser(model, TrainConfig(), 1).best is model


@pytest.mark.parametrize("name", OTHERS)
def test_a_restored_optimiser_goes_on_as_if_it_had_not_stopped(name: str) -> None:
    cfg = TrainConfig(optimiser=name, rate=0.05, average=0.8, schedule="linear")
    straight, broken = scorer(), scorer()
    one = Optimiser(straight, cfg, 8)
    two = Optimiser(broken, cfg, 8)
    for step in range(6):
        if step == 3:
            weights = copy.deepcopy(broken.state_dict())
            state = {key: value.clone() for key, value in two.state().items()}
            broken = scorer()
            broken.load_state_dict(weights)
            two = Optimiser(broken, cfg, 8)
            two.restore(state)
        for model, optimiser in ((straight, one), (broken, two)):
            give_gradients(model, step, sparse=True)
            optimiser.step()
    for a, b in zip(one.best.parameters(), two.best.parameters(), strict=True):
        assert torch.equal(a, b)
    for a, b in zip(straight.parameters(), broken.parameters(), strict=True):
        assert torch.equal(a, b)
