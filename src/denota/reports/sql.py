"""The page about SQL: what it looks like for every operator, and how often it gives the answer.

python benchmarks/pasted_sql.py --data DIR
    measures, into results/pasted_sql.json
python -m denota.reports.sql
    writes docs/sql.md from that and from examples/expeditions.csv
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS
from denota.programs.sql import Query, to_sql
from denota.programs.sql.cleaning import MOST_WRITTEN, MOST_WRITTEN_PLAINLY
from denota.programs.text import parse_program
from denota.reports.markdown import table
from denota.tables.io import read_table
from denota.tables.table import Table

RESULTS: Final = Path("results/pasted_sql.json")
PAGE: Final = Path("docs/sql.md")
TABLE: Final = Path("examples/expeditions.csv")
ENGINES: Final = {
    "duckdb": "DuckDB, CSV",
    "duckdb parquet": "DuckDB, Parquet",
    "sqlite": "SQLite",
    "postgres": "Postgres",
    "mysql": "MariaDB",
}
PARTS: Final = {
    "clean": "clean tables",
    "sample": "sample tables and the example",
    "invented": "invented tables",
    "sqa": "SQA, dev",
}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")


def page(results: Mapping[str, Any]) -> str:
    """Return the page about SQL."""
    examples = read_table(TABLE)
    measured = _measured(results["parts"])
    return f"""{_TOP}
{_block(examples, _FIRST)}

{_RULES}
{measured}

{_failures(results["parts"])}

## Every operator

Over `{TABLE}`. Programs that follow up come after `{_BEFORE}`.

{_block(examples, _examples())}
"""


def _measured(parts: list[dict[str, Any]]) -> str:
    """The share of programs whose SQL gives the answer, by tables and engine."""
    engines = list(dict.fromkeys(one["engine"] for one in parts))
    lines = []
    for part in dict.fromkeys(one["part"] for one in parts):
        own = {one["engine"]: one for one in parts if one["part"] == part}
        some = next(iter(own.values()))
        cells = [f"{own[engine]['right_percent']:.2f}" for engine in engines]
        counts = [f"{some[key]:,}" for key in ("tables", "programs", "operators")]
        lines.append((PARTS[part], *counts, *cells))
    heads = ("tables asked about", "tables", "programs", "operators", *map(ENGINES.get, engines))
    return table(tuple(str(head) for head in heads), *lines)


def _failures(parts: list[dict[str, Any]]) -> str:
    """What the others come to, by engine."""
    lines = []
    for one in parts:
        wrong = {name: n for name, n in one["outcomes"].items() if name != "right"}
        for name, number in wrong.items():
            shown = next(own for own in one["failures"] if own["outcome"] == name)
            lines.append(
                (
                    PARTS[one["part"]],
                    ENGINES[one["engine"]],
                    name,
                    str(number),
                    f"`{shown['program'].replace('|', chr(92) + '|')}`",
                )
            )
    if not lines:
        return "No program gave another answer."
    heads = ("tables", "engine", "what came", "programs", "one of them")
    return "The others:\n\n" + table(heads, *lines)


def _examples() -> Iterator[str]:
    yield from (operator.example for operator in TESTS.values())
    for operator in SCOPES.values():
        if operator.name != "without_totals":  # the example has no such rows
            yield operator.example
    yield from (operator.example for operator in STEPS.values())
    yield from (operator.example for operator in AGGREGATES.values())
    yield from (operator.example for operator in COMPARES.values())


def _block(examples: Table, programs: Any) -> str:
    """Programs with their SQL."""
    before: Query | None = to_sql(parse_program(_BEFORE), examples)
    lines = ["```sql"]
    for text in dict.fromkeys(programs):
        query = to_sql(parse_program(text), examples, before)
        lines += [f"-- {text}", f"{query.sql()};", ""]
    return "\n".join([*lines[:-1], "```"])


_BEFORE: Final = "SELECT Leader WHERE Season = '1896-97'"
_FIRST: Final = (
    "SELECT Leader WHERE Ships = '2'",
    "COUNT (ROWS WHERE Result = 'Turned back')",
    "COUNT PER (SELECT Leader)",
    "SELECT Season WHERE Leader CONTAINS 'solheim'",
    "SELECT Leader WHERE Crew IS MAX",
    "SELECT Season WHERE Departed > DATE '1902-07-11'",
    "SELECT Leader WHERE LAST ROW",
)
_TOP: Final = """# SQL

