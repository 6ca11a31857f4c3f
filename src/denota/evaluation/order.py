"""The order of a question's readings: how the parser rates them, and what they leave out.

    p(y) ∝ exp(w0 log p_model(y) + w · features(y))

The weights are learnt from answers alone, by the likelihood of the answer (MML): a question's K
readings share out 1, and those that give the right answer are to have as much of it as can be.
Every data set counts the same. F features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
RIDGE: Final = 0.3
"""How much weights are held back: of 0.03, 0.1, 0.3 and 1 that which gave more right answers than
it took on most data sets that it was not fitted to (SQA +10 −5, WikiTableQuestions +15 −10, real
tables +0 −1)."""
LEAST: Final = 1e-12
FAR: Final = 3.0
_STEPS: Final = 60


@dataclass(frozen=True, eq=False)
class Choices:
    """A question's readings, of which at least one is right."""

    data: str
    """The data set."""
    probabilities: Floats  #: (K,) as the parser rates them
    features: Floats  #: (K, F)
    right: Flags  #: (K,)


@dataclass(frozen=True)
class Order:
    """What readings are put in order by."""

    features: tuple[str, ...]
    """Their names."""
    weights: tuple[float, ...]
    """Of the log-probability, then of each feature."""
    middle: tuple[float, ...]
    """The mean of each feature."""
    spread: tuple[float, ...]
    """Its standard deviation, 1 where it is always the same."""

    def scores(self, probabilities: Floats, features: Floats) -> Floats:
        """(K,) what the readings of a question are ordered by.

        >>> order = Order(("left_out",), (1.0, -2.0), (0.0,), (1.0,))
        >>> order.scores(np.array([0.6, 0.3]), np.array([[1.0], [0.0]])).argmax()
        np.int64(1)
        """
        lines = _lines(probabilities, self.scaled(features))
        found: Floats = lines @ np.array(self.weights)
        return found

    def scaled(self, features: Floats) -> Floats:
        """(K, F) features in units of their spread, far ones held."""
        scaled = (features - np.array(self.middle)) / np.array(self.spread)
        held: Floats = np.clip(scaled, -FAR, FAR)
        return held


def fit_order(choices: Sequence[Choices], names: Sequence[str], ridge: float = RIDGE) -> Order:
    """Return the order under which right answers are likeliest.

    Each step weighs the right readings by what they share so far, and takes Newton's step towards
    them (expectation maximisation).

    Args:
        choices: questions of one data set or several, each with a right reading.
        names: of their features.
        ridge: how much weights are held back from the parser's own order.
    """
    every = np.concatenate([one.features for one in choices])
    spread = every.std(axis=0)
    spread[spread == 0] = 1.0
    own = np.zeros(len(names) + 1)
    own[0] = 1.0
    start = own.copy()
    scale = Order(
        tuple(names), tuple(own.tolist()), tuple(every.mean(axis=0).tolist()), tuple(spread)
    )
    lines = [_lines(one.probabilities, scale.scaled(one.features)) for one in choices]
    sets = [one.data for one in choices]
    counts = [1 / sets.count(data) / len(set(sets)) for data in sets]
    for _ in range(_STEPS):
        gradient = -2 * ridge * (own - start)
        curvature = 2 * ridge * np.eye(len(own))
        for one, line, count in zip(choices, lines, counts, strict=True):
            share = _shares(line @ own)
            meant = np.where(one.right, share, 0.0)
            meant /= meant.sum()
            middle = share @ line
            gradient += count * (meant @ line - middle)
            apart = line - middle
            curvature += count * (apart * share[:, None]).T @ apart
        step = np.linalg.solve(curvature, gradient)
        own = own + step
        if np.abs(step).max() < 1e-6:
            break
    return Order(scale.features, tuple(own.tolist()), scale.middle, tuple(map(float, spread)))


def _lines(probabilities: Floats, scaled: Floats) -> Floats:
    """(K, 1 + F) what is weighed of each reading."""
    logs = np.log(np.maximum(probabilities, LEAST))
    return np.concatenate([(logs - logs.max())[:, None], scaled], axis=1)


def _shares(scores: Floats) -> Floats:
    shares = np.exp(scores - scores.max())
    found: Floats = np.maximum(shares / shares.sum(), LEAST)
    return found
