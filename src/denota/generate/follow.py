"""Questions that follow up on an answer: some of it, another column, the other rows, the next.

A follow-up is None where it makes no sense: it is drawn so that its answer is never empty and,
where it narrows something down, never all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from denota.generate import phrase
from denota.generate.asking import Asked, ask, ask_bare, columns_to_ask
from denota.generate.begin import begin, leaves_totals_out, only
from denota.generate.compute import compute
from denota.generate.draw import OFFERS, PLACES, draw_condition, draw_operator
from denota.generate.draw_values import same_value
from denota.generate.kinds import begin_with_any, is_wide
from denota.generate.scene import Drawn, Scene
from denota.programs.tree import Program

FollowUp = Callable[[Scene, Asked], Asked | None]


def follow(scene: Scene, before: Sequence[Asked]) -> Asked | None:
    """Ask something after some questions, and nothing that was answered before."""
    given = [earlier.answer for earlier in before]
    if scene.loose and scene.chance(CHANGED):
        return change_subject(scene, before)
    ways = {**FOLLOW_UPS, compute: COMPUTED} if is_wide(scene.language) else FOLLOW_UPS
    for _ in range(_TRIES):
        found = scene.one_of(ways)(scene, before[-1])
        if (
            found is not None
            and found.has_something
            and (found.repeats or found.answer not in given)
        ):
            return found
    return None


def change_subject(scene: Scene, before: Sequence[Asked]) -> Asked | None:
    """Ask something that has nothing to do with the answers before."""
    given = [earlier.answer for earlier in before]
    wide = is_wide(scene.language)
    for _ in range(_TRIES):
        found = begin_with_any(scene) if wide else begin(scene)
        if found is not None and found.has_something and found.answer not in given:
            return found
    return None


def narrow(scene: Scene, before: Asked) -> Asked | None:
    """Ask for some of the answer's rows."""
    rows, columns = before.answer.rows, before.columns
    if len(rows) < 2:
        return None
    if (
        "distinct" in scene.language
        and columns[0] in scene.testable["distinct"]
        and scene.chance(0.06)
    ):
        drawn = _each_once(scene, before) if len(columns) == 1 else None
    else:
        drawn = draw_condition(scene, rows, columns if columns[0].kind == "text" else ())
        if drawn and drawn.column in columns and drawn.operator in ("equal", "not_equal"):
            return None
    if drawn is None:
        return None
    said = phrase.narrowed(scene, drawn, columns, len(rows))
    return ask_bare(before, "previous", drawn, drawn.rows, said)


def turn_aside(scene: Scene, before: Asked) -> Asked | None:
    """Ask for another column of the answer's rows, or of some of them."""
    rows, last = before.answer.rows, before.drawn
    told = (last.column,) if last and last.column and last.operator == "equal" else ()
    columns = columns_to_ask(scene, (*before.columns, *told))
    if not columns or columns == before.columns:
        return None
    any_rows = "columns_of_previous" in scene.language
    one_cell = "cell" in scene.language and len(columns) == 1 and len(before.answer.cells) == 1
    if one_cell and not (any_rows and scene.chance(0.5)):
        said = phrase.other_column(scene, "cell", columns, None, before.columns, 1)
        return ask(columns, "cell", None, rows, said)
    if not any_rows:
        return None
    drawn = None
    if len(rows) > 2 and scene.chance(0.25):
        drawn = draw_condition(scene, rows, (*columns, *before.columns))
        if drawn is None:
            return None
    section = "columns_of_previous"
    said = phrase.other_column(scene, section, columns, drawn, before.columns, len(rows))
    return ask(columns, "previous", drawn, drawn.rows if drawn else rows, said)


def ask_in_short(scene: Scene, before: Asked) -> Asked | None:
    """Ask the same with another constant, or for the other end, in a few words."""
    last, scope = before.drawn, before.program.scope
    if scene.plain or last is None or before.program.aggregate:
        return None
    if scope not in ("table", "without_totals"):
        return None
    operator = scene.pick(_TURNED.get(last.operator, (last.operator,)))
    if operator not in scene.language or operator in ("distinct", "same_value"):
        return None
    if last.then is not None or operator not in {*OFFERS, *PLACES}:
        return None
    rows = scene.profile.rows if scope == "table" else scene.profile.without_totals
    drawn = draw_operator(scene, operator, rows, only(scene, last.column))
    if drawn is None or drawn.condition == last.condition or not leaves_totals_out(scene, drawn):
        return None
    return ask(before.columns, scope, drawn, drawn.rows, phrase.shortened(scene, drawn))


