"""From gradients to weights: SGD as in the paper, Adam, and a running average of the weights.

Everything an optimiser remembers is in `state`, so that a run resumes to the same numbers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from types import EllipsisType
from typing import Final

import torch
from torch import Tensor

from denota.config import TrainConfig
from denota.errors import TrainingError
from denota.model.scorer import Scorer


def rate_at(cfg: TrainConfig, step: int, steps: int) -> float:
    """Return the learning rate of a step out of `steps`.

    >>> [round(rate_at(TrainConfig(rate=1.0, schedule="linear"), step, 4), 2) for step in range(4)]
    [1.0, 0.75, 0.5, 0.25]
    """
    done = step / max(1, steps)
    if done < cfg.warmup:
        return cfg.rate * min(1.0, (step + 1) / (cfg.warmup * steps))
    return cfg.rate * (1.0 - done) if cfg.schedule == "linear" else cfg.rate


class Optimiser:
    """Moves the weights of a scorer against its gradients, their joint norm clipped."""

    def __init__(self, scorer: Scorer, cfg: TrainConfig, steps: int) -> None:
        self.cfg, self.steps, self.step_number = cfg, steps, 0
        self.scorer = scorer
        self.averaged = copy.deepcopy(scorer) if cfg.average else None
        self.moments: dict[str, Tensor] = {}
        self.waiting = 0
        """Steps since the average of word vectors was taken; none at the end of an epoch."""

    @torch.no_grad()
    def step(self) -> None:
        """Take one step.

        Raises:
            TrainingError: the gradient is no longer a number; the weights are left as they were.
        """
        cfg = self.cfg
        gradients = {
            name: weight.grad.coalesce() if weight.grad.is_sparse else weight.grad
            for name, weight in self.scorer.named_parameters()
            if weight.grad is not None
        }
        norm = _norm([g.values() if g.is_sparse else g for g in gradients.values()])
        if not math.isfinite(norm):
            raise TrainingError("the gradient is no longer a number; try a smaller train.rate")
        scale = min(1.0, cfg.clip / max(norm, 1e-12))
        rate = rate_at(cfg, self.step_number, self.steps)
        self.step_number += 1
        if cfg.optimiser == "adam":
            gradients = self._dense_adam(gradients, rate, scale)
        for name, weight in self.scorer.named_parameters():
            if name in gradients:
                own = self._own(name, rate)
                _MOVES[cfg.optimiser](self, name, weight, gradients[name], own, scale)
        if self.averaged is not None:
            self._average()

    def _own(self, name: str, rate: float) -> float:
        """The learning rate of one weight."""
        return rate * self.cfg.pretrained if name.startswith(PRETRAINED) else rate

    def _sgd(self, name: str, weight: Tensor, gradient: Tensor, rate: float, scale: float) -> None:
        weight.add_(gradient, alpha=-rate * scale)

    def _adam(self, name: str, weight: Tensor, gradient: Tensor, rate: float, scale: float) -> None:
        """Adam; of word vectors only those of the step's words move, as in SparseAdam."""
        first, second = (self._moment(f"{kind}.{name}", weight) for kind in ("means", "squares"))
        rows, values = _rows(gradient)
        values = values * scale
        first[rows] = first[rows].lerp(values, 0.1)
        second[rows] = second[rows].lerp(values**2, 0.001)
        mean = first[rows] / (1 - 0.9**self.step_number)
        size = (second[rows] / (1 - 0.999**self.step_number)).sqrt()
        weight[rows] = weight[rows] - rate * mean / (size + 1e-8)

    def _dense_adam(
        self, gradients: Mapping[str, Tensor], rate: float, scale: float
    ) -> dict[str, Tensor]:
        """Apply Adam to all dense gradients at once, and return the sparse ones.

        One call for all weights saves a GPU a thousand.
        """
        weights = dict(self.scorer.named_parameters())
        dense = [name for name, gradient in gradients.items() if not gradient.is_sparse]
        for own in {self._own(name, rate) for name in dense}:
            names = [name for name in dense if self._own(name, rate) == own]
            values = torch._foreach_mul([gradients[name] for name in names], scale)
            first = [self._moment(f"means.{name}", weights[name]) for name in names]
            second = [self._moment(f"squares.{name}", weights[name]) for name in names]
            torch._foreach_lerp_(first, values, 0.1)
            torch._foreach_lerp_(second, torch._foreach_mul(values, values), 0.001)
            mean = torch._foreach_div(first, 1 - 0.9**self.step_number)
            size = torch._foreach_div(second, 1 - 0.999**self.step_number)
            torch._foreach_sqrt_(size)
            torch._foreach_add_(size, 1e-8)
            torch._foreach_addcdiv_([weights[name] for name in names], mean, size, value=-own)
        return {name: gradient for name, gradient in gradients.items() if gradient.is_sparse}

    def _moment(self, name: str, weight: Tensor) -> Tensor:
        if name not in self.moments:
            self.moments[name] = torch.zeros_like(weight)
        return self.moments[name]

    def _average(self) -> None:
        """Move the average towards the weights.

        The first steps count for more, so that the start is forgotten.
        """
        assert self.averaged is not None
        keep = min(self.cfg.average, self.step_number / (10 + self.step_number))
        moving = {
            name: weight
            for name, weight in self.scorer.named_parameters()
            if name != WORD_VECTORS and weight.requires_grad
        }
        average = [self.averaged.get_parameter(name).data for name in moving]
        torch._foreach_lerp_(average, [weight.data for weight in moving.values()], 1 - keep)
        self.waiting += 1
        if self.waiting == SELDOM:
            self.settle()

    @torch.no_grad()
    def settle(self) -> None:
        """Bring the average of word vectors up to the last step."""
        if self.averaged is not None and self.waiting:
            keep = min(self.cfg.average, self.step_number / (10 + self.step_number))
            weights = dict(self.scorer.named_parameters())
            if WORD_VECTORS in weights:
                average = self.averaged.get_parameter(WORD_VECTORS)
                average.lerp_(weights[WORD_VECTORS], 1 - keep**self.waiting)
            self.waiting = 0

    @property
    def best(self) -> Scorer:
        """The scorer to predict with: the average where there is one."""
        return self.averaged if self.averaged is not None else self.scorer

    def state(self) -> dict[str, Tensor]:
        """Return what resuming needs besides the weights."""
        found = {f"moment.{name}": moment for name, moment in self.moments.items()}
        if self.averaged is not None:
            weights = self.averaged.state_dict().items()
            found |= {f"average.{name}": weight.detach() for name, weight in weights}
        return {**found, "step": torch.tensor(self.step_number)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from a saved state."""
        self.step_number = int(state["step"])
        device = next(self.scorer.parameters()).device
        for name, tensor in state.items():
            if name.startswith("moment."):
                self.moments[name.removeprefix("moment.")] = tensor.to(device)
        if self.averaged is not None:
            weights = {k.removeprefix("average."): v for k, v in state.items() if "average." in k}
            self.averaged.load_state_dict(weights)


PRETRAINED: Final = "encoder."
"""What the names of pretrained weights begin with."""
WORD_VECTORS: Final = "words.weight"
"""The word vectors of a scorer that has such."""
SELDOM: Final = 50
"""Steps between two averages of the word vectors, of which a step moves few."""
_MOVES: Final = {"sgd": Optimiser._sgd, "adam": Optimiser._adam}


def _norm(gradients: list[Tensor]) -> float:
    """The joint norm of gradients."""
    if gradients and gradients[0].device.type != "cpu":  # one call for all, as for Adam
        norms: list[Tensor] = list(torch._foreach_norm(gradients))
        return float(torch.stack(norms).norm().item())
    norm: float = float(torch.stack([g.pow(2).sum() for g in gradients]).sum()) ** 0.5
    return norm


def _rows(gradient: Tensor) -> tuple[Tensor | EllipsisType, Tensor]:
    """The rows of a weight that a gradient moves, and by what."""
    if gradient.is_sparse:
        return gradient.indices()[0], gradient.values()
    return ..., gradient
