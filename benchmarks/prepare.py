"""The speed and memory of preparing questions: SQA, WikiTableQuestions, a table of 100,000 rows.

    python benchmarks/prepare.py --data path/to/sqa

WikiTableQuestions is read from `wtq` beside SQA. One core, nothing cached: tables are read anew for
each language. Memory is the peak of the process that prepares. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from denota.data.answer import Values
from denota.data.example import Example, Question, conversations
from denota.data.splits import load_examples
from denota.search.preparer import Preparer
from denota.tables.table import Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=600)
    given = parser.parse_args()
    found = {}
    for name, language in (
        *(("sqa", language) for language in ("extended", "full")),
        *(("wtq", language) for language in ("extended", "full")),
        *(("100,000 rows", language) for language in ("extended", "full")),
    ):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found[f"{name} {language}"] = pool.apply(
                measure, (name, language, given.data, given.questions)
            )
    print(json.dumps(found, indent=1))


def measure(name: str, language: str, data: Path, count: int) -> dict[str, Any]:
    """Prepare some questions, whole tables at a time."""
    began = time.process_time()
    if name == "100,000 rows":
        examples = long_table()
    else:
        where = data if name == "sqa" else data.parent / "wtq"
        examples = list(load_examples(where, "random-split-1-dev").examples)
        began = time.process_time()  # the files of all tables are read; their columns are not
        examples = some_tables(examples, count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    preparer = Preparer(language, kept=1)
    programs = []
    for example in examples:
        ready = preparer(example.question, None, example.answer)
        programs.append(ready.axes.programs)
    seconds = time.process_time() - began
    return {
        "questions": len(examples),
        "questions_per_s": round(len(examples) / seconds, 1),
        "programs_mean": round(float(np.mean(programs))),
        "programs_max": max(programs),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "memory_before_mb": round(before / 1024),
    }


def some_tables(examples: list[Example], count: int) -> list[Example]:
    """Return about `count` questions: all those of tables drawn with a seed."""
    by_table: dict[int, list[Example]] = {}
    for turns in conversations(examples):
        by_table.setdefault(id(turns[0].question.table), []).extend(turns)
    chosen: list[Example] = []
    for own in Random(0).sample(list(by_table.values()), len(by_table)):
        if len(chosen) >= count:
            break
        chosen += own
    return chosen


def long_table(rows: int = 100_000) -> list[Example]:
    """Questions about a table of many rows."""
    rng = Random(0)
    towns = [f"Town {chr(65 + n % 26)}{n}" for n in range(400)]
    cells = [
        [
            f"order {row}",
            rng.choice(towns),
            rng.choice(("paid", "open", "late")),
            str(rng.randint(1, 900)),
            str(rng.randint(1990, 2024)),
        ]
        for row in range(rows)
    ]
    table = Table.from_rows(["Order", "Town", "State", "Amount", "Year"], cells, "orders.csv")
    asked = (
        "how many orders are late?",
        "what is the total amount of the orders from Town A0?",
        "which town has the most orders in 2020?",
        "what is the largest amount in Town B1?",
        "how much more did order 17 cost than order 18?",
        "which orders of 2021 had an amount of more than 890?",
    )
    return [
        Example(Question(f"q{n}", "0", 0, text, table, "orders.csv"), Values((1.0,)))
        for n, text in enumerate(asked)
    ]


if __name__ == "__main__":
    main()
