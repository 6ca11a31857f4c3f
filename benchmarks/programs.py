"""Speed of the program space on one core: programs executed a second, and a table of 100,000 rows.

An execution is one (columns, condition) program with its denotation (a line of the condition mask
and a set of columns) and its Jaccard reward in memory. Needs DENOTA_DATA for the first part.
Prints one JSON object. Usage: python benchmarks/programs.py [--questions N]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from pathlib import Path

from denota.data import load_examples
from denota.programs.denotation import Denotation
from denota.programs.operators import LANGUAGES
from denota.programs.space import program_space
from denota.tables import Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=2265)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    result: dict[str, object] = {}
    data = os.environ.get("DENOTA_DATA", "")
    if (Path(data) / "random-split-1-dev.tsv").is_file():
        examples = load_examples(data, "random-split-1-dev").examples[: arguments.questions]
        for language in LANGUAGES:
            runs = [executions(examples, LANGUAGES[language]) for _ in range(arguments.repeats)]
            result[language] = {
                "programs": runs[0][0],
                "executions_per_s": round(statistics.median(n / seconds for n, seconds in runs)),
                "questions_per_s": round(len(examples) / statistics.median(s for _, s in runs)),
            }
    result["100,000 rows"] = long_table(100_000)
    print(json.dumps(result, indent=2))


def executions(examples, language):  # type: ignore[no-untyped-def]
    """Build and reward the space of every question; return programs and seconds."""
    previous: dict[tuple[str, str], Denotation] = {}
    programs = 0
    start = time.perf_counter()
    for example in examples:
        question = example.question
        before = previous.get(question.sequence) if question.position else None
        space = program_space(question.text, question.table, before, language)
        programs += len(space.rewards(example.cells))
        previous[question.sequence] = Denotation.of_cells(example.cells)
    return programs, time.perf_counter() - start


def long_table(rows: int) -> dict[str, float]:
    """Return the seconds for the views of a long table, its first space, and the next spaces."""
    draw = random.Random(0)
    names = ["name", "city", "price", "year", "rank", "date"]
    cells = [
        [
            f"Customer {draw.randrange(rows)} Ltd",
            f"City {draw.randrange(500)}",
            f"${draw.random() * 1000:.2f}",
            str(draw.randrange(1950, 2020)),
            str(draw.randrange(1000)),
            f"{draw.randrange(1990, 2020)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}",
        ]
        for _ in range(rows)
    ]
    table = Table.from_rows(names, cells)
    start = time.perf_counter()
    for column in table.columns:
        _ = column.kind, column.numbers, column.dates.order, column.missing
    views = time.perf_counter() - start
    times = []
    gold = [(row, 0) for row in range(0, rows, 7)]
    question = "which customers from city 42 paid more than 500 in 1998?"
    for _ in range(4):
        start = time.perf_counter()
        space = program_space(question, table, None, LANGUAGES["extended"])
        rewards = space.rewards(gold)
        times.append(time.perf_counter() - start)
    return {
        "programs": len(rewards),
        "views_s": round(views, 3),
        "first_space_s": round(times[0], 3),
        "next_space_s": round(statistics.median(times[1:]), 3),
    }


if __name__ == "__main__":
    main()
