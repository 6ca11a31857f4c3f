"""The results of the cells, and differences between them over seeds and questions.

A cell is judged by the mean of its last ten epochs, into which no choice has gone; its best epoch,
chosen on the same questions, stands beside it.
"""

from __future__ import annotations

import base64
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from denota.reports.cells import PAPER

CellKey = tuple[str, str, bool]
"""Table, row, shaped."""
Result = dict[str, Any]
Found = Mapping[CellKey, Sequence[Result]]
"""The results of each cell, one a seed."""
When = Literal["late", "best"]
"""The last ten epochs, or the one that is best on dev."""
LATE: Final = 10
DRAWS: Final = 20_000


def read_results(results: Path, tables: Sequence[str] = PAPER) -> Found:
    """Return what results/ has of some tables, the paper's unless named."""
    found: dict[CellKey, list[Result]] = {}
    for table in tables:
        for path in sorted(results.glob(f"{table}.*.json")):
            result = json.loads(path.read_text(encoding="utf-8"))
            cell = result["cell"]
            found.setdefault((table, cell["row"], cell["shaped"]), []).append(result)
    return found


def dev_curve(result: Result) -> list[float]:
    """Return the dev answer accuracy of each epoch."""
    return [line["dev_answer_accuracy"] for line in result["epochs"]]


def accuracy(result: Result, when: When, epochs: int | None = None) -> float:
    """Return a result's dev answer accuracy, as far as it had come after some epochs."""
    curve = dev_curve(result)[:epochs]
    return max(curve) if when == "best" else statistics.mean(curve[-LATE:])


def accuracies(results: Sequence[Result], when: When = "best") -> list[float]:
    """Return the dev answer accuracy of each seed."""
    return [accuracy(result, when) for result in results]


def unsteadiness(results: Sequence[Result], first: int = 1) -> list[float]:
    """Return each seed's mean absolute change of dev accuracy between epochs, from `first` on.

    Misra et al. (2018), §5.2.
    """
    curves = [dev_curve(result)[first - 1 :] for result in results]
    return [statistics.mean(abs(b - a) for a, b in pairwise(dev)) for dev in curves if dev[1:]]


def outcomes(result: Result) -> NDArray[np.float64]:
    """(epochs, questions) 1 where an epoch answers a dev question right, else 0."""
    bits = [np.frombuffer(base64.b64decode(line), np.uint8) for line in result["dev_right"]]
    count = result["dev_questions"]
    return np.unpackbits(np.stack(bits), axis=1, count=count).astype(np.float64)


def right_share(result: Result, when: When, epochs: int) -> NDArray[np.float64]:
    """(questions,) how often each dev question was answered right, after some epochs."""
    right = outcomes(result)[:epochs]
    if when == "best":
        own: NDArray[np.float64] = right[int(np.argmax(dev_curve(result)[:epochs]))]
        return own
    return np.asarray(right[-LATE:].mean(axis=0))


@dataclass(frozen=True)
class Difference:
    """A sum of cells' accuracies, some of them taken away: `a - b`, or `(a - b) - (c - d)`.

    It is taken over the seeds that all of them have, after as many epochs as all of them have.
    """

    name: str
    plus: tuple[CellKey, ...]
    minus: tuple[CellKey, ...]
    over: float = 0.0
    """What it must be above."""
    weight: float = 1.0
    """What the sum is multiplied by: 1/8 makes a mean of eight."""

    @property
    def cells(self) -> tuple[CellKey, ...]:
        """All cells it is made of."""
        return self.plus + self.minus

    def known(self, found: Found) -> bool:
        """Say whether there is a seed that all of its cells were run with."""
        return all(key in found for key in self.cells) and bool(self.seeds(found))

    def seeds(self, found: Found) -> list[int]:
        """Return the seeds that all of its cells were run with."""
        each = [{result["cell"]["seed"] for result in found.get(key, [])} for key in self.cells]
        return sorted(set.intersection(*each))

    def epochs(self, found: Found) -> int:
        """Return how many epochs all of its cells have."""
        return min(len(result["epochs"]) for key in self.cells for result in found[key])

    def points(self, found: Found, when: When = "late") -> float:
        """Return the difference, in points."""
        return 100 * float(self._on_questions(found, when).mean())

    def interval(
        self, found: Found, sequences: Sequence[str], when: When = "late"
    ) -> tuple[float, float]:
        """Return its 95% interval over seeds and the sequences of the dev split together."""
        return bootstrap(self._on_questions(found, when), sequences)

    def _on_questions(self, found: Found, when: When) -> NDArray[np.float64]:
        """(seeds, questions) the difference on each dev question."""
        epochs = self.epochs(found)
        lines = []
        for seed in self.seeds(found):
            up, down = (
                sum(right_share(_of_seed(found[key], seed), when, epochs) for key in keys)
                for keys in (self.plus, self.minus)
            )
            lines.append(self.weight * (up - down))
        return np.stack(lines)


def _of_seed(results: Sequence[Result], seed: int) -> Result:
    return next(result for result in results if result["cell"]["seed"] == seed)


def told(
    difference: Difference, found: Found, sequences: Sequence[str], when: When = "late"
) -> tuple[str, str]:
    """Return a difference in points and its interval, as they are printed."""
    low, high = difference.interval(found, sequences, when)
    return f"{difference.points(found, when):+.1f}", f"{low:+.1f} to {high:+.1f}"


def bootstrap(
    differences: NDArray[np.float64], sequences: Sequence[str], draws: int = DRAWS
) -> tuple[float, float]:
    """Return the 95% interval in points of the mean of (seeds, questions) paired differences.

    Seeds and sequences are drawn again with replacement, both at once.
    """
    _, group = np.unique(np.array(sequences), return_inverse=True)
    totals = np.stack([np.bincount(group, own) for own in differences])  # (seeds, sequences)
    sizes = np.bincount(group)
    times = _times_drawn(len(sizes), draws)  # (draws, sequences)
    seeds = _times_drawn(len(totals), draws) / len(totals)  # (draws, seeds)
    means = 100 * (seeds * (times @ totals.T)).sum(axis=1) / (times @ sizes)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


@lru_cache(maxsize=4)
def _times_drawn(count: int, draws: int) -> NDArray[np.float64]:
    """(draws, count) how often each of some things is drawn."""
    rng = np.random.default_rng(count)
    return rng.multinomial(count, np.full(count, 1 / count), draws).astype(np.float64)
