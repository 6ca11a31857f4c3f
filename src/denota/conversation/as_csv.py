"""Answers and rows as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from denota.programs.denotation import value_text
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.conversation.turn import Turn

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for a formula at the beginning of a cell."""


def answer_csv(turn: Turn, table: Table | None) -> str:
    """Return an answer as CSV: values, groups with their values, or cells by row.

    Rows are counted from 1, as people see them. An answer without any has only the first line.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if turn.shape == "groups":
        writer.writerow(map(_harmless, _columns_of(turn)))
        for value in turn.values:
            assert isinstance(value, tuple)
            known = "" if value[1] is None else value_text(value[1])
            writer.writerow([_harmless(value[0]), _harmless(known)])
        return out.getvalue()
    if turn.computed:
        writer.writerows([["answer"], *([_harmless(text)] for text in turn.answer)])
        return out.getvalue()
    if table is None or not turn.cells:
        return "answer\n"
    columns = sorted({column for _, column in turn.cells})
    cells = set(turn.cells)
    writer.writerow(["row", *(_harmless(table.names[column]) for column in columns)])
    for row in sorted({row for row, _ in turn.cells}):
        texts = [table.cell(row, c) if (row, c) in cells else "" for c in columns]
        writer.writerow([row + 1, *map(_harmless, texts)])
    return out.getvalue()


def _columns_of(groups: Turn) -> tuple[str, ...]:
    """What groups and their values are called."""
    from denota.conversation.view import view_of  # which shows turns, whose CSV this is

    columns = view_of(groups).columns
    return columns if len(columns) == 2 else ("group", "value")


def rows_csv(table: Table, rows: Iterable[int]) -> str:
    """Return some rows as CSV with all their columns, their numbers counted from 1."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", *map(_harmless, table.names)])
    writer.writerows([row + 1, *map(_harmless, table.row(row))] for row in rows)
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
