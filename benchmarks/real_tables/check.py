"""Compute every answer of the real-table questions again, with pandas; exits with 1 if one differs.

Usage: python benchmarks/real_tables/check.py
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pandas as pd

HERE = Path(__file__).parent


def main() -> int:
    wrong = [problem for part in sorted(HERE.iterdir()) if part.is_dir() for problem in check(part)]
    for problem in wrong:
        print(problem)
    return 1 if wrong else 0


def check(part: Path) -> list[str]:
    """Return a line for each answer of a part that its expression does not give."""
    tables: dict[str, pd.DataFrame] = {}
    wrong = []
    for line in (part / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        talk = json.loads(line)
        name = talk["table"]
        if name not in tables:
            tables[name] = pd.read_csv(part / name)
        for turn in talk["turns"]:
            found = None
            if turn["pandas"] != "n/a":
                value = eval(turn["pandas"], {"df": tables[name], "pd": pd})
                pairs = bool(turn["answer"]) and isinstance(turn["answer"][0], list)
                found = plain(value.items() if pairs and isinstance(value, pd.Series) else value)
            if not same(found, turn["answer"]):
                wrong.append(f"{part.name}, {turn['question']!r}: {turn['answer']}, not {found}")
    return wrong


def plain(value: Any) -> list[Any]:
    """Return a scalar, list, series or pairs as a list of plain values."""
    if isinstance(value, str | bool | int | float) or getattr(value, "ndim", 1) == 0:
        value = [value]
    return [
        [_item(part) for part in one] if isinstance(one, list | tuple) else _item(one)
        for one in value
    ]


def _item(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def same(one: Any, other: Any) -> bool:
    """Return whether two answers are equal, numbers but for the last digits."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if numbers and not isinstance(one, bool) and not isinstance(other, bool):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


if __name__ == "__main__":
    sys.exit(main())
