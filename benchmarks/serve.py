"""A server under load, on the cores that its clients use too; prints one JSON object.

    python benchmarks/serve.py load --data path/to/sqa --clients 100 --seconds 60
    python benchmarks/serve.py beside
    python benchmarks/serve.py memory --rounds 2000
    python benchmarks/serve.py first --rows 100000

`load`: clients with tables of their own ask, wait for the answer, think, and ask again; `--kill`
kills the server in the end and asks its successor what it still has. `beside`: small questions
while 45 questions about a table of 200,000 rows are asked at once. `memory`: tables are uploaded,
asked about and deleted, and what server and workers hold is read before and after. `first`: the
first question about a large table, in the server and on the command line.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import psutil

from denota import sample
from denota.app.commands.serve import some_port
from denota.app.files.export import table_csv
from denota.data import load_questions
from denota.data.example import Question, conversations

HEAVY: Final = 45
"""Questions about a large table that are asked at once."""
SAMPLES: Final = 10
"""How often memory is read on the way."""


@dataclass
class Load:
    """What clients met."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    acknowledged: dict[str, list[str]] = field(default_factory=dict)
    """The programs of the answers that arrived, by session."""


class Server:
    """`denota serve` in a process of its own, which can be started again where it was."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, some_port("127.0.0.1")
        self.base = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start, and return when it answers."""
        files = {name: str(self.folder / f"{name.lower()}.sqlite") for name in FILES}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "denota", "serve", "--port", str(self.port)],
            env={**os.environ, **{f"DENOTA_{name}": path for name, path in files.items()}},
            stderr=subprocess.DEVNULL,
        )
        for _ in range(600):
            try:
                for _ in range(4):  # until all workers have the model
                    id_ = self.post("", {"sample": "castles"})["id"]
                    self.post(f"/{id_}/ask", {"question": "which?"})
                return
            except httpx.HTTPError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise SystemExit("the server does not start")

    def post(self, path: str, body: object) -> dict[str, Any]:
        """Send a request about sessions."""
        answer = httpx.post(f"{self.base}/api/sessions{path}", json=body, timeout=120)
        found: dict[str, Any] = answer.raise_for_status().json()
        return found

    def upload(self, content: bytes, name: str) -> str:
        """Begin a session with a file."""
        address = f"{self.base}/api/sessions/upload?name={name}"
        made = httpx.post(address, content=content, timeout=120).raise_for_status()
        return str(made.json()["id"])

    def delete(self, id_: str) -> None:
        """End a session."""
        httpx.delete(f"{self.base}/api/sessions/{id_}", timeout=60).raise_for_status()

    def memory_mb(self) -> dict[str, float]:
        """What the server and the processes below it hold, shared pages in parts."""
        own = psutil.Process(self.process.pid)
        below = sum(_held(one) for one in own.children(recursive=True))
        return {"server": round(_held(own)), "workers": round(below)}

    def stop(self, how: int = signal.SIGINT) -> None:
        """End it."""
        self.process.send_signal(how)
        self.process.wait()


FILES: Final = ("SESSIONS", "LESSONS")


def _held(process: psutil.Process) -> float:
    return float(process.memory_full_info().pss) / 1e6


