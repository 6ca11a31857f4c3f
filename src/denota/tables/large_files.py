"""Parquet files that are too large to be read, as a table of DuckDB, which asks them in place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from denota.errors import TableError
from denota.tables.duckdb_files import DuckdbSource
from denota.tables.sketch import sketch_of
from denota.tables.source import find_stored, quoted
from denota.tables.table import Table

MEMORY: Final = "400MB"
"""What DuckDB may use; beyond that it uses the disk."""


def parquet_cells(paths: Sequence[Path]) -> int:
    """Return how many cells Parquet files have together, 0 if one is no such file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = [pq.read_metadata(path) for path in paths]
    except (pa.ArrowException, OSError):
        return 0
    return sum(one.num_rows * one.num_columns for one in found)


def parquet_sketch(paths: Sequence[Path], name: str) -> Table:
    """Return a sketch of one or more Parquet files that together are one table.

    Raises:
        TableError: they cannot be read.
    """
    import duckdb

    own = name.split(".")[0].strip() or "table"
    files = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
    connection = duckdb.connect(config={"memory_limit": MEMORY})
    connection.execute("SET enable_progress_bar = false")
    try:
        reading = f"SELECT * FROM read_parquet([{files}], hive_partitioning = true)"
        connection.execute(f"CREATE VIEW {quoted('duckdb', own)} AS {reading}")
    except duckdb.Error as error:
        why = str(error).splitlines()[0][:200]
        raise TableError(f"{name} cannot be read as Parquet: {why}") from None
    source = DuckdbSource(connection, name)
    return sketch_of(source, find_stored(source, own), name)
