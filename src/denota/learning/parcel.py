"""Objects full of tensors as one stretch of bytes, which is moved at once.

The tensors lie end to end in a buffer, which a process shares with another or sends to a GPU in one
copy; the rest of the object is a short pickle that says where each of them lies.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

ALIGNED: Final = 16
"""Every tensor begins at a multiple of this many bytes."""
Place = tuple[str, tuple[int, ...], int]
"""The type and shape of a tensor, and where it begins."""


def pack(thing: Any) -> tuple[bytes, list[Tensor], int]:
    """Return an object without its tensors, the tensors, and how many bytes they take."""
    text = io.BytesIO()
    pickler = _Pickler(text)
    pickler.dump(thing)
    return text.getvalue(), pickler.tensors, pickler.size


def write_tensors(tensors: Sequence[Tensor], buffer: NDArray[np.uint8]) -> None:
    """Write tensors into a buffer, where `unpack` looks for them."""
    place = 0
    for tensor in tensors:
        raw = tensor.contiguous().numpy().reshape(-1).view(np.uint8)
        buffer[place : place + len(raw)] = raw
        place += _room(len(raw))


def unpack(text: bytes, buffer: Tensor) -> Any:
    """Return the object again, its tensors views of a buffer of bytes on any device."""
    return _Unpickler(io.BytesIO(text), buffer).load()


class _Pickler(pickle.Pickler):
    def __init__(self, text: io.BytesIO) -> None:
        super().__init__(text, protocol=pickle.HIGHEST_PROTOCOL)
        self.tensors: list[Tensor] = []
        self.size = 0

    def persistent_id(self, thing: Any) -> Place | None:
        if not isinstance(thing, Tensor):
            return None
        place = self.size
        self.tensors.append(thing)
        self.size += _room(thing.numel() * thing.element_size())
        return str(thing.dtype).removeprefix("torch."), tuple(thing.shape), place


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: io.BytesIO, buffer: Tensor) -> None:
        super().__init__(text)
        self.buffer = buffer

    def persistent_load(self, place: Place) -> Tensor:
        name, shape, start = place
        kind = getattr(torch, name)
        size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        return self.buffer[start : start + size].view(kind).reshape(shape)


def _room(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED
