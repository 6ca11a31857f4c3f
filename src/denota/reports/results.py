"""The results of the cells, and differences between them by a paired bootstrap over sequences."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from denota.reports.cells import TABLES

CellKey = tuple[str, str, bool]
"""Table, row, shaped."""
Result = dict[str, Any]
Found = Mapping[CellKey, Sequence[Result]]
"""The results of each cell, one a seed."""


def read_results(results: Path) -> Found:
    """Return what results/ has of all tables."""
    found: dict[CellKey, list[Result]] = {}
    for table in TABLES:
        for path in sorted(results.glob(f"{table}.*.json")):
            result = json.loads(path.read_text(encoding="utf-8"))
            cell = result["cell"]
            found.setdefault((table, cell["row"], cell["shaped"]), []).append(result)
    return found


def accuracies(results: Sequence[Result]) -> list[float]:
    """Return the dev answer accuracy of each seed."""
    return [result["dev_answer_accuracy"] for result in results]


def unsteadiness(results: Sequence[Result], first: int = 1) -> list[float]:
    """Return each seed's mean absolute change of dev accuracy between epochs, from `first` on.

    Misra et al. (2018), §5.2.
    """
    curves = [dev_curve(result)[first - 1 :] for result in results]
    return [statistics.mean(abs(b - a) for a, b in pairwise(dev)) for dev in curves if dev[1:]]


def dev_curve(result: Result) -> list[float]:
    """Return the dev answer accuracy of each epoch."""
    return [line["dev_answer_accuracy"] for line in result["epochs"]]


def at_most(result: Result, epochs: int) -> Result | None:
    """Return a result as if it had run for `epochs` epochs.

    It is None if the best epoch, whose outcomes the result holds, came later.
    """
    curve = dev_curve(result)[:epochs]
    if result["best_epoch"] > len(curve):
        return None
    return {**result, "epochs": result["epochs"][:epochs]}


@dataclass(frozen=True)
class Difference:
    """A sum of cells' accuracies, some of them taken away: `a - b`, or `(a - b) - (c - d)`.

    It is taken over the seeds that all of them have.
    """

    name: str
    plus: tuple[CellKey, ...]
    minus: tuple[CellKey, ...]

    @property
    def cells(self) -> tuple[CellKey, ...]:
        """All cells it is made of."""
        return self.plus + self.minus

    def points(self, found: Found) -> float:
        """Return the difference, in points."""
        return 100 * float(self._outcomes(found).mean())

    def interval(self, found: Found, sequences: Sequence[str]) -> tuple[float, float]:
        """Return its 95% interval over the sequences of the dev split."""
        return bootstrap(self._outcomes(found), sequences)

    def seeds(self, found: Found) -> list[int]:
        """Return the seeds that all of its cells were run with."""
        each = [{result["cell"]["seed"] for result in found.get(key, [])} for key in self.cells]
        return sorted(set.intersection(*each))

    def _outcomes(self, found: Found) -> NDArray[np.float64]:
        """(questions,) the difference on each dev question."""
        seeds = self.seeds(found)
        up, down = (
            np.sum([outcomes(found[key], seeds) for key in keys], axis=0)
            for keys in (self.plus, self.minus)
        )
        return np.asarray(up - down)


def told(difference: Difference, found: Found, sequences: Sequence[str]) -> tuple[str, str]:
    """Return a difference in points and its interval, as they are printed."""
    low, high = difference.interval(found, sequences)
    return f"{difference.points(found):+.1f}", f"{low:+.1f} to {high:+.1f}"


def outcomes(results: Sequence[Result], seeds: Sequence[int]) -> NDArray[np.float64]:
    """(questions,) how often each dev question was answered right, over seeds."""
    chosen = [result for result in results if result["cell"]["seed"] in seeds]
    right = [[float(c) for c in result["dev_right"]] for result in chosen]
    return np.asarray(np.mean(right, axis=0))


def bootstrap(
    differences: NDArray[np.float64], sequences: Sequence[str], draws: int = 20_000
) -> tuple[float, float]:
    """Return the 95% interval in points of a mean paired difference, resampling sequences."""
    _, group = np.unique(np.array(sequences), return_inverse=True)
    totals, sizes = np.bincount(group, differences), np.bincount(group)
    times = _times_drawn(len(sizes), draws)
    means = 100 * (times @ totals) / (times @ sizes)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


@lru_cache(maxsize=2)
def _times_drawn(sequences: int, draws: int) -> NDArray[np.float64]:
    """(draws, sequences) how often each sequence is drawn."""
    rng = np.random.default_rng(0)
    return rng.multinomial(sequences, np.full(sequences, 1 / sequences), draws).astype(np.float64)
