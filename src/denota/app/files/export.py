"""Conversations and answers as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any, Final

from denota.conversation.chat import Chat
from denota.conversation.turn import Turn
from denota.errors import DataError
from denota.programs.denotation import plain_number, value_text
from denota.tables.inline import table_as_object
from denota.tables.table import Table

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for a formula at the beginning of a cell."""


def conversation_jsonl(chat: Chat, table: Any = None) -> str:
    """Return a conversation as `denota train` takes it, without declined questions.

    Args:
        chat: the conversation.
        table: what to write for the table, such as the path of its file; itself if None.

    Raises:
        DataError: no question was answered yet.
    """
    turns = [
        {"question": turn.question, **answer_object(turn, chat.computes)}
        for turn in chat.turns
        if not turn.declined
    ]
    if not turns:
        raise DataError("no question was answered yet, so there is no conversation to write")
    written = {"table": table if table is not None else table_as_object(chat.table), "turns": turns}
    return json.dumps(written, ensure_ascii=False) + "\n"


def answer_object(turn: Turn, computes: bool) -> dict[str, Any]:
    """Return the answer of a turn as a line of data has it, nothing where it teaches nothing.

    Args:
        turn: that was answered.
        computes: whether its parser computes values; if not, it can learn only their cells.
    """
    if turn.computed and (computes or not turn.program):
        return {"answer": [plain_number(item) for item in turn.items]}
    if turn.cells:
        return {"cells": [list(cell) for cell in turn.cells]}
    return {}


def answer_csv(turn: Turn, table: Table) -> str:
    """Return an answer as CSV: values, groups with their values, or cells by row.

    Rows are counted from 1, as people see them.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if turn.kind == "groups":
        writer.writerow(["group", "value"])
        for value in turn.values:
            assert isinstance(value, tuple)
            known = "" if value[1] is None else value_text(value[1])
            writer.writerow([_harmless(value[0]), _harmless(known)])
        return out.getvalue()
    if turn.computed:
        writer.writerows([["answer"], *([_harmless(text)] for text in turn.answer)])
        return out.getvalue()
    columns = sorted({column for _, column in turn.cells})
    cells = set(turn.cells)
    writer.writerow(["row", *(_harmless(table.names[column]) for column in columns)])
    for row in sorted({row for row, _ in turn.cells}):
        texts = [table.cell(row, c) if (row, c) in cells else "" for c in columns]
        writer.writerow([row + 1, *map(_harmless, texts)])
    return out.getvalue()


def rows_csv(table: Table, rows: Iterable[int]) -> str:
    """Return some rows as CSV with all their columns, their numbers counted from 1."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", *map(_harmless, table.names)])
    writer.writerows([row + 1, *map(_harmless, table.row(row))] for row in rows)
    return out.getvalue()


def table_csv(table: Table) -> str:
    """Return a table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(zip(*(column.text for column in table.columns), strict=True))
    return out.getvalue()


def _harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; numbers stay what they are.

    >>> _harmless("=1+1"), _harmless("-5")
    ("'=1+1", '-5')
    """
    if not text.startswith(FORMULA):
        return text
    try:
        float(text.replace(",", ""))
    except ValueError:
        return f"'{text}"
    return text
