"""Questions that stand by themselves."""

from __future__ import annotations

from collections.abc import Callable

from denota.generate import phrase
from denota.generate.asking import Asked, ask, columns_to_ask
from denota.generate.draw import JOINED, draw_condition, draw_operator
from denota.generate.frames import Columns
from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Drawn, Scene


def begin(scene: Scene) -> Asked | None:
    """Ask for some columns of the table, of all its rows or of some.

    Returns None where no such question can be drawn.
    """
    columns = columns_to_ask(scene)
    scope, rows = whole_table(scene)
    if scope != "table":
        columns = columns[:1]
    every = len(columns) > 3
    if scene.chance(0.16) and not every:
        return ask(
            columns, scope, None, rows, phrase.fresh(scene, columns, None, _section(scene, scope))
        )
    drawn = _condition(scene, rows, columns)
    if drawn is None or not leaves_totals_out(scene, drawn):
        return None
    if len(columns) > 1 and drawn.operator in JOINED and "then" in scene.language:
        return None  # a language with steps has several columns only with one condition
    if every:
        said = phrase.everything(scene, drawn)
    else:
        said = phrase.fresh(scene, columns, drawn, _section(scene, scope))
    return ask(columns, scope, drawn, drawn.rows, said)


def look_up(scene: Scene) -> Asked | None:
    """Ask for a column of a row that is called by its name."""
    subject = scene.profile.subject
    if subject is None or subject not in scene.testable["equal"]:
        return None
    scope, rows = whole_table(scene)
    columns = columns_to_ask(scene, (subject,))
    drawn = draw_operator(scene, "equal", rows, only(scene, subject))
    if drawn is None or not columns or len(columns) > 3:
        return None
    said = phrase.fresh(scene, columns, drawn, _section(scene, scope))
    return ask(columns, scope, drawn, drawn.rows, said)


def begin_with(*operators: str) -> Callable[[Scene], Asked | None]:
    """Return a function that asks for a column, with a condition of one of some operators."""

    def ask_some(scene: Scene) -> Asked | None:
        known = [name for name in operators if name in scene.language]
        columns = columns_to_ask(scene)[:1]
        subject = scene.profile.subject
        if subject is not None and scene.chance(0.4):
            columns = (subject,)
        scope, rows = whole_table(scene)
        drawn = draw_operator(scene, scene.pick(known), rows, columns) if known else None
        if drawn is None or not leaves_totals_out(scene, drawn):
            return None
        said = phrase.fresh(scene, columns, drawn, _section(scene, scope))
        return ask(columns, scope, drawn, drawn.rows, said)

    return ask_some


def ask_for_a_column(scene: Scene) -> Asked:
    """Ask for a whole column, which can be asked of any table with rows."""
    columns = (scene.pick(scene.profile.columns),)
    asked = ask(columns, "table", None, scene.profile.rows, phrase.fresh(scene, columns, None))
    assert asked is not None, "there is a wording for a column by itself"
    return asked


def whole_table(scene: Scene) -> tuple[str, Rows]:
    """Return a scope and its rows: the table, mostly without its total rows if it has any."""
    profile = scene.profile
    if (
        profile.totals
        and profile.without_totals
        and "without_totals" in scene.language
        and scene.chance(0.8)
    ):
        return "without_totals", profile.without_totals
    return "table", profile.rows


def leaves_totals_out(scene: Scene, drawn: Drawn) -> bool:
    """Say whether a condition keeps no total row, unless it asks for one by a value."""
    return drawn.operator == "equal" or scene.profile.totals.isdisjoint(drawn.rows)


def only(scene: Scene, column: ColumnProfile | None) -> list[ColumnProfile]:
    """Return the columns to avoid so that a condition is on this one."""
    return [other for other in scene.profile.columns if other is not column]


def _section(scene: Scene, scope: str) -> str:
    """The wordings to ask with: that totals are left out goes mostly without saying."""
    return scope if scope == "without_totals" and scene.chance(0.3) else "table"


def _condition(scene: Scene, rows: Rows, columns: Columns) -> Drawn | None:
    """Draw a condition for the rows asked about: each value once, one row by its name, or any."""
    point, subject = scene.rng.random(), scene.profile.subject
    repeated = len(columns) == 1 and columns[0] in scene.testable["distinct"]
    if repeated and "distinct" in scene.language and point < 0.1:
        return draw_operator(scene, "distinct", rows, only(scene, columns[0]))
    if (
        subject is not None
        and subject not in columns
        and subject in scene.testable["equal"]
        and point < 0.4
    ):
        operator = "or" if scene.joins_values and scene.chance(0.15) else "equal"
        return draw_operator(scene, operator, rows, only(scene, subject))
    return draw_condition(scene, rows, () if len(columns) > 3 else columns)
