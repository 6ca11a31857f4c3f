"""How fast each driver brings the same table into denota, and which values it brings right.

    python benchmarks/drivers.py [--rows N] [--repeats N]     measures into results/drivers.json
    python benchmarks/drivers.py --table                      writes the table of docs/addresses.md

Servers are those that tests start, on this machine. A value is right if its text is the server's.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import servers  # noqa: E402 - found through the line above
from denota import DenotaError, read_table  # noqa: E402

RESULT = ROOT / "results" / "drivers.json"
PAGE = ROOT / "docs" / "addresses.md"
BEGIN, END = "<!-- drivers -->", "<!-- /drivers -->"
COLUMNS = (
    "id INTEGER, name VARCHAR(40), price DECIMAL(9,2), ratio DOUBLE PRECISION, day DATE, "
    "lit BOOLEAN"
)
ODD = {
    "numeric": ("12345678901234567890.123", "12345678901234567890.123"),
    "date": ("infinity", "infinity"),
    "timestamp": ("0044-03-15 10:00:00 BC", "0044-03-15 10:00:00 BC"),
    "timestamptz": ("2024-05-17 08:00-05", "2024-05-17 13:00:00+00:00"),
    "time": ("06:10:00", "06:10:00"),
    "interval": ("1 day 02:00:00", "1 day 02:00:00"),
    "money": ("12.50", "$12.50"),
    "inet": ("10.0.0.1", "10.0.0.1"),
    "uuid": ("750625e0-3ca4-4fda-a447-7addc8eaf0e4", "750625e0-3ca4-4fda-a447-7addc8eaf0e4"),
    "jsonb": ('{"x": 1.10}', '{"x": 1.10}'),
    "int[]": ("{1,2}", "[1, 2]"),
    "bytea": ("ab", '"ab"'),
}
"""A type of Postgres, a value as it is written there, and its text in a table."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if not arguments.table:
        found = measure(arguments.rows, arguments.repeats)
        RESULT.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(json.loads(RESULT.read_text()))}{END}{after}")


def table(found: dict[str, Any]) -> str:
    """Return the table of a page."""
    cells = found["rows"] * found["columns"]
    took = f"seconds for {found['rows']:,} rows"
    lines = [
        f"| engine | driver | {took} | cells a second | not read right |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    for one in found["drivers"]:
        wrong = "" if one["wrong"] is None else ", ".join(one["wrong"]) or "none"
        rate = f"{round(cells / one['seconds'], -4):,.0f}"
        lines.append(
            f"| {one['engine']} | {one['driver']} | {one['seconds']:.2f} | {rate} | {wrong} |"
        )
    return "\n".join(lines) + "\n"


def measure(rows: int, repeats: int) -> dict[str, Any]:
    """Return the median seconds that each driver takes, in turn so that none has a quiet hour."""
    import adbc_driver_postgresql.dbapi
    import duckdb
    import sqlalchemy

    values = [
        (i, f"Item {i}, new", f"{i % 9000}.{i % 89 + 10}", (i * 7 % 1000) / 8, _day(i), i % 2 == 0)
        for i in range(rows)
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        servers.running("postgresql") as postgres,
        servers.running("mysql") as mariadb,
    ):
        lite, duck = Path(folder) / "t.sqlite", Path(folder) / "t.duckdb"
        with sqlite3.connect(lite) as connection:
            connection.execute(f"CREATE TABLE t ({COLUMNS})")
            connection.executemany("INSERT INTO t VALUES (?,?,?,?,?,?)", values)
        with duckdb.connect(str(duck)) as file:
            file.execute(f"CREATE TABLE t ({COLUMNS})")
            columns = list(zip(*values, strict=True))
            import pyarrow

            given = pyarrow.table({str(n): list(c) for n, c in enumerate(columns)})
            file.register("given", given)
            file.execute("INSERT INTO t SELECT * FROM given")
        for server in (postgres, mariadb):
            cursor = server.connect().cursor()
            cursor.execute(f"CREATE TABLE t ({COLUMNS})")
            for start in range(0, rows, 10_000):
                cursor.executemany(
                    "INSERT INTO t VALUES (%s,%s,%s,%s,%s,%s)", values[start : start + 10_000]
                )
        cursor = postgres.connect().cursor()
        for kind, (written, _) in ODD.items():
            cursor.execute(f"CREATE TABLE \"odd {kind}\" AS SELECT '{written}'::{kind} AS value")
        own = {s.scheme: s.address(password=servers.PASSWORD) for s in (postgres, mariadb)}
        bound = sqlalchemy.create_engine(own["postgresql"].replace(":", "+psycopg:", 1))
        arrow = adbc_driver_postgresql.dbapi.connect(own["postgresql"])
        drivers: dict[tuple[str, str], Callable[[str], Any]] = {
            ("SQLite", "sqlite3"): lambda name: read_table(lite, table=name),
            ("DuckDB", "duckdb"): lambda name: read_table(duck, table=name),
            ("Postgres", "psycopg"): lambda name: read_table(own["postgresql"], table=name),
            ("Postgres", "ADBC"): lambda name: read_table(arrow, table=name),
            ("Postgres", "SQLAlchemy, psycopg"): lambda name: read_table(bound, table=name),
            ("MariaDB", "PyMySQL"): lambda name: read_table(own["mysql"], table=name),
        }
        seconds: dict[tuple[str, str], list[float]] = {key: [] for key in drivers}
        for _ in range(repeats):
            for key, read in drivers.items():
                begun = time.perf_counter()
                read("t")
                seconds[key].append(time.perf_counter() - begun)
        return {
            "rows": rows,
            "columns": len(COLUMNS.split(",")) - 1,  # DECIMAL(9,2) has a comma
            "drivers": [
                {
                    "engine": engine,
                    "driver": driver,
                    "seconds": round(statistics.median(seconds[engine, driver]), 3),
                    "wrong": wrong(read) if engine == "Postgres" else None,
                }
                for (engine, driver), read in drivers.items()
            ],
        }


def wrong(read: Callable[[str], Any]) -> list[str]:
    """Return the types of which a driver does not bring the value as it is."""
    found = []
    for kind, (_, text) in ODD.items():
        try:
            is_right = read(f"odd {kind}")["value"].text == (text,)
        except DenotaError:
            is_right = False
        found += [] if is_right else [kind]
    return found


def _day(i: int) -> str:
    return f"{1990 + i % 30}-{i % 12 + 1:02}-{i % 28 + 1:02}"


if __name__ == "__main__":
    main()
