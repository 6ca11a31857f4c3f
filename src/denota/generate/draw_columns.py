"""Conditions on two columns of one row: more wins than losses, a gross above the budget."""

from __future__ import annotations

import operator as compare
from collections.abc import Callable
from typing import Any, Final

from denota.generate.comparatives import comparable, comparatives
from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Drawn, Scene
from denota.inflect import with_article
from denota.programs.tree import Name, Test

COLUMNS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "greater_column": compare.gt,
    "less_column": compare.lt,
    "equal_column": compare.eq,
}


def compared(scene: Scene, rows: Rows, column: ColumnProfile, operator: str) -> Drawn | None:
    """Column > another column, and the like.

    Both are called by their own names, so that the question has them.
    """
    others = [other for other in scene.profile.columns if comparable(column, other)]
    if not others:
        return None
    other = scene.pick(others)
    holds, left, right = COLUMNS[operator], column.order, other.order
    kept = tuple(
        row
        for row in rows
        if (one := left[row]) is not None and (two := right[row]) is not None and holds(one, two)
    )
    if not 0 < len(kept) < len(rows):
        return None
    named, counts = column.naming, bool(column.naming.counted and other.naming.counted)
    slots = {
        "column": named.own.one,
        "a_column": with_article(named.own.one),
        "other": other.naming.own.one,
        **comparatives(scene, column, operator),
    }
    if counts and named.own.many.startswith("number"):
        slots |= {"things": named.counted[0], "other_things": other.naming.counted[0]}
    return Drawn(operator, Test(operator, column.name, Name(other.name)), kept, column, slots)
