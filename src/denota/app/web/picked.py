"""What a person picked in a table: cells that are counted, added up or averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from denota.errors import DataError
from denota.tables.table import Cell, Table

Total = Literal["count", "sum", "average"]


@dataclass(frozen=True)
class Totalled:
    """What came of cells."""

    value: float
    left_out: int
    """Cells that state no number."""


def total_of_cells(table: Table, cells: Sequence[Cell], of: Total) -> Totalled:
    """Return how many rows some cells are in, or what the cells add up to or are on average.

    >>> table = Table.from_rows(["n"], [["1,000"], ["500"], ["-"]])
    >>> total_of_cells(table, [(0, 0), (1, 0), (2, 0)], "sum")
    Totalled(value=1500.0, left_out=1)

    Raises:
        DataError: a cell is outside the table, or none of them states a number.
    """
    rows, columns = table.shape
    if not all(0 <= row < rows and 0 <= column < columns for row, column in cells):
        raise DataError("some of these cells are outside the table")
    if of == "count":
        return Totalled(len({row for row, _ in cells}), 0)
    stated = np.array([table.columns[column].numbers[row] for row, column in cells])
    known = stated[np.isfinite(stated)]
    if not len(known):
        raise DataError("none of these cells states a number; select cells of a column of numbers")
    value = known.sum() if of == "sum" else known.mean()
    return Totalled(float(f"{value:.12g}"), len(stated) - len(known))
