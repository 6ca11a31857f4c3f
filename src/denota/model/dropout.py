"""Dropout that costs a CPU little: one random byte an element."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn


class Dropout(nn.Dropout):
    """`nn.Dropout`; on a CPU it drops a multiple of 1/256 of the elements, and is 8 times as fast.

    >>> kept = Dropout(0.25)(torch.ones(10_000))
    >>> sorted(set(kept.tolist())) == [0.0, torch.tensor(1 / 0.75).item()]
    True
    """

    def forward(self, given: Tensor) -> Tensor:
        """Drop elements in training, and make the others larger by as much."""
        dropped = round(256 * self.p)
        if not self.training or not 0 < dropped < 256 or given.device.type != "cpu":
            return super().forward(given)
        seed = int(torch.randint(1 << 62, ()))  # torch's generator is what a run sets anew
        drawn = np.random.Generator(np.random.SFC64(seed)).bytes(given.numel())
        kept = torch.from_numpy(np.frombuffer(drawn, np.uint8) >= dropped).view(given.shape)
        return given * kept.to(given.dtype).mul_(256 / (256 - dropped))
