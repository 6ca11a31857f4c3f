"""Tables, turns and lessons as the server tells them, in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from denota.app.web.views import view_object
from denota.conversation.turn import Turn
from denota.conversation.view import view_of
from denota.programs.denotation import plain_number
from denota.tables.table import Table
from denota.teaching.log import Record
from denota.teaching.teacher import Taught


def table_object(table: Table) -> dict[str, Any]:
    """Return what a table is, for JSON."""
    return {
        "name": table.name,
        "rows": table.count,
        "notes": list(table.notes),
        "read": None if table.how is None else asdict(table.how),
        "columns": [
            {"name": c.name, "kind": c.kind, "unit": c.unit, "as_text": c.as_text}
            for c in table.columns
        ],
    }


def turn_object(turn: Turn, id_: str, limit: int) -> dict[str, Any]:
    """Return a turn for JSON, with at most so many items of its answer."""
    told = turn.as_json()
    for name in ("answer", "values", "cells"):
        told[name] = told[name][:limit]
    view = None if turn.declined else view_object(view_of(turn))
    more = {"computed": turn.computed, "declined": turn.declined, "view": view}
    return {"id": id_, **told, "total": total_of(turn), **more}


def total_of(turn: Turn) -> int:
    """Return how many items an answer has: cells, or values if there are more."""
    return max(len(turn.answer), len(turn.cells))


def taught_object(
    taught: Taught, turn: Turn, readings: Sequence[Turn], id_: str, limit: int
) -> dict[str, Any]:
    """Return what came of a lesson."""
    return {
        "turn": turn_object(turn, id_, limit),
        "readings": [turn_object(one, id_, limit) for one in readings],
        "learnt": taught.learnt,
        "said": taught.said,
        "contradicts": taught.contradicts,
    }


def lesson_object(record: Record, program: str, table: str) -> dict[str, Any]:
    """Return a lesson in force, with the program that is learnt and its table's name."""
    correction = record.correction
    assert correction is not None
    values = correction.values if correction.told is None else correction.told
    return {
        "id": record.number,
        "table": table,
        "question": correction.question,
        "program": program,
        "learnt": bool(program),
        "cells": len(correction.cells),
        "values": None if values is None else [plain_number(one) for one in values],
    }


def in_json(content: Any) -> bytes:
    """Return content as JSON."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
