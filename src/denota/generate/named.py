"""Rows called by name: the value of the subject's column, where no other row has it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from denota.generate.asking import Asked
from denota.generate.frames import Columns, Phrase
from denota.generate.nouns import Noun
from denota.generate.profile import Rows
from denota.generate.scene import Drawn, Scene, guard
from denota.generate.slots import called, pick_noun
from denota.inflect import with_article
from denota.programs.execute import execute
from denota.programs.tree import Program, Test, Value


@dataclass(frozen=True)
class NamedRow:
    """A row, the condition that it alone satisfies, and what a question calls it."""

    row: int
    test: Test
    said: str


def named_row(scene: Scene, rows: Rows, besides: Collection[int] = ()) -> NamedRow | None:
    """Draw a row that has a name of its own; None where there is none."""
    subject = scene.profile.subject
    within = rows if len(rows) == len(scene.profile.rows) else frozenset(rows)
    usable = [
        row
        for row in scene.profile.named
        if row not in besides and (within is rows or row in within)
    ]
    if subject is None or not usable:
        return None
    row = scene.pick(usable)
    value = subject.classes[row]
    ways = subject.said[value]
    said = scene.pick(ways) if scene.chance(0.15) else ways[0]
    test = Test("equal", subject.name, Value(subject.texts[value]))
    return NamedRow(row, test, called(scene, subject, guard(said)))


def thing_slots(scene: Scene) -> dict[str, str]:
    """Return the slots {thing}, {things} and {a_thing} for what the rows are.

    Entries, where the table does not say.
    """
    profile = scene.profile
    nouns = profile.subject_nouns
    if nouns and nouns[0].one == "one" and profile.subject is not None:
        nouns = profile.asked_for(profile.subject)
    noun = pick_noun(scene, nouns) if nouns else _ENTRY
    return {"thing": noun.one, "things": noun.many, "a_thing": with_article(noun.one)}


def ask_program(
    scene: Scene, program: Program, said: Phrase | None, drawn: Drawn | None = None
) -> Asked | None:
    """Put together a question from its program and its words.

    None where there are no words or the program computes nothing.
    """
    if said is None:
        return None
    answer = execute(program, scene.profile.table)
    if program.scope == "without_totals":
        whole = replace(program, scope="table")
        if execute(whole, scene.profile.table) == answer:
            program = whole  # what needs no leaving out says nothing of it
    if answer.values is not None and not _is_stated(answer.values):
        return None
    columns: Columns = tuple(scene.profile.columns[position] for position in answer.columns)
    return Asked(program, answer, *said, columns, drawn)


def _is_stated(values: Collection[object]) -> bool:
    """Say whether there are values, and none is NaN."""
    return bool(values) and all(value == value for value in values)


_ENTRY = Noun("entry", "entries")
