"""Conditions on order: comparisons, dates and decades, superlatives, and places in the table.

Each function draws one over some rows, or returns None. A superlative is drawn only where no tie
leaves its answer open, and one with ties only where there is a tie.
"""

from __future__ import annotations

import math
import operator as compare
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from denota.generate.profile import ColumnProfile, Rows
from denota.generate.scene import Drawn, Scene, guard
from denota.generate.slots import column_slots
from denota.generate.spoken import (
    write_count,
    write_date,
    write_decade,
    write_number,
    write_ordinal,
)
from denota.programs.tree import Date, Number, Test

COMPARED_BY: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "greater": compare.gt,
    "at_least": compare.ge,
    "less": compare.lt,
    "at_most": compare.le,
}

SUPERLATIVES: Final = ("max", "min", "max_ties", "min_ties", "top", "bottom", "kth_max", "kth_min")


def comparison(scene: Scene, rows: Rows, column: ColumnProfile, operator: str) -> Drawn | None:
    """Column > constant, and the like."""
    if column.kind == "date":
        date = _date(scene, rows, column)
        if date is None:
            return None
        return _by_date(scene, rows, column, operator, COMPARED_BY[operator], date)
    number = _threshold(scene, rows, column, operator)
    if number is None:
        return None
    holds, constant = COMPARED_BY[operator], number.value
    stated = column.order
    kept = tuple(r for r in rows if (value := stated[r]) is not None and holds(value, constant))
    slots = column_slots(scene, column, operator) | _constant_slots(scene, column, number.written)
    return _drawn(operator, Test(operator, column.name, number), kept, rows, column, slots)


def between(scene: Scene, rows: Rows, column: ColumnProfile) -> tuple[Drawn, Drawn] | None:
    """The two halves of `between low and high`."""
    if scene.loose and column.kind == "date":
        return _between_dates(scene, rows, column)
    if column.kind != "number":
        return None
    low, high = (_threshold(scene, rows, column, name) for name in ("at_least", "at_most"))
    if low is None or high is None or low.value >= high.value:
        return None
    found = []
    for name, number in (("at_least", low), ("at_most", high)):
        holds = COMPARED_BY[name]
        kept = tuple(
            r for r in rows if (v := column.order[r]) is not None and holds(v, number.value)
        )
        slots = {"low": guard(low.written), "high": guard(high.written)} | column_slots(
            scene, column, name
        )
        drawn = _drawn(name, Test(name, column.name, number), kept, rows, column, slots)
        if drawn is None:
            return None
        found.append(drawn)
    return found[0], found[1]


def _between_dates(scene: Scene, rows: Rows, column: ColumnProfile) -> tuple[Drawn, Drawn] | None:
    """The two halves of `between March 2019 and June 2020`; both state the same parts."""
    ends = [_date(scene, rows, column) for _ in range(2)]
    parts = [(one.year, one.month, one.day) for one in ends if one is not None]
    if len(parts) < 2 or parts[0] == parts[1] or not all(one[0] for one in parts):
        return None
    if [bool(part) for part in parts[0]] != [bool(part) for part in parts[1]]:
        return None
    ordered = sorted(zip(parts, (end for end in ends if end is not None), strict=True))
    (_, low), (_, high) = ordered
    names = {"low": guard(low.written), "high": guard(high.written)}
    first = _by_date(scene, rows, column, "at_least", compare.ge, low)
    second = _by_date(scene, rows, column, "at_most", compare.le, high)
    if first is None or second is None:
        return None
    return replace(first, slots={**first.slots, **names}), replace(
        second, slots={**second.slots, **names}
    )


