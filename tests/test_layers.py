"""What the layers below the application may not do."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import denota

SOURCE = Path(denota.__file__).parent
BELOW = sorted(p for p in SOURCE.rglob("*.py") if "app" not in p.relative_to(SOURCE).parts[:1])


@pytest.mark.parametrize("path", BELOW, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_application_reads_the_environment(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "os"
        for name in node.names
    }
    assert not names & {"environ", "environb", "getenv", "putenv"}
