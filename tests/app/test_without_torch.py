"""Asking, teaching, measuring and serving import no torch; training says how to get it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from denota import sample

ROOT = Path(__file__).parent.parent.parent
EXPEDITIONS = ROOT / "examples" / "expeditions.csv"
HEAVY = ("torch", "pyarrow", "duckdb", "matplotlib", "pandas", "openpyxl", "fastapi")
RUN = """
import json, sys
from denota.app.cli import main
try:
    main(json.loads(sys.argv[1]))
finally:
    found = [name for name in json.loads(sys.argv[2]) if sys.modules.get(name) is not None]
    print(json.dumps(found), file=sys.stderr)
"""
BLOCKED = "import sys\nsys.modules['torch'] = None\n"


def denota(folder: Path, *arguments: object, code: str = RUN) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, which ends by naming heavy packages it imported."""
    given = json.dumps([str(one) for one in arguments])
    env = {**os.environ, "DENOTA_LESSONS": str(folder / "lessons.sqlite")}
    command = [sys.executable, "-c", code, given, json.dumps(HEAVY)]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)


def test_asking_imports_nothing_heavy(tmp_path: Path) -> None:
    done = denota(tmp_path, "ask", EXPEDITIONS, "which season had the largest crew?", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answer"] == ["1907-08"]
    assert json.loads(done.stderr.splitlines()[-1]) == []


@pytest.mark.slow
def test_teaching_and_measuring_need_no_torch(tmp_path: Path) -> None:
    lessons = tmp_path / "lessons.jsonl"
    turn = {"question": "who was the zorgmeister of 1907-08?", "cells": [[6, 1]]}
    lessons.write_text(json.dumps({"table": str(EXPEDITIONS), "turns": [turn]}) + "\n")
    for arguments in (
        ("teach", "default", lessons),
        ("teach", "default", "--save", tmp_path / "taught.safetensors"),
        ("evaluate", "default", "--data", sample.path(), "--split", "dev", "--json"),
        ("package", tmp_path / "taught.safetensors", tmp_path / "small.safetensors"),
    ):
        done = denota(tmp_path, *arguments, code=BLOCKED + RUN)
        assert done.returncode == 0, (arguments, done.stderr)
        assert json.loads(done.stderr.splitlines()[-1]) == []
    asked = ("ask", EXPEDITIONS, turn["question"], "--json", "--model")
    said = denota(tmp_path, *asked, tmp_path / "taught.safetensors", code=BLOCKED + RUN)
    assert json.loads(said.stdout)["answer"] == ["Mirela Ionescu"], said.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", ROOT / "experiments" / "sample.toml", "--out", "run"),
        ("bench",),
        ("reproduce", "table2"),
    ],
    ids=lambda given: given[0],
)
def test_training_says_what_it_lacks(arguments: tuple[object, ...], tmp_path: Path) -> None:
    done = denota(tmp_path, *arguments, code=BLOCKED + RUN)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == (
        "denota: this needs torch, which is not installed; `pip install 'denota[train]'` gets it"
    )


def test_learning_in_python_says_so_too(tmp_path: Path) -> None:
    code = f"""{BLOCKED}
import denota
turn = {{"question": "who?", "cells": [[0, 1]]}}
try:
    denota.load().fit([{{"table": {str(EXPEDITIONS)!r}, "turns": [turn]}}])
except denota.DenotaError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.startswith("training needs torch, which is not installed"), done.stderr
    assert not done.stderr
