"""Answers as data frames: DataFrames in, a slice of them out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from denota.errors import DataError
from denota.tables.frames import with_labels
from denota.tables.table import Cell, Table


def slice_of(table: Table | None, source: Any, cells: Iterable[Cell]) -> Any:
    """Return the rows and columns of some cells as a data frame.

    Args:
        table: what the cells are of.
        source: what the table was made of; of a frame of pandas or polars a slice is returned.
        cells: `(row, column)` each.

    Raises:
        DataError: pandas is not installed.
    """
    cells = list(cells)
    rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
    library = type(source).__module__.partition(".")[0]
    if library == "pandas" and hasattr(source, "iloc"):
        return _slice_of_pandas(source, rows, columns)
    if library == "polars" and hasattr(source, "clone"):
        return source[rows, columns]
    try:
        import pandas as pd
    except ImportError:
        raise DataError("data frames need pandas; install it, or use the turn's cells") from None
    if table is None:
        return pd.DataFrame()
    content = {}
    for column in columns:
        own = table.columns[column]
        content[own.name] = (
            own.numbers[rows] if own.kind == "number" else [own.text[row] for row in rows]
        )
    return pd.DataFrame(content, index=rows)


def _slice_of_pandas(source: Any, rows: list[int], columns: list[int]) -> Any:
    """Return a slice that keeps row labels, unless they are in the answer themselves."""
    labelled = with_labels(source)
    labels = labelled.shape[1] - source.shape[1]
    if any(column < labels for column in columns):
        return labelled.iloc[rows, columns]
    return source.iloc[rows, [column - labels for column in columns]]
