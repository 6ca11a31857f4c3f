"""Weights in less room: large matrices as whole numbers of 8 or 4 bits, the rest in float16.

8 bits have a scale a row. 4 bits have a scale for every `GROUP` numbers of a row, the one of a few
that rounds them best; two numbers share a byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import torch
from torch import Tensor

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


def compact(weights: Mapping[str, Tensor], bits: int = 8) -> dict[str, Tensor]:
    """Return weights in less room.

    >>> sorted(compact({"a": torch.ones(64, 64), "b": torch.ones(3)}))
    ['a|numbers', 'a|scale', 'b']
    """
    found = {}
    for name, weight in weights.items():
        if weight.dim() == 2 and weight.numel() >= LARGE and weight.is_floating_point():
            if bits == 4 and weight.shape[1] % GROUP == 0:
                found[name + NIBBLES], found[name + SCALE] = _nibbles(weight.float())
            else:
                found[name + NUMBERS], found[name + SCALE] = _bytes(weight.float())
        else:
            found[name] = weight.half() if weight.is_floating_point() else weight
    return found


def expanded(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return compact weights as they were, nearly; others are left as they are."""
    found = {}
    for name, weight in weights.items():
        if name.endswith(NUMBERS):
            own = name.removesuffix(NUMBERS)
            found[own] = weight.float() * weights[own + SCALE][:, None]
        elif name.endswith(NIBBLES):
            own = name.removesuffix(NIBBLES)
            found[own] = _from_nibbles(weight, weights[own + SCALE])
        elif not name.endswith(SCALE):
            found[name] = weight.float() if weight.dtype == torch.float16 else weight
    return found


def _bytes(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(R, C) weights as (R, C) numbers from -127 to 127, and (R,) scales."""
    scale = (weight.abs().amax(dim=1) / 127).clamp(min=1e-12)
    rounded = (weight / scale[:, None]).round().clamp(-127, 127)
    return rounded.to(torch.int8), scale


def _nibbles(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(R, C) weights as (R, C / 2) bytes of two numbers from -7 to 7, and (R, C / GROUP) scales."""
    groups = weight.reshape(len(weight), -1, GROUP)
    most = groups.abs().amax(dim=2)  # (R, groups)
    best, least = torch.zeros_like(most), torch.full_like(most, torch.inf)
    for share in SHARES:
        scale = (share * most / 7).half().float().clamp(min=1e-7)  # as it will be read
        lost = (_rounded(groups, scale) * scale[..., None] - groups).square().sum(dim=2)
        best, least = torch.where(lost < least, scale, best), torch.minimum(lost, least)
    numbers = (_rounded(groups, best) + 8).to(torch.uint8).reshape(len(weight), -1)
    return numbers[:, ::2] * 16 + numbers[:, 1::2], best.half()


def _rounded(groups: Tensor, scale: Tensor) -> Tensor:
    """(R, groups, GROUP) whole numbers from -7 to 7."""
    return (groups / scale[..., None]).round().clamp(-7, 7)


def _from_nibbles(packed: Tensor, scale: Tensor) -> Tensor:
    """(R, C) weights again."""
    numbers = torch.stack([packed // 16, packed % 16], dim=2).float() - 8  # (R, C / 2, 2)
    groups = numbers.reshape(*scale.shape, GROUP) * scale.float()[..., None]
    return groups.reshape(len(packed), -1)
