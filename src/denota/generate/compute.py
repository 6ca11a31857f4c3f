"""Questions for a value computed from cells: a count, a sum, an average."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from denota.generate import phrase
from denota.generate.asking import Asked
from denota.generate.begin import leaves_totals_out, whole_table
from denota.generate.draw import draw_condition
from denota.generate.group import adds_up
from denota.generate.named import ask_program
from denota.generate.profile import ColumnProfile
from denota.generate.scene import Scene
from denota.programs.execute import execute
from denota.programs.tree import Program


def compute(
    scene: Scene, before: Asked | None, wanted: Collection[str] | None = None
) -> Asked | None:
    """Ask for a value computed from the table's cells, or from those of the answer before.

    Args:
        scene: the table and the random generator.
        before: the question before, if its answer is to be computed from.
        wanted: the values to choose from; all of them if not given.
    """
    names = [name for name in wanted or COMPUTED if name in scene.language]
    if before is not None:
        names = [name for name in names if name != "count_distinct"]
    if not names or (before is not None and before.answer.values is not None):
        return None
    name = scene.one_of({name: COMPUTED[name] for name in names})
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
    if said is None:
        return None
    columns_named = () if name == "count" else (column.name,)
    program = Program(columns_named, scope, drawn.condition if drawn else None, name)
    answer = execute(program, scene.profile.table, before.answer if before else None)
    own = tuple(scene.profile.columns[position] for position in answer.columns)
    return Asked(program, answer, *said, own, drawn) if answer.values else None


def longest_run(scene: Scene) -> Asked | None:
    """Ask how many rows in a row satisfy a condition."""
    if "longest_run" not in scene.language or scene.profile.subject is None:
        return None
    scope, rows = whole_table(scene)
    drawn = draw_condition(scene, rows, (scene.profile.subject,))
    if drawn is None or drawn.single or len(drawn.rows) < 2 or not leaves_totals_out(scene, drawn):
        return None
    said = phrase.computed(scene, "longest_run", (scene.profile.subject,), drawn, (), len(rows))
    return ask_program(scene, Program((), scope, drawn.condition, "longest_run"), said, drawn)


def _suits(scene: Scene, column: ColumnProfile, name: str) -> bool:
    """Say whether a column's values are of the kind that is counted, or added up."""
    if name == "count_distinct":
        odd = scene.loose and (column.is_yes_no or column.kind != "text")
        return column in scene.testable["distinct"] and not odd
    if name == "count":
        any_text = scene.profile.subject is None and column.kind == "text" and not scene.loose
        return column is scene.profile.subject or any_text
    named_by_number = column.naming.family_is("rank", "serial", "time", "founding", "birth")
    if scene.loose and (column.naming.is_id or column.naming.role == "label"):
        return False
    if scene.loose and name == "sum" and not adds_up(column, strictly=True):
        return False
    return column.kind == "number" and not named_by_number


COMPUTED: Final = {
    **{"count": 4.0, "sum": 2.0, "average": 1.0, "smallest": 1.0, "largest": 1.0},
    **{"count_distinct": 1.5},
}
"""How often each value is asked for."""
