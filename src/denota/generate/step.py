"""Questions that take a step from the rows kept: the largest, the next, those above."""

from __future__ import annotations

from typing import Final

from denota.generate import frames, phrase
from denota.generate.asking import Asked, columns_to_ask
from denota.generate.begin import leaves_totals_out, whole_table
from denota.generate.comparatives import compared_slots, is_measured
from denota.generate.draw import PLACES, draw_filter, draw_operator
from denota.generate.frames import Columns, Part
from denota.generate.named import NamedRow, ask_program, named_row, thing_slots
from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Drawn, Scene
from denota.generate.slots import asked_slots, pick_noun
from denota.programs.execute import execute
from denota.programs.tree import Program, Test, Value


def rank_some(scene: Scene) -> Asked | None:
    """Ask for the largest, the first and so on among the rows that a condition keeps."""
    scope, rows = whole_table(scene)
    weights = {name: weight for name, weight in RANKS.items() if name in scene.language}
    if scene.loose:
        weights |= {name: 0.1 * weights[name] for name in PLACES if name in weights}
    kept = draw_filter(scene, rows)
    if kept is None or "then" not in scene.language or not leaves_totals_out(scene, kept):
        return None
    columns = _asked_of(scene, kept)
    avoid = [kept.column, *columns] if kept.column is not None else columns
    rank = draw_operator(scene, scene.one_of(weights), kept.rows, avoid)
    if rank is None or not columns or not isinstance(rank.condition, Test):
        return None
    plural = len(rank.rows) > 1
    of_subject = columns == (scene.profile.subject,)
    slots = asked_slots(scene, columns[0], plural) | thing_slots(scene)
    slots["ones"] = "ones" if plural else "one"
    if not rank.single and "doer" not in slots and not of_subject:
        return None
    step = rank.condition
    kept, rank = frames.said_of(scene, kept, ()), frames.said_of(scene, rank, columns)
    form, part = ("predicate", "predicate") if of_subject else ("other", "modifier")
    parts = {
        "modifier": Part(kept, ("modifier",), plural=True),
        "rank": Part(rank, (part,), plural),
    }
    said = frames.framed(scene, "then", form, slots, plural, parts)
    names = tuple(column.name for column in columns)
    program = Program(names, scope, kept.condition, then=step)
    return ask_program(scene, program, said, Drawn("then", kept.condition, rank.rows))


def step_aside(scene: Scene) -> Asked | None:
    """Ask for the row after or before a named one, or for all of them, or how many there are."""
    names = [name for name in BESIDE if name in scene.language]
    return _from_named(scene, scene.pick(names), None) if names else None


def after_first(scene: Scene) -> Asked | None:
    """Ask for the row after the first of several that have one value."""
    columns = [c for c in scene.testable["equal"] if c.kind == "text"]
    if "after_first" not in scene.language or not columns:
        return None
    scope, rows = whole_table(scene)
    kept = draw_operator(scene, "equal", rows, ())
    if (
        kept is None
        or kept.column is None
        or len(kept.rows) < 2
        or not isinstance(kept.condition, Test)
    ):
        return None
    step = Test("after_first")
    program = Program((kept.column.name,), scope, kept.condition, then=step)
    found = execute(program, scene.profile.table).rows
    if not found or found[0] in kept.rows or not isinstance(kept.condition.argument, Value):
        return None
    slots = {
        "key": kept.condition.argument.text,
        "column": pick_noun(scene, kept.column.naming.nouns).one,
    }
    return ask_program(scene, program, frames.framed(scene, "after_first", "alone", slots))


def compare_with_named(scene: Scene) -> Asked | None:
    """Ask for rows whose value is above, below or equal to a named row's, or for their number."""
    names = [name for name in THEIRS if name in scene.language]
    if not names:
        return None
    operator = scene.pick(names)
    subject = scene.profile.subject
    if operator == "same_as_theirs":
        columns = [c for c in scene.testable["same_value"] if c is not subject]
    else:
        columns = [c for c in scene.profile.columns if is_measured(c) and c is not subject]
    return _from_named(scene, operator, scene.pick(columns)) if columns else None


def _from_named(scene: Scene, operator: str, column: ColumnProfile | None) -> Asked | None:
    scope, rows = whole_table(scene)
    named = named_row(scene, rows)
    if named is None or (column is not None and column.missing[named.row]):
        return None
    step = Test(operator, column.name if column else None)
    program = Program((named.test.column or "",), scope, named.test, then=step)
    found = execute(program, scene.profile.table).rows
    single = operator in ("then_next_row", "then_row_before")
    if not found or (len(found) == len(rows) - 1 > 1 and column is not None):
        return None
    drawn = _drawn(scene, operator, column, named, step, found, single)
    if not leaves_totals_out(scene, drawn):
        return None
    if not single and scene.chance(_COUNTED[operator]) and "count" in scene.language:
        return _how_many(scene, scope, drawn, len(rows))
    columns = _asked_of(scene, drawn)
    if not columns:
        return None
    program = Program(tuple(c.name for c in columns), scope, drawn.condition, then=step)
    return ask_program(scene, program, phrase.fresh(scene, columns, drawn), drawn)


def _drawn(
    scene: Scene,
    operator: str,
    column: ColumnProfile | None,
    named: NamedRow,
    step: Test,
    found: Rows,
    single: bool,
) -> Drawn:
    slots = {"key": named.said}
    if column is not None:
        slots |= compared_slots(scene, column, operator)
    return Drawn(operator, named.test, found, column, slots, single, then=step)


def _how_many(scene: Scene, scope: str, drawn: Drawn, rows: int) -> Asked | None:
    subject = scene.profile.subject
    if subject is None:
        return None
    said = phrase.computed(scene, "count", (subject,), drawn, (), rows)
    program = Program((), scope, drawn.condition, "count", drawn.then)
    return ask_program(scene, program, said, drawn)


def _asked_of(scene: Scene, drawn: Drawn) -> Columns:
    """The column to ask for: what the row is about, or another that the condition is not on."""
    subject = scene.profile.subject
    if subject is not None and drawn.column is not subject and scene.chance(0.65):
        return (subject,)
    besides = tuple(c for c in (drawn.column, subject) if c is not None)
    return columns_to_ask(scene, besides)[:1]


RANKS: Final = {
    **{"max": 12.0, "min": 9.0, "max_ties": 2.0, "min_ties": 2.0, "top": 3.0, "bottom": 2.5},
    **{"kth_max": 3.0, "kth_min": 2.5, "first": 5.0, "last": 5.0, "first_k": 1.5, "last_k": 1.5},
}
"""How often each superlative or place is asked for among some rows."""
BESIDE: Final = ("then_next_row", "then_row_before", "then_rows_after", "then_rows_before")
THEIRS: Final = ("above_theirs", "below_theirs", "same_as_theirs")
_COUNTED: Final = {
    **dict.fromkeys(("then_rows_after", "then_rows_before"), 0.6),
    **dict.fromkeys(THEIRS, 0.35),
}
"""How often the rows are counted and not named."""
