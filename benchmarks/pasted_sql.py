"""How often SQL as it is shown, run unchanged by an engine on raw data, gives the answer shown.

    python benchmarks/pasted_sql.py [--programs N] [--data SQA] [--postgres DSN] [--mysql SOCKET]

Writes results/pasted_sql.json. Programs are those of made-up questions about invented tables, the
sample's and SQA's, each with three others drawn from all programs of its question; follow-ups come
with the turns before. On clean tables the cells of number and date columns are plain numbers and
ISO dates. DuckDB reads CSV and Parquet files; SQLite, and servers if they are named, have tables of
declared types.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from denota.data import read_examples
from denota.errors import ProgramError
from denota.evaluation.pasted import (
    cell_key,
    duckdb_with,
    gives_the_answer,
    reads_alike,
    sqlite_with,
    write_csv,
    write_parquet,
)
from denota.generate import Conversation, generate
from denota.generate.invented import invented_tables
from denota.programs.operators import LANGUAGES, language_of
from denota.programs.operators_used import operators_used
from denota.programs.space import program_space
from denota.programs.sql import Query, file_table_name, to_sql
from denota.programs.sql.identifiers import column_names
from denota.programs.sql.kinds import kinds_of
from denota.programs.sql.literals import moment_text
from denota.programs.sql.readings import readings_of
from denota.programs.text import print_program
from denota.sample import path as sample_path
from denota.tables import Column, Table, read_table

OUT: Final = Path("results/pasted_sql.json")
ROOT: Final = Path(__file__).parents[1]
EVERYTHING: Final = language_of("full +cell +or")
SHOWN: Final = 20
"""The most failures that are written out."""
Connect = Callable[[Table], Any]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--programs", type=int, default=2000, help="about clean tables, and as many about others"
    )
    arguments.add_argument("--data", type=Path, help="the folder of SQA")
    arguments.add_argument("--postgres", help="how psycopg finds a server")
    arguments.add_argument("--mysql", help="the socket of a MySQL or MariaDB server")
    given = arguments.parse_args()
    parts = parts_of(given.data)
    with tempfile.TemporaryDirectory() as folder:
        engines = engines_of(Path(folder), given.postgres, given.mysql)
        measured = []
        for part, tables in parts.items():
            share = 1 if part == "clean" else len(parts) - 1
            queries = list(_queries(tables, -(-given.programs // share)))
            for engine, connect in engines.items():
                measured.append({"part": part, **measure(queries, engine, connect)})
                print(part, engine, measured[-1]["outcomes"], flush=True)
    OUT.write_text(json.dumps({"parts": measured}, indent=1) + "\n", encoding="utf-8")


def parts_of(sqa: Path | None) -> dict[str, list[Table]]:
    """The tables to ask about, by part."""
    invented = list(invented_tables(80, 1))
    sample = [read_table(path) for path in sorted((sample_path() / "tables").glob("*.csv"))]
    sample.append(read_table(ROOT / "examples" / "expeditions.csv"))
    parts = {
        "clean": [plainly(table) for table in (*sample, *invented)],
        "sample": [table for table in sample if not is_clean(table)],
        "invented": [table for table in invented if not is_clean(table)],
    }
    if sqa is not None:
        examples = read_examples(sqa / "random-split-1-dev.tsv")
        tables = {one.question.table.name: one.question.table for one in examples}
        parts["sqa"] = [table for table in tables.values() if not is_clean(table)]
    return parts


def is_clean(table: Table) -> bool:
    """Whether no column has to be read by SQL."""
    readings = readings_of(table).values()
    return all(one.is_plain or one.column.kind == "text" for one in readings)


def plainly(table: Table) -> Table:
    """Return a table with plain numbers and ISO dates, and nothing where a cell states none."""
    columns = []
    for column in table.columns:
        text = column.text
        if column.kind == "number":
            text = tuple("" if n != n else _plain(n) for n in column.numbers.tolist())
        elif column.kind == "date":
            days = np.floor(column.dates.order)
            text = tuple("" if d != d else moment_text(d) for d in days.tolist())
        columns.append(Column(column.name, text))
    return Table(tuple(columns), table.name)


def _plain(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(number)


def engines_of(folder: Path, postgres: str | None, mysql: str | None) -> dict[str, Connect]:
    """What has a table, by the name of the engine."""
    numbers = count()

    def csv(table: Table) -> Any:
        path = folder / f"{next(numbers)}.csv"
        write_csv(table, path)
        return duckdb_with(table, path)

    def parquet(table: Table) -> Any:
        path = folder / f"{next(numbers)}.parquet"
        write_parquet(table, path)
        return duckdb_with(table, path)

    engines: dict[str, Connect] = {"duckdb": csv, "duckdb parquet": parquet, "sqlite": sqlite_with}
    if postgres:
        engines["postgres"] = lambda table: _on_postgres(table, postgres)
    if mysql:
        engines["mysql"] = lambda table: _on_mysql(table, mysql)
    return engines


def measure(queries: Sequence[Query], engine: str, connect: Connect) -> dict[str, Any]:
    """Run the SQL of programs on one engine and count what comes of it."""
    outcomes: Counter[str] = Counter()
    used: Counter[str] = Counter()
    failures: list[dict[str, str]] = []
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    by_table: dict[int, list[Query]] = defaultdict(list)
    for query in queries:
        by_table[id(query.table)].append(query)
    for own in by_table.values():
        connection = _connection(own[0].table, connect)
        for query in own:
            assert query.program is not None
            sql = query.sql(engine.split()[0])
            outcome, said = _outcome(query, sql, connection)
            outcomes[outcome] += 1
            operators = operators_used(query.program)
            used.update(operators)
            if outcome != "right":
                by_kind[outcome].update(operators - {"table", "several_columns"})
                program = print_program(query.program)
                failures.append({"outcome": outcome, "program": program, "sql": sql, "got": said})
        if not isinstance(connection, str):
            connection.close()
    total = sum(outcomes.values())
    return {
        "engine": engine,
        "tables": len(by_table),
        "programs": total,
        "operators": len(used),
        "outcomes": dict(outcomes),
        "right_percent": round(100 * outcomes["right"] / total, 2),
        "failing_operators": {name: dict(own.most_common(6)) for name, own in by_kind.items()},
        "failures": failures[:SHOWN],
    }


def _connection(table: Table, connect: Connect) -> Any:
    """A connection, or why there is none to compare with."""
    try:
        connection = connect(table)
    except Exception as error:  # whatever an engine says of a file
        return f"the file is not read: {str(error).splitlines()[0][:120]}"
    name = file_table_name(table).replace('"', '""')
    if hasattr(connection, "sql"):  # DuckDB reads files its own way
        rows = connection.execute(f'FROM "{name}"').fetchall()
        if not reads_alike(table, rows):
            return f"the file is read otherwise: {_otherwise(table, rows)}"
    return connection


def _otherwise(table: Table, rows: Sequence[Sequence[Any]]) -> str:
    for row, line in enumerate(rows[: len(table)]):
        for column, value in enumerate(line[: len(table.columns)]):
            if str(value) != str(cell_key(table, row, column, "text")):
                return f"{table.cell(row, column)!r} as {value!r}"
    return f"{len(rows)} rows of {len(table)}"


def _outcome(query: Query, sql: str, connection: Any) -> tuple[str, str]:
    if isinstance(connection, str):
        outcome, _, said = connection.partition(": ")
        return outcome, said
    try:
        found = connection.execute(sql).fetchall()
    except Exception as error:  # whatever an engine says of SQL
        return "an error", str(error)[:200]
    return ("right" if gives_the_answer(query, found) else "another answer"), repr(found)[:200]


def _queries(tables: Sequence[Table], programs: int) -> Iterator[Query]:
    """Queries of conversations; a turn's own program is what the next follows up on."""
    draw, made = random.Random(0), 0
    for conversation in generate(tables, 0, language=LANGUAGES["full"], turns=(1, 2, 3)):
        for query in _of_conversation(conversation, draw):
            yield query
            made += 1
            if made >= programs:
                return


