"""Work in threads, which is stopped when nobody waits for it any more.

A job is stopped by an exception raised in its thread. One that is inside a library does not heed
that until it is out; its line is busy for so long, and others go on.
"""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import anyio

from denota.errors import DenotaError

GRACE: Final = 1.0
"""Seconds that a job has to end when it is stopped."""
T = TypeVar("T")


class Stopped(BaseException):
    """A job that is not wanted any more."""


class TookTooLong(DenotaError):
    """A job that was stopped because it took too long."""


@dataclass(eq=False)
class Line:
    """What is done one after the other."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    stuck: Job | None = None
    """A job that was stopped and has not heeded it."""


class Job:
    """Something done in a thread of its own."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work, self._lock = work, threading.Lock()
        self._running, self._loop = True, asyncio.get_running_loop()
        self._done = anyio.Event()
        self.result: Any = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="job", daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return not self._running

    async def wait(self) -> None:
        """Return when it has ended."""
        await self._done.wait()

    def stop(self) -> None:
        """Raise `Stopped` in it."""
        with self._lock:
            if self._running and self._thread.ident is not None:
                ident = ctypes.c_ulong(self._thread.ident)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(Stopped))

    def _run(self) -> None:
        try:
            try:
                self.result = self._work()
            except BaseException as error:
                self.error = error
            with self._lock:
                self._running = False
        except Stopped as late:  # it came when the work was done
            self._running, self.error = False, self.error or late
        try:
            self._loop.call_soon_threadsafe(self._done.set)
        except RuntimeError:  # the server has ended
            return


async def do(
    line: Line,
    room: anyio.Semaphore,
    work: Callable[[], T],
    seconds: float,
    stops: bool = True,
    also: Callable[[], None] = lambda: None,
) -> T:
    """Do something in a thread, after what came before it in its line.

    Args:
        line: what it waits in.
        room: how much is done at once, in all lines.
        work: what is done.
        seconds: how long it may take.
        stops: whether it may be stopped in the middle; if not, it is done to its end and only the
            answer is not waited for.
        also: what else stops it.

    Raises:
        TookTooLong: it took longer, or its line is still busy with something that was stopped.
    """
    async with line.lock, room:
        if line.stuck is not None and not line.stuck.is_done:
            raise TookTooLong("this is still busy with something that was stopped; try again soon")
        job = line.stuck = Job(work)
        try:
            with anyio.fail_after(seconds):
                await job.wait()
        except TimeoutError:
            await _end(job, stops, also)
            raise TookTooLong(f"this took longer than {seconds:g} seconds; ask for less") from None
        except anyio.get_cancelled_exc_class():
            await _end(job, stops, also)
            raise
    line.stuck = None
    if job.error is not None:
        raise job.error
    result: T = job.result
    return result


async def _end(job: Job, stops: bool, also: Callable[[], None]) -> None:
    if stops:
        job.stop()
        also()
    with anyio.CancelScope(shield=True), anyio.move_on_after(GRACE):
        await job.wait()
