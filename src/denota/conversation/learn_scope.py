"""Learn when a question starts afresh: logistic regression over conversations put together.

In a data set of conversations, questions go on from the answers before them. An opening question
of another conversation about the same table, asked in between, starts afresh. No label is needed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.conversation.scope import scope_features
from denota.data.answer import Cells
from denota.data.example import Example, conversations
from denota.programs.operators import SCOPES
from denota.tables.table import Table

SEEN: Final = 30
"""Questions that a feature must be seen in."""
SHRINK: Final = 3.0
"""λ of the penalty λ/2 · |w|²."""
ROUNDS: Final = 25
"""Newton's steps, at most."""


@dataclass(frozen=True)
class Change:
    """A question in a conversation, and whether it starts afresh."""

    text: str
    table: Table
    questions: tuple[str, ...]
    """Those before it."""
    before: Example
    """The last of them."""
    afresh: bool
    example: Example
    """The question itself, with its answer."""

    @property
    def features(self) -> dict[str, float]:
        """What tells whether it starts afresh."""
        return scope_features(self.text, self.table, self.questions, _rows(self.before))


def changes_of(examples: Iterable[Example], seed: int) -> list[Change]:
    """Return the later questions of conversations, and openings of others put in between."""
    rng = Random(seed)
    by_table: dict[int, list[tuple[Example, ...]]] = defaultdict(list)
    for talk in conversations(examples):
        by_table[id(talk[0].question.table)].append(talk)
    found: list[Change] = []
    for talks in by_table.values():
        for talk in talks:
            others = [one[0] for one in talks if one[0].question.id != talk[0].question.id]
            for place, example in enumerate(talk):
                asked = tuple(one.question.text for one in talk[:place])
                if place and _goes_on(example):
                    found.append(_change(example, asked, talk[place - 1], False))
                if others:
                    other = rng.choice(others)
                    found.append(_change(other, (*asked, example.question.text), example, True))
    return found


def fit(features: Sequence[Mapping[str, float]], afresh: Sequence[bool]) -> dict[str, float]:
    """Return the weights of features that are seen often enough, by Newton's method."""
    counts = Counter(name for one in features for name in one)
    names = [name for name, count in counts.items() if count >= SEEN]
    places = {name: place for place, name in enumerate(names)}
    x = np.zeros((len(features), len(names)))  # (N, F)
    for line, one in zip(x, features, strict=True):
        for name, value in one.items():
            if name in places:
                line[places[name]] = value
    weights = logistic(x, np.array(afresh, np.float64))
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


def logistic(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (F,) minimum of the logistic loss of (N, F) data, (N,) labels, with its penalty.

    >>> x = np.array([[1.0, 0.0], [1.0, 1.0]] * 50)
    >>> bool(logistic(x, np.array([0.0, 1.0] * 50))[1] > 1)
    True
    """
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (p - y) + SHRINK * weights
        curvature = (x * (p * (1 - p))[:, None]).T @ x + SHRINK * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _change(example: Example, asked: tuple[str, ...], before: Example, afresh: bool) -> Change:
    question = example.question
    return Change(question.text, question.table, asked, before, afresh, example)


def _goes_on(example: Example) -> bool:
    """Whether a later question follows up, where its program is known: made-up ones may not."""
    return example.meant is None or SCOPES[example.meant.scope].follows


def _rows(example: Example) -> int:
    answer = example.answer
    return len({row for row, _ in answer.cells}) if isinstance(answer, Cells) else 1
