"""DuckDB files and connections, opened to be read and nothing else."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from denota.errors import TableError
from denota.tables.source import SECONDS, Result
from denota.tables.stored import Engine, Stored, StoredColumn, StoredKind

MAGIC: Final = b"DUCK"
"""What a file has behind its first eight bytes."""


def open_duckdb(path: Path, seconds: float = SECONDS) -> DuckdbSource:
    """Open a file.

    Raises:
        TableError: it cannot be read.
    """
    import duckdb

    # a file from elsewhere: its views may read nothing outside it
    safe: Any = {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
    }
    try:
        connection = duckdb.connect(str(path), read_only=True, config=safe)
    except duckdb.Error as error:
        said = str(error)
        if "lock" in said.lower():
            why = "another program has it open for writing; close it there"
        elif "different configuration" in said:
            why = "this program has it open; pass that connection and the table's name instead"
        else:
            why = said.splitlines()[0][:200]
        raise TableError(f"{path} cannot be read as a DuckDB file: {why}") from None
    return DuckdbSource(connection, str(path), seconds)


class DuckdbSource:
    """A DuckDB database.

    Args:
        connection: to it.
        label: what to call it.
        seconds: for a statement.
        own: whether the connection is ours to close.
    """

    engine: Engine = "duckdb"

    def __init__(
        self, connection: Any, label: str, seconds: float = SECONDS, own: bool = True
    ) -> None:
        self.label = label
        self._connection, self._seconds, self._own = connection, seconds, own

    def catalogue(self) -> tuple[Stored, ...]:
        """Return its tables and views with their columns, by name."""
        return tables_in(self.query(CATALOGUE).rows())

    def query(self, sql: str) -> Result:
        """Run SQL that only reads; moments with a zone are given in UTC."""
        import duckdb

        timer = threading.Timer(self._seconds, self._connection.interrupt)
        timer.start()
        try:
            relation = self._connection.sql(sql)
            if relation is None:  # a statement that gives no rows
                return Result((), ())
            found = relation.to_arrow_table()
        except duckdb.InterruptException:
            raise TableError(
                f"{self.label} took longer than {self._seconds:g} seconds to read"
            ) from None
        except duckdb.Error as error:
            why = str(error).splitlines()[0][:200]
            raise TableError(f"{self.label} cannot be read: {why}") from None
        finally:
            timer.cancel()
        return Result(tuple(found.column_names), tuple(map(in_utc, found.columns)))

    def close(self) -> None:
        """Close the file."""
        if self._own:
            self._connection.close()


CATALOGUE: Final = """
SELECT
    database_name, schema_name, schema_name = current_schema(),
    table_name, column_name, data_type
FROM duckdb_columns() WHERE NOT internal AND database_name IN (current_database(), 'temp')
ORDER BY
    schema_name <> current_schema(), schema_name, table_name,
    database_name <> 'temp', column_index
"""


def tables_in(rows: Iterable[Sequence[Any]]) -> tuple[Stored, ...]:
    """Return the tables that the rows of `CATALOGUE` tell of."""
    tables: dict[tuple[str, ...], list[StoredColumn]] = defaultdict(list)
    kept_in: dict[tuple[str, ...], str] = {}
    for database, schema, is_own, table, column, kind in rows:
        name = (table,) if is_own else (schema, table)
        if kept_in.setdefault(name, database) == database:  # a temporary one hides another
            zoned = kind == "TIMESTAMP WITH TIME ZONE"
            tables[name].append(StoredColumn(column, kind_of(kind), zoned))
    return tuple(Stored("duckdb", name, tuple(own)) for name, own in tables.items())


def kind_of(declared: str) -> StoredKind:
    """Return what a type of DuckDB amounts to.

    >>> [kind_of(text) for text in ("DECIMAL(8,2)", "TIMESTAMP WITH TIME ZONE", "INTEGER[]")]
    ['number', 'timestamp', 'other']
    """
    if declared.endswith("]") or declared.startswith(("STRUCT", "MAP", "UNION")):
        return "other"
    name = declared.partition("(")[0].partition(" ")[0]
    if name.startswith("TIMESTAMP"):
        return "timestamp"
    return _KINDS.get(name, "other")


def in_utc(column: Any) -> Any:
    """Return an Arrow array whose moments, if they have a zone, are in UTC."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        return column.cast(pa.timestamp(column.type.unit, "UTC"))
    return column


_KINDS: Final[dict[str, StoredKind]] = {
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID"), "text"),
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "number"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "number"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "number"),
    "DATE": "date",
    "TIME": "time",
    "BOOLEAN": "boolean",
}
