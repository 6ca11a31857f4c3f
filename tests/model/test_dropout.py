"""Dropout by bytes: the same distribution as torch's, and no more."""

from __future__ import annotations

import pytest
import torch

from denota.model.dropout import Dropout


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_it_drops_the_share_and_keeps_the_mean(share: float) -> None:
    torch.manual_seed(0)
    given = torch.rand(400, 1000)
    found = Dropout(share)(given)
    dropped = (found == 0).double().mean().item()
    assert dropped == pytest.approx(share, abs=0.003 + 1 / 512)
    assert found.double().mean().item() == pytest.approx(given.double().mean().item(), rel=0.01)
    by_row = (found == 0).double().mean(dim=1)
    assert by_row.var().item() == pytest.approx(share * (1 - share) / 1000, rel=0.3)


def test_the_gradient_goes_where_the_value_went() -> None:
    given = torch.ones(1000, requires_grad=True)
    found = Dropout(0.5)(given)
    found.sum().backward()
    assert torch.equal(given.grad, found.detach())


def test_torch_seeds_it() -> None:
    drawn = []
    for seed in (3, 3, 4):
        torch.manual_seed(seed)
        drawn.append(Dropout(0.3)(torch.ones(64)))
    assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])


@pytest.mark.parametrize("share", [0.0, 0.001])
def test_nothing_is_dropped_while_answering(share: float) -> None:
    given = torch.rand(50)
    assert torch.equal(Dropout(0.9).eval()(given), given)
    assert Dropout(share)(given).shape == given.shape
