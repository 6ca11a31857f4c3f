"""Dataclasses of tensors from one device to another."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import torch
from torch import Tensor


def moved(thing: Any, device: torch.device) -> Any:
    """Return a dataclass with its tensors, and those of dataclasses and tuples in it, on a device.

    The CPU does not wait for what is pinned.
    """
    if isinstance(thing, Tensor):
        return thing.to(device, non_blocking=True)
    if isinstance(thing, tuple) and not hasattr(thing, "_fields"):
        return tuple(moved(one, device) for one in thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        values = {field.name: getattr(thing, field.name) for field in fields(thing)}
        return replace(thing, **{name: moved(value, device) for name, value in values.items()})
    return thing
