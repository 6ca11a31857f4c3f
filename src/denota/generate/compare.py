"""Questions that compare two values: of two rows, groups or columns, or of a part and the whole.

Sides that are equal or unknown are not asked about, so that there is one right answer.
"""

from __future__ import annotations

from typing import Final

from denota.generate import frames
from denota.generate.asking import Asked
from denota.generate.begin import leaves_totals_out, whole_table
from denota.generate.comparatives import comparable, compared_slots, is_measured
from denota.generate.draw import draw_filter
from denota.generate.frames import Part
from denota.generate.group import adds_up
from denota.generate.named import NamedRow, ask_program, named_row, thing_slots
from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Scene, guard
from denota.generate.slots import column_slots, pick_noun
from denota.programs.operators import COMPARES
from denota.programs.tree import Program, Test, Value


def compare_rows(scene: Scene) -> Asked | None:
    """Compare a number or date of two named rows."""
    scope, rows = whole_table(scene)
    columns = [c for c in scene.profile.columns if _can_be_compared(scene, c)]
    left = named_row(scene, rows)
    right = named_row(scene, rows, (left.row,)) if left is not None else None
    if not columns or left is None or right is None or not _apart(left, right):
        return None
    column = scene.one_of({c: 2.5 if c.is_time else 1.0 for c in columns})
    operators = [name for name in _operators(scene) if _fits(name, column)]
    one, two = column.order[left.row], column.order[right.row]
    if not operators or one is None or two is None or one == two:
        return None
    operator = scene.one_of({name: WEIGHTS[name] for name in operators})
    aggregate = "day" if column.kind == "date" else "sum"
    if aggregate == "day" and not all(_whole(column, side.row) for side in (left, right)):
        return None
    slots = compared_slots(scene, column, operator) | thing_slots(scene)
    slots |= sides(scene, left.said, right.said, one > two)
    if scene.profile.subject is not None and scene.profile.subject.naming.role == "person":
        slots["who"] = "who"
    form = "days" if aggregate == "day" and operator == "difference" else "rows"
    said = frames.framed(scene, operator, form, slots)
    program = Program((column.name,), scope, left.test, aggregate, None, right.test, operator)
    return ask_program(scene, program, said)


def compare_counts(scene: Scene) -> Asked | None:
    """Compare how many rows have one value and how many another."""
    names = [name for name in _COUNTED if name in scene.language]
    groups = [
        c
        for c in scene.testable["distinct"]
        if c is not scene.profile.subject
        and c.naming.role != "time"
        and not (scene.loose and c.is_yes_no)
    ]
    if not names or not groups or "versus" not in scene.language or "count" not in scene.language:
        return None
    scope, rows = whole_table(scene)
    column = scene.pick(groups)
    sizes: dict[int, int] = {}
    for row in rows:
        sizes[column.classes[row]] = sizes.get(column.classes[row], 0) + 1
    usable = [value for value in sizes if column.said[value]]
    if len(usable) < 2:
        return None
    one, two = scene.rng.sample(usable, 2)
    if sizes[one] == sizes[two]:
        return None
    operator = scene.one_of({name: WEIGHTS[name] for name in names})
    tests = [Test("equal", column.name, Value(column.texts[value])) for value in (one, two)]
    said_one, said_two = (guard(column.said[value][0]) for value in (one, two))
    slots = sides(scene, said_one, said_two, sizes[one] > sizes[two]) | thing_slots(scene)
    slots["column"] = pick_noun(scene, column.naming.nouns).one
    if column.naming.role == "place":
        slots |= {f"{name}_place": slots[name] for name in _SIDES}
    said = frames.framed(scene, operator, "counts", slots)
    program = Program((), scope, tests[0], "count", None, tests[1], operator)
    return ask_program(scene, program, said)


def compare_columns(scene: Scene) -> Asked | None:
    """Compare two columns of a named row, or their sums."""
    names = [name for name in _OF_COLUMNS if name in scene.language]
    columns = [c for c in scene.profile.columns if c.kind == "number" and is_measured(c)]
    pairs = [(a, b) for a in columns for b in columns if comparable(a, b)]
    if not names or not pairs or "sum" not in scene.language:
        return None
    first, second = scene.pick(pairs)
    operator = scene.one_of({name: WEIGHTS[name] for name in names})
    if not COMPARES[operator].ordered and first.position > second.position:
        first, second = second, first
    scope, rows = whole_table(scene)
    whole = adds_up(first) and adds_up(second) and scene.chance(0.2)
    named = None if whole else named_row(scene, rows)
    if named is None and not whole:
        return None
    one, two = (_total(column, rows, named) for column in (first, second))
    if one is None or two is None or one == two:
        return None
    slots = sides(scene, _own(scene, first), _own(scene, second), one > two)
    if named is not None:
        slots["row"] = named.said
    said = frames.framed(scene, operator, "columns" if named else "sums", slots)
    condition = named.test if named is not None else None
    program = Program((first.name, second.name), scope, condition, "sum", compare=operator)
    return ask_program(scene, program, said)


