"""Arrow data to columns of text: Parquet, pandas, polars, pyarrow and DuckDB relations.

All of these speak Arrow's C stream interface, so one path serves them and none needs importing but
pyarrow.
"""

from __future__ import annotations

from typing import Any

from denota.errors import TableError
from denota.tables.limits import Limits
from denota.tables.values import texts_of


def columns_of_frame(frame: Any, name: str) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names and cells of anything that can be read as an Arrow table."""
    import pyarrow as pa

    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    if isinstance(frame, pa.Table):
        return list(frame.column_names), [texts_of(column) for column in frame.columns]
    try:
        if type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "set_axis"):
            names, frame = _from_pandas(frame)
        else:
            frame = pa.table(frame)
            names = list(frame.column_names)
    except (pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        raise TableError(f"{name} cannot be read as a table: {_first_line(error)}") from None
    return names, [texts_of(column) for column in frame.columns]


def _from_pandas(frame: Any) -> tuple[list[str], Any]:
    """Return names and Arrow table of a pandas frame."""
    import pyarrow as pa

    frame = with_labels(frame)
    names = [str(label) for label in frame.columns]
    plain = frame.set_axis([str(position) for position in range(len(names))], axis=1)
    return names, pa.Table.from_pandas(plain, preserve_index=False)


def with_labels(frame: Any) -> Any:
    """Return a pandas frame whose row labels are columns, where they are more than positions.

    Labels that have a name always are. Others become the column `index`, unless they are whole
    numbers as picking and sorting rows leaves them.
    """
    index = frame.index
    if any(label is not None for label in index.names):
        return frame.reset_index()
    if not len(index):
        return frame
    if index.nlevels == 1 and index.dtype.kind in "iu":
        beyond = 10 * len(index)  # years and the like
        if index.is_unique and index.min() >= 0 and index.max() < beyond:
            return frame
    return frame.reset_index()


def read_parquet(data: bytes, name: str, limits: Limits) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names and cells of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        limits.check(name, file.metadata.num_rows, file.metadata.num_columns)
        return columns_of_frame(file.read(), name)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise TableError(f"{name} is not a readable Parquet file: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
