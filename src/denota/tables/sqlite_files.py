"""SQLite files, opened to be read and nothing else."""

from __future__ import annotations

import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from denota.errors import TableError
from denota.tables.source import SECONDS, Result
from denota.tables.stored import Engine, Stored, StoredColumn, StoredKind

MAGIC: Final = b"SQLite format 3\0"
"""What a file begins with."""


def open_sqlite(path: Path, seconds: float = SECONDS) -> SqliteSource:
    """Open a file.

    Raises:
        TableError: it cannot be read.
    """
    if _is_cut_short(path):
        raise TableError(f"{path} is an SQLite file that was cut short")
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?mode=ro",
            uri=True,
            isolation_level=None,
            check_same_thread=False,  # a conversation goes on in whatever thread
        )
        connection.execute("PRAGMA query_only = ON")
        # a file from elsewhere: its views may call nothing that reaches out of it
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    except sqlite3.Error as error:
        raise TableError(f"{path} cannot be read as an SQLite file: {error}") from None
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return SqliteSource(connection, str(path), seconds)


def _is_cut_short(path: Path) -> bool:
    """Whether a file lacks pages that it says it has: SQLite would read them as empty."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except OSError:
        return False  # connecting says what is wrong
    page, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    is_stated = head[24:28] == head[92:96]  # else an old SQLite wrote it, which keeps no count
    return is_stated and size < pages * (65536 if page == 1 else page)


class SqliteSource:
    """An SQLite file.

    Args:
        connection: to it.
        label: what to call it.
        seconds: for a statement.
        own: whether the connection is ours to close.
    """

    engine: Engine = "sqlite"

    def __init__(
        self,
        connection: sqlite3.Connection,
        label: str,
        seconds: float = SECONDS,
        own: bool = True,
    ) -> None:
        self.label = label
        self._connection, self._seconds, self._own = connection, seconds, own

    def catalogue(self) -> tuple[Stored, ...]:
        """Return its tables and views with their columns, by name."""
        return tables_in(self.query(CATALOGUE).rows())

    def query(self, sql: str) -> Result:
        """Run SQL that only reads."""
        end = time.monotonic() + self._seconds
        connection = self._connection
        if self._own:
            connection.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)
        try:
            cursor = connection.cursor()
            cursor.row_factory = None  # whatever the connection's is
            cursor.execute(sql)
            names = tuple(column[0] for column in cursor.description or ())
            rows = cursor.fetchall()
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise TableError(
                    f"{self.label} took longer than {self._seconds:g} seconds to read"
                ) from None
            raise TableError(f"{self.label} cannot be read: {error}") from None
        except sqlite3.Error as error:
            raise TableError(f"{self.label} cannot be read: {error}") from None
        return Result.of_rows(names, rows)

    def close(self) -> None:
        """Close the file."""
        if self._own:
            self._connection.close()


CATALOGUE: Final = """
SELECT t.name, c.name, c.type FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
WHERE t.schema = 'main' AND c.hidden <> 1 AND t.type IN ('table', 'view', 'virtual')
AND substr(t.name, 1, 7) <> 'sqlite_' ORDER BY t.name, c.cid
"""


def tables_in(rows: Iterable[Sequence[Any]]) -> tuple[Stored, ...]:
    """Return the tables that the rows of `CATALOGUE` tell of."""
    tables: dict[str, list[StoredColumn]] = defaultdict(list)
    for table, column, kind in rows:
        tables[table].append(StoredColumn(column, kind_of(kind or "")))
    return tuple(Stored("sqlite", (name,), tuple(own)) for name, own in tables.items())


def kind_of(declared: str) -> StoredKind:
    """Return what a declared type says, by the words people use for it.

    >>> [kind_of(text) for text in ("VARCHAR(20)", "DECIMAL(8,2)", "bool", "DATETIME", "")]
    ['text', 'number', 'boolean', 'timestamp', 'text']
    """
    plain = declared.lower()
    said = (kind for words, kind in _KINDS.items() if any(word in plain for word in words))
    return next(said, "text")


_KINDS: Final[dict[tuple[str, ...], StoredKind]] = {
    ("bool",): "boolean",
    ("datetime", "timestamp"): "timestamp",
    ("date",): "date",
    ("time",): "time",
    ("char", "clob", "text"): "text",
    ("int", "real", "floa", "doub", "num", "dec", "money"): "number",
    ("blob",): "other",
}
"""In this order: a `datetime` is no `date`."""
