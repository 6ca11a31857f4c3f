"""Tables in DuckDB, which runs the SQL of programs: the independent reference for the executor.

One connection; nothing outside it can be reached.
"""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import Any

import numpy as np

from denota.programs.denotation import Denotation, Value
from denota.programs.sql import ROW, Query, source_name, sql_names
from denota.tables.table import Table


class Database:
    """A table in DuckDB, with the columns that `denota.programs.sql` describes."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @cached_property
    def _cursor(self) -> Any:
        cursor = _connection().cursor()
        cursor.register(source_name(self.table), arrow_table(self.table))
        return cursor

    def run(self, query: Query) -> Denotation:
        """Execute a query and return its cells, or its values."""
        columns = tuple(self.table.names.index(name) for name in query.columns)
        rows = [
            row
            for (row,) in self._cursor.execute(query.rows.sql("duckdb", identify=True)).fetchall()
        ]
        result = self._cursor.execute(query.sql())
        names = [column[0] for column in result.description]
        found = result.fetchall()
        if names[0] == ROW:
            assert [line[0] for line in found] == sorted(rows)
            return Denotation(tuple(sorted(rows)), columns)
        values = tuple(_value(line[-1]) for line in found)
        groups = tuple(line[0] for line in found) if len(names) > 1 else ()
        if groups:  # a group may have no number
            stated = tuple(math.nan if value is None else value for value in values)
        else:
            stated = tuple(value for value in values if value is not None)
        return Denotation(tuple(sorted(rows)), columns, stated, groups)

    def close(self) -> None:
        """Let go of the table."""
        if "_cursor" in self.__dict__:
            self._cursor.close()


def _value(value: Any) -> Value | None:
    """Return a value as denotations have it: numbers as floats, None where there is none."""
    if value is None or isinstance(value, str | bool):
        return value
    return float(value) if math.isfinite(value) else None


def arrow_table(table: Table) -> Any:
    """Return the Arrow table that stands for a table in SQL."""
    import pyarrow as pa

    arrays: dict[str, Any] = {ROW: pa.array(range(len(table)), pa.int64())}
    for column, (typed, text) in zip(table.columns, sql_names(table), strict=True):
        if column.kind == "number":
            arrays[typed] = pa.array(column.numbers, pa.float64(), from_pandas=True)
        elif column.kind == "date":
            order = column.dates.order
            moments = np.round(np.where(np.isnan(order), 0, order) * 86_400_000_000).astype("int64")
            stamps = pa.array(moments, mask=np.isnan(order)).cast(pa.timestamp("us"))
            arrays[typed] = stamps
        arrays[text] = pa.array(column.text, pa.string())
    return pa.table(arrays)


_lock = threading.Lock()
_shared: list[Any] = []


def _connection() -> Any:
    """The one connection of the process; each table has a cursor of its own."""
    import duckdb

    with _lock:
        if not _shared:
            connection = duckdb.connect(":memory:", config={"enable_external_access": "false"})
            connection.execute("SET threads = 1; SET lock_configuration = true")
            _shared.append(connection)
    return _shared[0]