@contextmanager
def serving() -> Iterator[Server]:
    """Serve while something is measured."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            yield server
        finally:
            server.stop()


async def client(
    base: str, turns: list[Question], until: float, think: float, load: Load, draw: random.Random
) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=60) as http:
        await asyncio.sleep(draw.random() * think)  # people do not begin at the same moment
        name = turns[0].table_file.rpartition("/")[2]
        body = {"content": table_csv(turns[0].table), "name": name}
        id_ = ""
        while time.perf_counter() < until:
            try:
                if not id_:
                    made = await http.post("/api/sessions", json=body)
                    id_ = made.raise_for_status().json()["id"]
                    load.acknowledged[id_] = []
                text = turns[len(load.acknowledged[id_]) % len(turns)].text
                began = time.perf_counter()
                answer = await http.post(f"/api/sessions/{id_}/ask", json={"question": text})
                program = answer.raise_for_status().json()["program"]
                load.seconds.append(time.perf_counter() - began)
                load.acknowledged[id_].append(program)
            except httpx.HTTPError as error:
                load.errors.append(repr(error))
            await asyncio.sleep(think)


def measure_load(options: argparse.Namespace) -> dict[str, Any]:
    """Let many clients ask at a time."""
    talks = talks_of(options.data, options.split)
    load, draw = Load(), random.Random(0)
    with serving() as server:

        async def run() -> None:
            until = time.perf_counter() + options.seconds
            some = (talks[n % len(talks)] for n in range(options.clients))
            asking = [
                client(server.base, talk, until, options.think, load, random.Random(draw.random()))
                for talk in some
            ]
            together = asyncio.gather(*asking)
            if options.kill:
                await asyncio.sleep(options.seconds * 0.9)
                server.stop(signal.SIGKILL)
            await together

        asyncio.run(run())
        if options.kill:
            server.start()
        answers = sum(len(programs) for programs in load.acknowledged.values())
        there = kept(server.base, load)
    return {
        "clients": options.clients,
        "answers": answers,
        "answers_per_s": round(answers / options.seconds, 1),
        **times_of(load.seconds),
        "errors": len(load.errors),
        "first_error": load.errors[0] if load.errors else None,
        "kept": there,
        "killed": options.kill,
    }


def times_of(seconds: list[float]) -> dict[str, float]:
    """Sum up how long answers took."""
    times = sorted(seconds)
    return {
        "median_s": round(statistics.median(times), 3),
        "p95_s": round(times[int(0.95 * len(times))], 3),
        "slowest_s": round(times[-1], 3),
    }


def kept(base: str, load: Load) -> int:
    """Count the answers that arrived and that the server still has."""
    found = 0
    for id_, programs in load.acknowledged.items():
        turns = httpx.get(f"{base}/api/sessions/{id_}", timeout=60).json()["turns"]
        there = [turn["program"] for turn in turns]
        found += sum(a == b for a, b in zip(programs, there, strict=False))
    return found


def talks_of(data: str | None, split: str) -> list[list[Question]]:
    """Conversations, each about a table of its own."""
    loaded = load_questions(data or sample.path(), split if data else "dev")
    by_table: dict[str, list[Question]] = {}
    for turns in conversations(loaded.questions):
        questions = [turn for turn in turns if isinstance(turn, Question)]
        by_table.setdefault(questions[0].table_file, questions)
    return list(by_table.values())


def orders(rows: int, seed: int = 0, named: str = "") -> bytes:
    """Make up orders as CSV."""
    draw, out = random.Random(seed), io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["Order ID", "Customer", "Region", "Status", "Date", "Quantity", f"Revenue{named}"])
    for row in range(rows):
        date = f"20{draw.randrange(10, 26)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
        where = draw.choice(["North", "South", "East", "West"])
        status = draw.choice(["Paid", "Cancelled", "Returned"])
        amount = (draw.randrange(1, 50), f"{draw.random() * 1e4:.2f}")
        write([f"O{row:06}", f"Customer {draw.randrange(3000)}", where, status, date, *amount])
    return out.getvalue().encode()


def measure_beside(options: argparse.Namespace) -> dict[str, Any]:
    """Ask small questions while many large ones are asked at once, of one session."""
    seconds: list[float] = []
    statuses: dict[str, int] = {}
    with serving() as server:
        heavy = server.upload(orders(options.rows), "orders.csv")
        small = server.post("", {"sample": "castles"})["id"]

        async def ask_heavy(http: httpx.AsyncClient, number: int) -> None:
            question = {"question": f"how many orders had a quantity above {number}?"}
            try:
                answer = await http.post(f"/api/sessions/{heavy}/ask?limit=0", json=question)
                status = str(answer.status_code)
            except httpx.HTTPError as error:
                status = type(error).__name__
            statuses[status] = statuses.get(status, 0) + 1

        async def run() -> None:
            limits = httpx.Limits(max_connections=None)
            async with httpx.AsyncClient(base_url=server.base, timeout=70, limits=limits) as http:
                asking = [asyncio.ensure_future(ask_heavy(http, n)) for n in range(HEAVY)]
                await asyncio.sleep(0.5)
                for number in range(options.count):
                    began = time.perf_counter()
                    question = {"question": ("which?", "how many towers?")[number % 2]}
                    answer = await http.post(f"/api/sessions/{small}/ask", json=question)
                    seconds.append(time.perf_counter() - began)
                    answer.raise_for_status()
                    if all(one.done() for one in asking):
                        break
                await asyncio.gather(*asking)

        asyncio.run(run())
    return {"heavy": HEAVY, "rows": options.rows, "statuses": statuses, **times_of(seconds)}


def measure_memory(options: argparse.Namespace) -> dict[str, Any]:
    """Upload, ask and delete tables, each with another header and other cells."""
    with serving() as server:
        before = server.memory_mb()
        way = [before]
        for number in range(options.rounds):
            content = orders(options.rows, number, f" {number}")
            id_ = server.upload(content, "orders.csv")
            server.post(f"/{id_}/ask", {"question": "how many orders were returned?"})
            server.delete(id_)
            if (number + 1) % max(1, options.rounds // SAMPLES) == 0:
                way.append(server.memory_mb())
        after = way[-1]
    grown = {name: after[name] - before[name] for name in before}
    return {
        "rounds": options.rounds,
        "table_kb": len(content) // 1000,
        "before_mb": before,
        "after_mb": after,
        "grown_mb": grown,
        "way_mb": way,
    }


def measure_first(options: argparse.Namespace) -> dict[str, Any]:
    """Ask the first question about a large table, in the server and on the command line."""
    content, question = orders(options.rows), "how many orders were returned?"
    uploads, firsts, nexts = [], [], []
    with serving() as server:
        for _ in range(options.count):
            began = time.perf_counter()
            id_ = server.upload(content, "orders.csv")
            uploads.append(time.perf_counter() - began)
            for times in (firsts, nexts):
                began = time.perf_counter()
                server.post(f"/{id_}/ask?limit=10", {"question": question})
                times.append(time.perf_counter() - began)
            server.delete(id_)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "orders.csv"
        file.write_bytes(content)
        lines = [ON_COMMAND_LINE, str(file), question]
        asked = [
            float(subprocess.run([sys.executable, "-c", *lines], capture_output=True).stdout)
            for _ in range(options.count)
        ]
    medians = {"upload": uploads, "first": firsts, "next": nexts, "command_line": asked}
    return {
        "rows": options.rows,
        **{f"{name}_s": round(statistics.median(own), 2) for name, own in medians.items()},
    }


ON_COMMAND_LINE: Final = """
import sys, time
import denota
parser = denota.load()
parser.chat("examples/towns.csv").ask("which?")
chat = parser.chat(sys.argv[1])
began = time.perf_counter()
chat.ask(sys.argv[2])
print(time.perf_counter() - began)
"""
"""What `denota ask` does when it is asked, once the model and the table are read."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_subparsers(required=True)
    load = what.add_parser("load")
    load.add_argument("--data", default=os.environ.get("DENOTA_DATA"))
    load.add_argument("--split", default="random-split-1-dev")
    load.add_argument("--clients", type=int, default=50)
    load.add_argument("--seconds", type=float, default=60)
    load.add_argument("--think", type=float, default=1.0)
    load.add_argument("--kill", action="store_true")
    load.set_defaults(measure=measure_load)
    beside = what.add_parser("beside")
    beside.add_argument("--rows", type=int, default=200_000)
    beside.add_argument("--count", type=int, default=50)
    beside.set_defaults(measure=measure_beside)
    memory = what.add_parser("memory")
    memory.add_argument("--rounds", type=int, default=2000)
    memory.add_argument("--rows", type=int, default=6400)
    memory.set_defaults(measure=measure_memory)
    first = what.add_parser("first")
    first.add_argument("--rows", type=int, default=100_000)
    first.add_argument("--count", type=int, default=3)
    first.set_defaults(measure=measure_first)
    options = parser.parse_args()
    print(json.dumps(options.measure(options), indent=1))


if __name__ == "__main__":
    main()
