"""The simulated queue is the one that mathematics knows, and more workers never make it longer."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.reports.queueing import answered_at, simulate, workers_needed


def mean_wait(rate: float, mean: float, workers: int) -> float:
    """Erlang's C formula: the mean wait before service in M/M/c."""
    load = rate * mean
    last = load**workers / factorial(workers) * workers / (workers - load)
    waits = last / (sum(load**k / factorial(k) for k in range(workers)) + last)
    return waits * mean / (workers - load)


@pytest.mark.parametrize(("rate", "workers"), [(0.7, 1), (3.2, 4), (9.0, 12)])
def test_exponential_times_wait_as_erlang_says(rate: float, workers: int) -> None:
    rng = np.random.default_rng(1)
    count = 300_000
    arrivals = np.cumsum(rng.exponential(1 / rate, count))
    service = rng.exponential(1.0, count)
    waits = answered_at(arrivals, service, workers) - arrivals - service
    assert waits[count // 10 :].mean() == pytest.approx(mean_wait(rate, 1.0, workers), rel=0.08)


@given(
    st.lists(st.tuples(st.floats(0, 5), st.floats(0.01, 3)), min_size=1, max_size=40),
    st.integers(1, 5),
)
def test_no_question_is_answered_before_its_time(asked: list[tuple[float, float]], c: int) -> None:
    arrivals = np.cumsum([gap for gap, _ in asked])
    service = np.array([takes for _, takes in asked])
    few, more = (answered_at(arrivals, service, workers) for workers in (c, c + 1))
    assert (few >= arrivals + service - 1e-9).all()
    assert (more <= few + 1e-9).all()
    running = [(arrivals + 0 < t) & (few > t) for t in few - 1e-6]
    begun = few - service
    for t, there in zip(few - 1e-6, running, strict=True):
        assert (there & (begun <= t)).sum() <= c


def test_the_fewest_workers_are_found() -> None:
    seconds = [0.02, 0.03, 0.05]
    count = workers_needed(100, seconds, 0.2)
    assert simulate(100, count, seconds).p95 <= 0.2
    assert simulate(100, count - 1, seconds).p95 > 0.2
    with pytest.raises(ValueError, match="alone"):
        workers_needed(1, [3.0], 1.0)
