"""Tables as an engine has them, which runs the SQL of programs: the reference for the executor.

The types are those that `kinds_of` says; `tests/evaluation/test_pasted.py` holds that against what
DuckDB makes of files.
"""

from __future__ import annotations

from typing import Any

from denota.evaluation.pasted import gives_the_answer
from denota.programs.sql import Query, file_table_name
from denota.programs.sql.identifiers import column_names
from denota.programs.sql.kinds import kinds_of
from denota.tables.table import Table

_TYPES = {"boolean": "BOOLEAN", "time": "TIME", "date": "DATE", "timestamp": "TIMESTAMP"}


class Database:
    """A table in DuckDB, where nothing else can be reached."""

    def __init__(self, table: Table) -> None:
        import duckdb

        self.table = table
        self.connection = duckdb.connect(config={"enable_external_access": "false"})
        self.connection.execute("SET threads = 1")
        self.connection.register("texts", _texts(table))
        chosen = ", ".join(map(self._typed, range(len(table.columns)), kinds_of(table)))
        name = _quoted(file_table_name(table))
        self.connection.execute(f"CREATE TABLE {name} AS SELECT {chosen} FROM texts")
        self.connection.unregister("texts")

    def _typed(self, position: int, kind: str) -> str:
        column, name = self.table.columns[position], f'"{position}"'
        if kind == "number":
            whole = all(text.strip().lstrip("-").isdigit() for text in column.values if text)
            name = f"TRY_CAST({name} AS {'HUGEINT' if whole else 'DOUBLE'})"
        elif kind in ("date", "timestamp"):
            name = f'CAST("{position} read" AS {_TYPES[kind]})'
        elif kind in _TYPES:
            name = f"CAST({name} AS {_TYPES[kind]})"
        return f"{name} AS {_quoted(column_names(self.table)[position])}"

    def fetch(self, query: Query) -> list[Any]:
        """Execute the SQL of a query, as it is shown."""
        found: list[Any] = self.connection.execute(query.sql()).fetchall()
        return found

    def gives(self, query: Query) -> bool:
        """Say whether the SQL of a query gives what its program does."""
        return gives_the_answer(query, self.fetch(query))

    def close(self) -> None:
        """Let go of the table."""
        self.connection.close()


def _texts(table: Table) -> Any:
    """Return the texts as an Arrow table, empty ones as NULL, dates as days besides."""
    import numpy as np
    import pyarrow as pa

    arrays: dict[str, Any] = {}
    for position, column in enumerate(table.columns):
        arrays[str(position)] = pa.array([text or None for text in column.text], pa.string())
        order = column.dates.order
        moments = np.round(np.where(np.isnan(order), 0, order) * 86_400_000_000).astype("int64")
        stamps = pa.array(moments, mask=np.isnan(order)).cast(pa.timestamp("us"))
        arrays[f"{position} read"] = stamps
    return pa.table(arrays)


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
