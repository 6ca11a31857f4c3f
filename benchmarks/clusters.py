"""Many questions by processes, Ray and Spark on this machine; prints one JSON object.

    python benchmarks/clusters.py throughput
    python benchmarks/clusters.py kill
    python benchmarks/clusters.py many --seconds 60

`throughput`: the same questions with one worker and with two. `kill`: a busy worker is killed
(-9) once the first chunk is answered. `many`: 100,000 questions over 2,000 tables; after so many
seconds every process of the run is killed, and the next kind of workers goes on in its folder.
Without --seconds the last of them goes on to the end. Questions are made up, about invented tables.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import psutil

from denota.app.files.export import table_csv
from denota.app.many.chunks import Chunk, cut, missing
from denota.data import load_questions
from denota.data.predictions import read_predictions
from denota.generate import generate
from denota.generate.invented import invent

KINDS: Final = ("processes", "ray", "spark")
WORKERS: Final = {"processes": "spawn_main", "ray": "MapWorker", "spark": "pyspark.daemon"}
"""What stands in the command line of a worker."""
ROWS: Final = (6, 25)


@dataclass(frozen=True)
class Run:
    """`denota predict` in a process of its own."""

    process: subprocess.Popen[bytes]
    out: Path
    chunks: Path
    began: float  #: on the clock of files

    def files(self) -> list[Path]:
        """Return the chunks that are answered."""
        return sorted(self.chunks.glob("[0-9]*.jsonl"))

    def workers(self, on: str) -> Iterator[psutil.Process]:
        """Yield the processes that answer."""
        for one in psutil.Process(self.process.pid).children(recursive=True):
            try:
                forked = on != "spark" or WORKERS[on] in " ".join(one.parent().cmdline())
                if forked and WORKERS[on] in " ".join(one.cmdline()):
                    yield one
            except (psutil.NoSuchProcess, AttributeError):
                continue

    def end(self) -> None:
        """Kill it with all that it started."""
        try:
            every = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            every = []
        self.process.kill()
        self.process.wait()
        for one in every:
            try:
                one.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(every, timeout=20)


def start(data: Path, out: Path, on: str, workers: int, chunks: Path) -> Run:
    command = ["predict", "default", "--data", str(data), "--split", "all", "--out", str(out)]
    more = ["--on", on, "--workers", str(workers), "--chunks", str(chunks)]
    process = subprocess.Popen(
        [sys.executable, "-m", "denota", *command, *more],
        stdout=subprocess.DEVNULL,
        stderr=(out.parent / "log").open("w"),
    )
    return Run(process, out, chunks, time.time())


def finish(run: Run) -> float:
    """Wait for the end and return the seconds from the start."""
    if run.process.wait():
        raise SystemExit((run.out.parent / "log").read_text())
    return time.time() - run.began


def make_up(folder: Path, questions: int, tables: int, seed: int = 0) -> Path:
    """Write questions about invented tables, as many about each, and return their file."""
    (folder / "tables").mkdir(parents=True)
    file = folder / "many.jsonl"
    with file.open("w", encoding="utf-8") as stream:
        for number in range(tables):
            draw = Random(f"{seed}/{number}")
            table = invent(draw, draw.randrange(*ROWS))
            name = f"tables/{number:05}.csv"
            (folder / name).write_text(table_csv(table), encoding="utf-8")
            left = questions * (number + 1) // tables - questions * number // tables
            for talk, made in enumerate(generate([table], draw)):
                turns = [{"question": turn.question} for turn in made.turns[:left]]
                line = {"id": f"{number}.{talk}", "table": name, "turns": turns}
                stream.write(json.dumps(line) + "\n")
                left -= len(turns)
                if not left:
                    break
    return file


def measure_throughput(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Answer the same questions with one worker and with two."""
    data = make_up(folder / "data", options.questions, options.tables)
    runs = []
    for on in options.on:
        for workers in (1, 2):
            own = folder / f"{on}.{workers}"
            own.mkdir()
            load = os.getloadavg()[0]
            run = start(data, own / "out.tsv", on, workers, own / "chunks")
            seconds = finish(run)
            times = sorted(file.stat().st_mtime for file in run.files())
            begun = times[0] - run.began
            rest = options.questions * (len(times) - workers) / len(times)
            runs.append(
                {
                    "on": on,
                    "workers": workers,
                    "seconds": round(seconds, 1),
                    "first_chunk_s": round(begun, 1),
                    "questions_per_s": round(options.questions / seconds, 1),
                    "at_work_per_s": round(rest / (times[-1] - times[workers - 1]), 1),
                    "load": round(load, 1),
                }
            )
    return {"questions": options.questions, "tables": options.tables, "runs": runs}


