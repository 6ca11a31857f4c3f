"""Weights in a quarter of the space: 8-bit integers with a scale a row, the rest in float16."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import torch
from torch import Tensor

LARGE: Final = 4096
"""Matrices of fewer numbers are kept in half precision."""
NUMBERS: Final = "|numbers"
SCALE: Final = "|scale"


def compact(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights in less room.

    >>> sorted(compact({"a": torch.ones(64, 64), "b": torch.ones(3)}))
    ['a|numbers', 'a|scale', 'b']
    """
    found = {}
    for name, weight in weights.items():
        if weight.dim() == 2 and weight.numel() >= LARGE and weight.is_floating_point():
            scale = (weight.float().abs().amax(dim=1) / 127).clamp(min=1e-12)
            rounded = (weight / scale[:, None]).round().clamp(-127, 127)
            found[name + NUMBERS], found[name + SCALE] = rounded.to(torch.int8), scale
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
        elif not name.endswith(SCALE):
            found[name] = weight.float() if weight.dtype == torch.float16 else weight
    return found
