"""Questions about groups of rows that share a value: the most common, the largest sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from denota.generate import frames
from denota.generate.asking import Asked
from denota.generate.begin import leaves_totals_out, whole_table
from denota.generate.comparatives import is_measured
from denota.generate.draw import draw_filter
from denota.generate.frames import Part, Phrase
from denota.generate.named import ask_program, thing_slots
from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Drawn, Scene, guard
from denota.generate.slots import asked_slots, column_slots
from denota.programs.constants import CARDINALS
from denota.programs.tree import Argument, Name, Number, Program, Test
from denota.tables.numbers import MONEY_UNITS


def pick_group(scene: Scene) -> Asked | None:
    """Ask for the value that occurs most, least or k times, or whose rows have the best sum."""
    names = [name for name in PICKS if name in scene.language]
    group = _group(scene)
    if not names or group is None:
        return None
    weights = {name: PICKED[name] for name in names}
    operator = scene.one_of(weights) if scene.loose else scene.pick(names)
    scope, rows = whole_table(scene)
    kept = draw_filter(scene, rows, (group,), 4) if scene.chance(0.2) else None
    sums, slots = operator in ("has_most", "has_least"), dict[str, str]()
    argument: Argument | None = None
    amounts = _sizes(group, kept.rows if kept else rows)
    if sums:
        summed = _summed(scene, group)
        if summed is None:
            return None
        amounts = sums_of(group, summed, kept.rows if kept else rows)
        argument = Name(summed.name)
        slots = column_slots(scene, summed, operator)
    found = sorted(amounts.values(), reverse=operator in ("most_common", "has_most"))
    if len(found) < 2 or (not sums and max(found) < 2):
        return None
    plural = False
    if operator == "occurs":
        k = int(scene.pick(found))
        if not 1 <= k <= 12 or not found.count(k) < len(found):
            return None
        plural = found.count(k) > 1
        argument, said_times = _times(scene, k)
        slots = {"times": said_times}
    elif math.isclose(found[0], found[1], abs_tol=1e-6):
        return None
    said = _say(scene, operator, group, slots, plural, kept)
    step = Test(operator, group.name, argument)
    condition = kept.condition if kept else None
    if kept is not None and not leaves_totals_out(scene, kept):
        return None
    program = Program((group.name,), scope, condition, then=step)
    return ask_program(scene, program, said, Drawn(operator, condition, ()))


def value_per_group(scene: Scene) -> Asked | None:
    """Ask for a count, a sum or an average for each value of a column."""
    names = [name for name in PER if name in scene.language]
    group = _group(scene)
    if not names or group is None:
        return None
    operator, slots = scene.pick(names), dict[str, str]()
    columns: tuple[str, ...] = (group.name,)
    scope, rows = whole_table(scene)
    kept = draw_filter(scene, rows, (group,), 3) if scene.chance(0.15) else None
    here = {group.classes[row] for row in (kept.rows if kept else rows) if not group.missing[row]}
    if not 1 < len(here) <= _MOST_GROUPS:
        return None
    if operator != "count_per":
        summed = _summed(scene, group)
        if summed is None:
            return None
        columns, slots = (*columns, summed.name), column_slots(scene, summed, operator)
    if kept is not None and not leaves_totals_out(scene, kept):
        return None
    said = _say(scene, operator, group, slots, False, kept)
    program = Program(columns, scope, kept.condition if kept else None, operator)
    return ask_program(scene, program, said)


def _say(
    scene: Scene,
    operator: str,
    group: ColumnProfile,
    slots: dict[str, str],
    plural: bool,
    kept: Drawn | None,
) -> Phrase | None:
    filled = {**asked_slots(scene, group, plural), **slots, **thing_slots(scene)}
    if kept is None:
        return frames.framed(scene, operator, "alone", filled, plural)
    parts = {"modifier": Part(frames.said_of(scene, kept, ()), ("modifier",), plural=True)}
    return frames.framed(scene, operator, "modifier", filled, plural, parts)


def _group(scene: Scene) -> ColumnProfile | None:
    """A column whose values occur several times."""
    columns = [c for c in scene.testable["distinct"] if c is not scene.profile.subject]
    if scene.loose:
        columns = [c for c in columns if not (c.kind == "date" or c.is_yes_no or c.naming.is_id)]
    return scene.pick(columns) if columns else None


def _summed(scene: Scene, group: ColumnProfile) -> ColumnProfile | None:
    """A column whose numbers can be added up."""
    columns = [c for c in scene.profile.columns if adds_up(c, scene.loose > 0) and c is not group]
    return scene.pick(columns) if columns else None


def adds_up(column: ColumnProfile, strictly: bool = False) -> bool:
    """Say whether adding up a column's numbers gives something: not years, ranks or percentages.

    Strictly, it must be known what they are, and neither be ratings nor unit prices.
    """
    concept = column.naming.concept
    told = column.unit in MONEY_UNITS or column.naming.counted
    if strictly and not told and (concept is None or concept.name not in _ADDED):
        return False
    if strictly and (column.naming.is_id or " per " in column.naming.own.one):
        return False
    if strictly and concept is not None and concept.name in _NOT_ADDED:
        return False
    return (
        column.kind == "number"
        and is_measured(column)
        and not column.is_time
        and column.unit != "%"
        and not column.naming.family_is("founding", "birth", "time", "age", "temperature")
    )


def _sizes(group: ColumnProfile, rows: Rows) -> dict[int, float]:
    sizes: dict[int, float] = {}
    for row in rows:
        if not group.missing[row]:
            sizes[group.classes[row]] = sizes.get(group.classes[row], 0) + 1
    return sizes


def sums_of(group: ColumnProfile, summed: ColumnProfile, rows: Sequence[int]) -> dict[int, float]:
    """Return the sum of a column for each value of another that some rows have."""
    sums: dict[int, float] = {}
    for row in rows:
        value = summed.order[row]
        if value is not None and not group.missing[row]:
            sums[group.classes[row]] = sums.get(group.classes[row], 0) + value
    return sums


def averages_of(
    group: ColumnProfile, measured: ColumnProfile, rows: Sequence[int]
) -> dict[int, float]:
    """Return the average of a column for each value of another that some rows have."""
    counts: dict[int, int] = {}
    for row in rows:
        if measured.order[row] is not None and not group.missing[row]:
            counts[group.classes[row]] = counts.get(group.classes[row], 0) + 1
    return {value: total / counts[value] for value, total in sums_of(group, measured, rows).items()}


def _times(scene: Scene, k: int) -> tuple[Argument, str]:
    """How often, as a constant and in words: `twice`, `three times`, `4 times`."""
    short = {1: "once", 2: "twice"}.get(k, "")
    if short and "number_words" in scene.language and scene.chance(0.6):
        return Number(float(k), short), guard(short)
    words = "number_words" in scene.language and k < len(CARDINALS) and scene.chance(0.5)
    written = CARDINALS[k] if words else str(k)
    return Number(float(k), written), f"{guard(written)} time{'s' * (k > 1)}"


PICKS: Final = ("most_common", "least_common", "occurs", "has_most", "has_least")
PICKED: Final = dict(zip(PICKS, (4.0, 2.0, 0.4, 4.0, 2.0), strict=True))
"""How often each is asked in loose wording."""
PER: Final = ("count_per", "sum_per", "average_per")
_ADDED: Final = frozenset(
    """pay revenue spending amount quantity stock population attendance profit capacity duration
    distance""".split()
)
"""Concepts whose numbers people add up."""
_NOT_ADDED: Final = frozenset(["rating", "age", "height", "price", "discount", "experience"])
_MOST_GROUPS: Final = 12
