"""Reading speed on one core: cells a second as text, and with all views of every column.

Two workloads: one long generated table (300,000 rows of eight kinds of column) and, where
DENOTA_DATA has it, the 982 small tables of SQA. Prints one JSON object.

    python benchmarks/tables.py [--rows N] [--repeats N]
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from denota.tables import Table, read_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        write_long_table(path, arguments.rows)
        result = {"long table": measure([path], arguments.repeats)}
    sqa = Path(os.environ.get("DENOTA_DATA", "nowhere")) / "table_csv"
    if sqa.is_dir():
        result["SQA tables"] = measure(sorted(sqa.glob("*.csv")), arguments.repeats)
    print(json.dumps(result, indent=2))


def measure(paths: Sequence[Path], repeats: int) -> dict[str, int]:
    """Return the cells, and the median cells a second as text and with all views made."""
    text: list[float] = []
    views: list[float] = []
    cells = 0
    for _ in range(repeats):
        seconds, tables = timed(lambda: [read_table(path) for path in paths])
        cells = sum(len(table) * len(table.columns) for table in tables)
        text.append(cells / seconds)
        more, _ = timed(lambda: [make_views(table) for table in tables])  # noqa: B023 - called at once
        views.append(cells / (seconds + more))
    return {
        "cells": cells,
        "text_cells_per_s": round(statistics.median(text)),
        "all_views_cells_per_s": round(statistics.median(views)),
    }


def make_views(table: Table) -> None:
    """Ask for everything a column can be asked for."""
    for column in table.columns:
        _ = (
            column.kind,
            column.codes,
            column.missing,
            column.numbers,
            column.dates.order,
            column.unread,
        )


def timed(work: Callable[[], list[Table]]) -> tuple[float, list[Table]]:
    """Return the seconds a call takes and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def write_long_table(path: Path, rows: int) -> None:
    """Write names, grouped integers, money, dates, percentages, a few cities, times and ranks."""
    draw = random.Random(0)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "count", "price", "date", "share", "city", "time", "rank"])
        for row in range(rows):
            writer.writerow(
                [
                    f"Item {row}, new",
                    f"{draw.randrange(10**6):,}",
                    f"${draw.random() * 1000:.2f}",
                    f"{draw.randrange(1990, 2020)}-{draw.randrange(1, 13):02d}"
                    f"-{draw.randrange(1, 29):02d}",
                    f"{draw.random() * 100:.1f}%",
                    f"City {draw.randrange(500)}",
                    f"{draw.randrange(60)}:{draw.randrange(60):02d}.{draw.randrange(100):02d}",
                    f"{draw.randrange(300)}th",
                ]
            )


if __name__ == "__main__":
    main()
