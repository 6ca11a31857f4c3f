"""What an engine knows of a table without handing over its rows, and some rows drawn at random.

Postgres has statistics of its own, DuckDB counts distinct values approximately; the others count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from denota.tables.source import Result, Source, quoted
from denota.tables.stored import Stored


@dataclass(frozen=True)
class Statistics:
    """How large a table is."""

    rows: int
    distinct: tuple[int, ...]  #: (columns,) about how many values each has


def statistics_of(source: Source, stored: Stored) -> Statistics:
    """Return how many rows a table has, and about how many values each column."""
    table = quoted(stored.engine, *stored.name)
    known = _of_postgres(source, stored) if stored.engine == "postgres" else {}
    count = _COUNT.get(stored.engine, "COUNT(DISTINCT {})")
    unknown = [column.name for column in stored.columns if column.name not in known]
    wanted = [count.format(quoted(stored.engine, name)) for name in unknown]
    counted = source.query(f"SELECT {', '.join(['COUNT(*)', *wanted])} FROM {table}")
    rows, *values = (int(value or 0) for value in next(counted.rows()))
    found = dict(zip(unknown, values, strict=True))
    for name, share in known.items():  # Postgres tells a share where it expects it to stay
        found[name] = round(share if share >= 0 else -share * rows)
    return Statistics(rows, tuple(found[column.name] for column in stored.columns))


def draw(source: Source, stored: Stored, count: int, rows: int) -> Result:
    """Return about so many rows of a table of `rows` rows, drawn at random."""
    table = quoted(stored.engine, *stored.name)
    columns = ", ".join(quoted(stored.engine, column.name) for column in stored.columns)
    share = min(100.0, 300 * count / max(rows, 1))
    sample = _SAMPLE[stored.engine].format(count=count, share=f"{share:.6f}")
    return source.query(f"SELECT {columns} FROM {table} {sample}")


def _of_postgres(source: Source, stored: Stored) -> dict[str, float]:
    """The distinct values that ANALYZE counted, or their share of the rows below 0."""
    *schema, table = stored.name
    own = "schemaname = ANY (current_schemas(false))"
    at = f"schemaname = {_text(schema[0])}" if schema else own
    asked = f"SELECT attname, n_distinct FROM pg_stats WHERE {at} AND tablename = {_text(table)}"
    return {str(name): float(share) for name, share in source.query(asked).rows()}


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


_COUNT: Final = {"duckdb": "approx_count_distinct({})"}
_SAMPLE: Final = {
    "duckdb": "USING SAMPLE reservoir({count} ROWS) REPEATABLE (0)",
    "postgres": "TABLESAMPLE SYSTEM ({share}) REPEATABLE (0) LIMIT {count}",
    "sqlite": "ORDER BY random() LIMIT {count}",
    "mysql": "ORDER BY rand(0) LIMIT {count}",
}
