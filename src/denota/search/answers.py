"""What programs answer, as values: the cells that a scorer looks at once more, the question beside them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import index_of
from denota.search.axes import BLOCKS
from denota.search.prepare import Prepared

ROWS: Final = 3
"""Answers of more rows are not looked at: which of them came first would depend on the order of the table."""
COLUMNS: Final = 3
"""Of more columns neither."""


def answered_values(question: Prepared, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """(K, ROWS * COLUMNS) the values that programs answer, as places on the value axis; -1 where there are fewer, and where there are too many.

    Values of columns too long to be on that axis are left out.
    """
    axes = question.axes
    index = index_of(question.table)
    long = frozenset(index.long)
    starts = np.array([place.start for place in axes.places])
    of_place = np.searchsorted(starts, ids, side="right") - 1
    found = np.full((len(ids), ROWS, COLUMNS), -1, np.int64)
    before = question.previous.columns if question.previous is not None else ()
    selected: dict[int, list[int]] = {}
    kept: dict[int, NDArray[np.int64]] = {}
    for line, (number, at) in enumerate(zip(ids.tolist(), of_place.tolist(), strict=True)):
        place = axes.places[at]
        own, test = divmod(number - place.start, len(place.conditions))
        own, test = own + place.s0, int(place.conditions[test])
        if own not in selected:
            chosen = axes.select_block[own] == BLOCKS.index("select")
            selected[own] = axes.select_entry[own][chosen].tolist() or list(before)
        if test not in kept:
            kept[test] = np.flatnonzero(np.unpackbits(axes.rows[test]))
        rows = kept[test]
        if len(rows) > ROWS or len(selected[own]) > COLUMNS:
            continue
        for slot, column in enumerate(selected[own]):
            if column not in long:
                values = index.starts[column] + index.columns[column].classes[rows]
                found[line, : len(rows), slot] = values
    return found.reshape(len(ids), -1)
