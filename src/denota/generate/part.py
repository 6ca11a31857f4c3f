"""Questions for a part of a cell: what stands first, last or in brackets, its year, its numbers.

And for the column with the largest number.
"""

from __future__ import annotations

import re
from typing import Final

from denota.generate import frames
from denota.generate.asking import Asked
from denota.generate.begin import whole_table
from denota.generate.named import ask_program, named_row
from denota.generate.profile import ColumnProfile, TableProfile
from denota.generate.scene import Scene
from denota.generate.slots import pick_noun
from denota.programs.execute import execute
from denota.programs.operators import AGGREGATES
from denota.programs.tree import Program


def part_of_cell(scene: Scene) -> Asked | None:
    """Ask for a part of a named row's cell."""
    offers = [(name, c) for name, c in _parted(scene.profile) if name in scene.language]
    if not offers:
        return None
    names = tuple(dict.fromkeys(name for name, _ in offers))
    name = scene.pick(names)
    column = scene.pick([c for other, c in offers if other == name])
    scope, rows = whole_table(scene)
    named = named_row(scene, rows)
    part = AGGREGATES[name].part
    if named is None or part is None:
        return None
    text = column.index.column.text[named.row]
    if part(text) is None or part(text) == text or not text.isprintable():
        return None
    if name == "difference_inside" and column.kind == "number" and not _SPAN.search(text):
        return None
    slots = {"key": named.said, "column": pick_noun(scene, column.naming.nouns).one}
    if _SPAN.search(text):
        slots["years"] = "years"
    elif _SCORE.fullmatch(text.strip()):
        slots["score"] = slots["column"]
    said = frames.framed(scene, name, "named", slots)
    return ask_program(scene, Program((column.name,), scope, named.test, name), said)


def most_common_part(scene: Scene) -> Asked | None:
    """Ask which first part of a column's cells occurs most."""
    offers = [
        (name, column)
        for name, column in _parted(scene.profile, most_common=True)
        if name in scene.language
    ]
    if not offers:
        return None
    name, column = scene.pick(offers)
    scope, _ = whole_table(scene)
    program = Program((column.name,), scope, None, name)
    answer = execute(program, scene.profile.table)
    if len(answer.values or ()) != 1:
        return None
    slots = {"column": pick_noun(scene, column.naming.nouns).one}
    return ask_program(scene, program, frames.framed(scene, name, "alone", slots))


def ask_for_a_column_name(scene: Scene) -> Asked | None:
    """Ask which column has the largest or smallest number in a named row, or the largest sum."""
    names = [name for name in ("largest_column", "smallest_column") if name in scene.language]
    numeric = sum(column.kind == "number" for column in scene.profile.columns)
    if not names or numeric < 2:
        return None
    name = scene.pick(names)
    scope, rows = whole_table(scene)
    if scene.chance(0.2):
        said = frames.framed(scene, name, "alone", {})
        return ask_program(scene, Program((), scope, None, name), said)
    named = named_row(scene, rows)
    if named is None:
        return None
    said = frames.framed(scene, name, "named", {"key": named.said})
    return ask_program(scene, Program((), scope, named.test, name), said)


def _parted(profile: TableProfile, most_common: bool = False) -> list[tuple[str, ColumnProfile]]:
    """The parts that cells of each column have, by the name of the operator that gives them."""
    return [
        (name, column)
        for name, aggregate in AGGREGATES.items()
        if aggregate.part is not None and aggregate.most_common == most_common
        for column in profile.columns
        if column is not profile.subject
        and _makes_sense(name, column)
        and column.index.has_part(name, aggregate.part)
    ]


def _makes_sense(name: str, column: ColumnProfile) -> bool:
    """Say whether a part of the column is worth asking for: the year of a date, a span of years."""
    if column.kind == "number":
        return name in ("difference_inside", "in_brackets") and column.unit == "year"
    return column.kind == "text" or name in ("year_part", "in_brackets")


_SPAN: Final = re.compile(r"\b1[5-9]\d\d\s*[-–—]\s*(?:1[5-9]|20)\d\d\b|\b20\d\d\s*[-–—]\s*20\d\d\b")
_SCORE: Final = re.compile(r"\d{1,3}\s*[-–—:]\s*\d{1,3}")
