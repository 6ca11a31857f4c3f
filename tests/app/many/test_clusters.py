"""Real clusters on this machine, and workers that are killed while they answer.

`make clusters` installs what these need; without it they are skipped, with the reason.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

import denota
from denota import sample
from denota.app.commands.predict import predict_run
from denota.data.predictions import read_predictions
from denota.tables import read_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("ray") is None and find_spec("pyspark") is None,
        reason="workers are killed for two minutes where clusters are set up (`make clusters`)",
    ),
]
WORKERS = {"processes": "spawn_main", "ray": "ray::", "spark": "pyspark.daemon"}
"""What stands in the command line of a worker."""
QUESTIONS = 320


def needs(on: str) -> None:
    package = {"ray": "ray", "spark": "pyspark"}.get(on)
    if package and find_spec(package) is None:
        pytest.skip(f"{package} is not installed (`make clusters`)")
    if on == "spark" and shutil.which("java") is None:
        pytest.skip("Java is not installed (`make clusters`)")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions about the tables of the sample."""
    tables = sorted((sample.path() / "tables").glob("*.csv"))[:8]
    file = tmp_path_factory.mktemp("data") / "many.jsonl"
    with file.open("w", encoding="utf-8") as stream:
        for number in range(QUESTIONS):
            table = tables[number % len(tables)]
            names = read_table(table).names
            asked = f"which {names[0]} has the highest {names[number % len(names)]}?"
            line = {"id": str(number), "table": str(table), "turns": [{"question": asked}]}
            stream.write(json.dumps(line) + "\n")
    return file


@pytest.fixture(scope="module")
def plain(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The predictions of `denota predict` without any cluster."""
    out = tmp_path_factory.mktemp("plain") / "plain.tsv"
    assert predict_run("default", str(data), "all", out) == QUESTIONS
    return out


@pytest.mark.parametrize("on", WORKERS)
def test_every_question_has_one_answer_after_a_worker_is_killed(
    on: str, data: Path, plain: Path, tmp_path: Path
) -> None:
    needs(on)
    out, chunks, log = tmp_path / "out.tsv", tmp_path / "chunks", tmp_path / "log"
    command = ["predict", "default", "--data", str(data), "--split", "all", "--out", str(out)]
    more = ["--on", on, "--workers", "2", "--chunks", str(chunks)]
    with log.open("w") as stream:
        running = subprocess.Popen(
            [sys.executable, "-m", "denota", *command, *more], stdout=stream, stderr=stream
        )
        try:
            killed = kill_one(running, on, chunks)
            assert running.wait(300) == 0, log.read_text()
        finally:
            running.kill()
    assert killed, "no worker was killed while it answered"
    assert out.read_bytes() == plain.read_bytes()
    assert len(read_predictions(out)) == QUESTIONS
    assert len([*chunks.glob("*.jsonl")]) == QUESTIONS // 32


def test_the_same_command_goes_on_after_it_was_killed(
    data: Path, plain: Path, tmp_path: Path
) -> None:
    out, chunks = tmp_path / "out.tsv", tmp_path / "chunks"
    command = ["predict", "default", "--data", str(data), "--split", "all", "--out", str(out)]
    more = ["--on", "processes", "--workers", "2", "--chunks", str(chunks)]
    again = [sys.executable, "-m", "denota", *command, *more]
    running = subprocess.Popen(again, stderr=subprocess.DEVNULL)
    while not [*chunks.glob("0*.jsonl")] and running.poll() is None:
        time.sleep(0.02)
    workers = workers_of(running.pid, "processes")
    running.kill()
    running.wait()
    assert workers and not psutil.wait_procs(workers, timeout=30)[1]  # none is left behind
    assert not out.exists()
    before = {file: file.stat().st_mtime_ns for file in chunks.glob("0*.jsonl")}
    assert 0 < len(before) < QUESTIONS // 32
    subprocess.run(again, check=True, capture_output=True)
    assert out.read_bytes() == plain.read_bytes()
    assert {file: file.stat().st_mtime_ns for file in before} == before


@pytest.mark.parametrize("on", ["ray", "spark"])
def test_a_cluster_answers_as_processes_do(on: str) -> None:
    needs(on)
    asked = [("examples/towns.csv", text) for text in ("which towns are there?", "how many?")]
    code = f"import denota, json; print(json.dumps(denota.answer_many({asked!r}, on={on!r})))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    there = json.loads(ran.stdout.splitlines()[-1])
    assert there == json.loads(json.dumps(denota.answer_many(asked)))


def kill_one(running: subprocess.Popen[bytes], on: str, chunks: Path) -> bool:
    """Kill a worker that is busy after the first chunk was answered; False if there was none."""
    while running.poll() is None:
        if [*chunks.glob("0*.jsonl")]:
            for worker in workers_of(running.pid, on):
                if worker.status() == psutil.STATUS_RUNNING or worker.cpu_percent(0.1) > 0:
                    os.kill(worker.pid, 9)
                    return True
        time.sleep(0.02)
    return False


def workers_of(pid: int, on: str) -> list[psutil.Process]:
    """The processes below one that answer."""
    found = []
    for one in psutil.Process(pid).children(recursive=True):
        try:
            line = " ".join(one.cmdline())
            below = on != "spark" or WORKERS[on] in " ".join(one.parent().cmdline())
            if WORKERS[on] in line and (on != "ray" or "MapWorker" in line) and below:
                found.append(one)
        except (psutil.NoSuchProcess, AttributeError):
            continue
    return found
