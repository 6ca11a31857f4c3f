"""Whether the programs of made-up questions are in the space of their questions, by kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from denota.generate.conversation import Conversation
from denota.programs.denotation import Denotation
from denota.programs.space import program_space
from denota.programs.tree import And, Or, Program, Test


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


def reach(conversations: Iterable[Conversation], language: frozenset[str]) -> dict[str, Reach]:
    """Build the space of every question and return what is in it, by kind."""
    found: dict[str, Reach] = {}
    for conversation in conversations:
        before: Denotation | None = None
        for turn in conversation.turns:
            one = found.setdefault(kind_of(turn.program), Reach())
            space = program_space(turn.question, conversation.table, before, language)
            number = space.index(turn.program)
            one.asked += 1
            one.there += number is not None
            one.grounded += number is not None and space.is_grounded(number)
            before = turn.answer
    return found
