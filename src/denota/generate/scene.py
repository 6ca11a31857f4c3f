"""The state while a conversation is made: the table, the random generator, the language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from denota.generate.profile import ColumnProfile, Rows, TableProfile
from denota.programs.tree import Condition, Test

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Scene:
    """A table under the eyes of someone who asks."""

    profile: TableProfile
    testable: Mapping[str, tuple[ColumnProfile, ...]]
    """The columns each operator can say something about (`draw.testable`)."""
    rng: Random
    language: frozenset[str]
    held_out: bool
    """Whether the wordings kept back are used, and only they."""
    past: bool
    """Whether the questions speak of the past."""
    plain: bool = False
    """Whether columns are called by their own names and every question says what it asks for."""
    loose: float = 0.0
    """The share of wordings and names as people type them; 0 for tidy ones alone."""
    kinds: Mapping[str, float] | None = None
    """The weights of kinds of first questions, if not the usual ones."""

    @property
    def joins_values(self) -> bool:
        """Whether the language has `one value or another`."""
        return "or" in self.language or "any_of" in self.language

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of some items."""
        return items[int(self.rng.random() * len(items))]

    def chance(self, share: float) -> bool:
        """Say yes in this share of cases."""
        return self.rng.random() < share

    def one_of(self, weights: Mapping[T, float]) -> T:
        """Draw a key by its weight."""
        point = self.rng.random() * sum(weights.values())
        for item, weight in weights.items():
            point -= weight
            if point < 0:
                return item
        return list(weights)[-1]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A condition with the rows it keeps and what its wordings need."""

    operator: str
    """Whose wordings say it."""
    condition: Condition | None
    rows: Rows
    column: ColumnProfile | None = None
    slots: Mapping[str, str] = field(default_factory=dict)
    single: bool = False
    """Whether it can only mean one row, as a superlative does."""
    forms: tuple[str, ...] = ("predicate", "modifier", "where", "when", "question")
    """The forms it may be said in."""
    wordings: tuple[str, ...] = ()
    """The names of wordings used in its slots already."""
    parts: tuple[Drawn, ...] = ()
    """The conditions joined, for AND and OR."""
    then: Test | None = None
    """The step that leads to its rows from those that the condition keeps."""


def guard(constant: str) -> str:
    """Mark a text that carries a constant, so that nothing changes it later.

    `typos.finish` removes the marks.
    """
    return f"\x02{constant}\x03"
