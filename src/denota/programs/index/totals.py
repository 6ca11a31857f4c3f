"""Rows that sum up others, told from rows that are just called `Total` or `Overall`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.tables.cell_text import normalise
from denota.tables.column import Column
from denota.tables.table import Table

Mask = NDArray[np.bool_]


def totals(table: Table) -> Mask:
    """(R,) True for the rows that sum up others.

    >>> towns = [["Oslo", "12"], ["Moss", "5"], ["Total", "17"]]
    >>> totals(Table.from_rows(["Town", "Area"], towns)).tolist()
    [False, False, True]
    >>> towns[2][1] = "7"  # a town of that name
    >>> totals(Table.from_rows(["Town", "Area"], towns)).tolist()
    [False, False, False]
    """
    found = np.zeros(len(table), dtype=bool)
    for column, texts in total_marks(table).items():
        content = table[column]
        found |= np.array([text in texts for text in content.values], dtype=bool)[content.codes]
    return found


def total_marks(table: Table) -> dict[str, tuple[str, ...]]:
    """Return the texts that mark a row as a total, by the name of their column.

    Such a text says `Total` and nothing else, and its rows can be sums of the others; or it says
    of what (`Total North`), and all its numbers are.
    """
    found: dict[str, tuple[str, ...]] = {}
    for column in table.columns:
        marks = tuple(
            text
            for text in column.values
            if (says_total(text) and _sums_up(table, column, text))
            or (_names_total(text) and _is_shown_to_sum(table, column, text))
        )
        if marks:
            found[column.name] = marks
    return found


def says_total(text: str) -> bool:
    """Say whether a text says `Total` and nothing else.

    >>> says_total("Total:"), says_total("Total eclipse")
    (True, False)
    """
    return len(text) < 16 and normalise(text).lower() in _TOTALS


def _names_total(text: str) -> bool:
    words = normalise(text).lower().replace("-", "").split() if len(text) < 40 else []
    return len(words) > 1 and not {words[0], words[-1]}.isdisjoint(("total", "subtotal", "totals"))


def _is_shown_to_sum(table: Table, column: Column, text: str) -> bool:
    """Say whether one row has a text, and its numbers, two or more, are sums of rows next to it."""
    rows = column.codes == column.values.index(text)
    row = int(np.argmax(rows))
    if column.kind != "text" or rows.sum() > 1:
        return False
    totals = np.array([says_total(t) or _names_total(t) for t in column.values])[column.codes]
    amounts = [c.numbers for c in table.columns if c.kind == "number" and c.unit != "year"]
    stated = [numbers for numbers in amounts if np.nan_to_num(numbers[row])]
    shown = sum(_adds_up(numbers, totals, row, means=False) for numbers in stated)
    return shown == len(stated) > 0 and (shown > 1 or len(table) > 3)


def _sums_up(table: Table, column: Column, text: str) -> bool:
    """Say whether the rows with a text can be sums, as far as their numbers tell.

    One number that is the sum or mean of others is enough. Among numbers or dates the word is no
    name. Else the row is one like others if more of its numbers are below the largest of the others
    than not: no sum of amounts is.
    """
    if column.kind != "text":
        return True
    rows = column.codes == column.values.index(text)
    below = above = 0
    for other in table.columns:
        if other.kind != "number" or other.unit in ("year", "%"):
            continue
        numbers = other.numbers
        amounts = numbers[~rows & ~np.isnan(numbers)]
        if len(amounts) < 2 or amounts.min() < 0:
            continue
        for row in np.flatnonzero(rows & (np.nan_to_num(numbers) != 0)).tolist():
            if _adds_up(numbers, rows, row):
                return True
            below += bool(numbers[row] < amounts.max())
            above += bool(numbers[row] >= amounts.max())
    return below <= above


def _adds_up(numbers: NDArray[np.float64], marked: Mask, row: int, means: bool = True) -> bool:
    """Say whether a number is the sum of all not marked or of those next to it, or their mean."""
    stated = ~marked & ~np.isnan(numbers)
    others = np.where(stated, numbers, 0.0)
    marks = np.flatnonzero(marked)
    at = int(np.searchsorted(marks, row))
    start = int(marks[at - 1]) + 1 if at else 0
    end = int(marks[at + 1]) if at + 1 < len(marks) else len(numbers)
    parts = (others, others[start:row], others[row + 1 : end])
    added = [float(part.sum()) for part in parts if np.count_nonzero(part) > 1]
    if means and stated.any():
        added.append(float(others.sum() / stated.sum()))
    return any(abs(total - numbers[row]) <= _ROUNDING * abs(total) for total in added)


_ROUNDING: Final = 0.005
_TOTALS: Final = frozenset(
    (
        "total",
        "totals",
        "total:",
        "subtotal",
        "sub-total",
        "sub total",
        "grand total",
        "overall",
        "sum",
        "career total",
        "career totals",
    )
)
