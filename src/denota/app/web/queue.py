"""Which job a worker does next: fair between clients, and never all workers on large tables.

Jobs go to workers in the order in which they came, but for three things. A client that has used
seconds of work lately comes after those that have not. Jobs on large tables leave one worker free,
so that a small question is never behind a large one. And a job waits for the worker that has its
table, because reading the table again takes longer; on a small table not if that worker is at work
on a large one, or has many others waiting.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from denota.app.web.messages import Done
from denota.app.web.refusals import Busy, TooMany

LARGE: Final = 100_000
"""Cells of a table from which on it is large."""
WAITING: Final = 8
"""Jobs of one client that may wait."""
ALL_WAITING: Final = 1000
"""Jobs that may wait."""
MANY: Final = 3
"""Jobs waiting for one worker from which on another helps out."""
HALF_LIFE: Final = 10.0
"""Seconds after which used time counts half."""

_numbers = count(1)


@dataclass(eq=False)
class Job:
    """Something for a worker to do.

    Args:
        client: who is to be treated fairly.
        name: the method of `Desk`.
        given: what it is given.
        table: the session whose table it needs, if it is one's.
        cells: the size of that table, or of what is sent.
        seconds: that it may take.
    """

    client: str
    name: str
    given: tuple[Any, ...]
    table: str = ""
    cells: int = 0
    seconds: float = 30.0
    tries: int = 0
    """How often a worker died of it, or with it."""
    number: int = field(default_factory=lambda: next(_numbers))
    done: asyncio.Future[Done] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def large(self) -> bool:
        """Whether it may take long."""
        return self.cells > LARGE


class FairQueue:
    """Jobs that wait, and what clients have used.

    Args:
        workers: how many there are.
        now: the clock.
    """

    def __init__(self, workers: int, now: Callable[[], float] = time.monotonic) -> None:
        self._workers, self._now = workers, now
        self._waiting: list[Job] = []
        self._used: dict[str, tuple[float, float]] = {}
        """Seconds that a client has used, as of a time."""
        self._homes: dict[str, int] = {}
        """The worker that has a session's table."""
        self._doing: dict[int, Job] = {}
        """What each worker does."""

    def __len__(self) -> int:
        """Return how many jobs wait."""
        return len(self._waiting)

    def add(self, job: Job) -> None:
        """Let a job wait.

        Raises:
            TooMany: its client has too many jobs waiting.
            Busy: there are too many in all.
        """
        if sum(one.client == job.client for one in self._waiting) >= WAITING:
            raise TooMany("you have too many requests waiting; wait for their answers first")
        if len(self._waiting) >= ALL_WAITING:
            raise Busy("the server has too much to do; ask again in a moment")
        self._waiting.append(job)

    def put_back(self, job: Job) -> None:
        """Let a job that was taken out wait again, before the others."""
        self._waiting.insert(0, job)

    def remove(self, job: Job) -> bool:
        """Take a job out again and say whether it was waiting."""
        if job not in self._waiting:
            return False
        self._waiting.remove(job)
        return True

    def clear(self) -> list[Job]:
        """Take all jobs out."""
        left, self._waiting = self._waiting, []
        return left

    def take(self, free: Collection[int]) -> tuple[Job, int] | None:
        """Take the next job out, with the free worker to do it; None if there is none to do."""
        now = self._now()
        order = sorted(self._waiting, key=lambda one: int(self._seconds(one.client, now)))
        for helps in (False, True):  # a worker helps others when it has nothing of its own to do
            for job in order:
                worker = self._worker(job, free, helps)
                if worker is not None:
                    self._waiting.remove(job)
                    if job.table:
                        self._homes[job.table] = worker
                    self._doing[worker] = job
                    return job, worker
        return None

    def done(self, worker: int, seconds: float) -> None:
        """Note that a worker's job is done, and count the seconds for its client."""
        job = self._doing.pop(worker, None)
        if job is not None:
            self.used(job.client, seconds)

    def used(self, client: str, seconds: float) -> None:
        """Count seconds that a client's job has taken."""
        now = self._now()
        self._used[client] = self._seconds(client, now) + seconds, now
        if len(self._used) > 10 * ALL_WAITING:
            left = {one: pair for one, pair in self._used.items() if self._seconds(one, now) >= 0.5}
            self._used = left

    def forget(self, table: str) -> int | None:
        """Forget, and return, which worker has a table."""
        return self._homes.pop(table, None)

    def lost(self, worker: int) -> None:
        """Forget what a worker that is gone had and did."""
        self._doing.pop(worker, None)
        self._homes = {table: home for table, home in self._homes.items() if home != worker}

    def _seconds(self, client: str, now: float) -> float:
        used, then = self._used.get(client, (0.0, now))
        return float(used * 0.5 ** ((now - then) / HALF_LIFE))

    def _worker(self, job: Job, free: Collection[int], helps: bool) -> int | None:
        """The free worker for a job; the first of several is kept for small tables."""
        allowed = [one for one in free if self._may(job, one)]
        home = self._homes.get(job.table)
        if home in allowed:
            return home
        if not allowed or (home is not None and (not helps or self._waits(job, home))):
            return None
        return min(allowed, key=lambda one: (job.large and self._load(one), one))

    def _waits(self, job: Job, home: int) -> bool:
        """Whether a job waits for the worker that has its table."""
        if job.large or home not in self._doing:
            return self._may(job, home)
        if self._doing[home].large:
            return False
        return sum(self._homes.get(one.table) == home for one in self._waiting) < MANY

    def _may(self, job: Job, worker: int) -> bool:
        return not job.large or worker > 0 or self._workers == 1

    def _load(self, worker: int) -> int:
        return sum(home == worker for home in self._homes.values())
