"""Confidence that means something: of the answers given at 80%, four in five are right.

A parser's scores say how its programs compare, not how often they are right. Logistic regressions
on named features of an answer, fitted on questions that were not learnt from, say that: how likely
the answer is right (Platt scaling with more to go by), how likely one of its two best readings is,
and how likely the table says it at all. `chances` fits them. n answers, F features, W weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from denota.evaluation.order import Order

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
BY_RATING: Final = ("log_share", "log_odds", "later")
"""The features of files that name none: how much of all probability the answer has, its odds
against the next best answer, whether a question came before."""
NEVER: Final = 1.01
"""A threshold that no chance reaches."""
FAR: Final = 3.0
"""A feature further than this from its middle, in units of its spread, counts as so far."""
CLOSE: Final = 0.5
"""Two readings are close if the second is at least so likely, for one that the first is."""
Outcome = Literal["sure", "unsure", "ask_back", "declined"]
"""What is told: an answer that is sure, one that is not, a question back, or that the table does
not say it."""


@dataclass(frozen=True)
class Chances:
    """How likely it is that an answer is right, and what else may be."""

    right: float
    """That the best reading is right."""
    either: float
    """That one of the two best readings is."""
    said: float
    """That the table says what is asked for."""

    @property
    def second(self) -> float:
        """That the second reading is right."""
        return self.either - self.right

    def at_most(self, right: float) -> Chances:
        """Return the chances of what builds on an answer that is right with some chance."""
        return Chances(min(self.right, right), min(self.either, right), self.said)


@dataclass(frozen=True)
class Scale:
    """What features are brought to before they are weighed: far ones held, some multiplied."""

    middle: tuple[float, ...]
    """The mean of each feature."""
    spread: tuple[float, ...]
    """Its standard deviation, 1 where it is always the same."""
    products: tuple[tuple[int, int], ...] = ()
    """The places of features that count together as well."""

    def __call__(self, features: Floats) -> Floats:
        """(n, W - 1) what is weighed of (n, F) features.

        >>> Scale((1.0, 0.0), (2.0, 1.0), ((0, 1),))(np.array([[3.0, 0.5]])).tolist()
        [[1.0, 0.5, 0.5]]
        """
        near = np.clip((features - np.array(self.middle)) / np.array(self.spread), -FAR, FAR)
        both = [near[:, one] * near[:, other] for one, other in self.products]
        return np.concatenate([near, *(column[:, None] for column in both)], axis=1)


@dataclass(frozen=True)
class Calibration:
    """From features to confidence, and from confidence to what is told."""

    weights: tuple[float, ...]
    """That the answer is right: the constant, then one a feature, then one a product."""
    sure: float = 0.5
    """An answer is sure from this confidence on."""
    features: tuple[str, ...] = BY_RATING
    """The names of the features."""
    scale: Scale | None = None
    """What is weighed of them; they themselves if None."""
    either: tuple[float, ...] = ()
    """That one of the two best readings is right, likewise; none if that was not fitted."""
    said: tuple[float, ...] = ()
    """That the table says what is asked for."""
    declines: float = 0.0
    """What is not sure is declined below this chance that the table says it."""
    asks: float = 0.0
    """What is not sure is asked back below this chance that the table says it."""
    close: float = NEVER
    """What is not sure is asked back where the second reading is close and right with this chance
    at least."""
    order: Order | None = None
    """What readings are put in order by; as the parser rates them if None."""

    @property
    def sees_doubt(self) -> bool:
        """Whether it looks at more than how the parser rates an answer."""
        return self.features != BY_RATING

    def confidence(self, features: Floats) -> Floats:
        """(n,) the confidence of answers with (n, F) features.

        >>> Calibration((0.0, 1.0)).confidence(np.zeros((2, 1))).tolist()
        [0.5, 0.5]
        """
        return chance(self._weighed(features), self.weights)

    def chances(self, features: Floats) -> list[Chances]:
        """Return the chances of answers with (n, F) features."""
        given = self._weighed(features)
        right = chance(given, self.weights)
        either = np.maximum(right, chance(given, self.either)) if self.either else right
        said = chance(given, self.said) if self.said else np.ones(len(given))
        found = zip(right.tolist(), either.tolist(), said.tolist(), strict=True)
        return [Chances(*one) for one in found]

    def outcome(self, found: Chances) -> Outcome:
        """Return what is told: a sure answer, one that is not, a question back, or nothing."""
        if found.right >= self.sure:
            return "sure"
        if found.said < self.declines:
            return "declined"
        is_close = found.second >= max(self.close, CLOSE * found.right)
        return "ask_back" if is_close or found.said < self.asks else "unsure"

    def _weighed(self, features: Floats) -> Floats:
        return features if self.scale is None else self.scale(features)


def chance(weighed: Floats, weights: Sequence[float]) -> Floats:
    """(n,) the chance that a logistic regression with (W,) weights gives."""
    found: Floats = 0.5 * (1 + np.tanh((weights[0] + weighed @ np.array(weights[1:])) / 2))
    return found
