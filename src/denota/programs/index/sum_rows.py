"""Rows shown to be totals by their numbers alone, whatever they are called: `United States`."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.tables.column import Column
from denota.tables.table import Table

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]


def sum_rows(table: Table) -> Mask:
    """(R,) True for the rows whose numbers are the sums of others, which cannot be chance.

    They are sums of the rows between the last such row and themselves (or themselves and the next,
    where the total stands first), or of all rows that sum up none: in every column that can be
    summed, two or more.

    >>> rows = [["A", "310", "42"], ["B", "221", "77"], ["C", "518", "91"], ["Land", "1049", "210"]]
    >>> sum_rows(Table.from_rows(["Part", "People", "Cars"], rows)).tolist()
    [False, False, False, True]
    """
    found = np.zeros(len(table), dtype=bool)
    columns = [column for column in table.columns if can_be_summed(column)]
    if len(columns) < 2 or len(table) <= _PARTS:
        return found
    numbers = np.column_stack([column.numbers for column in columns])
    grain = np.array([_grain(column) for column in numbers.T])
    if len(table) <= _LONG:
        _mark_subtotals(numbers, grain, found)
        if not found.any():
            _mark_subtotals(numbers[::-1], grain, found[::-1])
    _mark_sums_of_all(numbers, grain, found)
    return found


def can_be_summed(column: Column) -> bool:
    """Say whether a column has amounts: no years, shares or times."""
    return column.kind == "number" and column.unit not in ("year", "%", "time")


def _mark_subtotals(numbers: Numbers, grain: Numbers, found: Mask) -> None:
    """Mark the rows that are sums of those since the last one marked."""
    sums = np.vstack([np.zeros(numbers.shape[1]), np.cumsum(np.nan_to_num(numbers), axis=0)])
    start: int | None = 0
    while start is not None:
        first = start + _PARTS
        near = _are_near(numbers[first:], sums[first:-1] - sums[start], grain)
        rows = (np.flatnonzero(near) + first).tolist()
        shown = (row for row in rows if _is_shown(numbers[row], numbers[start:row], grain))
        row = next(shown, None)
        if row is not None:
            found[row] = True
        start = None if row is None else row + 1


def _mark_sums_of_all(numbers: Numbers, grain: Numbers, found: Mask) -> None:
    """Mark the first and last row if they are sums of all the rows that are not marked."""
    for row in {0, len(numbers) - 1}:
        others = ~found
        others[row] = False
        if not found[row] and _is_shown(numbers[row], numbers[others], grain):
            found[row] = True


def _are_near(stated: Numbers, sums: Numbers, grain: Numbers) -> Mask:
    """(R,) False where a stated number is far from its sum, which tells most rows at once."""
    with np.errstate(invalid="ignore"):
        far = np.abs(stated - sums) > 3 * grain + _ROUNDING * np.abs(sums)
    near: Mask = np.logical_not(far.any(axis=1) | np.isnan(stated).all(axis=1))
    return near


def _is_shown(stated: Numbers, parts: Numbers, grain: Numbers) -> bool:
    """Say whether all stated numbers are the sums of the parts, too many and large for chance."""
    shown: list[tuple[float, Numbers]] = []
    for column in np.flatnonzero(~np.isnan(stated)).tolist():
        added = np.nan_to_num(parts[:, column])
        total, least = float(added.sum()), float(grain[column])
        off = abs(total - float(stated[column]))
        # each part is rounded, and few sums of rounded numbers are off by more than this
        error = least / 2 if off < least / 100 else least * (1 + math.sqrt(len(parts)) / 4)
        if off > error:
            return False
        if np.count_nonzero(added) < _PARTS or abs(total) < _LEAST * error:
            continue
        if not any(_are_proportional(added, other) for _, other in shown):
            shown.append((math.log10(abs(total) / (2 * error)), added))
    return len(shown) > 1 and sum(weight for weight, _ in shown) >= _WEIGHT


def _are_proportional(left: Numbers, right: Numbers) -> bool:
    """Say whether one column is another in a different unit, and so shows nothing new."""
    product = float(left @ right)
    return product * product >= (1 - _ALIKE) * float(left @ left) * float(right @ right)


def _grain(numbers: Numbers) -> float:
    """Return the smallest step that a column's numbers are written in: 1, 0.1, 0.01 or less."""
    known = numbers[~np.isnan(numbers)]
    for digits in range(4):
        scaled = known * 10**digits
        if np.all(np.abs(scaled - np.round(scaled)) <= 1e-6 + 1e-12 * np.abs(scaled)):
            return float(10.0**-digits)
    return 1e-4


_PARTS: Final = 3
"""A sum of fewer rows is often chance."""
_LEAST: Final = 10.0
_WEIGHT: Final = 5.0
"""The chance of such sums among unrelated numbers is about one in ten to this power."""
_ALIKE: Final = 1e-6
_ROUNDING: Final = 0.005
_LONG: Final = 20_000
"""In longer tables only the first and last row are looked at."""
