"""What the documents show is run: commands, Python and links."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
ELSEWHERE = ("denota data sqa", "denota reproduce")
"""Tested in tests/data, against a server of its own, and in tests/reports, on little data."""


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for path in DOCUMENTS:
        for block in re.findall(
            rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL
        ):
            found.append((path.name, block))
    return found


def commands() -> list[str]:
    lines = [
        line.split("  #")[0].strip() for _, block in blocks("sh") for line in block.splitlines()
    ]
    return [line for line in lines if line.startswith("denota ") and not line.startswith(ELSEWHERE)]


def test_there_is_something_to_run() -> None:
    assert commands()
    assert blocks("python")


def test_commands(tmp_path: Path) -> None:
    """All commands of the documents, one after another as a reader would type them."""
    for folder in ("examples", "experiments"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    environment = {name: value for name, value in os.environ.items() if name != "DENOTA_DATA"}
    for command in commands():
        arguments = shlex.split(command)[1:]
        run = subprocess.run(
            [sys.executable, "-m", "denota", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, f"{command}: {run.stderr}"


@pytest.mark.parametrize(("name", "code"), blocks("python"))
def test_python(name: str, code: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True
    )
    promised = re.findall(r"print\(.*?\)\s+# (.*)", code)
    assert run.stdout.splitlines() == promised


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)\)", path.read_text(encoding="utf-8")):
        assert target.startswith("http") or (path.parent / target).exists(), target
