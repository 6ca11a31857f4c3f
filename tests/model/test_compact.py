"""Compact weights differ from the whole ones by at most half a step of their row or group.

They take a quarter of the room with 8 bits, a seventh with 4.
"""

from __future__ import annotations

import pytest
import torch

from denota.model.compact import GROUP, NIBBLES, NUMBERS, SCALE, compact, expanded


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


def test_four_bits_round_to_the_nearest_step_of_a_group() -> None:
    torch.manual_seed(0)
    matrix = torch.randn(48, 128) * torch.logspace(-2, 2, 48)[:, None]
    matrix[3] = 0
    small = compact({"m": matrix}, 4)
    scale = small["m" + SCALE].float().repeat_interleave(GROUP, dim=1)
    clipped = matrix.clamp(min=-7 * scale, max=7 * scale)
    back = expanded(small)["m"]
    assert ((back - clipped).abs() <= 0.501 * scale).all()
    assert not back[3].any()


def test_four_bits_choose_a_scale_that_loses_least() -> None:
    """A group with one outlier is better cut there than spread out."""
    torch.manual_seed(1)
    group = torch.randn(200, GROUP)
    plain = group.abs().amax(dim=1, keepdim=True) / 7
    lost = ((group / plain).round() * plain - group).square().sum()
    back = expanded(compact({"m": group}, 4))["m"]
    assert (back - group).square().sum() < 0.9 * lost


@pytest.mark.parametrize(("bits", "room"), [(8, 1 + 4 / 384), (4, 0.5 + 2 / GROUP)])
def test_room(bits: int, room: float) -> None:
    """In bytes a number."""
    matrix = torch.randn(256, 384)
    small = compact({"m": matrix}, bits)
    size = sum(t.numel() * t.element_size() for t in small.values())
    assert size == round(matrix.numel() * room)
    assert set(small) == {"m" + (NUMBERS if bits == 8 else NIBBLES), "m" + SCALE}


def test_a_matrix_that_no_group_fits_has_eight_bits() -> None:
    assert set(compact({"m": torch.randn(90, 90)}, 4)) == {"m" + NUMBERS, "m" + SCALE}


def test_what_is_not_compact_is_left() -> None:
    whole = {"a": torch.randn(90, 90), "b": torch.tensor([1, 2])}
    for name, weight in expanded(whole).items():
        assert torch.equal(weight, whole[name])