Every answer comes with its program as SQL: on the page, in `denota ask` and `denota run`, as \
`turn.sql` in Python. It speaks of your own table and columns, so it can be pasted where the table \
is. A file is called by its name without the ending:

```sh
denota run examples/expeditions.csv "SELECT Leader WHERE Ships = '2'" --dialect postgres
```

```python
import duckdb
import denota

turn = denota.load().ask("examples/expeditions.csv", "which leaders had a crew of more than 50?")
duckdb.sql("CREATE VIEW expeditions AS FROM read_csv('examples/expeditions.csv')")
print(duckdb.sql(turn.sql).fetchall() == [(text,) for text in turn.answer])  # True
```
"""
_RULES: Final = f"""## How it is written

- Names are in quotes only where they must be: spaces, odd letters, reserved words, and in \
Postgres capital letters.
- A column is used as it is if its cells are plain numbers, ISO dates or texts. What a file's \
cells are is decided as DuckDB's `read_csv` does; Parquet files and databases have types of their \
own.
- A column whose texts must be read first (`$1.2 million`, `23[a]`, `August 2, 1907`, `1891-92`) \
is read once, in `cleaned`. Every way to read is tried on the column's own cells before it is \
taken; the few texts that it reads otherwise than denota stand in a `CASE`, {MOST_WRITTEN} of them \
at most.
- `=` compares texts: all that state the value, such as `Crew = '23[a]'` for 23.
- A word is found by `ILIKE '%word%'` where that finds the same cells, else by a regular \
expression, else by a list of the texts that have it.
- Rows have a `row_number` only where a program speaks of their order: rows beside others, the \
last, and `IS MAX` where the largest value occurs more than once, of which denota takes the last. \
The rows of an answer come in no order of their own.
- A follow-up adds its conditions to those of the turn before; where it cannot, as after `LIMIT`, \
the rows of that turn are `previous`. After eight such turns in a row, and after an answer that \
you corrected and no program gives, the rows stand there by number.
- It is in the dialect of the database that has the table, DuckDB's for files. `--dialect` of \
`denota ask` and `denota run`, or `turn.sql_in("postgres")`, writes any other that sqlglot knows. \
DuckDB, SQLite, Postgres and MySQL (MariaDB) are tested by running it.

## What it cannot say

- The SQL is that of the rows as they are. Ties, marks for missing values and ways to read texts \
were looked up in the table; when rows are added, ask again.
- The order of rows is that in which the engine gives them; a database may change it.
- Texts beyond the {MOST_WRITTEN} that a `CASE` names are read by the nearest expression there is, \
or are NULL. SQLite has no regular expressions: there a `CASE` names up to {MOST_WRITTEN_PLAINLY}, \
and parts of texts (`FIRST PART`, `SECOND NUMBER`) of more than that are written with \
`REGEXP_EXTRACT`, which it lacks; the same holds for such parts in MySQL.
- DuckDB reads `05/07/1993` as 5 July unless the file says otherwise, denota as May 7.
- DuckDB may take the header of a file for a row where the first column has no name.
- Cells that DuckDB takes for numbers, dates or truth are shown its way: `7` for `7.0`, `true` for \
`yes`.
- MySQL compares texts regardless of case, and rounds averages to four decimals.
- Columns of JSON, lists and the like are compared as texts.

## How often it gives the answer

Programs of made-up questions, each with three others drawn from all programs of its question, \
run unchanged on the raw file or on a table of declared types; the answer is a multiset of rows, \
numbers compared to 9 digits. On clean tables number and date columns are plain numbers and ISO \
dates; in all others at least one column must be read. Percent that give the answer shown \
(`python benchmarks/pasted_sql.py --data DIR`):
"""


if __name__ == "__main__":
    main()
