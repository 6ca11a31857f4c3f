"""The wheel answers questions where nothing but its declared dependencies is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent.parent
LARGEST = 320 << 20
"""Bytes that an installation takes at most, besides the model's own file."""


def installed(folder: Path) -> Path:
    """Build the wheel into a folder and return a new environment with the wheel in it."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("denota-*.whl")
    home = folder / "elsewhere"
    venv.create(home)
    pip = [sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    lend(Distribution.at(next(site.glob("denota-*.dist-info"))), site)
    return home


def lend(wheel: Distribution, site: Path) -> None:
    """Link what the wheel needs, and what that needs, from this environment into another."""
    needed = list(requirements(wheel))
    lent: dict[str, int] = {}
    while needed:
        one = distribution(needed.pop())
        if one.name not in lent:
            files = [Path(str(one.locate_file(path))) for path in one.files or ()]
            lent[one.name] = sum(
                f.stat().st_size for f in files if f.suffix != ".pyc" and f.exists()
            )
            needed += requirements(one)
            own = Path(str(one.locate_file("")))
            parts = {path.parts[0] for path in one.files or () if path.parts[0] != ".."}
            for part in parts - {"__pycache__"}:
                if not (site / part).exists():
                    (site / part).symlink_to(own / part)
    (site.parents[2] / "lent.json").write_text(json.dumps(lent))


def requirements(one: Distribution) -> Iterator[str]:
    for line in one.requires or ():
        needed = Requirement(line)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            yield needed.name


def run(home: Path, *arguments: str | Path) -> str:
    """What a program of the environment prints, called far from the source."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "DENOTA"))}
    state = {"XDG_STATE_HOME": str(home / "state"), "XDG_CACHE_HOME": str(home / "cache")}
    command = [home / "bin" / str(arguments[0]), *arguments[1:]]
    done = subprocess.run(
        command, capture_output=True, cwd=home, text=True, env={**clean, **state}, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_shows_and_asks_a_table_elsewhere(tmp_path: Path) -> None:
    home = installed(tmp_path)
    origin = run(home, "python", "-c", "import denota; print(denota.__file__)")
    assert Path(origin.strip()).is_relative_to(home)
    table = home / "expeditions.csv"
    table.write_bytes((ROOT / "examples" / "expeditions.csv").read_bytes())
    assert "ask" in run(home, "denota", "--help")
    shown = json.loads(run(home, "denota", "show", table, "--json"))
    assert [column["name"] for column in shown["columns"]][:2] == ["Season", "Leader"]
    questions = ("which season had the largest crew?", "who led it?")
    asked = run(home, "denota", "ask", table, *questions, "--json").splitlines()
    assert [json.loads(line)["answer"] for line in asked] == [["1907-08"], ["Mirela Ionescu"]]
    there = run(home, "python", "-c", "import denota.sample as s; print(len(s.tables()))")
    assert int(there) > 1, "the sample came with it"
    assert list(home.glob("lib/*/site-packages/denota/app/web/page/index.html"))
    lacks = "import importlib.util as u; print([n for n in ('torch', 'pyarrow') if u.find_spec(n)])"
    assert run(home, "python", "-c", lacks).strip() == "[]"
    own = sum(f.stat().st_size for f in home.glob("lib/*/site-packages/denota/**/*.py"))
    lent = json.loads((home / "lent.json").read_text())
    assert own + sum(lent.values()) <= LARGEST, lent
    lessons = home / "lessons.jsonl"
    turn = {"question": "who was the zorgmeister of 1907-08?", "cells": [[6, 1]]}
    lessons.write_text(json.dumps({"table": str(table), "turns": [turn]}) + "\n")
    assert run(home, "denota", "teach", "default", lessons).startswith("1 lessons learnt")
