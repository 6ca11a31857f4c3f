"""Conversations and answers as files."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from denota.conversation.chat import Chat
from denota.conversation.turn import Turn
from denota.errors import DataError
from denota.programs.denotation import plain_number
from denota.tables.inline import table_as_object
from denota.tables.table import Table


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


def table_csv(table: Table) -> str:
    """Return a table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(zip(*(column.text for column in table.columns), strict=True))
    return out.getvalue()
