"""Tables drawn with bars and dashes, as Markdown, reports and the shells of databases have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from denota.tables.grid import Grid, Row, commonest


def without_frame(grid: Grid) -> Grid:
    """Return rows that were divided at bars without outer bars, padding and lines of dashes.

    >>> drawn = ["+---+---+", "| a | b |", "+---+---+", "| 1 | 2 |", "+---+---+"]
    >>> list(without_frame(Grid([line.split("|") for line in drawn], [1, 2, 3, 4, 5])).rows)
    [['a', 'b'], ['1', '2']]
    """
    width = commonest(len(row) for row in grid.rows if len(row) > 1)
    header = next((p for p, row in enumerate(grid.rows) if len(row) == width > 1), None)
    if header is None:
        return grid
    framed = width > 2 and _is_open(grid.rows[header])
    ruled = [p for p, row in enumerate(grid.rows) if _is_rule(row, below_header=p == header + 1)]
    if not framed:  # then a line has crosses for bars, and cells of dashes are cells
        ruled = [p for p in ruled if len(grid.rows[p]) == 1]
        if header + 1 not in ruled:
            return grid
    gone = set(ruled)
    kept = [position for position in range(len(grid.rows)) if position not in gone]
    rows = [_taken_out(grid.rows[position], framed) for position in kept]
    return replace(grid, rows=rows, numbers=[grid.numbers[position] for position in kept])


def _taken_out(row: Row, framed: bool) -> Row:
    cells = row[1:-1] if framed and len(row) > 2 and _is_open(row) else row
    return [cell.strip() for cell in cells]


def _is_open(row: Sequence[str]) -> bool:
    return not row[0].strip() and not row[-1].strip()


def _is_rule(row: Row, below_header: bool) -> bool:
    """Say whether a row is a line: `|-|:-:|` below the header, three dashes elsewhere."""
    cells = [text for cell in row if (text := cell.strip())]
    if below_header and cells and all(not cell.strip("-:") for cell in cells):
        return True
    return bool(cells) and all(map(_RULE.fullmatch, cells))


_RULE: Final = re.compile(r":?[-=_+─━═┼╪]{3,}:?")
