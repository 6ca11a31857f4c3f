"""Which job a worker does next: fair between clients, and one worker is always for small tables."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.app.web.queue import ALL_WAITING, LARGE, MANY, WAITING, FairQueue, Job
from denota.app.web.refusals import Busy, TooMany


def job(client: str, table: str = "", cells: int = 0) -> Job:
    return Job(client, "ask", (), table, cells, done=asyncio.Future(loop=LOOP))


LOOP = asyncio.new_event_loop()


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_first_come_first_served() -> None:
    queue = FairQueue(2)
    jobs = [job(f"client {n}") for n in range(5)]
    for one in jobs:
        queue.add(one)
    assert [queue.take([0, 1])[0] for _ in jobs] == jobs  # type: ignore[index]
    assert queue.take([0, 1]) is None


def test_who_has_used_much_comes_after_who_has_not() -> None:
    clock = Clock()
    queue = FairQueue(2, clock)
    queue.used("greedy", 20)
    greedy, modest = job("greedy"), job("modest")
    queue.add(greedy)
    queue.add(modest)
    assert queue.take([0]) == (modest, 0)
    queue.add(other := job("other"))
    clock.now = 1000.0  # long ago counts no more
    assert queue.take([0]) == (greedy, 0)
    assert queue.take([0]) == (other, 0)


def test_large_tables_leave_a_worker_for_small_ones() -> None:
    queue = FairQueue(2)
    large = [job(f"client {n}", f"table {n}", LARGE + 1) for n in range(3)]
    for one in large:
        queue.add(one)
    assert queue.take([0, 1]) == (large[0], 1)
    assert queue.take([0]) is None, "the first worker takes no large table"
    queue.add(small := job("somebody"))
    assert queue.take([0]) == (small, 0)
    assert FairQueue(1).take([0]) is None
    alone = FairQueue(1)
    alone.add(large[1])
    assert alone.take([0]) == (large[1], 0), "but an only worker does"


def test_a_large_table_is_asked_where_it_is() -> None:
    queue = FairQueue(3)
    queue.add(first := job("a", "table", LARGE + 1))
    assert queue.take([1, 2]) == (first, 1)
    queue.add(again := job("a", "table", LARGE + 1))
    assert queue.take([0, 2]) is None, "it waits for the worker that has it"
    assert queue.take([0, 1, 2]) == (again, 1)
    queue.add(once_more := job("a", "table", LARGE + 1))
    queue.lost(1)
    assert queue.take([2]) == (once_more, 2), "a worker that is gone is not waited for"


def test_a_small_table_is_asked_elsewhere_if_it_must() -> None:
    queue = FairQueue(2)
    queue.add(first := job("a", "table", 10))
    assert queue.take([1]) == (first, 1)
    queue.add(again := job("a", "table", 10))
    assert queue.take([0]) is None, "it waits for the worker that has it"
    queue.add(other := job("b", "other", 10))
    assert queue.take([0]) == (other, 0)
    queue.done(1, 0.1)
    assert queue.take([1]) == (again, 1)
    queue.done(1, 0.1)
    queue.done(0, 0.1)
    queue.add(large := job("c", "large", LARGE + 1))
    assert queue.take([1]) == (large, 1)
    queue.add(small := job("a", "table", 10))
    assert queue.take([0]) == (small, 0), "not behind a large one"


def test_a_worker_with_many_waiting_is_helped() -> None:
    queue = FairQueue(2)
    for number in range(MANY + 1):
        queue.add(job(f"client {number}", f"table {number}", 10))
        taken = queue.take([1])
        assert taken is not None
        queue.done(1, 0.1)
    for number in range(MANY + 1):
        queue.add(job(f"client {number}", f"table {number}", 10))
    assert queue.take([1]) is not None, "and its own is at work again"
    helped = [queue.take([0]) for _ in range(2)]
    assert helped[0] is not None and helped[1] is None


def test_nobody_fills_the_queue() -> None:
    queue = FairQueue(2)
    for _ in range(WAITING):
        queue.add(job("impatient"))
    with pytest.raises(TooMany):
        queue.add(job("impatient"))
    queue.add(job("somebody else"))
    for number in range(ALL_WAITING - WAITING - 1):
        queue.add(job(f"client {number}"))
    with pytest.raises(Busy):
        queue.add(job("one more"))
    assert len(queue.clear()) == ALL_WAITING and not len(queue)


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["", "t", "u"]), st.booleans()),
        max_size=24,
    ),
    st.integers(1, 3),
)
def test_every_job_is_done_once(asked: list[tuple[str, str, bool]], workers: int) -> None:
    """Whatever waits, workers that become free again and again do all of it, each once."""
    queue = FairQueue(workers)
    jobs = []
    for client, table, large in asked:
        one = job(client, table, LARGE + 1 if large else 1)
        try:
            queue.add(one)
        except TooMany:
            continue
        jobs.append(one)
    done: list[Job] = []
    while (taken := queue.take(range(workers))) is not None:
        assert not taken[0].large or taken[1] or workers == 1
        done.append(taken[0])
        queue.done(taken[1], 0.1)
    assert sorted(one.number for one in done) == [one.number for one in jobs]
    assert not len(queue)


def test_removed_jobs_are_not_done() -> None:
    queue = FairQueue(1)
    queue.add(one := job("a"))
    assert queue.remove(one) and not queue.remove(one)
    assert queue.take([0]) is None