def _of_conversation(conversation: Conversation, draw: random.Random) -> Iterator[Query]:
    table, before = conversation.table, None
    for turn in conversation.turns:
        previous = before.answer if before is not None else None
        space = program_space(turn.question, table, previous, EVERYTHING)
        numbers = draw.sample(range(len(space)), min(len(space), 3))
        own = to_sql(turn.program, table, before)
        yield own
        for number in numbers:
            try:
                yield to_sql(space.program(number), table, before)
            except ProgramError:  # an answer before that has no columns
                continue
        before = own


class _Cursor:
    """A server's connection with the one method that is used of SQLite's and DuckDB's."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def execute(self, sql: Any) -> Any:
        cursor = self.connection.cursor()
        cursor.execute(sql)
        return cursor

    def close(self) -> None:
        self.connection.close()


def _on_postgres(table: Table, dsn: str) -> Any:
    import psycopg

    connection = psycopg.connect(dsn, autocommit=True)
    types = {"timestamp": "TIMESTAMP", "number": "DOUBLE PRECISION"}
    _fill(connection.cursor(), table, '"', types)
    return _Cursor(connection)


def _on_mysql(table: Table, socket: str) -> Any:
    import pymysql

    connection = pymysql.connect(unix_socket=socket, user="root", autocommit=True)
    cursor = connection.cursor()
    cursor.execute("CREATE DATABASE IF NOT EXISTS pasted CHARACTER SET utf8mb4")
    cursor.execute("USE pasted")
    _fill(cursor, table, "`", {"timestamp": "DATETIME", "number": "DOUBLE"})
    return _Cursor(connection)


def _fill(cursor: Any, table: Table, quote: str, types: dict[str, str]) -> None:
    """Make a table of declared types and fill it from what SQLite has of it."""
    kinds = kinds_of(table)
    own = {**types, "boolean": "BOOLEAN", "date": "DATE", "time": "TIME"}
    names = [f"{quote}{name.replace(quote, 2 * quote)}{quote}" for name in column_names(table)]
    columns = [f"{n} {own.get(kind, 'TEXT')}" for n, kind in zip(names, kinds, strict=True)]
    name = f"{quote}{file_table_name(table).replace(quote, 2 * quote)}{quote}"
    cursor.execute(f"CREATE TEMPORARY TABLE {name} ({', '.join(columns)})")
    source = file_table_name(table).replace('"', '""')
    rows = sqlite_with(table).execute(f'SELECT * FROM "{source}"').fetchall()
    typed = [
        [bool(v) if k == "boolean" and v is not None else v for v, k in zip(r, kinds, strict=True)]
        for r in rows
    ]
    cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(names))})", typed)


if __name__ == "__main__":
    main()
