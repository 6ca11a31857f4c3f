"""Draw a condition for some rows: which operators fit, how often each is drawn, and two at once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Final, NamedTuple

from denota.generate import draw_columns, draw_orders, draw_values
from denota.generate.profile import ColumnProfile, Rows, TableProfile
from denota.generate.scene import Drawn, Scene
from denota.programs.operators import TESTS
from denota.programs.tree import And, Or, Test


class Offer(NamedTuple):
    """An operator that can be drawn."""

    weight: float
    """How often it is tried; at 0 only where something asks for it."""
    draw: Callable[[Scene, Rows, ColumnProfile], Drawn | None]
    fits: Callable[[ColumnProfile], bool]
    """Whether it can say something about a column."""
    joins: bool = False
    """Whether AND may join it with another."""


def draw_condition(
    scene: Scene, rows: Rows, avoid: Collection[ColumnProfile], to_join: bool = False
) -> Drawn | None:
    """Draw a condition that keeps some of the rows and not all.

    Args:
        scene: the table and the random generator.
        rows: the rows to choose from.
        avoid: columns not to test, since they are asked for.
        to_join: whether only conditions that AND may join are wanted.
    """
    coded = [c for c in scene.profile.columns if scene.loose and c.has_codes and c not in avoid]
    if coded and scene.chance(CALLED) and "equal" in scene.language:
        drawn = draw_values.equal(scene, rows, scene.pick(coded))
        if drawn is not None:
            return drawn
    weights = _weights(scene, to_join)
    for _ in range(_TRIES if weights else 0):
        operator, subject = scene.one_of(weights), scene.profile.subject
        if scene.loose and operator in _BY_VALUE and subject is not None:
            avoid = (*avoid, subject)  # a row called by its name is asked about otherwise
        drawn = draw_operator(scene, operator, rows, avoid)
        if drawn is not None:
            return drawn
    return None


def draw_operator(
    scene: Scene, operator: str, rows: Rows, avoid: Collection[ColumnProfile] = ()
) -> Drawn | None:
    """Draw a condition of one operator."""
    if len(rows) < 2:
        return None
    if operator in PLACES:
        return draw_orders.place(scene, rows, operator)
    if operator == "and":
        return _both(scene, rows, avoid)
    if operator in ("three", "either"):
        return _several(scene, rows, avoid, operator)
    columns = [column for column in scene.testable[operator] if column not in avoid]
    return OFFERS[operator].draw(scene, rows, scene.pick(columns)) if columns else None


def testable(profile: TableProfile) -> dict[str, tuple[ColumnProfile, ...]]:
    """Return, for each operator, the columns of the table that it can say something about."""
    return {
        operator: tuple(column for column in profile.columns if offer.fits(column))
        for operator, offer in OFFERS.items()
    }


def _weights(scene: Scene, to_join: bool) -> dict[str, float]:
    weights = {
        operator: offer.weight
        for operator, offer in OFFERS.items()
        if (operator in scene.language or (operator == "or" and scene.joins_values))
        and scene.testable[operator]
        and (offer.joins or not to_join)
    }
    if not to_join:
        seldom = 0.2 if scene.loose else 1.0
        weights |= {name: seldom * w for name, w in PLACES.items() if name in scene.language}
        joined = JOINED | {"three": 3.0} if scene.loose else JOINED
        weights |= {name: weight for name, weight in joined.items() if name in scene.language}
    return weights


def _both(scene: Scene, rows: Rows, avoid: Collection[ColumnProfile]) -> Drawn | None:
    """Two conditions that together keep fewer rows than either, and at least one."""
    if scene.chance(0.3) and {"at_least", "at_most"} <= scene.language:
        columns = [column for column in scene.testable["at_least"] if column not in avoid]
        halves = draw_orders.between(scene, rows, scene.pick(columns)) if columns else None
        return _joined(*halves, between=True) if halves else None
    first = draw_condition(scene, rows, avoid, to_join=True)
    if first is None or first.column is None:
        return None
    for _ in range(3):
        second = draw_condition(scene, rows, [*avoid, first.column], to_join=True)
        joined = _joined(first, second) if second else None
        if joined:
            return joined
    return None


def draw_filter(
    scene: Scene, rows: Rows, avoid: Collection[ColumnProfile] = (), least: int = 2
) -> Drawn | None:
    """Draw a condition that keeps at least `least` rows, sometimes two; none of rank or place."""
    for _ in range(_TRIES):
        if "and" in scene.language and scene.chance(0.12):
            drawn = _both(scene, rows, avoid)
        else:
            drawn = draw_condition(scene, rows, avoid, to_join=True)
        if drawn is not None and len(drawn.rows) >= least:
            return drawn
    return None


def draw_nothing(scene: Scene, rows: Rows, avoid: Collection[ColumnProfile] = ()) -> Drawn | None:
    """Draw two conditions on different columns that no row satisfies together."""
    for _ in range(_TRIES):
        first = draw_condition(scene, rows, avoid, to_join=True)
        if first is None or first.column is None:
            continue
        second = draw_condition(scene, rows, [*avoid, first.column], to_join=True)
        if second is not None and set(first.rows).isdisjoint(second.rows):
            return _of_parts("and", And, (), (first, second))
    return None


def _several(
    scene: Scene, rows: Rows, avoid: Collection[ColumnProfile], operator: str
) -> Drawn | None:
    """Three conditions at once, each of which matters; or one of two, each of which adds rows.

    All on different columns.
    """
    parts: list[Drawn] = []
    wanted = 3 if operator == "three" else 2
    for _ in range(_TRIES * wanted):
        taken = [part.column for part in parts if part.column is not None]
        shared = [c for c in scene.testable["equal"] if c not in avoid and c not in taken]
        shared = [c for c in shared if len(c.texts) < len(c.classes)]
        if len(parts) < wanted - 1 and shared:  # all but one name a value, if several rows have it
            part = draw_values.equal(scene, rows, scene.pick(shared))
        else:
            part = draw_condition(scene, rows, [*avoid, *taken], to_join=True)
        if part is None or part.column is None or part.operator in _UNLIKELY:
            continue
        sets = [frozenset(one.rows) for one in parts]
        before = frozenset.intersection(*sets) if sets else frozenset(rows)
        if operator == "either" or 0 < len(before.intersection(part.rows)) < len(before):
            parts.append(part)
        if len(parts) == wanted:
            break
    if len(parts) < wanted:
        return None
    sets = [frozenset(part.rows) for part in parts]
    if operator == "three":
        together = frozenset.intersection(*sets)
        without = [frozenset.intersection(*sets[:i], *sets[i + 1 :]) for i in range(3)]
        matters = all(len(together) < len(two) for two in without)
    else:
        together = frozenset.union(*sets)
        matters = all(len(one) < len(together) for one in sets) and len(together) < len(rows)
    kept = tuple(row for row in rows if row in together)
    if not matters:
        return None
    return _of_parts(operator, And if operator == "three" else Or, kept, tuple(parts))


def _of_parts(
    operator: str, join: type[And] | type[Or], kept: Rows, parts: tuple[Drawn, ...]
) -> Drawn:
    ordered = sorted(parts, key=_place_in_space)
    tests = tuple(part.condition for part in ordered if isinstance(part.condition, Test))
    forms = ("predicate", "modifier", "where")
    return Drawn(operator, join(tests), kept, forms=forms, parts=parts)


def _joined(first: Drawn, second: Drawn, between: bool = False) -> Drawn | None:
    second_rows = frozenset(second.rows)
    kept = tuple(row for row in first.rows if row in second_rows)
    if not 0 < len(kept) < min(len(first.rows), len(second.rows)):
        return None
    ordered = sorted((first, second), key=_place_in_space)
    tests = tuple(part.condition for part in ordered if isinstance(part.condition, Test))
    forms: tuple[str, ...] = ("predicate", "modifier", "where")
    if between:
        forms = tuple(f"between_{form}" for form in forms)
        return Drawn("and", And(tests), kept, first.column, first.slots, forms=forms)
    return Drawn("and", And(tests), kept, forms=forms, parts=(first, second))


def _place_in_space(drawn: Drawn) -> tuple[int, int]:
    """Return a condition's place in the space, in whose order conjunctions have their parts."""
    assert isinstance(drawn.condition, Test) and drawn.column is not None
    return _ORDER[drawn.condition.operator], drawn.column.position


