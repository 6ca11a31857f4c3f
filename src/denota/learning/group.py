"""Processes that learn together: each takes its share of a batch, and all take the same step.

The losses of a batch are summed over its questions (`learning.update`), so its gradient is the sum
of its shares' gradients. Each process works out that of its share, the gradients are summed, and
every process moves its own copy of the weights by the sum: the numbers of one process on the same
batches, up to rounding.

The sum is a plain all_reduce and not `DistributedDataParallel`: that wraps one `forward`, where a
step here calls `read`, `refine` and `recall` of a scorer with a search between them; it averages;
and it wants each process to have a gradient of every weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar

import torch
from torch import Tensor, distributed, nn

from denota.errors import TrainingError

SILENCE: Final = timedelta(hours=1)
"""Processes wait for one this long, as when it prepares questions; one that is killed is noticed
at once."""
_DENSE: Final = 1
_SPARSE: Final = 2
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Group:
    """The processes of a run, as one of them sees them; alone if nothing else is said."""

    rank: int = 0
    """The number of this process."""
    count: int = 1
    local_rank: int = 0
    """Its number on its machine, which is that of its GPU."""

    @property
    def is_first(self) -> bool:
        """Whether this process writes and speaks for all."""
        return self.rank == 0

    @property
    def share(self) -> slice:
        """What this process takes of a sequence that all have.

        >>> "abcde"[Group(0, 2).share], "abcde"[Group(1, 2).share]
        ('ace', 'bd')
        """
        return slice(self.rank, None, self.count)

    @torch.no_grad()
    def sum_gradients(self, module: nn.Module, loss: Tensor) -> Tensor:
        """Put the sum of all processes' gradients in the place of each one's, and sum the loss.

        A weight that has a gradient in no process is left without one, and of a sparse gradient
        only the rows that some process has are sent.
        """
        if self.count == 1:
            return loss
        weights = [weight for weight in module.parameters() if weight.requires_grad]
        for weight in weights:
            if weight.grad is not None and weight.grad.is_sparse:
                weight.grad = weight.grad.coalesce()
        with _heard():
            kinds = _kinds(weights)
            moved = [weight for weight, kind in zip(weights, kinds, strict=True) if kind]
            rows = {
                id(weight): _rows(weight)
                for weight, kind in zip(weights, kinds, strict=True)
                if kind == _SPARSE
            }
            values = [_values(weight, rows.get(id(weight))) for weight in moved]
            line = torch.cat([*(one.reshape(-1) for one in values), loss.to(weights[0]).view(1)])
            distributed.all_reduce(line)
        sums = torch.split_with_sizes(line[:-1], [one.numel() for one in values])
        for weight, value, total in zip(moved, values, sums, strict=True):
            own = rows.get(id(weight))
            total = total.view_as(value)
            weight.grad = total if own is None else _sparse(own, total, weight)
        return line[-1]

    def gathered(self, found: T) -> list[T]:
        """Return what each process found, by their numbers."""
        if self.count == 1:
            return [found]
        every: list[T] = [found] * self.count
        with _heard():
            distributed.all_gather_object(every, found)
        return every

    def from_first(self, make: Callable[[], T]) -> T:
        """Return what the first process makes."""
        if self.count == 1:
            return make()
        made = [make() if self.is_first else None]
        with _heard():
            distributed.broadcast_object_list(made)
        found: T = made[0]  # type: ignore[assignment]
        return found

    @torch.no_grad()
    def begin_equal(self, module: nn.Module) -> None:
        """Give all processes the weights of the first."""
        if self.count > 1:
            with _heard():
                for tensor in module.state_dict().values():
                    distributed.broadcast(tensor, 0)

    @contextmanager
    def first_here(self) -> Iterator[None]:
        """Let the first process of each machine do something before the others there do it."""
        if self.count > 1 and self.local_rank:
            self.gathered(None)
        yield
        if self.count > 1 and not self.local_rank:
            self.gathered(None)


ALONE: Final = Group()
"""One process."""


@contextmanager
def joined(group: Group, device: str, meeting: str = "env://") -> Iterator[Group]:
    """Join the processes of a run, on a GPU each where they use GPUs.

    Args:
        group: which of them this is.
        device: `cpu`, `cuda` or `auto`.
        meeting: where they meet, as torch has it; `env://` is what torchrun says.

    Raises:
        TrainingError: there are fewer GPUs here than processes, or the others do not come.
    """
    if group.count == 1:
        yield group
        return
    if device != "cpu" and torch.cuda.is_available():
        if group.local_rank >= torch.cuda.device_count():
            raise TrainingError(
                f"there are {torch.cuda.device_count()} GPUs on this machine; start as many "
                "processes here, or say train.device=cpu"
            )
        torch.cuda.set_device(group.local_rank)
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    with _heard():
        distributed.init_process_group(
            backend, meeting, SILENCE, rank=group.rank, world_size=group.count
        )
    yield group
    distributed.destroy_process_group()


@contextmanager
def _heard() -> Iterator[None]:
    """Say it in a sentence if another process is gone."""
    try:
        yield
    except RuntimeError:  # what gloo and NCCL raise
        raise TrainingError(
            "another process of this training ended or is not heard; the last whole epoch is "
            "kept: go on with --resume"
        ) from None


def _kinds(weights: list[nn.Parameter]) -> list[int]:
    """For each weight the kind of gradient that some process has, 0 for none."""
    own = [
        0 if weight.grad is None else _SPARSE if weight.grad.is_sparse else _DENSE
        for weight in weights
    ]
    kinds = torch.tensor(own, dtype=torch.uint8, device=weights[0].device)
    distributed.all_reduce(kinds, distributed.ReduceOp.MAX)
    found: list[int] = kinds.tolist()
    return found


def _rows(weight: nn.Parameter) -> Tensor:
    """(rows,) those that a sparse gradient of some process moves, in order."""
    moved = torch.zeros(len(weight), dtype=torch.uint8, device=weight.device)
    if weight.grad is not None:
        moved[weight.grad.indices()[0]] = 1
    distributed.all_reduce(moved, distributed.ReduceOp.MAX)
    return moved.nonzero()[:, 0]


def _values(weight: nn.Parameter, rows: Tensor | None) -> Tensor:
    """This process's gradient of a weight, or of some of its rows; 0 where it has none."""
    shape = weight.shape if rows is None else (len(rows), *weight.shape[1:])
    if weight.grad is None:
        return weight.new_zeros(shape)
    if rows is None:
        return weight.grad
    values = weight.new_zeros(shape)
    values[torch.searchsorted(rows, weight.grad.indices()[0])] = weight.grad.values()
    return values


def _sparse(rows: Tensor, values: Tensor, weight: Tensor) -> Tensor:
    """A sparse gradient of a weight."""
    return torch.sparse_coo_tensor(
        rows[None], values, weight.shape, is_coalesced=True, check_invariants=False
    )
