"""Worker processes: jobs given out fairly, stopped when nobody waits or time is up, and replaced.

The event loop only gives out and takes in. A thread for each worker waits for its results.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from denota.app.web import worker
from denota.app.web.messages import Done
from denota.app.web.queue import FairQueue, Job
from denota.app.web.refusals import Busy, Late
from denota.app.web.worker import Failed, Setting
from denota.errors import DenotaError, ModelError

if TYPE_CHECKING:
    from denota.app.web.desk import Desk

GRACE: Final = 1.5
"""Seconds that a stopped job has to end before its worker is killed."""
GROWN: Final = 1500 << 20
"""Bytes by which a worker may have grown before another takes its place."""
TRIES: Final = 2
"""How often a job is begun when its worker dies."""
SIGNALS: Final = 8
"""How often a job is told to stop within that time."""
STILLBORN: Final = 5
"""Workers that may die one after the other before they are ready; then jobs are refused."""
PAUSE: Final = 1.0
"""Seconds before a worker that died before it was ready is replaced; twice as long each time."""
LONGEST_PAUSE: Final = 30.0
Result = Done | DenotaError | Failed | None


class Fault(Exception):
    """A fault of ours, found in a worker."""


class Desks(Protocol):
    """What does jobs."""

    async def run(self, job: Job) -> Done:
        """Do a job; whoever cancels this stops it."""

    def forget(self, table: str) -> None:
        """Let no worker keep a table."""

    def close(self) -> None:
        """Stop all work."""

    @property
    def ready(self) -> int:
        """How many workers there are."""


@dataclass(eq=False)
class _Worker:
    """A worker as the server sees it."""

    number: int
    process: Any
    pipe: Connection
    unwanted: Any
    """A shared number: the job that is to be stopped."""
    began: int = 0
    """Bytes that it had when it was ready; 0 until then."""
    job: Job | None = None
    since: float = 0.0
    timers: list[asyncio.TimerHandle] = field(default_factory=list)
    sending: threading.Lock = field(default_factory=threading.Lock)


class Pool:
    """Worker processes.

    Args:
        setting: what they work with.
        count: how many there are.
        on_job: is told the name of each job and the seconds it took.
    """

    def __init__(
        self,
        setting: Setting,
        count: int,
        on_job: Callable[[str, float], None] = lambda name, seconds: None,
    ) -> None:
        self._setting, self._count, self._on_job = setting, count, on_job
        self._queue = FairQueue(count)
        self._workers: dict[int, _Worker] = {}
        self._closed = False
        self._stillborn = 0
        """Workers that died before they were ready, since one was."""
        self._was_ready = False
        self._failed: DenotaError | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._senders = ThreadPoolExecutor(count, "to-workers")
        self._context = _context(setting.model)

    async def start(self) -> None:
        """Start the workers and wait for the first.

        Raises:
            DenotaError: they cannot work with what they are given.
        """
        self._loop = asyncio.get_running_loop()
        for number in range(self._count):
            self._begin(number)
        while not self.ready and self._failed is None:
            await asyncio.sleep(0.02)
        if self._failed is not None:
            self.close()
            raise self._failed

    @property
    def ready(self) -> int:
        """How many workers are there."""
        return sum(bool(one.began) for one in self._workers.values())

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._queue)

    def memory(self) -> int:
        """Return the bytes that the workers hold."""
        return sum(_resident(one.process.pid) for one in self._workers.values())

    async def run(self, job: Job) -> Done:
        """Do a job; whoever cancels this stops it.

        Raises:
            Refused: it took too long, or there is too much to do.
            DenotaError: what the job says cannot be done.
            Fault: something of ours went wrong.
        """
        if self._closed:
            raise _ending()
        self._queue.add(job)
        self._give_out()
        try:
            return await job.done
        except asyncio.CancelledError:
            self._stop(job)
            raise

    def forget(self, table: str) -> None:
        """Let no worker keep a table: each is told before its next job."""
        self._queue.forget(table)
        for one in self._workers.values():
            if one.began:
                self._senders.submit(_send, one, (0, "forget", (table,)))

    def end(self, seconds: float) -> None:
        """Refuse what waits, and what is not done after some seconds."""
        self._closed = True
        for job in self._queue.clear():
            self._answer(job, _ending())
        assert self._loop is not None
        self._loop.call_later(seconds, self.close)

    def close(self) -> None:
        """Stop all work now."""
        self._closed = True
        for job in self._queue.clear():
            self._answer(job, _ending())
        for one in list(self._workers.values()):
            self._answer(one.job, _ending())
            if one.process.pid is not None:
                one.process.kill()
        self._senders.shutdown(wait=False, cancel_futures=True)

    def _begin(self, number: int) -> None:
        """Start a worker in a thread of its own: the first one waits for the model."""
        if self._closed:
            return
        ours, theirs = self._context.Pipe()
        unwanted = self._context.Value("Q", 0, lock=False)
        process = self._context.Process(
            target=worker.begin, args=(self._setting, theirs, unwanted), daemon=True
        )
        one = self._workers[number] = _Worker(number, process, ours, unwanted)
        threading.Thread(target=self._listen, args=(one, theirs), daemon=True).start()

    def _listen(self, one: _Worker, theirs: Connection) -> None:
        """Start a worker and pass on what it says, until it is gone."""
        try:
            one.process.start()
            theirs.close()
            while True:
                self._on_loop(self._heard, one, pickle.loads(one.pipe.recv_bytes()))
        except (EOFError, OSError):
            self._on_loop(self._gone, one)

    def _on_loop(self, call: Callable[..., None], *given: Any) -> None:
        assert self._loop is not None
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(call, *given)

    def _heard(self, one: _Worker, result: Result) -> None:
        if not one.began:
            if isinstance(result, DenotaError):
                self._failed = result
                return
            one.began = _resident(one.process.pid) or 1
            self._stillborn, self._was_ready = 0, True
        else:
            job = self._free(one)
            self._answer(job, result)
            if _resident(one.process.pid) > one.began + GROWN and not self._closed:
                one.process.kill()  # another takes its place
                return
        self._give_out()

    def _gone(self, one: _Worker) -> None:
        """Replace a worker that died, and begin its job again if it was not its fault twice."""
        job = self._free(one)
        one.process.join(0.2)
        if self._closed or self._failed is not None:
            return
        self._queue.lost(one.number)
        assert self._loop is not None
        if one.began:
            self._begin(one.number)
        else:
            self._begin_later(one.number)
        if job is None or job.done.done():
            return
        job.tries += 1
        if job.tries < TRIES:
            self._queue.put_back(job)
            self._give_out()
        else:
            self._answer(job, _lost())

    def _begin_later(self, number: int) -> None:
        """Replace a worker that was never ready; nobody waits for ever where none gets ready."""
        self._stillborn += 1
        if self._stillborn > STILLBORN and not self._was_ready:
            self._failed = ModelError("the processes that answer questions do not start")
            return
        if self._stillborn > STILLBORN and not self.ready:
            for job in self._queue.clear():
                self._answer(job, _lost())
        assert self._loop is not None
        pause = min(PAUSE * 2 ** (self._stillborn - 1), LONGEST_PAUSE)
        self._loop.call_later(pause, self._begin, number)

    def _give_out(self) -> None:
        """Give waiting jobs to free workers."""
        while not self._closed:
            free = [one.number for one in self._workers.values() if one.began and one.job is None]
            taken = self._queue.take(free) if free else None
            if taken is None:
                return
            job, number = taken
            one = self._workers[number]
            one.job, one.since = job, time.monotonic()
            assert self._loop is not None
            one.timers = [self._loop.call_later(job.seconds, self._too_late, one, job)]
            self._senders.submit(_send, one, (job.number, job.name, job.given))

    def _free(self, one: _Worker) -> Job | None:
        job, one.job = one.job, None
        for timer in one.timers:
            timer.cancel()
        if job is not None:
            seconds = time.monotonic() - one.since
            self._queue.done(one.number, seconds)
            self._on_job(job.name, seconds)
        return job

    def _too_late(self, one: _Worker, job: Job) -> None:
        self._answer(job, Late("this took too long and was stopped; ask for less at a time"))
        self._stop(job)

    def _stop(self, job: Job) -> None:
        """Stop a job, whether it waits or is being done."""
        if self._queue.remove(job):
            return
        assert self._loop is not None
        for one in self._workers.values():
            if one.job is job and one.process.pid is not None:
                one.unwanted.value = job.number
                for late in range(SIGNALS):  # one that comes while memory is freed is not heeded
                    after = late * GRACE / SIGNALS
                    one.timers.append(self._loop.call_later(after, _signal, one.process.pid))
                one.timers.append(self._loop.call_later(GRACE, one.process.kill))

    def _answer(self, job: Job | None, result: Result) -> None:
        if job is None or job.done.done():
            return
        if isinstance(result, Done):
            job.done.set_result(result)
        elif isinstance(result, Failed):
            print(f"denota: {result.kind} in {job.name} at {result.where}", file=sys.stderr)
            job.done.set_exception(Fault(result.kind))
        else:
            job.done.set_exception(result or _ending())


class Inline:
    """A desk in this process, one job at a time; for tests and small programs."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._lock = desk, threading.Lock()

    async def run(self, job: Job) -> Done:
        """Do a job."""
        return await asyncio.to_thread(self._do, job)

    def _do(self, job: Job) -> Done:
        with self._lock:
            return self._desk.do(job.name, *job.given)

    def forget(self, table: str) -> None:
        """Forget a table."""
        with self._lock:
            self._desk.forget(table)

    def close(self) -> None:
        """Nothing to stop."""

    @property
    def ready(self) -> int:
        """Return one."""
        return 1


def _context(model: str) -> Any:
    """What starts processes: forked from one that has the model, where that can be."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    os.environ[worker.MODEL] = model
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[threads] = "1"  # a worker is one core's; and threads do not survive a fork
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["denota.app.web.preloaded"])
    return context


def _send(one: _Worker, content: object) -> None:
    try:
        with one.sending:
            one.pipe.send_bytes(pickle.dumps(content, pickle.HIGHEST_PROTOCOL))
    except OSError:
        pass  # whoever listens notices that the worker is gone


def _signal(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGUSR1)


def _resident(process: int | None) -> int:
    """The bytes of memory that a process holds; 0 where that is not told."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _lost() -> Busy:
    return Busy("the server lost what answers questions; ask again in a moment")


def _ending() -> Busy:
    return Busy("the server is ending; ask again when it is back")
