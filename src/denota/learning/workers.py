"""Processes that make batches ahead of the steps that learn from them.

A process is forked with all questions, so a job is a few numbers. Batches go round: the n-th is
made by process n modulo their count, which writes its tensors into memory it shares with the
trainer, two stretches by turns. The trainer copies a batch out before it gives the process another,
so a stretch is never written while it is read. What a program denotes is asked of the process that
made its batch, and told later. Questions with a previous answer that no store has are made ready by
one process and left on a shelf for the others. No process but the trainer touches a GPU.
"""

from __future__ import annotations

import gc
import mmap
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from denota.errors import TrainingError
from denota.learning.batches import BatchArrays, BatchMaker, Chosen, Found, Job, Lap, LoadedBatch
from denota.learning.parcel import pack, unpack, write_tensors
from denota.search.flat_programs import FlatPrograms
from denota.search.preparer import KEPT_QUESTIONS
from denota.search.shelf import Shelf

MOST_WORKERS: Final = 8
"""Beside a GPU at most this many processes make batches, if the settings do not say."""
AHEAD: Final = 2
"""Batches that a process has in hand."""
SHARED: Final = 64 << 20
"""Bytes of a stretch of shared memory; a larger batch is sent by a pipe."""
WATCH: Final = 2.0
"""Seconds after which a process notices that the trainer is gone."""


def workers_of(setting: int, device: torch.device) -> int:
    """Return how many processes make batches; -1 leaves it to the device.

    >>> workers_of(-1, torch.device("cpu")), workers_of(3, torch.device("cpu"))
    (0, 3)
    """
    if setting >= 0:
        return setting
    return 0 if device.type == "cpu" else max(0, min(MOST_WORKERS, (os.cpu_count() or 1) - 2))


class Workers:
    """Batches from processes, in the order of their jobs."""

    def __init__(self, maker: BatchMaker, count: int, device: torch.device, lap: Lap) -> None:
        self.device, self.lap = device, lap
        self.given = self.taken = self.learnt = 0
        """Batches given out, taken from the processes, and learnt from."""
        self.left: Iterator[Job] = iter(())
        self.next: BatchArrays | None = None
        """A batch that was taken and is not learnt from yet."""
        self.waiting: dict[int, Found] = {}
        """Who is told what programs denote, by the number of the batch."""
        self.folder = Path(tempfile.mkdtemp(prefix="denota-batches-"))
        shelf = Shelf(self.folder, KEPT_QUESTIONS // count)
        self.workers = [_Worker(maker, shelf) for _ in range(count)]

    def batches(self, jobs: Sequence[Job]) -> Iterator[LoadedBatch]:
        """Make batches, in order."""
        self.left = iter(jobs)
        for _ in range(AHEAD * len(self.workers)):
            self._give()
        for _ in jobs:
            arrays = self.next if self.next is not None else self._take()
            self.next = None
            self.learnt += 1
            yield LoadedBatch(arrays.axis, FlatPrograms(arrays.flat), arrays.taught, arrays.unsaid)

    def prefetch(self) -> None:
        """Take the next batch, if it is there, while a GPU is at work on the last."""
        waits = self.next is None and self.taken < self.given
        if waits and self._worker(self.taken).results.poll():
            self.next = self._take()

    def denote(self, chosen: Chosen, found: Found) -> None:
        """Have `found` told by `finish` what programs of the last batch denote."""
        number = self.learnt - 1
        self.waiting[number] = found
        self._worker(number).tasks.put((number, tuple(chosen)))

    def finish(self) -> None:
        """Wait until all that was asked for is told."""
        while self.waiting:
            self._hear(next(iter(self.waiting)))

    def close(self) -> None:
        """End the processes."""
        for worker in self.workers:
            worker.close()
        self.workers = []
        shutil.rmtree(self.folder, ignore_errors=True)

    def _worker(self, number: int) -> _Worker:
        return self.workers[number % len(self.workers)]

    def _give(self) -> None:
        """Give out the next job, if there is one."""
        job = next(self.left, None)
        if job is not None:
            self._worker(self.given).tasks.put((self.given, job))
            self.given += 1

    def _take(self) -> BatchArrays:
        """The next batch, on the device."""
        heard = None
        while heard is None:
            heard = self._hear(self.taken)
        self.lap("wait")
        text, size, sent = heard
        worker = self._worker(self.taken)
        stretch = worker.stretches[self.taken // len(self.workers) % AHEAD]
        self.taken += 1
        arrays: BatchArrays = unpack(text, self._copied(stretch if sent is None else sent, size))
        self._give()
        self.lap("move")
        return arrays

    def _copied(self, stretch: bytes | mmap.mmap, size: int) -> Tensor:
        """(size,) bytes on the device."""
        own = torch.empty(size, dtype=torch.uint8, pin_memory=self.device.type == "cuda")
        if size:
            own.numpy()[:] = np.frombuffer(stretch, np.uint8, size)
        return own.to(self.device, non_blocking=True)

    def _hear(self, number: int) -> tuple[bytes, int, bytes | None] | None:
        """The next message of a batch's process: its next batch, or None for denotations."""
        try:
            of, what = self._worker(number).results.recv()
        except (EOFError, OSError):
            raise TrainingError(
                "a process that makes batches was killed, perhaps for lack of memory; free some, "
                "or take fewer with train.workers"
            ) from None
        if isinstance(what, BaseException):
            raise what
        if isinstance(what, list):
            self.waiting.pop(of)(what)
            return None
        found: tuple[bytes, int, bytes | None] = what
        return found


class _Worker:
    """The trainer's end of a process."""

    def __init__(self, maker: BatchMaker, shelf: Shelf) -> None:
        fork = multiprocessing.get_context("fork")
        self.stretches = [mmap.mmap(-1, SHARED) for _ in range(AHEAD)]
        self.tasks: Any = fork.Queue()
        self.results, end = fork.Pipe(duplex=False)
        given = (maker, shelf, self.tasks, end, self.stretches, os.getpid())
        self.process = fork.Process(target=_work, args=given, daemon=True)
        self.process.start()
        end.close()

    def close(self) -> None:
        """End the process, whatever it is at."""
        self.process.kill()
        self.process.join()
        self.results.close()
        self.tasks.close()
        self.tasks.cancel_join_thread()


def _work(
    maker: BatchMaker,
    shelf: Shelf,
    tasks: Any,
    results: Connection,
    stretches: list[mmap.mmap],
    parent: int,
) -> None:
    """In a process of its own: make batches until there is no trainer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the trainer's to handle
    torch.set_num_threads(1)
    gc.freeze()  # what was there at the fork stays shared
    threading.Thread(target=_watch, args=(parent, shelf.folder), daemon=True).start()
    maker.preparer.shelf, maker.preparer.kept = shelf, shelf.most
    buffers = [np.frombuffer(stretch, np.uint8) for stretch in stretches]
    held, made = {}, 0
    while True:
        number, what = tasks.get()
        try:
            if isinstance(what, Job):
                held[number] = maker.gather(what)
                text, tensors, size = pack(maker.arrays(what, held[number]))
                fits = size <= SHARED
                buffer = buffers[made % AHEAD] if fits else np.empty(size, np.uint8)
                write_tensors(tensors, buffer)
                results.send((number, (text, size, None if fits else buffer.tobytes())))
                made += 1
            else:
                ready = held.pop(number)
                results.send((number, [ready[line].denotation(one) for line, one in what]))
                for one in ready:
                    one.forget()
        except Exception as error:
            results.send((number, error))


def _watch(parent: int, folder: Path) -> None:
    """End this process when the trainer is gone, however it ended."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