def _is_sayable(column: ColumnProfile) -> bool:
    return len(column.texts) > 1 and column.naming.role != "label" and any(column.said)


def _has_words(column: ColumnProfile) -> bool:
    return bool(column.words)


def _repeats(column: ColumnProfile) -> bool:
    varied = 1 < len(column.texts) < len(column.classes)
    return varied and column.naming.role not in ("label", "quantity")


def _is_ordered(column: ColumnProfile) -> bool:
    return column.kind != "text" and len(column.texts) > 1 and not column.naming.is_id


def _is_compared(column: ColumnProfile) -> bool:
    """Times of day are not: a question's `7:30` is read as minutes."""
    return _is_ordered(column) and not (column.unit == "time" and column.naming.family_is("hour"))


def _has_dates(column: ColumnProfile) -> bool:
    return column.kind == "date"


def _has_years(column: ColumnProfile) -> bool:
    return column.is_time and any(column.dates)


def _has_zero(column: ColumnProfile) -> bool:
    return column.kind == "number" and not column.is_time and 0 in column.order


def _has_gaps(column: ColumnProfile) -> bool:
    return any(column.missing) and not all(column.missing)


def _never(scene: Scene, rows: Rows, column: ColumnProfile) -> None:
    return None


_comparison = {
    name: partial(draw_orders.comparison, operator=name) for name in draw_orders.COMPARED_BY
}
_superlative = {
    name: partial(draw_orders.superlative, operator=name) for name in draw_orders.SUPERLATIVES
}

