"""Large tables: are programs and answers those of a table in memory, and what do they cost?

    python benchmarks/large_tables.py same [--tables 40] [--questions 400] [--rows 20000]
    python benchmarks/large_tables.py cost [--rows 10000000] [--columns 7] [--address ADDRESS]

Prints one JSON object. `same` asks made-up questions about invented tables twice, of the table in
memory and of a sketch of it. `cost` asks a table of orders, which it makes as a Parquet file in
--folder unless there is one or an address is given, and tells times, CPU and memory.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import time
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import torch

from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.generate.examples import made_up_examples
from denota.generate.invented import invent
from denota.model.parser import Parser
from denota.tables import Table, large, read_table
from denota.tables.large_files import parquet_sketch

QUESTIONS: Final = (
    "how many orders are from Norway?",
    "what is the total price of orders from Chile?",
    "which customer paid the most?",
    "which orders had a quantity of 9 in 2016?",
    "what is the average price for lamp?",
    "what did customer Bq77 order?",
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("what", choices=["same", "cost"])
    arguments.add_argument("--run", default="default")
    arguments.add_argument("--tables", type=int, default=40)
    arguments.add_argument("--questions", type=int, default=400)
    arguments.add_argument("--rows", type=int)
    arguments.add_argument("--columns", type=int, default=7)
    arguments.add_argument("--folder", type=Path, default=Path("runs"))
    arguments.add_argument("--address")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    if given.what == "same":
        found = same(load_run(given.run), given.tables, given.questions, given.rows or 20_000)
    else:
        address = given.address or orders(given.folder, given.rows or 10_000_000, given.columns)
        found = cost(given.run, str(address))
    print(json.dumps(found, indent=1))


def same(parser: Parser, tables: int, questions: int, rows: int) -> dict[str, Any]:
    """Ask tables in memory and their sketches the same, and count what agrees."""
    counts: Counter[str] = Counter()
    apart: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        for number in range(tables):
            path = Path(folder) / f"table{number}.parquet"
            written = written_table(invent(Random(f"large/{number}"), rows), path)
            if not written:
                continue
            whole = read_table(path)
            part = parquet_sketch([path], path.name)
            counts["tables"] += 1
            counts["rows"] += len(whole)
            counts["sketched"] += len(part)
            asked = made_up_examples([whole], questions // tables, number, "extended")
            for example in asked:
                if example.question.position == 0:
                    one, other = (Chat(parser, t).ask(example.question.text) for t in (whole, part))
                    counts["questions"] += 1
                    agree = in_any_order(one.program) == in_any_order(other.program)
                    counts["same program"] += agree
                    counts["sure"] += one.sure
                    counts["sure, same program"] += one.sure and agree
                    counts["same program and answer"] += agree and alike(one.answer, other.answer)
                    if not agree or not alike(one.answer, other.answer):
                        shown = {"memory": one, "sketch": other}
                        apart.append(
                            {"question": one.question}
                            | {k: [t.program, list(t.answer[:5])] for k, t in shown.items()}
                        )
    return {**counts, "apart": apart}


def in_any_order(program: str) -> tuple[tuple[str, ...], ...]:
    """A program as text, whatever the order of the conditions that AND or OR join."""
    head, _, where = program.replace(")", "").partition(" WHERE ")
    parts = (tuple(sorted(part.split(" OR "))) for part in where.split(" AND "))
    return ((head,), *sorted(parts))


def alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Say whether two answers have the same texts, or the first rows of the same many."""
    if len(one) > large.SHOWN or len(other) >= large.SHOWN:
        return set(other) <= set(one)
    return Counter(map(rounded, one)) == Counter(map(rounded, other))


def rounded(text: str) -> str:
    try:
        return f"{float(text):.9g}"
    except ValueError:
        return text


def written_table(table: Table, path: Path) -> bool:
    """Write a table as Parquet, with the types that DuckDB finds; say whether that was possible."""
    import duckdb

    raw = path.with_suffix(".csv")
    with raw.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(table.names)
        lines.writerows(table.row(row) for row in range(len(table)))
    try:
        duckdb.sql(f"COPY (FROM read_csv('{raw}')) TO '{path}' (FORMAT parquet)")
    except duckdb.Error:
        return False
    return True


def cost(run: str, address: str) -> dict[str, Any]:
    """Ask questions of a large table and tell what each took."""
    began, cpu = time.perf_counter(), time.process_time()
    parser = load_run(run)
    loaded = memory()
    opened, cpu_opened = time.perf_counter(), time.process_time()
    chat = Chat(parser, address)
    answers = []
    before, cpu_before = opened, cpu_opened
    for place, question in enumerate(QUESTIONS):
        chat.reset()
        if place:
            before, cpu_before = time.perf_counter(), time.process_time()
        turn = chat.ask(question)
        answers.append(
            {
                "question": question,
                "program": turn.program,
                "answer": list(turn.answer[:3]),
                "seconds": round(time.perf_counter() - before, 2),
                "cpu_seconds": round(time.process_time() - cpu_before, 2),
            }
        )
    return {
        "where": "Postgres" if address.startswith("postgres") else "Parquet",
        "rows": chat.table.large.rows if chat.table.large else len(chat.table),
        "columns": len(chat.table.columns),
        "sketch": len(chat.table),
        "load_seconds": round(opened - began, 2),
        "load_cpu_seconds": round(cpu_opened - cpu, 2),
        "memory_before_mb": loaded,
        "memory_mb": memory(),
        "answers": answers,
    }


def memory() -> int:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def orders(folder: Path, rows: int, columns: int) -> Path:
    """Return a Parquet file of invented orders, made if it is not there."""
    import duckdb

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"orders{rows}x{columns}.parquet"
    if not path.exists():
        more = "".join(f", hash(i * {31 + n}) % 1000 AS figure{n}" for n in range(columns - 7))
        own = f"SELECT {', '.join(_ORDERS[:columns])}{more} FROM range({rows}) AS t(i)"
        duckdb.sql(f"COPY ({own}) TO '{path}' (FORMAT parquet)")
    return path


def _one_of(words: str, factor: int) -> str:
    listed = ", ".join(f"'{word}'" for word in words.split())
    return f"[{listed}][1 + CAST(hash(i * {factor}) % {len(words.split())} AS INT)]"


_NAME: Final = (
    "'Customer ' || chr(65 + CAST(hash(i * 3) % 26 AS INT)) "
    "|| chr(97 + CAST(hash(i * 5) % 26 AS INT)) || CAST(hash(i * 11) % 1000 AS VARCHAR)"
)
_ORDERS: Final = (
    "i AS order_id",
    f"{_NAME} AS customer",
    f"{_one_of('Norway Sweden Denmark Finland Chile Germany France Spain Italy Mali', 7)}"
    " AS country",
    "DATE '2015-01-01' + CAST(hash(i) % 3650 AS INT) AS ordered",
    f"{_one_of('chair table lamp desk sofa bed shelf', 13)} AS product",
    "CAST(1 + hash(i * 17) % 9 AS INT) AS quantity",
    "round((hash(i * 19) % 100000) / 100.0, 2) AS price",
)

if __name__ == "__main__":
    main()
