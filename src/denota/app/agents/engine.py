"""SQL over the opened tables, in a process of its own that can read nothing else.

Usage: python -m denota.app.agents.engine, which `sql.py` starts and speaks to.

DuckDB has no access to files and network here, its settings are locked, and its memory is bounded;
the process is bounded too, and killed when a statement takes too long, for some functions of DuckDB
heed neither its limit nor an interruption. Each statement has a database of its own.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import sys
import threading
import time
from collections.abc import Sequence
from decimal import Decimal
from typing import IO, Any, Final

MEMORY: Final = 4 << 30
"""Bytes of address space that the process may have."""
FOR_DUCKDB: Final = "1GB"
"""What DuckDB may use."""
LONGEST_CELL: Final = 2_000
"""Characters of a cell that are told."""
LONGEST: Final = 200_000
"""Characters of all cells together."""
CLOSED: Final = "SQL reads the opened tables and nothing else: no files, network or settings"
ONLY_SELECT: Final = "only a SELECT is run, as nothing can be changed here"


def main() -> None:
    """Do what is asked until nobody asks any more."""
    _bound_memory()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    engine = Engine()
    while (asked := receive(sys.stdin.buffer)) is not None:
        message, data = asked
        send(sys.stdout.buffer, engine.do(message, data))


def send(pipe: IO[bytes], message: dict[str, Any], data: bytes = b"") -> None:
    """Write a message, and bytes that go with it."""
    head = json.dumps({**message, "bytes": len(data)}, allow_nan=False).encode()
    pipe.write(len(head).to_bytes(8) + head)
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message and its bytes; None if there is none any more."""
    size = pipe.read(8)
    if len(size) < 8:
        return None
    message: dict[str, Any] = json.loads(pipe.read(int.from_bytes(size)))
    return message, pipe.read(message["bytes"])


class Engine:
    """Tables, and SQL about them."""

    def __init__(self) -> None:
        self._tables: dict[str, Any] = {}
        self._files: dict[str, list[str]] = {}

    def do(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """Do what a message asks for and return the answer: what came of it, or an `error`."""
        import duckdb

        try:
            if "table" in message:
                self._tables[message["table"]] = _typed(data, message["kinds"])
                return {}
            if "files" in message:
                self._files[message["name"]] = message["files"]
                return {}
            return self._run(message["sql"], message["rows"], message["seconds"])
        except duckdb.PermissionException:
            return {"error": CLOSED}
        except duckdb.InterruptException:
            return {"error": f"the statement took longer than {message['seconds']:g} seconds"}
        except (duckdb.OutOfMemoryException, MemoryError):
            return {"error": "the statement needs more memory than there is for it; ask for less"}
        except duckdb.Error as error:
            return {"error": _first_line(error)}

    def _run(self, sql: str, most: int, seconds: float) -> dict[str, Any]:
        connection = self._connection()
        timer = threading.Timer(seconds, connection.interrupt)
        try:
            statements = connection.extract_statements(sql)
            if len(statements) != 1:
                what = "several statements" if statements else "no statement"
                return {"error": f"there are {what} in that; write one SELECT"}
            if statements[0].type.name != "SELECT":
                return {"error": ONLY_SELECT}
            timer.start()
            began = time.perf_counter()
            result = connection.execute(statements[0])
            columns = [{"name": str(n), "type": str(kind)} for n, kind, *_ in result.description]
            fetched = result.fetchmany(most + 1)
            took = time.perf_counter() - began
        finally:
            timer.cancel()
            connection.close()
        rows, shortened = _told(fetched[:most])
        more = len(fetched) > most or len(rows) < min(len(fetched), most)
        found = {"columns": columns, "rows": rows, "more": more, "shortened": shortened}
        return {**found, "seconds": round(took, 4)}

    def _connection(self) -> Any:
        """A new database that has the tables and is closed to all else."""
        import duckdb

        connection = duckdb.connect(config=_SAFE)
        for name, table in self._tables.items():
            connection.register(name, table)
        if self._files:
            own = [path for files in self._files.values() for path in files]
            connection.execute(f"SET allowed_paths = [{_texts(own)}]")
            for name, files in self._files.items():
                reading = f"read_parquet([{_texts(files)}], hive_partitioning = true)"
                connection.execute(f"CREATE VIEW {_quoted(name)} AS SELECT * FROM {reading}")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return connection


_SAFE: Final[Any] = {
    "memory_limit": FOR_DUCKDB,
    "temp_directory": "",
    "threads": "2",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def _typed(data: bytes, kinds: Sequence[str]) -> Any:
    """A table of texts with the types that its columns plainly have; what has none stays text."""
    import duckdb
    import pyarrow as pa

    raw = pa.ipc.open_stream(data).read_all()
    connection = duckdb.connect(config=_SAFE)
    try:
        connection.register("raw", raw)
        chosen = []
        for name, kind in zip(raw.column_names, kinds, strict=True):
            text = f"nullif({_quoted(name)}, '')"
            chosen.append(f"{_cast(connection, text, kind)} AS {_quoted(name)}")
        return connection.sql(f"SELECT {', '.join(chosen)} FROM raw").to_arrow_table()
    finally:
        connection.close()


def _cast(connection: Any, text: str, kind: str) -> str:
    """The expression of a column: the first of the types that all of its texts have."""
    if kind == "boolean":
        return f"lower({text}) IN ('true', 't', 'yes', '1')"
    for name in _TYPES.get(kind, ()):
        cast = f"TRY_CAST(trim({text}) AS {name})"
        lost = f"{text} IS NOT NULL AND {cast} IS NULL"
        if name == "BIGINT":  # 1.5 would become 2
            lost += f" OR NOT regexp_full_match(trim({text}), '-?[0-9]+')"
        if not connection.sql(f"SELECT count_if({lost}) FROM raw").fetchall()[0][0]:
            return cast
    return text


_TYPES: Final = {
    "number": ("BIGINT", "DOUBLE"),
    "date": ("DATE",),
    "timestamp": ("TIMESTAMP",),
    "time": ("TIME",),
}


def _told(rows: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], bool]:
    """Rows for JSON, as many as are told, and whether a cell of them was shortened."""
    found: list[list[Any]] = []
    left, shortened = LONGEST, False
    for row in rows:
        cells = [_plain(value) for value in row]
        for place, cell in enumerate(cells):
            if isinstance(cell, str) and len(cell) > LONGEST_CELL:
                cells[place], shortened = cell[: LONGEST_CELL - 1] + "…", True
        left -= sum(len(str(cell)) for cell in cells)
        if left < 0 and found:
            break
        found.append(cells)
    return found, shortened


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return float(value) if value.is_finite() else None
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _texts(values: Sequence[str]) -> str:
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return said.partition("Error: ")[2][:300].strip() or said[:300]


def _bound_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, OSError, ValueError):
        print("denota: the memory of SQL cannot be bounded here", file=sys.stderr)


def _end_with(parent: int) -> None:
    """End when the process that started this one is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    main()
