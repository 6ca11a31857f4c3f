"""Rows that sum up others."""

from __future__ import annotations

from typing import Final

from denota.tables.cell_text import normalise


def is_total(cells: tuple[str, ...]) -> bool:
    """Say whether a row sums up others: one of its cells says `Total` and nothing else.

    >>> is_total(("Total", "12")), is_total(("Total eclipse", "12"))
    (True, False)
    """
    return any(len(cell) < 16 and normalise(cell).lower() in _TOTALS for cell in cells)


_TOTALS: Final = frozenset(
    ("total", "totals", "total:", "grand total", "overall", "sum", "career total", "career totals")
)