_columns = {name: partial(draw_columns.compared, operator=name) for name in draw_columns.COLUMNS}

OFFERS: Final = {
    "equal": Offer(20.0, draw_values.equal, _is_sayable, joins=True),
    "not_equal": Offer(2.5, draw_values.not_equal, _is_sayable, joins=True),
    "or": Offer(4.5, draw_values.either, _is_sayable),
    "any_of": Offer(2.5, draw_values.any_of, _is_sayable),
    "contains": Offer(4.5, draw_values.contains, _has_words, joins=True),
    "not_contains": Offer(1.5, draw_values.not_contains, _has_words),
    "greater": Offer(8.0, _comparison["greater"], _is_compared, joins=True),
    "at_least": Offer(4.0, _comparison["at_least"], _is_compared, joins=True),
    "less": Offer(7.0, _comparison["less"], _is_compared, joins=True),
    "at_most": Offer(3.0, _comparison["at_most"], _is_compared, joins=True),
    "date_is": Offer(8.0, draw_orders.date_is, _has_dates, joins=True),
    "decade_is": Offer(4.0, draw_orders.decade_is, _has_years, joins=True),
    "max": Offer(12.0, _superlative["max"], _is_ordered),
    "min": Offer(9.0, _superlative["min"], _is_ordered),
    "max_ties": Offer(8.0, _superlative["max_ties"], _is_ordered),
    "min_ties": Offer(8.0, _superlative["min_ties"], _is_ordered),
    "top": Offer(4.5, _superlative["top"], _is_ordered),
    "bottom": Offer(3.5, _superlative["bottom"], _is_ordered),
    "kth_max": Offer(3.5, _superlative["kth_max"], _is_ordered),
    "kth_min": Offer(3.0, _superlative["kth_min"], _is_ordered),
    "is_empty": Offer(2.5, draw_values.is_empty, _has_gaps),
    "is_not_empty": Offer(2.5, draw_values.is_not_empty, _has_gaps),
    "is_zero": Offer(5.0, draw_values.is_zero, _has_zero),
    "is_positive": Offer(5.0, draw_values.is_positive, _has_zero, joins=True),
    "distinct": Offer(0.0, draw_values.distinct, _repeats),
    "same_value": Offer(
        0.0, _never, _repeats
    ),  # drawn by `follow.same`, which knows the answer before
    "greater_column": Offer(7.0, _columns["greater_column"], _is_ordered),
    "less_column": Offer(6.0, _columns["less_column"], _is_ordered),
    "equal_column": Offer(6.0, _columns["equal_column"], _is_ordered),
}
"""The operators on a column."""
PLACES: Final = {"first": 1.5, "last": 1.5, "first_k": 1.5, "last_k": 1.5}
"""The weights of operators on the order of rows."""
JOINED: Final = {"and": 8.0, "three": 24.0, "either": 5.0}
"""The weights of several conditions at once."""
_UNLIKELY: Final = ("not_equal", "is_positive")
"""Conditions that are hardly ever one of several."""
_BY_VALUE: Final = ("equal", "not_equal", "or", "any_of")
_TRIES: Final = 6
_ORDER: Final = {name: place for place, name in enumerate(TESTS)}
CALLED: Final = 0.4
"""How often, in loose wording, a condition is on a value that people call otherwise than the table
does, where it has such values."""
