"""Compact weights differ from the whole ones by at most half a step of their row or group.

They take a quarter of the room with 8 bits, a seventh with 4.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from denota.model.compact import GROUP, NIBBLES, NUMBERS, SCALE, compact, expanded


def drawn(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def spread(rows: int, low: float, high: float) -> NDArray[np.float32]:
    return np.logspace(low, high, rows, dtype=np.float32)[:, None]


def test_no_number_moves_by_more_than_half_a_step() -> None:
    matrix = drawn(100, 64) * spread(100, -6, 3)
    matrix[3] = 0
    small = compact({"m": matrix, "v": drawn(7), "n": np.arange(3)})
    back = expanded(small)
    step = small["m" + SCALE][:, None]
    assert (np.abs(back["m"] - matrix) <= step * 0.51 + 1e-9).all()
    assert np.allclose(step[:, 0], np.abs(matrix).max(axis=1) / 127, rtol=1e-5, atol=2e-12)
    assert np.array_equal(back["n"], np.arange(3))
    assert np.allclose(back["v"], small["v"].astype(np.float32))
    assert not back["m"][3].any()


def test_four_bits_round_to_the_nearest_step_of_a_group() -> None:
    matrix = drawn(48, 128) * spread(48, -2, 2)
    matrix[3] = 0
    small = compact({"m": matrix}, 4)
    scale = small["m" + SCALE].astype(np.float32).repeat(GROUP, axis=1)
    clipped = matrix.clip(-7 * scale, 7 * scale)
    back = expanded(small)["m"]
    assert (np.abs(back - clipped) <= 0.501 * scale).all()
    assert not back[3].any()


def test_four_bits_choose_a_scale_that_loses_least() -> None:
    """A group with one outlier is better cut there than spread out."""
    group = drawn(200, GROUP, seed=1)
    plain = np.abs(group).max(axis=1, keepdims=True) / 7
    lost = np.square(np.rint(group / plain) * plain - group).sum()
    back = expanded(compact({"m": group}, 4))["m"]
    assert np.square(back - group).sum() < 0.9 * lost


@pytest.mark.parametrize(("bits", "room"), [(8, 1 + 4 / 384), (4, 0.5 + 2 / GROUP)])
def test_room(bits: int, room: float) -> None:
    """In bytes a number."""
    matrix = drawn(256, 384)
    small = compact({"m": matrix}, bits)
    assert sum(array.nbytes for array in small.values()) == round(matrix.size * room)
    assert set(small) == {"m" + (NUMBERS if bits == 8 else NIBBLES), "m" + SCALE}


def test_a_matrix_that_no_group_fits_has_eight_bits() -> None:
    assert set(compact({"m": drawn(90, 90)}, 4)) == {"m" + NUMBERS, "m" + SCALE}


def test_what_is_not_compact_is_left() -> None:
    whole = {"a": drawn(90, 90), "b": np.array([1, 2])}
    for name, weight in expanded(whole).items():
        assert np.array_equal(weight, whole[name])