def measure_kill(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Kill busy workers, and compare with what nobody disturbed."""
    data = make_up(folder / "data", options.questions, options.tables)
    (folder / "plain").mkdir()
    plain = folder / "plain" / "out.tsv"
    finish(start(data, plain, "processes", 2, folder / "plain" / "chunks"))
    runs = []
    for on in options.on:
        own = folder / on
        own.mkdir()
        run = start(data, own / "out.tsv", on, 2, own / "chunks")
        killed = kill_one(run, on)
        seconds = finish(run)
        runs.append(
            {
                "on": on,
                "killed": killed,
                "seconds": round(seconds, 1),
                "answers": len(read_predictions(run.out)),  # refuses a question answered twice
                "same": run.out.read_bytes() == plain.read_bytes(),
            }
        )
    return {"questions": options.questions, "tables": options.tables, "runs": runs}


def kill_one(run: Run, on: str) -> int:
    """Kill a busy worker after the first chunk and return how many were killed."""
    while run.process.poll() is None:
        if run.files():
            for worker in run.workers(on):
                if worker.cpu_percent(0.1) > 0:
                    os.kill(worker.pid, 9)
                    return 1
        time.sleep(0.02)
    return 0


def measure_many(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Answer 100,000 questions, killed whole and gone on with by others."""
    began = time.perf_counter()
    data = make_up(folder / "data", options.questions, options.tables)
    made = time.perf_counter() - began
    chunks = cut(load_questions(data, "all").questions)
    read = time.perf_counter() - began - made
    parts, before = [], dict[str, int]()
    for number, on in enumerate(options.on):
        last = number + 1 == len(options.on)
        load = os.getloadavg()[0]
        run = start(data, folder / "out.tsv", on, 2, folder / "chunks")
        if last and not options.seconds:
            finish(run)
        else:
            until = time.time() + (options.seconds or 60)
            while run.process.poll() is None and time.time() < until:
                time.sleep(0.2)
            run.end()
        seconds = time.time() - run.began
        now = {file.name: file.stat().st_mtime_ns for file in run.files()}
        again = sum(now.get(name) != when for name, when in before.items())
        parts.append(
            {
                "on": on,
                "seconds": round(seconds, 1),
                "chunks": len(now) - len(before),
                "questions": answered(folder, chunks),
                "answered_again": again,
                "load": round(load, 1),
            }
        )
        before = now
    out = folder / "out.tsv"
    return {
        "questions": options.questions,
        "tables": options.tables,
        "chunks": len(chunks),
        "make_up_s": round(made, 1),
        "read_s": round(read, 1),
        "parts": parts,
        "answers": len(read_predictions(out)) if out.exists() else None,
    }


def answered(folder: Path, chunks: tuple[Chunk, ...]) -> int:
    """Count the questions that have an answer."""
    left = {chunk.number for chunk in missing(folder / "chunks", chunks)}
    return sum(len(chunk.questions) for chunk in chunks if chunk.number not in left)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_subparsers(required=True)
    for name, measure, questions, tables in (
        ("throughput", measure_throughput, 1000, 20),
        ("kill", measure_kill, 1000, 20),
        ("many", measure_many, 100_000, 2000),
    ):
        one = what.add_parser(name)
        one.add_argument("--questions", type=int, default=questions)
        one.add_argument("--tables", type=int, default=tables)
        one.add_argument("--on", nargs="+", choices=KINDS, default=KINDS)
        one.set_defaults(measure=measure)
        if name == "many":
            one.add_argument("--seconds", type=float, default=0.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = " ".join(["python benchmarks/clusters.py", *sys.argv[1:]])
        print(json.dumps({"command": command, **options.measure(options, Path(folder))}, indent=1))


if __name__ == "__main__":
    main()
