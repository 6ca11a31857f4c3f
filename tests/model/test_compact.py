"""Compact weights differ from the whole ones by at most half a step of their row.

They take a quarter of the room.
"""

from __future__ import annotations

import torch

from denota.model.compact import NUMBERS, SCALE, compact, expanded


def test_no_number_moves_by_more_than_half_a_step() -> None:
    torch.manual_seed(0)
    matrix = torch.randn(100, 64) * torch.logspace(-6, 3, 100)[:, None]
    matrix[3] = 0
    small = compact({"m": matrix, "v": torch.randn(7), "n": torch.arange(3)})
    back = expanded(small)
    step = small["m" + SCALE][:, None]
    assert ((back["m"] - matrix).abs() <= step * 0.51 + 1e-9).all()
    assert torch.allclose(step[:, 0], matrix.abs().amax(dim=1) / 127, atol=2e-12)
    assert torch.equal(back["n"], torch.arange(3))
    assert torch.allclose(back["v"], small["v"].float())
    assert not back["m"][3].any()


def test_room() -> None:
    matrix = torch.randn(256, 384)
    small = compact({"m": matrix})
    size = sum(t.numel() * t.element_size() for t in small.values())
    assert size < matrix.numel() * +4 * 256 + 1
    assert set(small) == {"m" + NUMBERS, "m" + SCALE}


def test_what_is_not_compact_is_left() -> None:
    whole = {"a": torch.randn(90, 90), "b": torch.tensor([1, 2])}
    for name, weight in expanded(whole).items():
        assert torch.equal(weight, whole[name])
