"""Files that are too large to be read, asked where they lie: Parquet, by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from denota.errors import TableError
from denota.tables.frames import columns_of_frame
from denota.tables.large import DRAWN, Large, sketch_of
from denota.tables.stored import Stored, StoredColumn, StoredKind
from denota.tables.table import Table

MEMORY: Final = "400MB"
"""What DuckDB may use; beyond that it uses the disk."""
LARGE: Final = 2_000_000
"""Tables of more cells are not read into memory, where their engine can be asked."""


def parquet_cells(path: Path) -> int:
    """Return how many cells a Parquet file has, 0 if it is no such file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return 0
    return int(found.num_rows) * int(found.num_columns)


def parquet_sketch(paths: Sequence[Path], name: str) -> Table:
    """Return a sketch of one or more Parquet files that together are one table.

    Raises:
        TableError: they cannot be read.
    """
    import duckdb

    connection = duckdb.connect(config={"memory_limit": MEMORY})

    def query(sql: str) -> Any:
        try:
            return _arrow(connection.cursor(), sql)
        except duckdb.Error as error:
            raise TableError(
                f"{name} cannot be asked: {str(error).splitlines()[0][:200]}"
            ) from None

    own = name.split(".")[0].strip() or "table"
    files = ", ".join(_literal(str(path)) for path in paths)
    query(f"CREATE VIEW {_identifier(own)} AS SELECT * FROM read_parquet([{files}])")
    described = query(f"DESCRIBE {_identifier(own)}").to_pylist()
    columns = tuple(
        StoredColumn(line["column_name"], kind_of(line["column_type"])) for line in described
    )
    stored = Stored("duckdb", (own,), columns)
    counts = ", ".join(f"approx_count_distinct({_identifier(c.name)})" for c in columns)
    counted = query(f"SELECT count(*), {counts} FROM {_identifier(own)}").to_pylist()[0]
    rows, *distinct = counted.values()

    def ask(sql: str) -> list[tuple[str, ...]]:
        return columns_of_frame(query(sql), name)[1]

    large = Large(ask, stored, rows, tuple(distinct))
    drawn = ask(
        f"SELECT * FROM {_identifier(own)} USING SAMPLE reservoir({DRAWN} ROWS) REPEATABLE (0)"
    )
    return sketch_of(large, list(zip(*drawn, strict=True)), name)


def _arrow(cursor: Any, sql: str) -> Any:
    """What a query gives; what makes a view gives nothing."""
    found = cursor.sql(sql)
    return None if found is None else found.to_arrow_table()


def kind_of(type_name: str) -> StoredKind:
    """Return what a type of DuckDB amounts to.

    >>> [kind_of(name) for name in ("BIGINT", "DECIMAL(18,3)", "VARCHAR", "DATE", "INTEGER[]")]
    ['number', 'number', 'text', 'date', 'other']
    """
    plain = type_name.upper().partition("(")[0].strip()
    if plain.endswith("[]"):
        return "other"
    if plain.startswith("TIMESTAMP"):
        return "timestamp"
    return _KINDS.get(plain, "other")


_KINDS: Final[dict[str, StoredKind]] = {
    **dict.fromkeys(("VARCHAR", "UUID", "ENUM"), "text"),
    **dict.fromkeys(
        (
            *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
            *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
        ),
        "number",
    ),
    "DATE": "date",
    "TIME": "time",
    "BOOLEAN": "boolean",
}


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
