"""`denota show`: a table as denota understands it, for people and as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from denota.app.reading import ReaderOptions
from denota.app.terminal.text import console, to_json, visible
from denota.tables.summary import ColumnSummary, summarise
from denota.tables.table import Table


def show_table(address: str, rows: int, as_json: bool, how: ReaderOptions) -> None:
    """Read a table and print it, with at most this many of its rows, or as JSON."""
    table = how.read(address)
    print(to_json(describe(table))) if as_json else show(table, console(), rows)


def describe(table: Table) -> dict[str, Any]:
    """Return what `show` says as plain data for JSON."""
    return {
        "name": table.name,
        "rows": table.count,
        "notes": list(table.notes),
        "columns": [
            {
                "name": s.name,
                "type": s.kind,
                "unit": s.unit,
                "low": s.low,
                "high": s.high,
                "distinct": s.distinct,
                "missing": s.missing,
                "missing_marks": list(s.missing_marks),
                "unread": [[row, text] for row, text in s.unread],
            }
            for s in _summaries(table)
        ],
    }


def show(table: Table, console: Console, rows: int) -> None:
    """Print a table's columns, its first rows with odd cells marked, and notes from reading it."""
    count, width = table.count, len(table.columns)
    size = f"{count:,} row{'s' * (count != 1)}, {width:,} column{'s' * (width != 1)}"
    console.print(Text.assemble((visible(table.name), "bold"), f": {size}"))
    summaries = _summaries(table)
    console.print(_columns(summaries))
    if rows:
        console.print(_preview(table, console.width, rows))
    legend = _legend(summaries)
    if legend:
        console.print(legend)
    for note in table.notes:
        console.print(Text(f"Note: {visible(note)}.", "yellow"))


def _summaries(table: Table) -> list[ColumnSummary]:
    """The columns as understood; of a large table with the values that its engine counts."""
    found = [summarise(column) for column in table.columns]
    if table.large is None:
        return found
    counts = table.large.statistics.distinct
    return [replace(s, distinct=count) for s, count in zip(found, counts, strict=True)]


def _columns(summaries: list[ColumnSummary]) -> RenderableType:
    grid = Grid(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("#", justify="right", style="dim")
    grid.add_column("column", style="cyan", max_width=28, overflow="fold")
    grid.add_column("type")
    grid.add_column("range", max_width=44, overflow="fold")
    grid.add_column("distinct", justify="right")
    grid.add_column("missing", justify="right")
    grid.add_column("could not be read", overflow="fold")
    for number, s in enumerate(summaries):
        grid.add_row(
            str(number),
            Text(visible(s.name, 80)),
            _type(s),
            Text(_range(s)),
            f"{s.distinct:,}",
            Text(_missing(s)),
            Text(_unread(s), "red" if s.unread else ""),
        )
    return grid


def _type(s: ColumnSummary) -> str:
    return {"": s.kind, "year": "year"}.get(s.unit, f"{s.kind} ({visible(s.unit, 16)})")


def _range(s: ColumnSummary) -> str:
    if not s.low and not s.high:
        return ""
    low, high = visible(s.low, 20), visible(s.high, 20)
    return low if low == high else f"{low} to {high}" if s.kind != "text" else f"{low} … {high}"


def _missing(s: ColumnSummary) -> str:
    marks = " ".join(visible(mark.strip(), 8) for mark in s.missing_marks[:4] if mark.strip())
    return f"{s.missing:,} {marks}".rstrip() if s.missing else ""


def _unread(s: ColumnSummary) -> str:
    if not s.unread:
        return ""
    shown = ", ".join(f"{visible(text, 24)} (row {row})" for row, text in s.unread[:3])
    return shown + (f" and {len(s.unread) - 3:,} more" if len(s.unread) > 3 else "")


def _preview(table: Table, width: int, rows: int) -> RenderableType:
    fitting = max(1, min(len(table.columns), width // 12))
    each = max(8, width // fitting - 3)
    grid = Grid(box=None, header_style="bold cyan", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("row", justify="right", style="dim")
    for column in table.columns[:fitting]:
        right = column.kind == "number" and column.unit != "year"
        grid.add_column(
            Text(visible(column.name, each)), justify="right" if right else "left", no_wrap=True
        )
    for row in range(min(rows, len(table))):
        grid.add_row(str(row), *(_cell(table, row, c, each) for c in range(fitting)))
    left = []
    if table.count > rows:
        left.append(f"{table.count - rows:,} more rows")
    if fitting < len(table.columns):
        left.append(f"{len(table.columns) - fitting:,} more columns")
    tail = [Text(f"… {' and '.join(left)}", "dim")] if left else []
    return Group("", grid, *tail, "")


def _cell(table: Table, row: int, column: int, width: int) -> Text:
    content = table.columns[column]
    style = "red" if content.unread[row] else "dim" if content.missing[row] else ""
    return Text(visible(content.text[row], width), style)


def _legend(summaries: list[ColumnSummary]) -> Text | None:
    parts: list[tuple[str, str]] = []
    if any(s.unread for s in summaries):
        parts.append(("red: could not be read as the column's type", "red"))
    if any(s.missing for s in summaries):
        parts.append(("dim: no value", "dim"))
    if not parts:
        return None
    return Text("; ").join(Text(text, style) for text, style in parts)
