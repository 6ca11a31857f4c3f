"""Weights in less room: large matrices as whole numbers of 8 or 4 bits, the rest in float16.

8 bits have a scale a row. 4 bits have a scale for every `GROUP` numbers of a row, the one of a few
that rounds them best; two numbers share a byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[np.generic]]
Floats = NDArray[np.float32]
LARGE: Final = 4096
"""Matrices of fewer numbers are kept in half precision."""
NUMBERS: Final = "|numbers"
NIBBLES: Final = "|nibbles"
SCALE: Final = "|scale"
BITS: Final = (8, 4)
GROUP: Final = 32
"""How many numbers of 4 bits share a scale."""
SHARES: Final = tuple(1 - 0.05 * step for step in range(9))
"""The scales tried for 4 bits, as shares of the one that fits the largest number."""


def compact(weights: Arrays, bits: int = 8) -> dict[str, NDArray[np.generic]]:
    """Return weights in less room.

    >>> sorted(compact({"a": np.ones((64, 64), np.float32), "b": np.ones(3, np.float32)}))
    ['a|numbers', 'a|scale', 'b']
    """
    found: dict[str, NDArray[np.generic]] = {}
    for name, weight in weights.items():
        is_float = np.issubdtype(weight.dtype, np.floating)
        if weight.ndim == 2 and weight.size >= LARGE and is_float:
            if bits == 4 and weight.shape[1] % GROUP == 0:
                found[name + NIBBLES], found[name + SCALE] = _nibbles(weight.astype(np.float32))
            else:
                found[name + NUMBERS], found[name + SCALE] = _bytes(weight.astype(np.float32))
        else:
            found[name] = weight.astype(np.float16) if is_float else weight
    return found


def expanded(weights: Arrays) -> dict[str, NDArray[Any]]:
    """Return compact weights as they were, nearly; others are left as they are."""
    found: dict[str, NDArray[Any]] = {}
    for name in weights:
        if name.endswith((NUMBERS, NIBBLES)):
            own = name.removesuffix(NUMBERS).removesuffix(NIBBLES)
            found[own] = expand(weights, own)
        elif not name.endswith(SCALE):
            found[name] = expand(weights, name)
    return found


def expand(weights: Arrays, name: str) -> NDArray[Any]:
    """Return one of some compact weights as it was, nearly."""
    if name + NUMBERS in weights:
        scale: Floats = weights[name + SCALE].astype(np.float32)
        return weights[name + NUMBERS].astype(np.float32) * scale[:, None]
    if name + NIBBLES in weights:
        return _from_nibbles(weights[name + NIBBLES], weights[name + SCALE].astype(np.float32))
    weight = weights[name]
    return weight.astype(np.float32) if weight.dtype == np.float16 else weight


def _bytes(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """(R, C) weights as (R, C) numbers from -127 to 127, and (R,) scales."""
    scale = np.maximum(np.abs(weight).max(axis=1) / np.float32(127), np.float32(1e-12))
    rounded = np.clip(np.rint(weight / scale[:, None]), -127, 127)
    return rounded.astype(np.int8), scale


def _nibbles(weight: Floats) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """(R, C) weights as (R, C / 2) bytes of two numbers from -7 to 7, and (R, C / GROUP) scales."""
    groups = weight.reshape(len(weight), -1, GROUP)
    most = np.abs(groups).max(axis=2)  # (R, groups)
    best, least = np.zeros_like(most), np.full_like(most, np.inf)
    for share in SHARES:
        scale = (np.float32(share) * most / np.float32(7)).astype(np.float16).astype(np.float32)
        scale = np.maximum(scale, np.float32(1e-7))  # as it will be read
        lost = np.square(_rounded(groups, scale) * scale[..., None] - groups).sum(axis=2)
        best, least = np.where(lost < least, scale, best), np.minimum(lost, least)
    numbers = (_rounded(groups, best) + 8).astype(np.uint8).reshape(len(weight), -1)
    return numbers[:, ::2] * 16 + numbers[:, 1::2], best.astype(np.float16)


def _rounded(groups: Floats, scale: Floats) -> Floats:
    """(R, groups, GROUP) whole numbers from -7 to 7."""
    rounded: Floats = np.clip(np.rint(groups / scale[..., None]), -7, 7)
    return rounded


def _from_nibbles(packed: NDArray[Any], scale: Floats) -> Floats:
    """(R, C) weights again."""
    numbers = np.stack([packed // 16, packed % 16], axis=2).astype(np.float32) - 8  # (R, C / 2, 2)
    groups = numbers.reshape(*scale.shape, GROUP) * scale[..., None]
    return groups.reshape(len(packed), -1)
