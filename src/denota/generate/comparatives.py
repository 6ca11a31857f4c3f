"""Comparatives for the values of a column: higher and lower, later and earlier, and so on."""

from __future__ import annotations

from typing import Final

from denota.generate.profile import ColumnProfile
from denota.generate.scene import Scene
from denota.generate.slots import column_slots
from denota.inflect import with_article
from denota.programs.lexicon import words_of


def compared_slots(scene: Scene, column: ColumnProfile, operator: str) -> dict[str, str]:
    """Return the slots of a compared column: names, comparatives, and {amount} or {time}."""
    slots = column_slots(scene, column, operator) | comparatives(scene, column, operator)
    name = "time" if column.is_time else "amount"
    slots |= {name: slots["column"], f"a_{name}": slots["a_column"]}
    if column.unit == "year":
        slots["years"] = "years"
    return slots


def comparatives(scene: Scene, column: ColumnProfile, operator: str) -> dict[str, str]:
    """Return the comparatives: of values {higher} and {lesser}, of rows {taller}, {shorter}.

    {a_higher} and {a_lesser} have an article.

    Only words that call for the operator are taken, unless it has none of its own.
    """
    called = frozenset(words_of(operator))
    high, low = _OF_TIMES if column.is_time else _OF_NUMBERS
    slots = {}
    if fitting := [word for word in high if not called or word in called]:
        slots["higher"] = scene.pick(fitting)
        slots["a_higher"] = with_article(slots["higher"])
    if fitting := [word for word in low if not called or word in called]:
        slots["lesser"] = scene.pick(fitting)
        slots["a_lesser"] = with_article(slots["lesser"])
    family = column.naming.family
    if family is not None and not scene.plain and scene.profile.families[family.name] == 1:
        for slot, name in (("taller", "taller"), ("shorter", "lower")):
            words = family.adjectives.get(name, ())
            words = tuple(w for w in words if not called or not called.isdisjoint(w.split()))
            if words:
                slots[slot] = scene.pick(words)
    return slots


def is_measured(column: ColumnProfile) -> bool:
    """Say whether a column's values can be more or less: not ranks or running numbers.

    The best rank is the smallest.
    """
    return (
        column.kind != "text"
        and column.naming.role != "label"
        and not column.naming.family_is("rank", "serial", "hour")
    )


def comparable(column: ColumnProfile, other: ColumnProfile) -> bool:
    """Say whether two columns measure the same kind of thing."""
    return (
        column is not other
        and is_measured(column)
        and is_measured(other)
        and (column.kind, column.unit, column.is_time) == (other.kind, other.unit, other.is_time)
        and column.naming.family is other.naming.family
        and column.naming.own.one != other.naming.own.one
    )


_OF_TIMES: Final = (("later",), ("earlier",))
_OF_NUMBERS: Final = (("higher", "larger", "greater", "bigger"), ("lower", "smaller"))
