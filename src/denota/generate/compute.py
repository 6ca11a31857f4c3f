"""Questions for a value computed from cells: how many, how much in all, on average."""

from __future__ import annotations

from denota.generate import phrase
from denota.generate.asking import Asked
from denota.generate.begin import leaves_totals_out, whole_table
from denota.generate.draw import draw_condition
from denota.generate.profile import ColumnProfile
from denota.generate.scene import Scene
from denota.programs.denotation import Denotation
from denota.programs.operators import AGGREGATES
from denota.programs.tree import Program


def compute(scene: Scene, before: Asked | None) -> Asked | None:
    """Ask for a value computed from the table's cells, or from those of the answer's rows if there is one."""
    names = [name for name in AGGREGATES if name in scene.language]
    if not names or (before is not None and before.answer.values is not None):
        return None
    name = scene.pick(names)
    columns = [column for column in scene.profile.columns if _suits(scene, column, name)]
    if not columns:
        return None
    column = scene.pick(columns)
    counts_them = before is not None and name == "count"
    if before is None:
        scope, rows = whole_table(scene)
    elif counts_them or ("columns_of_previous" in scene.language and before.columns != (column,)):
        scope, rows = "previous", before.answer.rows
    else:
        return None
    drawn = None
    if scene.chance(0.5) and (before is None or counts_them):
        drawn = draw_condition(scene, rows, (column,))
        if drawn and drawn.single:
            return None
    kept = drawn.rows if drawn else rows
    if len(rows) < 2 or (drawn and not leaves_totals_out(scene, drawn)):
        return None
    if before is None and not scene.profile.totals.isdisjoint(kept):
        return None
    said = phrase.computed(
        scene, name, (column,), drawn, before.columns if before else (), len(rows)
    )
    own = before.columns if before is not None and counts_them else (column,)
    own_positions = tuple(c.position for c in own)
    values = AGGREGATES[name].meaning(scene.profile.table, kept, own_positions)
    if said is None or not values:
        return None
    columns_named = () if counts_them else (column.name,)
    program = Program(columns_named, scope, drawn.condition if drawn else None, name)
    answer = Denotation(kept, own_positions, values)
    return Asked(program, answer, *said, own, drawn)


def _suits(scene: Scene, column: ColumnProfile, name: str) -> bool:
    """Say whether a column's values are of the kind that is counted, or added up."""
    if name == "count":
        return column is scene.profile.subject or (
            scene.profile.subject is None and column.kind == "text"
        )
    named_by_number = column.naming.family_is("rank", "serial", "time", "founding", "birth")
    return column.kind == "number" and not named_by_number
