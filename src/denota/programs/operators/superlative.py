"""Rows by their rank in a column or their place in the table: one, all ties, the first k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.programs.index import index_of
from denota.programs.operators.declare import Block, Meaning, Situation, TestOperator, block
from denota.programs.tree import Argument, Number, Test
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.sql import Names

MOST_COUNTED: Final = 30
"""The largest k in TOP k and the like."""


def _ranked(table: Table, rows: Sequence[int], test: Test, largest: bool) -> list[int]:
    """Return the rows that have a value, best first; of equal rows MAX takes the last first."""
    order = index_of(table).columns[table.names.index(test.column or "")].order
    if order is None:
        return []
    stated = [(order[row], row) for row in rows if not np.isnan(order[row])]
    return [row for _, row in sorted(stated, reverse=largest)]


def _one(largest: bool) -> Meaning:
    return lambda table, rows, test, previous: _ranked(table, rows, test, largest)[:1]


def _ties(largest: bool) -> Meaning:
    def meaning(
        table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
    ) -> list[int]:
        order = index_of(table).columns[table.names.index(test.column or "")].order
        ranked = _ranked(table, rows, test, largest)
        return sorted(row for row in ranked if order is not None and order[row] == order[ranked[0]])

    return meaning


def _top(largest: bool) -> Meaning:
    return lambda table, rows, test, previous: sorted(
        _ranked(table, rows, test, largest)[: _count(test)]
    )


def _kth(largest: bool) -> Meaning:
    return lambda table, rows, test, previous: _ranked(table, rows, test, largest)[
        _count(test) - 1 : _count(test)
    ]


def _count(test: Test) -> int:
    assert isinstance(test.argument, Number)
    return int(test.argument.value)


def counts_in(situation: Situation) -> list[tuple[int, int]]:
    """Return (number in `numbers`, k) of the numbers that can be a count."""
    numbers = [n.value for n in situation.numbers]
    return [(i, int(n)) for i, n in enumerate(numbers) if 2 <= n <= MOST_COUNTED and n == int(n)]


def _orders(situation: Situation) -> list[tuple[int, NDArray[np.float64], NDArray[np.int64]]]:
    """Return each ordered column, its order, and its rows of the scope from smallest to largest."""
    found = []
    for position in situation.index.ordered:
        order = situation.index.columns[position].order
        assert order is not None
        rising = situation.index.columns[position].rising
        rows = rising[situation.scope[rising]]
        if len(rows):
            found.append((position, order, rows))
    return found


Pick = Callable[[NDArray[np.float64], NDArray[np.int64], int], NDArray[np.int64]]
"""(order, rows from smallest to largest, k) -> the rows kept."""


def _candidates(name: str, pick: Pick, counted: bool) -> Callable[[Situation], Block]:
    def candidates(situation: Situation) -> Block:
        grounded = situation.triggered(name)
        counts = counts_in(situation) if counted else [(0, 1)]
        parts = []
        for position, order, rows in _orders(situation) if counts else []:
            usable = [(i, k) for i, k in counts if k <= len(rows)]
            if usable:
                mask = np.zeros((len(usable), situation.index.rows), bool)
                for line, (_, k) in enumerate(usable):
                    mask[line, pick(order, rows, k)] = True
                ids = np.array([i for i, _ in usable], np.int32)
                parts.append((position, ids, mask, np.full(len(usable), grounded)))
        return block(parts, situation.index.rows, situation.scope)

    return candidates


def number_argument(situation: Situation, column: int, first: int) -> Argument:
    """Return the number of the question that a candidate counts with."""
    return situation.numbers[first]


def _test(
    name: str,
    keywords: str,
    english: str,
    meaning: Meaning,
    pick: Pick,
    sql: Callable[[Test, Names], Any],
    example: str,
    counted: bool = False,
    row_order: bool = True,
    ties: str = "",
    one_row: bool = False,
) -> TestOperator:
    return TestOperator(
        name=name,
        keywords=tuple(keywords.split()),
        english=english,
        meaning=meaning,
        sql=sql,
        candidates=_candidates(name, pick, counted),
        argument=number_argument if counted else lambda situation, column, first: None,
        takes="number" if counted else None,
        needs="trigger",
        row_order=row_order,
        ranks=True,
        ties=ties,
        one_row=one_row,
        english_of_dates=english.replace("largest", "latest").replace("smallest", "earliest"),
        example=example,
    )


MAX = _test(
    name="max",
    keywords="IS MAX",
    english="{column} is largest",
    meaning=_one(True),
    pick=lambda order, rows, k: rows[-1:],
    sql=lambda test, names: names.ranked(test.column or "", True, 0, 1),
    example="SELECT Leader WHERE Crew IS MAX",
    ties="max_ties",
    one_row=True,
)
MIN = _test(
    name="min",
    keywords="IS MIN",
    english="{column} is smallest",
    meaning=_one(False),
    pick=lambda order, rows, k: rows[:1],
    sql=lambda test, names: names.ranked(test.column or "", False, 0, 1),
    example="SELECT Leader WHERE Crew IS MIN",
    ties="min_ties",
    one_row=True,
)
MAX_TIES = _test(
    name="max_ties",
    keywords="IS MAX WITH TIES",
    english="{column} is largest, including ties",
    meaning=_ties(True),
    pick=lambda order, rows, k: rows[order[rows] == order[rows[-1]]],
    sql=lambda test, names: names.extreme(test.column or "", True),
    example="SELECT Leader WHERE Survived IS MAX WITH TIES",
    row_order=False,
)
MIN_TIES = _test(
    name="min_ties",
    keywords="IS MIN WITH TIES",
    english="{column} is smallest, including ties",
    meaning=_ties(False),
    pick=lambda order, rows, k: rows[order[rows] == order[rows[0]]],
    sql=lambda test, names: names.extreme(test.column or "", False),
    example="SELECT Leader WHERE Ships IS MIN WITH TIES",
    row_order=False,
)
TOP = _test(
    name="top",
    keywords="IS TOP",
    english="{column} is among the {argument} largest",
    meaning=_top(True),
    pick=lambda order, rows, k: rows[-k:],
    sql=lambda test, names: names.ranked(test.column or "", True, 0, _count(test)),
    example="SELECT Leader WHERE Crew IS TOP 3",
    counted=True,
)
BOTTOM = _test(
    name="bottom",
    keywords="IS BOTTOM",
    english="{column} is among the {argument} smallest",
    meaning=_top(False),
    pick=lambda order, rows, k: rows[:k],
    sql=lambda test, names: names.ranked(test.column or "", False, 0, _count(test)),
    example="SELECT Leader WHERE Crew IS BOTTOM 3",
    counted=True,
)
KTH_MAX = _test(
    name="kth_max",
    keywords="IS MAX NUMBER",
    english="{column} is the {ordinal}largest",
    meaning=_kth(True),
    pick=lambda order, rows, k: rows[-k : len(rows) - k + 1],
    sql=lambda test, names: names.ranked(test.column or "", True, _count(test) - 1, 1),
    example="SELECT Leader WHERE Crew IS MAX NUMBER 2",
    counted=True,
    one_row=True,
)
KTH_MIN = _test(
    name="kth_min",
    keywords="IS MIN NUMBER",
    english="{column} is the {ordinal}smallest",
    meaning=_kth(False),
    pick=lambda order, rows, k: rows[k - 1 : k],
    sql=lambda test, names: names.ranked(test.column or "", False, _count(test) - 1, 1),
    example="SELECT Leader WHERE Crew IS MIN NUMBER 2",
    counted=True,
    one_row=True,
)


def _distinct(situation: Situation) -> Block:
    parts = []
    rows = np.flatnonzero(situation.scope)
    for position, column in enumerate(situation.index.columns):
        _, first = np.unique(column.classes[rows], return_index=True)
        if len(first) < len(rows):
            mask = np.zeros((1, situation.index.rows), bool)
            mask[0, rows[first]] = True
            parts.append((position, np.zeros(1, np.int32), mask, np.ones(1, bool)))
    return block(parts, situation.index.rows, situation.scope)


def _first_of_each(
    table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
) -> list[int]:
    classes = index_of(table).columns[table.names.index(test.column or "")].classes
    first: dict[int, int] = {}
    for row in rows:
        first.setdefault(int(classes[row]), row)
    return sorted(first.values())


DISTINCT = TestOperator(
    name="distinct",
    keywords=("IS", "DISTINCT"),
    english="each {column} is listed once",
    meaning=_first_of_each,
    sql=lambda test, names: names.first_of_each(test.column or ""),
    candidates=_distinct,
    row_order=True,
    example="SELECT Leader WHERE Leader IS DISTINCT",
)


def _place(name: str, last: bool, counted: bool) -> Callable[[Situation], Block]:
    def candidates(situation: Situation) -> Block:
        rows = np.flatnonzero(situation.scope)
        counts = (
            [(i, k) for i, k in counts_in(situation) if k <= len(rows)] if counted else [(0, 1)]
        )
        if not counts or not len(rows):
            return block([], situation.index.rows, situation.scope)
        mask = np.zeros((len(counts), situation.index.rows), bool)
        for line, (_, k) in enumerate(counts):
            mask[line, rows[-k:] if last else rows[:k]] = True
        grounded = np.full(len(counts), situation.triggered(name))
        ids = np.array([i for i, _ in counts], np.int32)
        return block([(-1, ids, mask, grounded)], situation.index.rows, situation.scope)

    return candidates


def _row_test(
    name: str, keywords: str, english: str, last: bool, counted: bool, example: str
) -> TestOperator:
    def meaning(
        table: Table, rows: Sequence[int], test: Test, previous: Sequence[int]
    ) -> list[int]:
        k = _count(test) if counted else 1
        return list(rows[-k:] if last else rows[:k])

    return TestOperator(
        name=name,
        keywords=tuple(keywords.split()),
        english=english,
        meaning=meaning,
        sql=lambda test, names: names.placed(last, _count(test) if counted else 1),
        candidates=_place(name, last, counted),
        argument=number_argument if counted else lambda situation, column, first: None,
        takes="number" if counted else None,
        has_column=False,
        needs="trigger",
        row_order=True,
        one_row=not counted,
        example=example,
    )


FIRST = _row_test(
    "first", "FIRST ROW", "the row is the first", False, False, "SELECT Leader WHERE FIRST ROW"
)
LAST = _row_test(
    "last", "LAST ROW", "the row is the last", True, False, "SELECT Leader WHERE LAST ROW"
)
FIRST_K = _row_test(
    "first_k",
    "FIRST ROWS",
    "the row is among the first {argument}",
    False,
    True,
    "SELECT Leader WHERE FIRST ROWS 3",
)
LAST_K = _row_test(
    "last_k",
    "LAST ROWS",
    "the row is among the last {argument}",
    True,
    True,
    "SELECT Leader WHERE LAST ROWS 3",
)
