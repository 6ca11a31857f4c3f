"""Whether the programs of made-up questions are in the space of their questions, by kind."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from denota.generate.conversation import Conversation
from denota.programs.space import program_space
from denota.programs.tree import And, Or, Program, Test


class Place(NamedTuple):
    """Where the program of a question is."""

    kind: str
    there: bool
    """Whether it is in the space."""
    grounded: bool


@dataclass
class Reach:
    """How many questions of a kind there are, and how many have their program in the space."""

    asked: int = 0
    there: int = 0
    """Those whose program is in the space."""
    grounded: int = 0
    """Those whose program the question bears out as well."""


def kind_of(program: Program) -> str:
    """Return what a program does, in a word or two: `difference of sum`, `then max`, `equal`."""
    if program.compare:
        return f"{program.compare} of {program.aggregate}"
    if program.then is not None:
        counted = "count then" if program.aggregate == "count" else "then"
        return f"{counted} {program.then.operator}"
    if program.aggregate:
        return program.aggregate if program.where is None else f"{program.aggregate} where"
    where = program.where
    if isinstance(where, Test):
        return where.operator if program.scope != "previous" else f"of those: {where.operator}"
    if isinstance(where, And):
        return f"{len(where.parts)} conditions"
    return "one or another" if isinstance(where, Or) else f"cells of {program.scope}"


def reach(places: Iterable[Sequence[Place]]) -> dict[str, Reach]:
    """Count by kind what is in the space."""
    found: dict[str, Reach] = {}
    for place in (one for conversation in places for one in conversation):
        kind = found.setdefault(place.kind, Reach())
        kind.asked += 1
        kind.there += place.there
        kind.grounded += place.grounded
    return found


def places_of(
    conversations: Sequence[Conversation], language: frozenset[str], jobs: int = 1
) -> list[tuple[Place, ...]]:
    """Build the space of every question and say where its program is.

    Args:
        conversations: with their programs.
        language: of the space.
        jobs: how many processes to use, 0 for one a core.
    """
    global _shared
    _shared, numbers = (conversations, language), range(len(conversations))
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1:
        found = [_places(number) for number in numbers]
    else:
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            found = pool.map(_places, numbers, chunksize=16)
    _shared = ((), frozenset())
    return found


def only_reached(
    conversations: Sequence[Conversation], places: Sequence[Sequence[Place]]
) -> list[Conversation]:
    """Cut every conversation before its first question whose program is not in the space."""
    found = []
    for conversation, own in zip(conversations, places, strict=True):
        there = [*takewhile(lambda place: place.there, own)]
        if there:
            found.append(replace(conversation, turns=conversation.turns[: len(there)]))
    return found


def _places(number: int) -> tuple[Place, ...]:
    """Where the programs of a conversation are, one of those that a forked process inherited."""
    conversations, language = _shared
    conversation, before = conversations[number], None
    found = []
    for turn in conversation.turns:
        space = program_space(turn.question, conversation.table, before, language)
        place = space.index(turn.program)
        grounded = place is not None and bool(space.is_grounded(place))
        found.append(Place(kind_of(turn.program), place is not None, grounded))
        before = turn.answer
    return tuple(found)


_shared: tuple[Sequence[Conversation], frozenset[str]] = ((), frozenset())
