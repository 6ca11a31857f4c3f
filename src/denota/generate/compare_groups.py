"""Questions that compare the sums or averages of two groups, or ask for the share of one."""

from __future__ import annotations

import math
from typing import Final

from denota.generate import frames
from denota.generate.asking import Asked
from denota.generate.begin import whole_table
from denota.generate.comparatives import compared_slots, is_measured
from denota.generate.compare import sides
from denota.generate.group import adds_up, averages_of, sums_of
from denota.generate.named import ask_program, thing_slots
from denota.generate.profile import ColumnProfile
from denota.generate.scene import Scene, guard
from denota.generate.slots import pick_noun
from denota.programs.tree import Program, Test, Value


def compare_averages(scene: Scene) -> Asked | None:
    """Compare the averages of a column over the rows of two groups."""
    names = [name for name in WEIGHTS if name in scene.language and name != "share"]
    groups = _groups(scene)
    measured = [c for c in scene.profile.columns if c.kind == "number" and is_measured(c)]
    if not names or not groups or not measured or not {"average", "versus"} <= scene.language:
        return None
    group, column = scene.pick(groups), scene.pick(measured)
    scope, rows = whole_table(scene)
    averages = averages_of(group, column, rows)
    usable = [value for value in averages if group.said[value]]
    if len(usable) < 2:
        return None
    one, two = scene.rng.sample(usable, 2)
    if math.isclose(averages[one], averages[two], abs_tol=1e-6):
        return None
    operator = scene.one_of({name: WEIGHTS[name] for name in names})
    tests = [Test("equal", group.name, Value(group.texts[value])) for value in (one, two)]
    said = [guard(group.said[value][0]) for value in (one, two)]
    slots = compared_slots(scene, column, operator) | thing_slots(scene)
    slots |= sides(scene, said[0], said[1], averages[one] > averages[two])
    slots["group"] = pick_noun(scene, group.naming.nouns).one
    program = Program((column.name,), scope, tests[0], "average", None, tests[1], operator)
    return ask_program(scene, program, frames.framed(scene, operator, "averages", slots))


def _groups(scene: Scene) -> list[ColumnProfile]:
    return [
        c
        for c in scene.testable["distinct"]
        if c is not scene.profile.subject and c.kind == "text" and not c.is_yes_no
    ]


def compare_groups(scene: Scene) -> Asked | None:
    """Compare the sums of a column over the rows of two groups, or one with the whole sum."""
    names = [name for name in WEIGHTS if name in scene.language]
    groups = _groups(scene)
    summed = [c for c in scene.profile.columns if adds_up(c, strictly=True)]
    if not names or not groups or not summed or not {"sum", "versus"} <= scene.language:
        return None
    group, column = scene.pick(groups), scene.pick(summed)
    scope, rows = whole_table(scene)
    sums = sums_of(group, column, rows)
    usable = [value for value in sums if group.said[value]]
    if len(usable) < 2 or min(sums.values()) < 0:
        return None
    one, two = scene.rng.sample(usable, 2)
    if math.isclose(sums[one], sums[two], abs_tol=1e-6) or sum(sums.values()) <= 0:
        return None
    operator = scene.one_of({name: WEIGHTS[name] for name in names})
    tests = [Test("equal", group.name, Value(group.texts[value])) for value in (one, two)]
    said = [guard(group.said[value][0]) for value in (one, two)]
    slots = compared_slots(scene, column, operator) | thing_slots(scene)
    slots |= sides(scene, said[0], said[1], sums[one] > sums[two])
    slots["group"] = pick_noun(scene, group.naming.nouns).one
    if operator == "share":
        slots["key"] = said[0]
        program = Program((column.name,), scope, tests[0], "sum", compare=operator)
    else:
        program = Program((column.name,), scope, tests[0], "sum", None, tests[1], operator)
    return ask_program(scene, program, frames.framed(scene, operator, "groups", slots))


WEIGHTS: Final = {"difference": 5.0, "larger": 2.0, "smaller": 1.0, "share": 1.5}
"""How often two groups are compared in each way; a share is of one group and the whole."""
