"""Conversations and answers as files."""

from __future__ import annotations

import csv
import io
import json

from denota.app.web.service import Live
from denota.errors import DataError

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for a formula at the beginning of a cell."""


def conversation_jsonl(live: Live) -> str:
    """Return a conversation as `denota train` takes it; the table is named table.csv."""
    turns = [
        {"question": turn.question, "cells": [list(cell) for cell in turn.cells]}
        for turn in live.chat.turns
    ]
    return json.dumps({"table": "table.csv", "turns": turns}, ensure_ascii=False) + "\n"


def answer_csv(live: Live) -> str:
    """Return the last answer as CSV, the row of each cell beside it.

    Raises:
        DataError: nothing was asked yet.
    """
    if not live.chat.turns:
        raise DataError("nothing was asked yet")
    turn = live.chat.turns[-1]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if len(turn.answer) == 1 and len(turn.cells) != 1:
        writer.writerows([["answer"], [_harmless(turn.answer[0])]])
        return out.getvalue()
    columns = sorted({column for _, column in turn.cells})
    writer.writerow(["row", *(_harmless(live.table.names[column]) for column in columns)])
    for row in sorted({row for row, _ in turn.cells}):
        cells = [live.table.cell(row, c) if (row, c) in turn.cells else "" for c in columns]
        writer.writerow([row, *map(_harmless, cells)])
    return out.getvalue()


def _harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; numbers stay what they are."""
    if not text.startswith(FORMULA):
        return text
    try:
        float(text.replace(",", ""))
    except ValueError:
        return f"'{text}"
    return text
