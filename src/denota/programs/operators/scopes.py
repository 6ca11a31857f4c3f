"""Scopes: the rows a program starts from."""

from __future__ import annotations

import numpy as np

from denota.programs.index import Mask, TableIndex, totals
from denota.programs.operators.declare import ScopeOperator
from denota.tables.table import Table


def _all(table: Table, previous: tuple[int, ...] | None) -> list[int]:
    return list(range(len(table)))


def _previous(table: Table, previous: tuple[int, ...] | None) -> list[int]:
    return list(previous or ())


def _others(table: Table, previous: tuple[int, ...] | None) -> list[int]:
    told = frozenset(previous or ())
    return [row for row in range(len(table)) if row not in told]


def _without_totals(table: Table, previous: tuple[int, ...] | None) -> list[int]:
    return np.flatnonzero(~totals(table)).tolist()


def _after(table: Table, previous: tuple[int, ...] | None) -> list[int]:
    told = frozenset(previous or ())
    return [row for row in range(len(table)) if row - 1 in told]


def _before(table: Table, previous: tuple[int, ...] | None) -> list[int]:
    told = frozenset(previous or ())
    return [row for row in range(len(table)) if row + 1 in told]


def _mask(index: TableIndex, previous: Mask | None) -> Mask:
    assert previous is not None
    return previous


def _shifted(index: TableIndex, previous: Mask | None, by: int) -> Mask:
    assert previous is not None
    mask = np.zeros_like(previous)
    if by > 0:
        mask[by:] = previous[:-by]
    else:
        mask[:by] = previous[-by:]
    return mask


TABLE = ScopeOperator(
    name="table",
    alone="",
    with_columns="",
    english="",
    meaning=_all,
    sql=lambda names: None,
    rows=lambda index, previous: index.all_rows,
    follows=False,
    example="SELECT Leader",
)
WITHOUT_TOTALS = ScopeOperator(
    name="without_totals",
    alone="",
    with_columns="WITHOUT TOTALS",
    english="the rows without totals",
    meaning=_without_totals,
    sql=lambda names: names.not_total(),
    rows=lambda index, previous: ~index.totals,
    follows=False,
    example="SELECT Nation WITHOUT TOTALS WHERE Gold IS MAX",
)
PREVIOUS = ScopeOperator(
    name="previous",
    alone="FOLLOW-UP",
    with_columns="OF PREVIOUS",
    english="those rows",
    meaning=_previous,
    sql=lambda names: names.in_previous(),
    rows=_mask,
    example="FOLLOW-UP WHERE Ships = '2'",
)
CELL = ScopeOperator(
    name="cell",
    alone="",
    with_columns="FOLLOW-UP CELL",
    english="the row of that cell",
    meaning=_previous,
    sql=lambda names: names.in_previous(),
    rows=_mask,
    example="SELECT Leader FOLLOW-UP CELL",
)
OTHERS = ScopeOperator(
    name="others",
    alone="OTHERS",
    with_columns="OF OTHERS",
    english="the other rows",
    meaning=_others,
    sql=lambda names: names.not_in_previous(),
    rows=lambda index, previous: ~_mask(index, previous),
    needs="trigger",
    example="OTHERS WHERE Ships = '2'",
)
NEXT_ROW = ScopeOperator(
    name="next_row",
    alone="NEXT ROW",
    with_columns="OF NEXT ROW",
    english="the row after",
    meaning=_after,
    sql=lambda names: names.beside_previous(1),
    rows=lambda index, previous: _shifted(index, previous, 1),
    needs="trigger",
    row_order=True,
    example="NEXT ROW",
)
ROW_BEFORE = ScopeOperator(
    name="row_before",
    alone="ROW BEFORE",
    with_columns="OF ROW BEFORE",
    english="the row before",
    meaning=_before,
    sql=lambda names: names.beside_previous(-1),
    rows=lambda index, previous: _shifted(index, previous, -1),
    needs="trigger",
    row_order=True,
    example="ROW BEFORE",
)
