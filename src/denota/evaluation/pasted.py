"""SQL as a person pastes it: run unchanged by an engine on raw data, and compared with the answer.

DuckDB reads the file itself; SQLite has a table of declared types. An answer is a multiset of rows,
its numbers as exact as the engine gives them.
"""

from __future__ import annotations

import csv
import datetime
import math
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Hashable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.programs.denotation import Denotation
from denota.programs.sql import Query, file_table_name
from denota.programs.sql.identifiers import column_names
from denota.programs.sql.kinds import kinds_of
from denota.tables.header import header_note
from denota.tables.stored import StoredKind
from denota.tables.table import Table

_EPOCH: Final = datetime.date(1970, 1, 1).toordinal()


def write_csv(table: Table, path: Path) -> None:
    """Write a table as a CSV file, header and cells as they stood in its source."""
    names = list(table.names)
    for place, name in map(header_note, table.notes):
        if place:
            names[place - 1] = name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(table.row(row) for row in range(len(table)))


def write_parquet(table: Table, path: Path) -> None:
    """Write a table as a Parquet file with the types that its cells plainly have."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        write_csv(table, Path(folder) / "table.csv")
        quoted = str(path).replace("'", "''")
        duckdb.connect().execute(
            f"COPY (FROM read_csv('{folder}/table.csv')) TO '{quoted}' (FORMAT parquet)"
        )


def duckdb_with(table: Table, path: Path) -> Any:
    """Return a DuckDB connection that has a CSV or Parquet file under the table's name."""
    import duckdb

    connection = duckdb.connect()
    read = "read_parquet" if path.suffix == ".parquet" else "read_csv"
    name = file_table_name(table).replace('"', '""')
    quoted = str(path).replace("'", "''")
    connection.execute(f"SET threads = 1; CREATE TABLE \"{name}\" AS FROM {read}('{quoted}')")
    connection.execute("SET enable_external_access = false; SET lock_configuration = true")
    return connection


def sqlite_with(table: Table) -> Any:
    """Return a SQLite connection with the table, its columns declared by what they plainly hold."""
    types = {"number": "NUMERIC", "boolean": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP"}
    kinds = kinds_of(table)
    connection = sqlite3.connect(":memory:")
    names = [f'"{own.replace(chr(34), chr(34) * 2)}"' for own in column_names(table)]
    columns = ", ".join(
        f"{name} {types.get(kind, 'TEXT')}" for name, kind in zip(names, kinds, strict=True)
    )
    name = file_table_name(table).replace('"', '""')
    connection.execute(f'CREATE TABLE "{name}" ({columns})')
    marks = ", ".join("?" * len(names))
    rows = (
        [_stored(table, row, column, kind) for column, kind in enumerate(kinds)]
        for row in range(len(table))
    )
    connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
    return connection


def _stored(table: Table, row: int, column: int, kind: StoredKind) -> Any:
    """A cell as a SQLite database has it."""
    text = table.cell(row, column)
    if not text:
        return None
    if kind == "boolean":
        return int(text.casefold() in _TRUE)
    if kind == "date":
        days = table.columns[column].dates.order[row]
        return str(np.datetime64(int(days), "D")) if days == days else text
    return text


def gives_the_answer(query: Query, fetched: Sequence[Sequence[Any]]) -> bool:
    """Say whether what an engine gave for a query is the answer of its program."""
    table, answer = query.table, query.answer
    kinds = kinds_of(table)
    if answer.values is None and not answer.columns:  # after an answer that had no cells
        return len(fetched) == len(answer.rows)
    if answer.values is None:
        expected = Counter(
            tuple(cell_key(table, row, column, kinds[column]) for column in answer.columns)
            for row in answer.rows
        )
        found = Counter(
            tuple(map(value_key, line, (kinds[column] for column in answer.columns)))
            for line in fetched
        )
        return expected == found
    if answer.groups:
        return _same_groups(answer, table, kinds[answer.columns[0]], fetched)
    values = [line[0] for line in fetched if not _is_nothing(line[0])]
    return _same_values(list(answer.values), values)


def _is_nothing(value: Any) -> bool:
    """Whether it is no value: NULL, or a number too large for one."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _same_groups(
    answer: Denotation, table: Table, kind: StoredKind, fetched: Sequence[Sequence[Any]]
) -> bool:
    column = table.columns[answer.columns[0]]
    expected = {
        cell_key(table, column.text.index(name), answer.columns[0], kind): value
        for name, value in zip(answer.groups, answer.values or (), strict=True)
    }
    found = {value_key(name, kind): value for name, value in fetched}
    if len(found) != len(fetched) or expected.keys() != found.keys():
        return False
    return all(_near(expected[key], math.nan if _is_nothing(v) else v) for key, v in found.items())


def _same_values(expected: list[Any], found: list[Any]) -> bool:
    if len(expected) != len(found):
        return False
    if all(isinstance(value, str) for value in expected):
        return Counter(expected) == Counter(map(str, found))
    pairs = zip(sorted(expected), sorted(found), strict=True)
    return all(_near(one, other) for one, other in pairs)


def _near(one: Any, other: Any) -> bool:
    if isinstance(other, Decimal) and other.as_tuple().exponent not in ("n", "N", "F"):
        digits = -int(other.as_tuple().exponent)
        return abs(float(one) - float(other)) <= max(10.0**-digits, 1e-9 * abs(float(one)))
    one, other = float(one), float(other)
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def cell_key(table: Table, row: int, column: int, kind: StoredKind) -> Hashable:
    """Return what a cell must be in an engine that takes its column to be of a kind."""
    text = table.cell(row, column)
    if not text:
        return None
    if kind == "number":
        return float(text)
    if kind == "boolean":
        return text.casefold() in _TRUE
    if kind in ("date", "timestamp") and table.columns[column].dates.known[row]:
        return round(float(table.columns[column].dates.order[row]) * 86400, 3)
    if kind == "time":
        return tuple(float(part) for part in f"{text}:0".split(":")[:3])
    return text


def value_key(value: Any, kind: StoredKind) -> Hashable:
    """Return the same of what an engine gave."""
    if value is None:
        return None
    if kind == "number":
        return float(value)
    if kind == "boolean":
        return bool(value)
    if kind in ("date", "timestamp") and not isinstance(value, datetime.date):
        try:
            value = datetime.datetime.fromisoformat(str(value))
        except ValueError:
            return str(value)
    if isinstance(value, datetime.datetime):
        time = 3600 * value.hour + 60 * value.minute + value.second + value.microsecond / 1e6
        return round(86400.0 * (value.toordinal() - _EPOCH) + time, 3)
    if isinstance(value, datetime.date):
        return 86400.0 * (value.toordinal() - _EPOCH)
    if kind == "time":
        if isinstance(value, str):
            return tuple(float(part) for part in f"{value}:0".split(":")[:3])
        if isinstance(value, datetime.timedelta):  # as MySQL has times
            value = (datetime.datetime.min + value).time()
        return float(value.hour), float(value.minute), value.second + value.microsecond / 1e6
    return str(value)


def reads_alike(table: Table, fetched: Sequence[Sequence[Any]]) -> bool:
    """Say whether an engine has the cells that denota has."""
    kinds = kinds_of(table)
    own = [
        [cell_key(table, row, column, kind) for column, kind in enumerate(kinds)]
        for row in range(len(table))
    ]
    try:
        return own == [list(map(value_key, line, kinds)) for line in fetched]
    except (TypeError, ValueError, AttributeError):
        return False


_TRUE: Final = frozenset(("true", "t", "yes", "1"))