def share_of_whole(scene: Scene) -> Asked | None:
    """Ask for the percentage of rows that satisfy a condition, or for their share in a sum."""
    if "share" not in scene.language:
        return None
    scope, rows = whole_table(scene)
    columns = [column for column in scene.profile.columns if adds_up(column)]
    if columns and "sum" in scene.language and scene.chance(0.45):
        named, column = named_row(scene, rows), scene.pick(columns)
        if named is None or column.order[named.row] is None or sum(_stated(column, rows)) <= 0:
            return None
        if min(_stated(column, rows)) < 0:
            return None
        slots = column_slots(scene, column, "share") | {"key": named.said}
        said = frames.framed(scene, "share", "rows", slots)
        program = Program((column.name,), scope, named.test, "sum", compare="share")
        return ask_program(scene, program, said)
    drawn = draw_filter(scene, rows, least=1)
    if drawn is None or "count" not in scene.language or not leaves_totals_out(scene, drawn):
        return None
    drawn = frames.said_of(scene, drawn, ())
    form = scene.pick(("predicate", "modifier"))
    parts = {form: Part(drawn, (form,), plural=True)}
    said = frames.framed(scene, "share", form, thing_slots(scene), True, parts)
    program = Program((), scope, drawn.condition, "count", compare="share")
    return ask_program(scene, program, said, drawn)


def _operators(scene: Scene) -> list[str]:
    known = "versus" in scene.language and "sum" in scene.language
    return [name for name in WEIGHTS if name in scene.language and known]


def _fits(operator: str, column: ColumnProfile) -> bool:
    """Say whether an operator fits a column: after and before are for times alone."""
    if operator == "after_or_before":
        return column.is_time
    if operator in ("ratio", "above_or_below", "higher_or_lower", "more_or_less"):
        return not column.is_time and column.kind == "number"
    return True


def _can_be_compared(scene: Scene, column: ColumnProfile) -> bool:
    subject = column is scene.profile.subject
    known = column.kind == "number" or "day" in scene.language
    return is_measured(column) and not subject and known


def _whole(column: ColumnProfile, row: int) -> bool:
    """Say whether a cell states a year, a month and a day."""
    stated = column.dates[row]
    return stated is not None and all(stated)


def _apart(left: NamedRow, right: NamedRow) -> bool:
    """Say whether neither name is part of the other."""
    one, two = (side.said.strip("\x02\x03").lower() for side in (left, right))
    return one not in two and two not in one


def sides(scene: Scene, left: str, right: str, left_is_larger: bool) -> dict[str, str]:
    """Return the slots of the two sides.

    {left} and {right} are as in the program, {key} is the larger, {other} the smaller; {a} and {b}
    come in any order.
    """
    key, other = (left, right) if left_is_larger else (right, left)
    a, b = (left, right) if scene.chance(0.5) else (right, left)
    return {"left": left, "right": right, "key": key, "other": other, "a": a, "b": b}


def _own(scene: Scene, column: ColumnProfile) -> str:
    """Return the name of a column that is compared: its own, or the things it counts."""
    naming = column.naming
    if naming.counted and naming.own.many.startswith("number"):
        return naming.counted[0]
    return naming.own.one


def _total(column: ColumnProfile, rows: Rows, named: NamedRow | None) -> float | None:
    if named is not None:
        return column.order[named.row]
    return sum(_stated(column, rows)) if _stated(column, rows) else None


def _stated(column: ColumnProfile, rows: Rows) -> list[float]:
    return [value for row in rows if (value := column.order[row]) is not None]


_SIDES: Final = ("left", "right", "key", "other", "a", "b")
WEIGHTS: Final = {
    **{"difference": 6.0, "ratio": 1.5, "more": 3.0, "larger": 6.0, "smaller": 5.0},
    **{"more_or_less": 1.0, "after_or_before": 2.5, "above_or_below": 0.8, "higher_or_lower": 0.8},
}
"""How often two rows are compared in each way."""
_COUNTED: Final = ("difference", "ratio", "more", "larger", "smaller")
_OF_COLUMNS: Final = ("difference", "ratio", "more", "larger", "smaller")
