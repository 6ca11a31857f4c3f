"""What a parser was taught about tables since training: extra weights for each table.

    s(y | x) = log p(y | x) + Σ_l k(x, x_l) Σ_f a_lf     over the features f of the program y

x_l is the question of a lesson, a_l what it gives to features and takes from them, and k is how
near two questions are, by what the encoder makes of them. A lesson is about operators and columns:
its features name no constant. What is particular to its question (a constant, or the answer of a
program with a constant that the question does not name) carries over only to questions that say as
much, and the same question gives the program that was taught, whatever else was learnt. Weights
belong to the tables of one header: what is taught of a table leaves all others as they are. L
lessons, D dimensions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.model.wording import Wording
from denota.tables.table import Table

Vector = NDArray[np.float32]
SHARPNESS: Final = 1
"""The power of the cosine by which questions are near."""
PARTICULAR: Final = "own "
"""What features begin with that carry over only to questions that say as much."""
UNSAID: Final = "value unsaid"
"""The feature of programs with a value that the question does not name. A lesson raises none of
them, unless the question says as much as the lesson's."""


@dataclass(frozen=True, eq=False)
class TableMemory:
    """What was learnt of one table."""

    questions: Vector  #: (L, D) φ of the lessons, each of length 1
    weights: tuple[Mapping[str, float], ...]
    """(L,) a_l: what each lesson gives to and takes from features."""
    wordings: tuple[Wording, ...] = ()
    """(L,) what the lessons' questions say."""
    programs: tuple[str, ...] = ()
    """(L,) what each question was taught to mean, as written; empty where that is not known."""

    def bonus(
        self, asked: Vector, wording: Wording, programs: Sequence[Sequence[str]]
    ) -> NDArray[np.float64]:  #: (K,)
        """What is added to the scores of programs, given by their features, for a (D,) question."""
        near = nearness(self.questions, asked)  # (L,)
        same: dict[str, float] = {}
        other: dict[str, float] = {}
        for place, (share, weights) in enumerate(zip(near.tolist(), self.weights, strict=True)):
            says_it = bool(self.wordings) and self.wordings[place].is_within(wording)
            total = same if says_it else other
            for feature, weight in weights.items():
                if says_it or not feature.startswith(PARTICULAR):
                    total[feature] = total.get(feature, 0.0) + share * weight
        return np.array([_given(features, same, other) for features in programs])

    def taught(self, wording: Wording) -> list[str]:
        """Return what the same question was taught to mean before, the newest first."""
        known = zip(self.wordings, self.programs, strict=False)
        return [program for own, program in known if program and own.text == wording.text][::-1]


@dataclass(frozen=True, eq=False)
class Memory:
    """What was learnt of tables, by their header."""

    tables: Mapping[str, TableMemory] = field(default_factory=dict)

    def of(self, table: Table) -> TableMemory | None:
        """Return what was learnt of a table, None if nothing was."""
        return self.tables.get(header_of(table)) if self.tables else None


def _given(features: Sequence[str], same: Mapping[str, float], other: Mapping[str, float]) -> float:
    """What a program gets of lessons whose questions say the same, and of others."""
    of_others = sum(other.get(feature, 0.0) for feature in features)
    if UNSAID in features:
        of_others = min(0.0, of_others)
    return sum(same.get(feature, 0.0) for feature in features) + of_others


def nearness(questions: Vector, asked: Vector) -> NDArray[np.float64]:
    """Return how near questions are to one or more others, 1 for the same.

    >>> nearness(np.eye(2, dtype=np.float32), np.array([1.0, 0.0], np.float32)).tolist()
    [1.0, 0.0]
    """
    near: NDArray[np.float64] = np.maximum(questions @ asked, 0.0).astype(np.float64) ** SHARPNESS
    return near


def header_of(table: Table) -> str:
    """Return what tables with the same columns share.

    >>> one = Table.from_rows(["a", "b"], [["1", "2"]])
    >>> header_of(one) == header_of(Table.from_rows(["a", "b"], [["3", "4"]]))
    True
    """
    return hashlib.sha256(json.dumps(table.names).encode()).hexdigest()[:32]


def with_turn_kind(vector: Vector, follows: bool) -> Vector:
    """Return a question's vector in a slot for first or later questions.

    Cosine is unchanged within a kind and halved across.

    >>> plain = unit(np.ones(2, np.float32))
    >>> one, other = with_turn_kind(plain, False), with_turn_kind(plain, True)
    >>> round(float(one @ one), 3), round(float(one @ other), 3)
    (1.0, 0.5)
    """
    nothing = np.zeros_like(vector)
    own = (nothing, vector) if follows else (vector, nothing)
    return np.concatenate([vector, *own]) * np.float32(0.5**0.5)


def unit(vector: Vector) -> Vector:
    """Return a vector at length 1."""
    return vector / max(float(np.linalg.norm(vector)), 1e-9)
