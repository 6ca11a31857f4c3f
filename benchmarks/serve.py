"""A server under load: clients that ask about tables of their own, on the server's cores.

    python benchmarks/serve.py --data path/to/sqa --clients 50 --seconds 60

The tables and questions are those of a split of SQA; without `--data` they are the bundled
sample's. Each client begins a session, then asks, waits for the answer, thinks, and asks again.
Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from denota import sample
from denota.app.commands.serve import some_port
from denota.app.files.export import table_csv
from denota.data import load_questions
from denota.data.example import Question, conversations


@dataclass
class Load:
    """What clients met."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    acknowledged: dict[str, list[str]] = field(default_factory=dict)
    """The programs of the answers that arrived, by session."""


async def client(
    base: str, turns: list[Question], until: float, think: float, load: Load, random_: random.Random
) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=60) as http:
        await asyncio.sleep(random_.random() * think)  # people do not begin at the same moment
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


async def run_clients(
    base: str, talks: list[list[Question]], clients: int, seconds: float, think: float
) -> Load:
    load = Load()
    until = time.perf_counter() + seconds
    draw = random.Random(0)
    await asyncio.gather(
        *(
            client(base, talks[n % len(talks)], until, think, load, random.Random(draw.random()))
            for n in range(clients)
        )
    )
    return load


def start_server(port: int, sessions: Path) -> subprocess.Popen[str]:
    """Start a server and wait until it answers."""
    base = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "denota", "serve", "--port", str(port)]
    environment = {**os.environ, "DENOTA_SESSIONS": str(sessions)}
    server = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, text=True)
    for _ in range(600):
        try:
            httpx.get(f"{base}/api/samples", timeout=1)
            for _ in range(4):  # until the workers have the model
                id_ = httpx.post(f"{base}/api/sessions", json={"sample": "castles"}).json()["id"]
                httpx.post(
                    f"{base}/api/sessions/{id_}/ask", json={"question": "which?"}, timeout=60
                )
            return server
        except httpx.HTTPError:
            if server.poll() is not None:
                break
            time.sleep(0.05)
    raise SystemExit("the server does not start")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("DENOTA_DATA"))
    parser.add_argument("--split", default="random-split-1-dev")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=1.0)
    parser.add_argument(
        "--kill", action="store_true", help="kill the server in the end, and ask its successor"
    )
    options = parser.parse_args()
    talks = talks_of(options.data, options.split)
    port = some_port("127.0.0.1")
    base = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        sessions = Path(folder) / "sessions.sqlite"
        server = start_server(port, sessions)

        async def run() -> Load:
            work = run_clients(base, talks, options.clients, options.seconds, options.think)
            if not options.kill:
                return await work
            task = asyncio.ensure_future(work)
            await asyncio.sleep(options.seconds * 0.9)
            server.send_signal(signal.SIGKILL)
            return await task

        try:
            load = asyncio.run(run())
            if options.kill:
                server.wait()
                server = start_server(port, sessions)
            answers = sum(len(programs) for programs in load.acknowledged.values())
            there = kept(base, load)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
    times = sorted(load.seconds)
    print(
        json.dumps(
            {
                "clients": options.clients,
                "answers": answers,
                "answers_per_s": round(answers / options.seconds, 1),
                "median_s": round(statistics.median(times), 3),
                "p95_s": round(times[int(0.95 * len(times))], 3),
                "slowest_s": round(times[-1], 3),
                "errors": len(load.errors),
                "first_error": load.errors[0] if load.errors else None,
                "kept": there,
                "killed": options.kill,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