def date_is(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column IS IN date."""
    date = _date(scene, rows, column, months=True)
    return _by_date(scene, rows, column, "date_is", compare.eq, date) if date else None


def decade_is(scene: Scene, rows: Rows, column: ColumnProfile) -> Drawn | None:
    """Column IS IN DECADE start."""
    stated = column.dates[scene.pick(rows)]
    if stated is None or not 1500 <= stated[0] < 2100:
        return None
    start = stated[0] // 10 * 10
    written = write_decade(start, scene.rng)
    if start % 100 == 0 and len(written) < 5:
        return None
    kept = tuple(row for row in rows if (d := column.dates[row]) and start <= d[0] < start + 10)
    slots = column_slots(scene, column, "decade_is") | {"decade": guard(written)}
    test = Test("decade_is", column.name, Number(float(start), written))
    return _drawn("decade_is", test, kept, rows, column, slots)


def superlative(scene: Scene, rows: Rows, column: ColumnProfile, operator: str) -> Drawn | None:
    """Column IS MAX, TOP k, MAX NUMBER k, ... ."""
    slots = column_slots(scene, column, operator)
    if "highest" not in slots and "lowest" not in slots:
        return None
    largest = operator in ("max", "max_ties", "top", "kth_max")
    ranked = sorted(
        ((value, row) for row in rows if (value := column.order[row]) is not None), reverse=largest
    )
    if len(ranked) < 2 or ranked[0][0] == ranked[-1][0]:
        return None
    words = "number_words" in scene.language
    if operator in ("max", "min"):
        kept: Rows = (ranked[0][1],) if ranked[0][0] != ranked[1][0] else ()
        return _drawn(operator, Test(operator, column.name), kept, rows, column, slots, True)
    if operator in ("max_ties", "min_ties"):
        kept = tuple(sorted(row for value, row in ranked if value == ranked[0][0]))
        kept = kept if len(kept) > 1 else ()
        return _drawn(operator, Test(operator, column.name), kept, rows, column, slots)
    k = 2 + int(scene.rng.random() * min(4, len(ranked) - 2))
    if k >= len(ranked) or ranked[k - 1][0] == ranked[k][0]:
        return None
    if operator in ("top", "bottom"):
        slots["k"] = guard(written := write_count(k, scene.rng, words))
        test = Test(operator, column.name, Number(float(k), written))
        kept = tuple(sorted(row for _, row in ranked[:k]))
        return _drawn(operator, test, kept, rows, column, slots)
    if len({value for value, _ in ranked[:k]}) < k:
        return None
    slots["kth"] = guard(written := write_ordinal(k, scene.rng, words))
    test = Test(operator, column.name, Number(float(k), written))
    return _drawn(operator, test, (ranked[k - 1][1],), rows, column, slots, True)


def place(scene: Scene, rows: Rows, operator: str) -> Drawn | None:
    """FIRST ROW, LAST ROWS k, ... ."""
    if operator in ("first", "last"):
        kept = rows[:1] if operator == "first" else rows[-1:]
        return _drawn(operator, Test(operator), kept, rows, None, {}, True)
    if len(rows) < 3:
        return None
    k = 2 + int(scene.rng.random() * min(4, len(rows) - 2))
    written = write_count(k, scene.rng, "number_words" in scene.language)
    kept = rows[:k] if operator == "first_k" else rows[-k:]
    test = Test(operator, None, Number(float(k), written))
    return _drawn(operator, test, kept, rows, None, {"k": guard(written)})


def _threshold(scene: Scene, rows: Rows, column: ColumnProfile, operator: str) -> Number | None:
    """Draw a number that divides the rows: that of a row, or a round one between two rows."""
    stated = sorted(
        {value for row in rows if (value := column.order[row]) is not None and value >= 0}
    )
    if len(stated) < 2:
        return None
    cut = 1 + int(scene.rng.random() * (len(stated) - 1))
    low, high = stated[cut - 1], stated[cut]
    value = high if operator in ("at_least", "less") else low
    if scene.chance(0.6):
        round_one = _roundest(low, high, column.unit)
        value = (
            round_one if round_one != (low if operator in ("at_least", "less") else high) else value
        )
    written = write_number(value, column.unit, scene.rng, column.has_commas, scene.loose)
    return Number(value, written) if written else None


def _roundest(low: float, high: float, unit: str) -> float:
    """The roundest number from low to high."""
    steps = _TIME_STEPS if unit == "time" else _steps(high)
    for step in steps:
        value = math.ceil(low / step) * step
        if value <= high:
            return float(value)
    return low


def _steps(high: float) -> tuple[float, ...]:
    power = 10.0 ** math.floor(math.log10(high)) if high >= 1 else 1.0
    return tuple(step for p in (power, power / 10, power / 100) for step in (p, p / 2) if step >= 1)


def _date(scene: Scene, rows: Rows, column: ColumnProfile, months: bool = False) -> Date | None:
    """A date some row has, in the parts a question would name.

    A month of any year only if asked for.
    """
    stated = column.dates[scene.pick(rows)]
    if stated is None:
        return None
    year, month, day = stated
    choices = {
        (year, 0, 0): 6.0 * (1000 <= year < 2200),
        (year, month, day): 2.0 * bool(month and day),
    }
    choices[year, month, 0] = 2.0 * bool(month and year)
    if months or (not year and month != _MAY):
        choices[0, month, 0] = 2.0 * bool(month)
    if not any(choices.values()):
        return None
    date = Date(*scene.one_of(choices))
    return Date(date.year, date.month, date.day, write_date(date, scene.rng, scene.loose))


def _by_date(
    scene: Scene,
    rows: Rows,
    column: ColumnProfile,
    operator: str,
    holds: Callable[[Any, Any], bool],
    date: Date,
) -> Drawn | None:
    wanted = (date.year, date.month, date.day)
    parts = [i for i, part in enumerate(wanted) if part]
    constant = tuple(wanted[i] for i in parts)
    kept = []
    for row in rows:
        stated = column.dates[row]
        if stated is not None:
            full = (stated[0] or 4, stated[1] or 1, stated[2] or 1)
            if holds(tuple(full[i] for i in parts), constant):
                kept.append(row)
    slots = column_slots(scene, column, operator) | _constant_slots(scene, column, date.written)
    slots["on_date"] = f"{'on' if date.day else 'in'} {guard(date.written)}"
    if scene.profile.times == 1:
        slots["then"] = slots["on_date"]
    return _drawn(operator, Test(operator, column.name, date), tuple(kept), rows, column, slots)


def _constant_slots(scene: Scene, column: ColumnProfile, written: str) -> dict[str, str]:
    said = guard(written)
    if column.is_time:
        return {"time": said, "bare_time": said} if scene.profile.times == 1 else {"time": said}
    unit = _UNITS.get(column.unit, "")
    return {"number": f"{said} {unit}" if unit and scene.chance(0.4) else said}


def _drawn(
    operator: str,
    test: Test,
    kept: Rows,
    rows: Rows,
    column: ColumnProfile | None,
    slots: dict[str, str],
    single: bool = False,
) -> Drawn | None:
    if not 0 < len(kept) < len(rows):
        return None
    return Drawn(operator, test, kept, column, slots, single)


_MAY: Final = 5
"""By itself and not behind `in` or the like, it reads as another word."""
_TIME_STEPS: Final = (3600.0, 1800.0, 600.0, 300.0, 60.0, 30.0, 10.0, 5.0, 1.0)
_UNITS: Final = {
    "km": "km",
    "m": "metres",
    "mi": "miles",
    "kg": "kg",
    "ft": "feet",
    "years": "years",
    "km2": "km2",
}
