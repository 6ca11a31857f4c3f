"""Every column of `fixtures/columns.txt` is read as written there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from denota.tables import Column

GOLDEN = Path(__file__).parent.parent / "fixtures" / "columns.txt"


@dataclass
class Block:
    """One column and what should be read from it."""

    line: int
    header: str
    cells: list[str] = field(default_factory=list)
    views: dict[str, list[str]] = field(default_factory=dict)
    unit: str = ""

    @property
    def kind(self) -> str:
        return next(iter(self.views))


def blocks() -> list[Block]:
    found: list[Block] = []
    for number, line in enumerate(GOLDEN.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            continue
        parts = re.fullmatch(r"(\w+)(?:\((.+?)\))?(?: +(.*))?", line.rstrip())
        assert parts, f"line {number} of {GOLDEN.name} is not of the form `key  value`"
        key, unit, rest = parts.groups(default="")
        if key == "column":
            found.append(Block(number, rest))
        elif key == "cells":
            found[-1].cells += [_cell(cell) for cell in rest.split("|")]
        else:
            assert key in ("number", "date", "text"), f"line {number}: {key}?"
            found[-1].views[key] = [view.strip() for view in rest.split("|")] if rest else []
            found[-1].unit = found[-1].unit or unit
    return found


def _cell(written: str) -> str:
    text = written.strip()
    if text == "<empty>":
        return ""
    return re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), text)


BLOCKS = blocks()


@pytest.mark.parametrize("block", BLOCKS, ids=[f"{b.line}-{b.header}-{b.cells[0]}" for b in BLOCKS])
def test_column_is_read_as_written(block: Block) -> None:
    column = Column(block.header, tuple(block.cells))
    assert (column.kind, column.unit) == (block.kind, block.unit)
    if block.kind == "text":
        assert not column.unread.any()
        if block.views["text"]:
            said = ["missing" if missing else "." for missing in column.missing]
            assert said == block.views["text"]
    if "number" in block.views:
        assert numbers_said(column) == [_number(view) for view in block.views["number"]]
    else:
        assert np.isnan(column.numbers).all()
    if "date" in block.views:
        assert dates_said(column) == block.views["date"]
    else:
        assert not column.dates.known.any()


def test_every_block_is_complete() -> None:
    assert len(BLOCKS) > 90
    for block in BLOCKS:
        assert block.cells and block.views, f"line {block.line}"
        assert all(len(v) in (0, len(block.cells)) for v in block.views.values()), (
            f"line {block.line}"
        )


def numbers_said(column: Column) -> list[object]:
    """Each cell's number, or the word for why there is none."""
    return [
        _why(column, row) if np.isnan(value) else pytest.approx(value, rel=1e-12)
        for row, value in enumerate(column.numbers.tolist())
    ]


def _number(view: str) -> object:
    return view if view in ("missing", "unread") else float(view)


def dates_said(column: Column) -> list[str]:
    """Each cell's date as the golden file writes it, or the word for why there is none."""
    dates = column.dates
    parts = zip(dates.year, dates.month, dates.day, dates.seconds, dates.known, strict=True)
    return [
        _written(*map(float, part)) if known else _why(column, row)
        for row, (*part, known) in enumerate(parts)
    ]


def _written(year: float, month: float, day: float, seconds: float) -> str:
    said = f"{year:.0f}" if year else "-"
    said += f"-{month:02.0f}" * bool(month) + f"-{day:02.0f}" * bool(day)
    if seconds:
        minutes, rest = divmod(seconds, 60)
        said += f" {minutes // 60:02.0f}:{minutes % 60:02.0f}:{rest:04.1f}".removesuffix(".0")
    return said


def _why(column: Column, row: int) -> str:
    return "missing" if column.missing[row] else "unread" if column.unread[row] else "nothing"
