"""SQL that only reads, run by an `engine` process that is killed where it does not end in time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from denota.app.agents.engine import receive, send
from denota.errors import DataError
from denota.tables.table import Table

MORE: Final = 1.0
"""Seconds that a statement is given to end after its time, before its process is killed."""
LONGEST: Final = 20_000
"""Characters of a statement."""
ENDED: Final = (
    "the statement was stopped, because it took too long or needs too much memory; ask for less"
)


@dataclass(frozen=True)
class Viewed:
    """A table as SQL sees it."""

    table: Table
    files: tuple[Path, ...] = ()
    """Parquet files that have it, where it is too large to be read."""


class Sql:
    """What runs statements."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: dict[str, Viewed] = {}

    def run(
        self, sql: str, tables: Mapping[str, Viewed], rows: int, seconds: float
    ) -> dict[str, Any]:
        """Return what a statement gives: `columns`, `rows`, and whether there are `more`.

        Args:
            sql: one SELECT of DuckDB.
            tables: what it may be about, by name; those that it names are looked at, all of them
                if it names none.
            rows: how many are told at most.
            seconds: how long it may take.

        Raises:
            DataError: it is no such statement, is about something else, or takes too much.
        """
        if len(sql) > LONGEST:
            raise DataError(f"the statement is longer than {LONGEST:,} characters")
        try:
            wanted = {name: one for name, one in tables.items() if names(sql, name)}
            process = self._with(tables, wanted or tables)
            killer = threading.Timer(seconds + MORE, process.kill)
            killer.start()
            try:
                found = self._asked(process, {"sql": sql, "rows": rows, "seconds": seconds})
            finally:
                killer.cancel()
        except BaseException:  # what was asked may still be running there
            self.close()
            raise
        if "error" in found:
            raise DataError(found["error"])
        return found

    def kill(self) -> None:
        """Stop the statement that is being run."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        self._sent.clear()
        if process is not None:
            process.kill()
            process.wait()

    def _with(
        self, tables: Mapping[str, Viewed], wanted: Mapping[str, Viewed]
    ) -> subprocess.Popen[bytes]:
        """The process, which has what is wanted, and nothing that was closed."""
        if any(sent is not tables.get(name) for name, sent in self._sent.items()):
            self.close()
        if self._process is None or self._process.poll() is not None:
            self._sent.clear()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "denota.app.agents.engine"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONSAFEPATH": "1"},  # no module of the working folder
            )
        for name, viewed in wanted.items():
            if name not in self._sent:
                self._put(self._process, name, viewed)
                self._sent[name] = viewed
        return self._process

    def _put(self, process: subprocess.Popen[bytes], name: str, viewed: Viewed) -> None:
        if viewed.files:
            files = [str(file) for file in viewed.files]
            found = self._asked(process, {"name": name, "files": files})
        else:
            kinds, data = _as_arrow(viewed.table)
            found = self._asked(process, {"table": name, "kinds": kinds}, data)
        if "error" in found:
            raise DataError(found["error"])

    def _asked(
        self, process: subprocess.Popen[bytes], message: dict[str, Any], data: bytes = b""
    ) -> dict[str, Any]:
        assert process.stdin is not None and process.stdout is not None
        try:
            send(process.stdin, message, data)
            answer = receive(process.stdout)
        except (BrokenPipeError, ValueError):
            answer = None
        if answer is None:
            raise DataError(ENDED)
        return answer[0]


def names(sql: str, name: str) -> bool:
    """Say whether a statement may be about the table of a name.

    >>> names('SELECT 1 FROM "Towns"', "towns"), names("SELECT 1 FROM towns_2", "towns")
    (True, False)
    """
    return re.search(rf"\b{re.escape(name)}\b", sql, re.IGNORECASE) is not None


def _as_arrow(table: Table) -> tuple[list[str], bytes]:
    """What SQL takes the columns of a table to be, and their texts, dates as ISO writes them."""
    import numpy as np
    import pyarrow as pa

    from denota.programs.sql.identifiers import column_names  # sqlglot takes a while to import
    from denota.programs.sql.kinds import kinds_of

    texts, kinds = [], list(kinds_of(table))
    for column, kind in zip(table.columns, kinds, strict=True):
        cells = [text.encode("utf-8", "replace").decode() for text in column.text]
        if kind == "date":
            for row, days in enumerate(column.dates.order):
                if days == days:
                    cells[row] = str(np.datetime64(int(days), "D"))
        texts.append(pa.array(cells, pa.string()))
    made = pa.Table.from_arrays(texts, names=list(column_names(table)))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, made.schema) as writer:
        writer.write_table(made)
    return [*kinds], sink.getvalue().to_pybytes()
