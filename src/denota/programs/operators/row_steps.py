"""Steps to rows other than those kept: beside or beyond them, or compared by value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from denota.programs.index import Mask, counted, index_of
from denota.programs.operators.declare import Apply, Choices, Meaning, Situation, StepOperator
from denota.programs.tree import Test
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.sql import Names


def _beside(by: int) -> tuple[Meaning, Apply]:
    def meaning(table: Table, rows: Sequence[int], step: Test, scope: Sequence[int]) -> list[int]:
        return [row for row in scope if row - by in set(rows)]

    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        found = np.zeros_like(kept)
        if by > 0:
            found[:, by:] = kept[:, :-by]
        else:
            found[:, :by] = kept[:, -by:]
        return found & situation.scope

    return meaning, apply


def _beyond(after: bool) -> tuple[Meaning, Apply]:
    def meaning(table: Table, rows: Sequence[int], step: Test, scope: Sequence[int]) -> list[int]:
        if not rows:
            return []
        return [row for row in scope if (row > max(rows) if after else row < min(rows))]

    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        order = kept if after else kept[:, ::-1]
        reached = np.logical_or.accumulate(order[:, ::-1], axis=1)[:, ::-1]  # at or before the last
        beyond = ~reached & order.any(axis=1, keepdims=True)
        return (beyond if after else beyond[:, ::-1]) & situation.scope

    return meaning, apply


def _after_first(table: Table, rows: Sequence[int], step: Test, scope: Sequence[int]) -> list[int]:
    return [row for row in scope if rows and row == min(rows) + 1]


def _after_first_of_each(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
    """Offered only after several rows: after one row, NEXT ROW is the same."""
    opens = kept & (np.cumsum(kept, axis=1) == 1) & (kept.sum(axis=1, keepdims=True) > 1)
    found = np.zeros_like(kept)
    found[:, 1:] = opens[:, :-1]
    return found & situation.scope


def _order(table: Table, step: Test) -> Any:
    return index_of(table).columns[table.names.index(step.column or "")].order


def _than_theirs(above: bool) -> tuple[Meaning, Apply]:
    def meaning(table: Table, rows: Sequence[int], step: Test, scope: Sequence[int]) -> list[int]:
        order = _order(table, step)
        if order is None:
            return []
        theirs = [order[row] for row in rows if not np.isnan(order[row])]
        if not theirs:
            return []
        return [r for r in scope if (order[r] > max(theirs) if above else order[r] < min(theirs))]

    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        order = situation.index.columns[column].order
        assert order is not None
        stated = kept & ~np.isnan(order)
        values = np.where(stated, order, -np.inf if above else np.inf)
        best = values.max(axis=1) if above else values.min(axis=1)
        with np.errstate(invalid="ignore"):
            beyond = order > best[:, None] if above else order < best[:, None]
        found: Mask = beyond & np.any(stated, axis=1, keepdims=True) & situation.scope
        return found

    return meaning, apply


def _same(table: Table, rows: Sequence[int], step: Test, scope: Sequence[int]) -> list[int]:
    classes = index_of(table).columns[table.names.index(step.column or "")].classes
    theirs = {int(classes[row]) for row in rows}
    return [row for row in scope if int(classes[row]) in theirs and row not in set(rows)]


def _same_of_each(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
    own = situation.index.columns[column]
    theirs = counted(own.classes, own.count, kept) > 0  # (N, V)
    found: Mask = theirs[:, own.classes] & ~kept & situation.scope
    return found


def _of_all(situation: Situation) -> list[tuple[int, int]]:
    return [(column, 0) for column in range(len(situation.index.columns))]


def _of_ordered(situation: Situation) -> list[tuple[int, int]]:
    return [(column, 0) for column in situation.index.ordered]


def _no_column(situation: Situation) -> list[tuple[int, int]]:
    return [(-1, 0)]


def _widening(
    name: str,
    keywords: str,
    english: str,
    forms: tuple[Meaning, Apply],
    sql: Callable[[Test, Names], Any],
    column: str = "",
    choices: Choices = _no_column,
) -> StepOperator:
    """Return a step to other rows; `column` is that of the example."""
    meaning, apply = forms
    return StepOperator(
        name=name,
        keywords=tuple(keywords.split()),
        english=english,
        meaning=meaning,
        choices=choices,
        apply=apply,
        sql=sql,
        follows="few",
        widens=True,
        has_column=choices is not _no_column,
        row_order=choices is _no_column,
        example=f"SELECT Leader WHERE Season = '1893-94' THEN {column}{keywords}",
    )


ROW_STEPS: Final = (
    _widening(
        "then_next_row",
        "NEXT ROW",
        "the next row after {those}",
        _beside(1),
        lambda step, names: names.beside_kept(1),
    ),
    _widening(
        "after_first",
        "ROW AFTER FIRST",
        "the row after the first of {those}",
        (_after_first, _after_first_of_each),
        lambda step, names: names.after_first_kept(),
    ),
    _widening(
        "then_row_before",
        "ROW BEFORE",
        "the row before {those}",
        _beside(-1),
        lambda step, names: names.beside_kept(-1),
    ),
    _widening(
        "then_rows_after",
        "ROWS AFTER",
        "all rows after {those}",
        _beyond(True),
        lambda step, names: names.beyond_kept(True),
    ),
    _widening(
        "then_rows_before",
        "ROWS BEFORE",
        "all rows before {those}",
        _beyond(False),
        lambda step, names: names.beyond_kept(False),
    ),
    _widening(
        "above_theirs",
        "IS ABOVE THEIRS",
        "the rows with a higher {column} than {those}",
        _than_theirs(True),
        lambda step, names: names.than_kept(step.column or "", True),
        "Crew ",
        _of_ordered,
    ),
    _widening(
        "below_theirs",
        "IS BELOW THEIRS",
        "the rows with a lower {column} than {those}",
        _than_theirs(False),
        lambda step, names: names.than_kept(step.column or "", False),
        "Crew ",
        _of_ordered,
    ),
    _widening(
        "same_as_theirs",
        "IS SAME AS THEIRS",
        "the other rows with the same {column} as {those}",
        (_same, _same_of_each),
        lambda step, names: names.same_as_kept(step.column or ""),
        "Ships ",
        _of_all,
    ),
)
