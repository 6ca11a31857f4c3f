"""The cells behind a value: where rules compute what a parser picks, the picking can be taught.

"How many cities have a castle?" is the count of "which cities have a castle?". Told that it is 4,
the parser learns a program for the cities of which there are 4, preferably one that the question
bears out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from denota.conversation.asked import Asked
from denota.conversation.rating import RatedProgram
from denota.conversation.steps import Step
from denota.data.answer import Cells, Item, Values, is_right, items_of
from denota.errors import DataError
from denota.programs.denotation import Denotation
from denota.programs.english import say
from denota.programs.text import print_program
from denota.programs.tree import Program
from denota.tables.table import Table
from denota.teaching.log import Correction
from denota.teaching.teacher import AGAIN, OFFERED, Taught

MANY: Final = 400
"""Programs of a question whose value is computed, at most."""
SHAPED: Final = 5.0
"""How much the words of a question count beside the parser's own probability."""


BY_RULES: Final = (
    "The rest of this question is worked out by rules, and none of the cells that they could take"
    f" gives this, so I have not learnt from it; {AGAIN}."
)


@dataclass(frozen=True)
class Behind:
    """A program that picks cells, and the one that computes a value of them."""

    picks: RatedProgram
    computes: RatedProgram


def lesson_behind(
    asked: Asked, correction: Correction, rated: Sequence[RatedProgram], pipeline: Sequence[Step]
) -> tuple[Correction, tuple[Program, ...]]:
    """Return a lesson about the cells behind a value, and the programs that compute it.

    Args:
        asked: the question.
        correction: with the value.
        rated: the programs that the question bears out: many others have some 3 rows.
        pipeline: the steps that compute values.

    Returns:
        The lesson as it is, where there are no such programs or none is meant.

    Raises:
        DataError: the program that is meant does not give the value.
    """
    assert correction.values is not None
    found = behind(asked, correction.values, rated, pipeline)
    if correction.program:
        meant = [n for n, one in enumerate(found) if _written(one) == correction.program]
        if not meant:
            raise DataError(f"{correction.program} is not among the readings that give this")
        found.insert(0, found.pop(meant[0]))
    if not found or correction.program == "":
        return replace(correction, program=""), tuple(one.computes.program for one in found)
    first = found[0].picks
    lesson = replace(
        correction,
        cells=first.model_answer.cells,
        program=print_program(first.program),
        values=None,
        told=correction.values,
    )
    return lesson, tuple(dict.fromkeys(one.computes.program for one in found))


def with_readings(
    taught: Taught, readings: tuple[Program, ...], previous: Denotation | None, table: Table
) -> Taught:
    """Return what came of a lesson about the cells behind a value, told as the value."""
    readings = readings[:OFFERED]
    if taught.taken is None:
        said = taught.said if readings else BY_RULES
        return replace(taught, readings=readings, said=said)
    before = previous.columns if previous is not None else ()
    names = tuple(table.names[column] for column in before)
    said = f"I now read this as: {say(readings[0], names)}"
    return replace(taught, readings=readings, taken=readings[0], said=said)


def _written(one: Behind) -> str:
    return print_program(one.computes.program)


def behind(
    asked: Asked, items: tuple[Item, ...], rated: Sequence[RatedProgram], pipeline: Sequence[Step]
) -> list[Behind]:
    """Return the programs whose cells give a value, best first.

    Args:
        asked: the question, with what it wants computed.
        items: the value, or several.
        rated: the programs to look at.
        pipeline: the steps that compute values.
    """
    found = []
    for picks in rated:
        computes = shown(picks, asked, pipeline)
        if computes is not None and gives(computes.answer, items, asked.table):
            found.append(Behind(picks, computes))
    return sorted(found, key=lambda one: -_shaped(one.picks))


def shown(
    way: RatedProgram, asked: Asked, pipeline: Sequence[Step], but: str = ""
) -> RatedProgram | None:
    """Return a program as it would be told, None if what is asked for cannot be computed of it.

    Args:
        way: the program as the parser has it.
        asked: the question.
        pipeline: the steps that change single programs.
        but: a step to leave out.
    """
    told: RatedProgram | None = way
    for step in pipeline:
        if step.each is not None and told is not None and step.name != but:
            told = step.each(told, asked)
    return told


def gives(answer: Denotation, items: tuple[Item, ...], table: Table) -> bool:
    """Say whether an answer is the values that a person said."""
    if answer.values is None:
        own: tuple[Item, ...] = items_of(Cells(answer.cells), table)
    elif answer.groups:
        pairs = zip(answer.groups, answer.values, strict=True)
        own = tuple(item for pair in pairs for item in pair)
    else:
        own = tuple(answer.values)
    return is_right(own, Values(items))


def _shaped(way: RatedProgram) -> float:
    return math.log(max(way.probability, 1e-12)) + SHAPED * way.critique
