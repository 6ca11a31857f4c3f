"""The numbers of a column: which readings of its texts agree with each other.

A column has one unit, its ranges are ranges and not scores, and brackets may mean minus.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Final

from denota.tables.numbers import KNOWN_UNITS, MONEY_UNITS, NumberReading

_FACTORS: Final = {
    ("in", "ft"): 1 / 12,
    ("ft", "in"): 12.0,
    **{(unit, "time"): 60.0 for unit in ("m", "min")},
    **{(unit, "time"): 3600.0 for unit in ("h", "hr", "hour")},
}
"""(unit, column's unit) -> what a value is multiplied by."""


def agree(
    readings: Sequence[NumberReading | None], counts: Sequence[int]
) -> tuple[list[NumberReading | None], str]:
    """Keep the readings that fit the column, and return them with the column's unit.

    Args:
        readings: one for each distinct text.
        counts: how many cells have that text.
    """
    if all(r is None or (not r.unit and r.form == "plain") for r in readings):
        return list(readings), ""
    forms: Counter[str] = Counter()
    signed = False
    for reading, count in zip(readings, counts, strict=True):
        if reading is not None:
            forms[reading.form] += count
            signed = signed or reading.value < 0
    total = sum(forms.values())
    main = _main_unit(readings, counts)
    ranges = [r for r in readings if r is not None and r.form == "range"]
    ranges_hold = _are_ranges(ranges, alone=forms["range"] * 2 > total)
    # (2) is minus two in accounts, which show themselves by money, decimals or thousands;
    # elsewhere it is a remark
    are_accounts = any(
        r is not None
        and (r.form == "accounted" or r.unit in MONEY_UNITS or r.value >= 1000 or r.value % 1)
        for r in readings
    )
    # 7- among 7.5 and 8 is open above, like 7+: it takes two, money or thousands to be a debt
    owed = sum(r is not None and r.form == "owed" for r in readings)
    large = any(r is not None and (abs(r.value) >= 1000 or r.unit in MONEY_UNITS) for r in readings)
    others = forms["plain"] > 0 and not forms["range"]
    debts_hold = others and (large or (owed > 1 and are_accounts))
    tied = sum(r is not None and r.form == "tied" for r in readings)
    ties_hold = forms["tied"] < total or tied < total  # a tie is shared; T1, T2, T3 are names

    flags = {r.unit for r in readings if r is not None and r.form == "flagged"}
    # `12 p` among bare numbers, or all numbers provisional, revised or estimated
    flags_hold = not main and (3 * forms["plain"] >= total or flags <= {"p", "r", "e"})

    def agreed(reading: NumberReading | None) -> NumberReading | None:
        if reading is not None and reading.form == "flagged" and flags_hold:
            return reading._replace(unit="", form="plain")
        if reading is None or (reading.unit not in KNOWN_UNITS and reading.unit not in ("", main)):
            return None
        if main and reading.unit not in ("", main):  # another known unit: few convert
            factor = _FACTORS.get((reading.unit, main))
            return reading._replace(value=reading.value * factor, unit=main) if factor else None
        holds = {
            "range": ranges_hold,
            "tied": ties_hold,
            "even": signed,
            "flagged": True,
            "bracketed": True,
            "accounted": True,
            "owed": debts_hold,
            "plain": True,
        }
        if not holds[reading.form]:
            return None
        if reading.form in ("bracketed", "accounted") and are_accounts:
            return reading._replace(value=-reading.value)
        return reading

    return [agreed(reading) for reading in readings], main


def shared_units(readings: Sequence[NumberReading | None]) -> frozenset[str]:
    """Return the units that at least two different texts of a column have."""
    units = Counter(reading.unit for reading in readings if reading is not None)
    return frozenset(unit for unit, count in units.items() if count > 1)


def _main_unit(readings: Sequence[NumberReading | None], counts: Sequence[int]) -> str:
    """Return the column's unit: time if any, else the commonest that is known or half share."""
    units: Counter[str] = Counter()
    for reading, count in zip(readings, counts, strict=True):
        if reading is not None:
            units[reading.unit] += count
    if "time" in units:
        return "time"
    named = [(-count, unit not in KNOWN_UNITS, unit) for unit, count in units.items() if unit]
    if not named:
        return ""
    count, unknown, main = min(named)
    shared = main in shared_units(readings) and -2 * count >= units.total() and len(main) > 1
    return main if not unknown or shared else ""


def _are_ranges(ranges: Sequence[NumberReading], alone: bool) -> bool:
    """Tell ranges from scores: low ends are below high ends, and ranges alone do not overlap."""
    if any(r.high <= r.value for r in ranges):
        return False
    if not alone:
        return True
    ordered = sorted((r.value, r.high) for r in ranges)
    return all(high <= low for (_, high), (low, _) in itertools.pairwise(ordered))
