"""What a question, a table and a conversation cost, one core each; JSON out, for docs/scale.md.

python benchmarks/scale.py --data path/to/sqa > results/scale/measured.json
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.data import conversations, load_questions
from denota.generate.invented import invent
from denota.sqlite import Database
from denota.tables import read_table

ROWS = 100_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--questions", type=int, default=400)
    given = arguments.parse_args()
    parser = load_run("default")
    turns = conversations(load_questions(given.data, "random-split-1-dev").questions)
    seconds: list[float] = []
    for number, own in enumerate(turns):
        chat = Chat(parser, own[0].table)
        for turn in own:
            start = time.process_time()
            chat.ask(turn.text)
            if number > 5:  # the first ones warm up
                seconds.append(round(time.process_time() - start, 5))
        if len(seconds) >= given.questions:
            break
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {
        "answer_cpu_s": seconds,
        "worker_mb": round(memory),
        "table": reading(),
        "session_commits_per_s": commits(),
    }
    print(json.dumps(found))


def reading() -> dict[str, Any]:
    """Megabytes of CSV that are read a second of CPU, and memory a megabyte of file."""
    table = invent(Random(0), rows=ROWS)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table.names)
            writer.writerows(zip(*(column.text for column in table.columns), strict=True))
        size = path.stat().st_size / 1e6
        start = time.process_time()
        read = read_table(path)
        for column in read.columns:
            _ = column.numbers
        took = time.process_time() - start
    return {"rows": ROWS, "mb": round(size, 2), "cpu_s": round(took, 3)}


def commits(count: int = 300) -> float:
    """Transactions a second that are on the disk, each as long as a turn of a conversation."""

    def first(to: Any) -> None:
        to.execute("CREATE TABLE turns (place INTEGER PRIMARY KEY, told TEXT)")

    with TemporaryDirectory() as folder:
        database = Database(Path(folder) / "x.sqlite", (first,))
        start = time.perf_counter()
        for _ in range(count):
            with database.writing() as to:
                to.execute("INSERT INTO turns (told) VALUES (?)", ("x" * 600,))
        return round(count / (time.perf_counter() - start), 1)


if __name__ == "__main__":
    main()
