"""Conditions on values: equal or not, one of several, a word, missing, zero, the same as before.

Each function draws one over some rows, or returns None where the rows have none worth asking
about. The condition keeps some of the rows and not all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Drawn, Scene, guard
from denota.generate.slots import called, column_slots
from denota.generate.states import state_slots
from denota.generate.wordings import choose
from denota.programs.tree import Or, Test, Value, Word
from denota.tokens import content


def equal(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column = value."""
    value = _value(scene, rows, column)
    if value is None or (scene.loose and _is_seldom_named(scene, column)):
        return None
    kept = _with_class(column, rows, value)
    others = 0.5 if scene.loose else 0.3
    said = scene.pick(column.said[value]) if scene.chance(others) else column.said[value][0]
    slots = column_slots(scene, column, "equal") | value_slots(scene, column, said)
    return _drawn("equal", _test("equal", column, value), kept, rows, column, slots)


def not_equal(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column != value."""
    value = _value(scene, rows, column)
    if value is None or (scene.loose and _is_seldom_excluded(column)):
        return None
    kept = tuple(row for row in rows if column.classes[row] != value)
    slots = column_slots(scene, column, "not_equal") | value_slots(
        scene, column, column.said[value][0]
    )
    slots.pop("key", None)
    return _drawn("not_equal", _test("not_equal", column, value), kept, rows, column, slots)


def either(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column = one value or another."""
    return _one_of(scene, rows, column, 2)


def any_of(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column = one of three values."""
    return _one_of(scene, rows, column, 3)


def contains(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column CONTAINS word."""
    return _word(scene, rows, column, True)


def not_contains(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column NOT CONTAINS word."""
    return _word(scene, rows, column, False)


def is_empty(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column IS EMPTY."""
    kept = tuple(row for row in rows if column.missing[row])
    return _of_column(scene, "is_empty", kept, rows, column)


def is_not_empty(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column IS NOT EMPTY."""
    kept = tuple(row for row in rows if not column.missing[row])
    return _of_column(scene, "is_not_empty", kept, rows, column)


def is_zero(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column IS ZERO."""
    if scene.loose and not _is_counted(column):
        return None
    kept = tuple(row for row in rows if column.order[row] == 0)
    return _of_column(scene, "is_zero", kept, rows, column)


def is_positive(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column IS POSITIVE."""
    if scene.loose and not _is_counted(column):
        return None
    kept = tuple(row for row in rows if (column.order[row] or 0) > 0)
    return _of_column(scene, "is_positive", kept, rows, column)


def distinct(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column IS DISTINCT: the first row of each value."""
    first: dict[int, int] = {}
    for row in rows:
        first.setdefault(column.classes[row], row)
    return _of_column(scene, "distinct", tuple(first.values()), rows, column)


def same_value(
    scene: Scene, rows: Rows, column: ColumnProfile, before: Sequence[int]
) -> Drawn | None:
    """Column SAME AS PREVIOUS, where the answer before has one value there."""
    values = {column.classes[row] for row in before}
    if len(values) != 1 or not column.said[next(iter(values))]:
        return None
    kept = tuple(row for row in rows if column.classes[row] in values)
    if kept == tuple(before):
        return None
    return _of_column(scene, "same_value", kept, rows, column)


def value_slots(scene: Scene, column: ColumnProfile, said: str) -> dict[str, str]:
    """Return the slots that a value can stand in, by what its column holds."""
    value, naming = guard(said), column.naming
    if scene.loose and column.is_yes_no:
        return state_slots(scene, column, said)
    slots = {"value": value}
    if column.kind == "text":
        slots["text"] = value
    if column.unit == "year" and _YEAR.fullmatch(said):
        slots["time"] = value
        if scene.profile.times == 1:
            slots["bare_time"] = value
    elif column.kind == "number":
        slots["quantity"] = value
    if naming.role in ("place", "kind", "person"):
        slots[naming.role] = value
    if not _CREATORS.isdisjoint(naming.nouns[0].one.split()):
        slots["creator"] = value
    if scene.loose and said:
        slots |= state_slots(scene, column, said)
    if column is scene.profile.subject:
        value = called(scene, column, value)
        return slots | ({"key": value} if column.is_time else {"key": value, "key_one": value})
    return slots | {"attribute": value}


def _is_counted(column: ColumnProfile) -> bool:
    concept = column.naming.concept
    return bool(column.naming.counted) or (concept is not None and concept.name == "stock")


def _is_seldom_named(scene: Scene, column: ColumnProfile) -> bool:
    """Say, mostly, whether a column is one whose exact values people do not ask for."""
    measured = column.kind == "number" and column.unit != "year" and not column.naming.is_id
    return (measured or column.kind == "date") and not scene.chance(0.2)


def _is_seldom_excluded(column: ColumnProfile) -> bool:
    """Say whether nobody asks for all rows but those of a value: `not 5.2`."""
    return column.kind != "text" or column.is_yes_no or 2 * len(column.texts) > len(column.classes)


def _value(scene: Scene, rows: Rows, column: ColumnProfile) -> int | None:
    """A value of one of the rows that can be said."""
    for _ in range(3):
        value = column.classes[scene.pick(rows)]
        if column.said[value]:
            return value
    return None


def _one_of(scene: Scene, rows: Rows, column: ColumnProfile, count: int) -> Drawn | None:
    values = sorted({column.classes[row] for row in rows if column.said[column.classes[row]]})
    if len(values) <= count or (scene.loose and _is_seldom_named(scene, column)):
        return None
    if scene.loose and column.is_yes_no:
        return None
    values = sorted(scene.rng.sample(values, count))
    words = [content(column.texts[value]) for value in values]
    named = frozenset[str]().union(*words)
    others = (
        content(column.texts[value])
        for value in {column.classes[row] for row in rows}.difference(values)
    )
    if count > 2 and any(2 * len(other & named) > len(other) for other in others):
        return None  # the question would name another value too
    names = ("first", "second", "third")
    said = {name: guard(column.said[v][0]) for name, v in zip(names, values, strict=False)}
    operator = "or" if count == 2 else "any_of"
    together = count == 2 and column is scene.profile.subject and scene.chance(0.6)
    form = "plural" if together else "value"
    wording = choose(scene.rng, operator, (form,), said, scene.held_out, scene.loose)
    if wording is None:
        return None
    slots = column_slots(scene, column, "equal")
    filled = value_slots(scene, column, "")
    phrase = wording.fill(said)
    slots |= {slot: phrase for slot in filled if slot not in ("key_one", "key")}
    if together:
        slots["key"] = phrase
    kept = tuple(row for row in rows if column.classes[row] in values)
    tests = tuple(_test("equal", column, value) for value in values)
    forms = ("question",) if together else ("predicate", "modifier", "where", "when")
    return _drawn("equal", Or(tests), kept, rows, column, slots, forms, (wording.name,))


def _word(scene: Scene, rows: Rows, column: ColumnProfile, having: bool) -> Drawn | None:
    if not column.words:
        return None
    word, having_it = scene.pick(column.words)
    kept = tuple(row for row in rows if (row in having_it) == having)
    operator = "contains" if having else "not_contains"
    slots = column_slots(scene, column, operator)
    if column is scene.profile.subject:
        slots |= {"column": "name", "a_column": "a name"}
    said = guard(column.say_word(word))
    slots["word"] = said
    if column.naming.role == "place":
        slots["place_word"] = said
    elif column is scene.profile.subject or (column.naming.role == "person" and not scene.loose):
        slots["name_word"] = said
    test = Test(operator, column.name, Word(word))
    return _drawn(operator, test, kept, rows, column, slots)


def _of_column(
    scene: Scene, operator: str, kept: Rows, rows: Rows, column: ColumnProfile
) -> Drawn | None:
    slots = column_slots(scene, column, operator)
    return _drawn(operator, Test(operator, column.name), kept, rows, column, slots)


def _test(operator: str, column: ColumnProfile, value: int) -> Test:
    return Test(operator, column.name, Value(column.texts[value]))


def _with_class(column: ColumnProfile, rows: Rows, value: int) -> Rows:
    return tuple(row for row in rows if column.classes[row] == value)


def _drawn(
    operator: str,
    condition: Test | Or,
    kept: Rows,
    rows: Rows,
    column: ColumnProfile,
    slots: dict[str, str],
    forms: tuple[str, ...] = ("predicate", "modifier", "where", "when", "question"),
    wordings: tuple[str, ...] = (),
) -> Drawn | None:
    if not 0 < len(kept) < len(rows):
        return None
    return Drawn(operator, condition, kept, column, slots, False, forms, wordings)


_YEAR: Final = re.compile(r"\d{4}(?:[-–/]\d{2,4})?")
_CREATORS: Final = frozenset(
    """author writer director artist composer
    builder architect designer producer singer painter""".split()
)