def others(scene: Scene, before: Asked) -> Asked | None:
    """Ask for the rows outside the answer, for another column of them, or for some of them."""
    taken = frozenset(before.answer.rows)
    rows = tuple(row for row in scene.profile.rows if row not in taken)
    if "others" not in scene.language or not rows:
        return None
    point = scene.rng.random()
    if point < 0.3:
        said = phrase.bare(scene, "others", before.columns, len(taken))
        return ask_bare(before, "others", None, rows, said)
    if point < 0.45:
        return _column_of(scene, before, "others", rows)
    drawn = draw_condition(scene, rows, before.columns)
    if drawn is None or not leaves_totals_out(scene, drawn):
        return None
    said = phrase.narrowed(scene, drawn, before.columns, len(taken), "others")
    return ask_bare(before, "others", drawn, drawn.rows, said)


def same(scene: Scene, before: Asked) -> Asked | None:
    """Ask for the rows that have the answer's value in some column."""
    columns = [column for column in scene.testable["same_value"] if column not in before.columns]
    if "same_value" not in scene.language or not columns or len(before.answer.rows) > 2:
        return None
    taken = frozenset(before.answer.rows)
    aside = "others" in scene.language and scene.chance(0.7)
    rows = tuple(row for row in scene.profile.rows if not (aside and row in taken))
    drawn = same_value(scene, rows, scene.pick(columns), before.answer.rows)
    if drawn is None or not leaves_totals_out(scene, drawn):
        return None
    if len(taken) == 1:
        drawn = replace(drawn, slots={**drawn.slots, "that_one": "that one"})
    if aside:
        said = phrase.narrowed(scene, drawn, before.columns, len(taken), "others")
        return ask_bare(before, "others", drawn, drawn.rows, said)
    said = phrase.fresh(scene, before.columns, drawn) if len(before.columns) == 1 else None
    return ask(before.columns, "table", drawn, drawn.rows, said)


def beside(scene: Scene, before: Asked) -> Asked | None:
    """Ask for the row after or before the answer's."""
    scope, step = scene.pick((("next_row", 1), ("row_before", -1)))
    if scope not in scene.language or len(before.answer.rows) != 1:
        return None
    row = before.answer.rows[0] + step
    if not 0 <= row < len(scene.profile.rows) or row in scene.profile.totals:
        return None
    if scene.chance(0.4):
        return _column_of(scene, before, scope, (row,))
    return ask_bare(before, scope, None, (row,), phrase.bare(scene, scope, before.columns, 1))


def repeat(scene: Scene, before: Asked) -> Asked | None:
    """Ask for the same answer again."""
    said = phrase.bare(scene, "previous", before.columns, len(before.answer.rows))
    if said is None or before.answer.values is not None:
        return None
    return Asked(Program((), "previous"), before.answer, *said, before.columns, None, repeats=True)


def begin_again(scene: Scene, before: Asked) -> Asked | None:
    """Ask something new."""
    return begin(scene)


def _column_of(scene: Scene, before: Asked, scope: str, rows: tuple[int, ...]) -> Asked | None:
    columns = columns_to_ask(scene, before.columns)[:1]
    if not columns or columns == before.columns:
        return None
    said = phrase.other_column(scene, scope, columns, None, before.columns, len(rows))
    return ask(columns, scope, None, rows, said)


def _each_once(scene: Scene, before: Asked) -> Drawn | None:
    column = before.columns[0]
    drawn = draw_operator(scene, "distinct", before.answer.rows, only(scene, column))
    noun = scene.pick(scene.profile.asked_for(column))
    return drawn and replace(drawn, slots={"one": noun.one, "all": noun.many})


FOLLOW_UPS: Final[dict[FollowUp, float]] = {
    narrow: 40.0,
    turn_aside: 22.0,
    ask_in_short: 18.0,
    others: 6.0,
    same: 6.0,
    beside: 7.0,
    begin_again: 8.0,
    compute: 5.0,
    repeat: 0.3,
}
"""How often each follow-up is tried."""
COMPUTED: Final = 80.0
"""How often a value of the answer's rows is, in a language where values are answers."""
_TRIES: Final = 12
CHANGED: Final = 0.4
"""In loose wording, the share of later questions that stand by themselves."""
_TURNED: Final = {
    "max": ("min", "min", "kth_max"),
    "min": ("max", "max", "kth_min"),
    "kth_max": ("max", "kth_max"),
    "kth_min": ("min", "kth_min"),
    "greater": ("greater", "less"),
    "less": ("less", "greater"),
    "first": ("last",),
    "last": ("first",),
}
"""The operator that a short question asks for in place of another."""
