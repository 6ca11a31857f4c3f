"""A question as it was understood and answered, and what a lesson makes of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from denota.conversation.asked import Asked, Context
from denota.conversation.mentions import unused
from denota.conversation.turn import Turn
from denota.programs.sql import Query
from denota.programs.tree import Program
from denota.tables.table import Cell, Table
from denota.teaching.log import LARGEST_LESSON, Correction

POINTED: Final = "These cells were pointed at; no program gives just them."
TOLD: Final = "This is what it was said to be; no program gives it."
AS_TAUGHT: Final = " So it was taught."
ACCEPTED: Final = 50
"""Answers of a conversation that are accepted with a lesson, the last before it."""


@dataclass(frozen=True)
class Reading:
    """One way to understand a question."""

    turn: Turn
    probability: float
    """Of its program, among all."""
    critique: float
    """How well the question's words bear the program out."""


@dataclass(frozen=True)
class Nested:
    """The SQL that the next turn may nest."""

    query: Query | None = None
    depth: int = 0
    """How many turns the query nests."""


@dataclass(frozen=True, eq=False)
class Answered:
    """A question as it was understood, and what the next one is asked after."""

    asked: Asked
    turn: Turn
    after: Context
    nested: Nested = Nested()
    table: Table | None = None
    """As it was then: a sketch grows."""
    taught: bool = False
    """Whether a person said what is right."""
    accepted: bool = False
    """Whether a person said that it is right, or asked on about it."""


def can_be_accepted(one: Answered, computes: bool) -> bool:
    """Say whether a turn is an answer of the parser's own, that can be said to be right.

    Args:
        one: the turn.
        computes: whether the parser computes values itself.
    """
    turn = one.turn
    if one.taught or not turn.program or max(len(turn.cells), len(turn.answer)) > LARGEST_LESSON:
        return False
    return bool(turn.cells) or (turn.computed and computes)


def accepted_before(
    answered: Sequence[Answered], computes: bool, table: Table, most: int = ACCEPTED
) -> list[tuple[Table, Correction]]:
    """Return the last answers that were accepted, oldest first, with the table of each.

    Args:
        answered: the turns.
        computes: whether the parser computes values itself.
        table: that of turns that have none of their own.
        most: how many, at most.
    """
    found = [
        (one.table or table, as_correction(one, computes))
        for one in answered
        if one.accepted and can_be_accepted(one, computes)
    ]
    return found[-most:]


def as_correction(one: Answered, computes: bool) -> Correction:
    """Return a turn as if its answer had been said to be right.

    That is its values, or, where rules computed those, the cells that the parser picked.
    """
    asked, before, turn = one.asked, one.asked.before, one.turn
    values = turn.items if turn.computed and computes else None
    cells = frozenset(turn.cells) if values is None else frozenset[Cell]()
    own = (asked.typed, asked.plain, before.questions, before.previous, cells)
    return Correction(*own, turn.program or None, values)


def remarks_on(asked: Asked, program: Program) -> str:
    """Return what a person should know besides: how words were read, and which were left out."""
    remarks = [f" “{typed}” is read as “{meant}”." for typed, meant in asked.respelled.items()]
    left_out = unused(asked.named, program)
    if left_out:
        remarks.append(f" It does not use {' and '.join(f'“{name}”' for name in left_out[:3])}.")
    return "".join(remarks)
