"""The same answers as a person reads them. What comes from a table stands in quotes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from denota.app.agents.schema import (
    AnswerInfo,
    ClosedInfo,
    ForgottenInfo,
    OpenedInfo,
    ReadingInfo,
    ReadingsInfo,
    RowsInfo,
    SqlInfo,
    TableInfo,
    TablesInfo,
    TaughtInfo,
    Told,
)
from denota.app.terminal.text import visible

SHOWN: Final = 12
"""Cells, rows or tables that are shown."""
WIDEST: Final = 120
"""Characters of a cell that are shown."""


def text_of(told: Told) -> str:
    """Return what a tool answers with, in a few lines."""
    if isinstance(told, AnswerInfo):
        return _answer(told)
    if isinstance(told, OpenedInfo):
        return _table(told.opened) if told.opened else _found(told)
    if isinstance(told, TablesInfo):
        return "\n".join([*map(_table, told.tables), *([_found(told)] if told.found else [])]) or (
            "No tables are opened; open_table opens one."
        )
    if isinstance(told, ReadingsInfo):
        return _readings("It can mean:", told.readings) or "There are no readings of that."
    if isinstance(told, SqlInfo):
        rows = [", ".join(map(_value, row)) for row in told.rows[:SHOWN]]
        names = ", ".join(quoted(column.name) for column in told.columns)
        return _lines(f"{_count(len(told.rows), 'row')} of {names}.", rows, told.rows, told.note)
    if isinstance(told, RowsInfo):
        rows = [f"{one.row}: {', '.join(map(quoted, one.cells))}" for one in told.rows[:SHOWN]]
        head = f"{_count(told.total, 'row')} of {', '.join(map(quoted, told.columns))}."
        return _lines(head, rows, told.rows, told.note)
    if isinstance(told, TaughtInfo):
        return f"{quoted(told.said, 400)}\n{_answer(told.answer)}"
    if isinstance(told, ForgottenInfo):
        return f"Forgotten: {quoted(told.question, 400)}."
    assert isinstance(told, ClosedInfo)
    return f"{told.table} is closed."


def quoted(text: str, width: int = WIDEST) -> str:
    r"""Return a text in quotes, on one line, which nothing in it can end.

    >>> print(quoted('a"b\nc'))
    "a\"b␊c"
    """
    return json.dumps(visible(text, width), ensure_ascii=False)


def _answer(told: AnswerInfo) -> str:
    if told.status == "declined":
        lines = [f"The table does not say: {quoted(told.reason, 400)}"]
        return "\n".join(
            [*lines, *_some(_readings("The closest that can be done:", told.readings))]
        )
    if told.status == "ask_back":
        return _readings(
            f"It is not clear what is meant: {quoted(told.explanation, 600)}", told.readings
        )
    shown = ", ".join(map(quoted, told.answer[:SHOWN])) or "nothing in the table"
    if len(told.answer) > SHOWN or told.kind in ("value", "groups"):
        shown = quoted(told.headline)
    lines = [f"{shown} ({told.confidence:.0%} sure)"]
    if told.status == "unsure":
        lines = [f"Not sure ({told.confidence:.0%}): {shown}"]
    lines.append(f"Read as: {quoted(told.explanation, 600)}")
    lines += [f"Note: {quoted(told.note, 300)}"] if told.note else []
    if len(told.answer) > 1 or told.kind == "groups":
        lines.append(", ".join(map(quoted, told.shown.columns)))
        lines += [", ".join(map(quoted, row)) for row in told.shown.rows]
    lines += _some(_readings("It could also mean:", told.readings))
    if told.builds_on:
        lines.append(f"It builds on {quoted(told.builds_on, 300)}, which was not sure.")
    if told.sql:
        lines.append(f"SQL: {visible(told.sql, 2_000)}")
    return "\n".join(lines)


def _readings(head: str, readings: Sequence[ReadingInfo]) -> str:
    lines = []
    for one in readings:
        answer = ", ".join(map(quoted, one.answer[:4])) + (" and more" if one.total > 4 else "")
        said = quoted(one.explanation, 300)
        lines.append(f"- {said}: {answer or 'nothing'} (program {quoted(one.program, 600)})")
    return "\n".join([head, *lines]) if lines else ""


def _table(told: TableInfo) -> str:
    if not told.opened:
        return f"{told.table}: not read yet, {quoted(told.address, 300)}"
    rows = _count(told.rows or 0, "row")
    columns = ", ".join(f"{quoted(c.name, 60)} ({c.type})" for c in told.columns[:40])
    more = f" and {len(told.columns) - 40} more" if len(told.columns) > 40 else ""
    notes = "".join(f" Note: {quoted(note, 300)}." for note in told.notes[:5])
    return f"{told.table}: {rows}; columns {columns}{more}.{notes}"


def _found(told: OpenedInfo | TablesInfo) -> str:
    if not told.found:
        return "There are no tables there."
    shown = [f"- {quoted(one.address, 300)}" for one in told.found[:50]]
    return _lines("Can be opened:", shown, told.found, "")


def _lines(head: str, lines: Sequence[str], every: Sequence[object], note: str) -> str:
    more = [f"({len(every) - len(lines):,} more)"] if len(every) > len(lines) else []
    return "\n".join([head, *lines, *more, *_some(note)])


def _value(value: object) -> str:
    return quoted(value) if isinstance(value, str) else "null" if value is None else str(value)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _some(text: str) -> list[str]:
    return [text] if text else []
