"""The batches of an epoch: what each is made of, and how it is made.

Which questions share a batch, and the previous answer of each, are known when an epoch begins, so a
batch can be made at any time before its step, in this process or in another (`learning.workers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch

from denota.config import SearchConfig
from denota.data.example import Example, Question
from denota.model.scorer import AxisBatch, Scorer
from denota.programs.denotation import Denotation
from denota.search.flat_arrays import FlatArrays, flat_arrays
from denota.search.flat_batch import Flat, lay_flat
from denota.search.flat_programs import FlatPrograms
from denota.search.moving import moved
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer

Lap = Callable[[str], None]
Chosen = Sequence[tuple[int, int]]
"""Programs of a batch: the line of the question and the program's id."""
Found = Callable[[list[Denotation]], None]


class LoadedBatch(NamedTuple):
    """A batch where it is learnt from."""

    axis: AxisBatch
    flat: Flat
    taught: AxisBatch | None = None
    """As a teacher reads it."""
    unsaid: AxisBatch | None = None
    """The questions beside it that their tables do not answer."""


@dataclass(frozen=True, slots=True)
class Job:
    """A batch to make."""

    split: str
    """`learnt` or `dev`."""
    numbers: tuple[int, ...]
    """Its questions in the split."""
    previous: tuple[Denotation | None, ...]
    """The answer before each."""
    unsaid: tuple[int, ...] = ()
    """Questions beside it that their tables do not answer, by their numbers among those."""


@dataclass(frozen=True, eq=False)
class BatchArrays:
    """A batch as one process sends it to another."""

    axis: AxisBatch
    flat: FlatArrays
    taught: AxisBatch | None = None
    unsaid: AxisBatch | None = None


@dataclass(frozen=True, eq=False)
class BatchMaker:
    """Makes batches."""

    splits: Mapping[str, Sequence[Example] | Sequence[Question]]
    preparer: Preparer
    scorer: Scorer
    search: SearchConfig
    teacher: Scorer | None = None
    unsaid: Sequence[Prepared] = ()

    def gather(self, job: Job) -> list[Prepared]:
        """Return the questions of a batch made ready."""
        turns = [self.splits[job.split][number] for number in job.numbers]
        return [
            self.preparer(turn.question, previous, turn.answer)
            if isinstance(turn, Example)
            else self.preparer(turn, previous)
            for turn, previous in zip(turns, job.previous, strict=True)
        ]

    def arrays(self, job: Job, ready: Sequence[Prepared]) -> BatchArrays:
        """Return a batch as arrays."""
        axis, search = self.scorer.batch(ready), self.search
        outcome, answered = self.scorer.outcome, job.split != "dev"
        flat = flat_arrays(ready, axis.offsets, axis.width, search, outcome, answered)
        return BatchArrays(axis, flat, self.taught(job, ready), self.not_said(job))

    def taught(self, job: Job, ready: Sequence[Prepared]) -> AxisBatch | None:
        """Return a batch as the teacher reads it, if there is one."""
        if self.teacher is None or job.split == "dev":
            return None
        return self.teacher.batch(ready)

    def not_said(self, job: Job) -> AxisBatch | None:
        """Return the questions beside a batch that their tables do not answer, if there are any."""
        asked = [self.unsaid[number] for number in job.unsaid]
        return self.scorer.batch(asked) if asked else None


class BatchSource(Protocol):
    """Where batches come from."""

    def batches(self, jobs: Sequence[Job]) -> Iterator[LoadedBatch]:
        """Make batches, in order."""

    def prefetch(self) -> None:
        """Take the next batch if it is there, while a GPU is at work on the last."""

    def denote(self, chosen: Chosen, found: Found) -> None:
        """Have `found` told, at once or by `finish`, what programs of the last batch denote."""

    def finish(self) -> None:
        """Wait until all that was asked for is told."""

    def close(self) -> None:
        """Make no more batches."""


@dataclass(eq=False)
class InProcess:
    """Makes each batch when it is asked for."""

    maker: BatchMaker
    device: torch.device
    lap: Lap
    ready: Sequence[Prepared] = ()

    def batches(self, jobs: Sequence[Job]) -> Iterator[LoadedBatch]:
        """Make batches, in order."""
        maker, device = self.maker, self.device
        for job in jobs:
            for one in self.ready:  # each is asked for once an epoch: what it keeps fills memory
                one.forget()
            self.ready = maker.gather(job)
            self.lap("gather")
            if job.split == "dev":
                arrays = moved(maker.arrays(job, self.ready), device)
                yield LoadedBatch(arrays.axis, FlatPrograms(arrays.flat))
                continue
            axis, outcome = maker.scorer.batch(self.ready), maker.scorer.outcome
            taught, unsaid = maker.taught(job, self.ready), maker.not_said(job)
            self.lap("batch")
            flat = lay_flat(self.ready, axis.offsets, axis.width, maker.search, device, outcome)
            self.lap("lay flat")
            on_device = (each and each.to(device) for each in (taught, unsaid))
            yield LoadedBatch(axis.to(device), flat, *on_device)

    def prefetch(self) -> None:
        """Nothing is made ahead."""

    def denote(self, chosen: Chosen, found: Found) -> None:
        """Tell at once what programs of the last batch denote."""
        found([self.ready[line].denotation(number) for line, number in chosen])

    def finish(self) -> None:
        """Nothing is waited for."""

    def close(self) -> None:
        """Forget the last batch."""
        for one in self.ready:
            one.forget()
        self.ready = ()
