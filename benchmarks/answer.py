"""The time an answer takes: one question at a time, in batches, and over 100,000 rows.

    python benchmarks/answer.py [RUN] [--data SQA] [--split NAME] [--questions N] [--jobs N]

Prints one JSON object. Without a run, the model that comes with the package is timed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from denota.app.commands.answering import answer_all
from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.data import conversations, load_questions
from denota.model.parser import Parser
from denota.tables import Table


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("run", nargs="?", default="default")
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--split", default="random-split-1-dev")
    arguments.add_argument("--questions", type=int, default=200)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    parser = load_run(given.run)
    everything = load_questions(given.data, given.split).questions
    questions = everything[: given.questions]
    single = one_by_one(parser, questions)
    batched = in_batches(given.run, everything, given.jobs)
    result = {
        "questions": [len(questions), len(everything)],
        "processes": given.jobs,
        "median_ms": round(1000 * statistics.median(single), 1),
        "p95_ms": round(1000 * statistics.quantiles(single, n=20)[-1], 1),
        "batched_per_s": round(batched, 1),
        "large_table_s": [round(s, 2) for s in large_table(parser)],
    }
    print(json.dumps(result, indent=2))


def in_batches(run: str, questions: tuple, jobs: int) -> float:
    """Questions a second once every process has loaded the parser."""
    done: list[tuple[float, int]] = []
    answer_all(
        run, questions, jobs=jobs, progress=lambda more: done.append((time.perf_counter(), more))
    )
    began = jobs - 1  # when the first group of each process was done
    return sum(more for _, more in done[began + 1 :]) / (done[-1][0] - done[began][0])


def one_by_one(parser: Parser, questions: tuple) -> list[float]:
    """Seconds of each question, asked in conversation: SQL and sentence included."""
    seconds = []
    for number, turns in enumerate(conversations(questions)):
        chat = Chat(parser, turns[0].table)
        for turn in turns:
            start = time.perf_counter()
            chat.ask(turn.text)
            if number > 2:  # the first ones warm up
                seconds.append(time.perf_counter() - start)
    return seconds


def large_table(parser: Parser, rows: int = 100_000) -> list[float]:
    """Seconds of two questions about a long table, the first of which reads it."""
    names = ["Name", "Team", "Points", "Year"]
    cells = [
        [f"Person {n}", f"Team {n % 40}", str(n * 7 % 1000), str(1950 + n % 70)]
        for n in range(rows)
    ]
    chat = Chat(parser, Table.from_rows(names, cells))
    seconds = []
    for text in ("who has the most points?", "what team are they from?"):
        start = time.perf_counter()
        chat.ask(text)
        seconds.append(time.perf_counter() - start)
    return seconds


if __name__ == "__main__":
    main()
