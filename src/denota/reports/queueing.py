"""Questions that wait for a free worker: a simulation from measured times of answers.

Questions arrive at random (a Poisson process) and are answered in their order by the first of c
workers that is free (the queue M/G/c; with exponential times M/M/c, which Erlang solved in 1917).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Waited:
    """How long questions took, from being asked to being answered, in seconds."""

    median: float
    p95: float
    busy: float
    """The share of the workers' time that was spent on answers."""


def simulate(
    rate: float, workers: int, seconds: Sequence[float], questions: int = 60_000, seed: int = 0
) -> Waited:
    """Return what becomes of questions that arrive at a rate.

    Args:
        rate: questions a second.
        workers: how many answer, one question at a time each.
        seconds: measured times of answers, from which those of the simulation are drawn.
        questions: how many arrive; the first tenth, when no queue has formed yet, is not counted.
        seed: of arrivals and times.
    """
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / rate, questions))
    service = rng.choice(np.asarray(seconds, float), questions)
    ends = answered_at(arrivals, service, workers)
    took = (ends - arrivals)[questions // 10 :]
    span = ends.max() - arrivals[0]
    busy = float(service.sum() / (workers * span))
    return Waited(float(np.median(took)), float(np.quantile(took, 0.95)), busy)


def answered_at(arrivals: Floats, service: Floats, workers: int) -> Floats:
    """(n,) when each question is answered, first come, first served.

    >>> answered_at(np.array([0.0, 0.0, 1.0]), np.array([2.0, 5.0, 1.0]), 2).tolist()
    [2.0, 5.0, 3.0]
    """
    free = [0.0] * workers
    ends = np.empty(len(arrivals))
    for number, (arrived, takes) in enumerate(zip(arrivals, service, strict=True)):
        ends[number] = max(arrived, free[0]) + takes
        heapq.heapreplace(free, ends[number])
    return ends


def workers_needed(rate: float, seconds: Sequence[float], within: float) -> int:
    """Return the fewest workers with which 95 of 100 questions are answered within some seconds.

    Raises:
        ValueError: answers themselves take longer than that.
    """
    if np.quantile(seconds, 0.95) >= within:
        raise ValueError(f"95 of 100 answers alone take more than {within} s")
    least = max(1, int(np.ceil(rate * float(np.mean(seconds)))))
    most = 2 * least + 8
    while least < most:
        middle = (least + most) // 2
        if simulate(rate, middle, seconds).p95 <= within:
            most = middle
        else:
            least = middle + 1
    return least
