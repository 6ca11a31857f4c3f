"""Arrow data to columns of text: Parquet, pandas, polars, pyarrow and DuckDB relations.

All of these speak Arrow's C stream interface, so one path serves them and none needs importing but
pyarrow.
"""

from __future__ import annotations

from typing import Any, Final

from denota.errors import TableError
from denota.tables.limits import Limits, Tally
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
        _check_parquet(file, name, limits)
        coded = pq.ParquetFile(pa.BufferReader(data), read_dictionary=_texts_in(file))
        frame = coded.read()
        tally = Tally(name, limits)
        return list(frame.column_names), [_counted(column, tally) for column in frame.columns]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise TableError(f"{name} is not a readable Parquet file: {_first_line(error)}") from None


def _check_parquet(file: Any, name: str, limits: Limits) -> None:
    """Raise if what a file says of itself is too much, before any of it is unpacked."""
    meta, schema = file.metadata, file.schema
    limits.check(name, meta.num_rows, meta.num_columns)
    places = range(meta.num_columns)
    chunks = [meta.row_group(g).column(c) for g in range(meta.num_row_groups) for c in places]
    unpacked = sum(chunk.total_uncompressed_size for chunk in chunks)
    widths = (schema.column(c).length for c in places)  # of values that are all of one length
    unpacked = max(unpacked, meta.num_rows * sum(width for width in widths if width > 0))
    limits.check_bytes(name, unpacked, "unpacks to more than")
    inside = sum(chunk.num_values for chunk in chunks)  # in lists there are more than cells
    limits.check_text(name, _SHORTEST_ITEM * max(inside - meta.num_rows * meta.num_columns, 0))


def _texts_in(file: Any) -> list[str]:
    """Return the columns, also within others, that are read as codes and a list of texts."""
    columns = map(file.schema.column, range(len(file.schema)))
    return [
        column.path
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL"
    ]


def _counted(column: Any, tally: Tally) -> tuple[str, ...]:
    """Return the texts of a column, counted as they are made where they can be long."""
    import pyarrow as pa

    size = max(len(column), 1)
    if pa.types.is_nested(column.type):
        size = _SLICE
        tally.foresee(sum(map(_characters, column.chunks)))
    texts: list[str] = []
    for start in range(0, len(column), size):
        some = texts_of(column.slice(start, size))
        tally.add(some)
        texts += some
    return tuple(texts)


def _characters(cells: Any) -> int:
    """Return how many characters the texts within lists and records have together."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = cells.type
    if pa.types.is_map(kind):
        return _characters(cells.keys) + _characters(cells.items)
    if pa.types.is_struct(kind):
        return sum(map(_characters, cells.flatten()))
    if pa.types.is_nested(kind):
        return _characters(cells.flatten())
    if not pa.types.is_dictionary(kind):
        return 0
    count = pc.utf8_length if pa.types.is_string(kind.value_type) else pc.binary_length
    return pc.sum(count(cells.dictionary).take(cells.indices)).as_py() or 0


_SLICE: Final = 64
"""Rows of lists and records that are written out at once."""
_SHORTEST_ITEM: Final = 3
"""Characters of an item of a list: `1, `."""


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
