"""A table's columns as the page tells them: how they were read, and what is in them in brief."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from denota.tables.column import Column
from denota.tables.summary import summarise

BARS: Final = 12
"""Of a histogram."""
COMMON: Final = 20
"""Values that are told, the most frequent first."""
UNREAD: Final = 20
"""Cells that could not be read, the first of them."""
LONG: Final = 80
"""Characters of a value that are told."""


def column_object(column: Column) -> dict[str, Any]:
    """Return how a column was read and what is in it, for JSON."""
    found = summarise(column)
    return {
        "name": found.name,
        "kind": found.kind,
        "unit": found.unit,
        "as_text": column.as_text,
        "low": found.low[:LONG],
        "high": found.high[:LONG],
        "distinct": found.distinct,
        "missing": found.missing,
        "unread": len(found.unread),
        "unread_cells": [(row, text[:LONG]) for row, text in found.unread[:UNREAD]],
        "common": common_values(column),
        "bars": histogram(column),
    }


def common_values(column: Column) -> list[tuple[str, int]]:
    """Return values that stand in several cells, with how often, the most frequent first.

    >>> common_values(Column("State", ("sent", "lost", "sent", "-")))
    [('sent', 2), ('lost', 1)]
    >>> common_values(Column("Name", ("Ada", "Bob")))
    []
    """
    codes = column.codes[~column.missing]
    counts = np.bincount(codes, minlength=len(column.values))
    if counts.max(initial=0) < 2:
        return []
    first = np.argsort(-counts, kind="stable")[:COMMON]
    return [(column.values[code][:LONG], int(counts[code])) for code in first if counts[code]]


def histogram(column: Column) -> list[int]:
    """Return how many cells are in each of some equal parts of a column's range.

    Nothing for texts, and where all are the same.

    >>> histogram(Column("n", ("0", "1", "12", "12")))
    [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    """
    if column.kind == "text":
        return []
    values = column.numbers if column.kind == "number" else column.dates.order
    known = values[np.isfinite(values)]
    if not len(known) or known.min() == known.max():
        return []
    width = known.max() - known.min()
    if not np.isfinite(width):
        return []
    return [int(count) for count in np.histogram(known, BARS)[0]]
