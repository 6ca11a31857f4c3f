"""Steps: from the rows that a condition keeps to the rows that are asked about.

A superlative or a place among what is left ("of the gold medallists, the oldest"), the rows next to a named row, rows whose value is above,
below or the same as a named row's, and the rows of the group that occurs most or has the largest sum. N sets of rows, R rows, V value classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from denota.programs.index import ColumnIndex, Mask, counted, index_of
from denota.programs.operators.aggregates import groups_of
from denota.programs.operators.declare import Meaning, Situation, StepOperator, TestOperator
from denota.programs.operators.superlative import (
    BOTTOM,
    FIRST,
    FIRST_K,
    KTH_MAX,
    KTH_MIN,
    LAST,
    LAST_K,
    MAX,
    MAX_TIES,
    MIN,
    MIN_TIES,
    TOP,
    counts_in,
    number_argument,
)
from denota.programs.tree import Argument, Name, Number, Test
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.programs.sql import Names

Choices = Callable[[Situation], Sequence[tuple[int, int]]]
Apply = Callable[[Situation, int, int, Mask], Mask]
Rank = Callable[[Any, int], Any]
"""((N, V) counts or sums of groups, the k of the step if it has one) -> (N, 1) the count or sum that is wanted."""


# A superlative or a place among the rows kept


def _by_order(largest: bool, place: Callable[[Any, int], Any], counted: bool) -> Apply:
    """Rows by their place in a column's order; `place` says which places, counted from 1, are kept for a number k."""

    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        rising = situation.index.columns[column].rising
        order = rising[::-1] if largest else rising
        k = int(situation.numbers[first].value) if counted else 1
        return _placed(kept, order, lambda count: place(count, k))

    return apply


def _by_row(last: bool, counted: bool) -> Apply:
    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        rows = np.arange(kept.shape[1])
        k = int(situation.numbers[first].value) if counted else 1
        return _placed(kept, rows[::-1] if last else rows, lambda count: count <= k)

    return apply


def _placed(kept: Mask, order: Any, place: Callable[[Any], Any]) -> Mask:
    """(N, R) of the rows kept, taken in an order, those at some places."""
    ordered = kept[:, order]
    found = np.zeros_like(kept)
    found[:, order] = ordered & place(np.cumsum(ordered, axis=1, dtype=np.int32))
    return found


def _tied(largest: bool) -> Apply:
    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        order = situation.index.columns[column].order
        assert order is not None
        stated = kept & ~np.isnan(order)
        worst = -np.inf if largest else np.inf
        values = np.where(stated, order, worst)
        best = values.max(axis=1) if largest else values.min(axis=1)
        tied: Mask = stated & (order == best[:, None])
        return tied

    return apply


def _columns(test: TestOperator) -> Choices:
    def choices(situation: Situation) -> Sequence[tuple[int, int]]:
        ks = [i for i, _ in counts_in(situation)] if test.takes == "number" else [0]
        if test.takes == "number" and not situation.triggered(test.name):
            return []
        if not test.has_column:
            return [(-1, k) for k in ks]
        ties = test.name.endswith("_ties")
        index = situation.index
        columns = [c for c in index.ordered if not ties or index.columns[c].has_ties]
        return [(column, k) for column in columns for k in ks]

    return choices


def _step(test: TestOperator, apply: Apply) -> StepOperator:
    """A test of place as a step: the same, among the rows kept."""
    return StepOperator(
        test.name, test.keywords, test.english, test.meaning, _columns(test), apply, test.sql,
        argument=test.argument, takes=test.takes, has_column=test.has_column, needs=test.needs,
        row_order=test.row_order, example=test.example.replace("WHERE", "WHERE Ships = '2' THEN"),
    )  # fmt: skip


# Rows beside the rows kept


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
    """Of one row this is NEXT ROW, so it is offered after several alone."""
    opens = kept & (np.cumsum(kept, axis=1) == 1) & (kept.sum(axis=1, keepdims=True) > 1)
    found = np.zeros_like(kept)
    found[:, 1:] = opens[:, :-1]
    return found & situation.scope


# Rows with a value above, below or the same as that of the rows kept


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


# Rows of the group that occurs most, or has the largest sum


def _sums_by_class(column: ColumnIndex, rows: Mask, weights: Any) -> Any:
    """(N, V) the sums of (R,) weights over each set's rows of each value class."""
    lines = [
        np.bincount(column.classes[line], weights[line], minlength=column.count) for line in rows
    ]
    return np.array(lines).reshape(len(rows), column.count)


def _grouped(rank: Rank) -> tuple[Meaning, Apply]:
    """The rows of the groups whose counts or sums `rank` picks; from a list of them, or from (N, V) with NaN where there is no such group."""

    def meaning(table: Table, rows: Sequence[int], step: Test, scope: Sequence[int]) -> list[int]:
        column = table.names.index(step.column or "")
        groups = [own for _, own in groups_of(table, rows, column)]
        if isinstance(step.argument, Name):
            numbers = table[step.argument.text].numbers
            sums = [[numbers[row] for row in own if not np.isnan(numbers[row])] for own in groups]
            amounts = [float(sum(one)) if one else np.nan for one in sums]
        else:
            amounts = [float(len(own)) for own in groups]
        k = int(step.argument.value) if isinstance(step.argument, Number) else 0
        best = _picked(rank, np.array([amounts]), k)[0] if groups else ()
        return sorted(row for own, yes in zip(groups, best, strict=True) if yes for row in own)

    def apply(situation: Situation, column: int, first: int, kept: Mask) -> Mask:
        own = situation.index.columns[column]
        kept = kept & ~own.column.missing
        counts = counted(own.classes, own.count, kept)
        k = 0
        if first < 0:  # a column to sum, as ~column
            summed = situation.index.columns[~first]
            counts = counted(own.classes, own.count, kept & summed.stated)
            amounts = _sums_by_class(own, kept, summed.filled)
        else:
            amounts = counts
            k = int(situation.numbers[first].value) if rank is _exactly else 0
        best = _picked(rank, np.where(counts > 0, amounts, np.nan), k)
        found: Mask = best[:, own.classes] & kept
        return found

    return meaning, apply


def _picked(rank: Rank, amounts: Any, k: int) -> Any:
    """(N, V) the groups that a rule picks of (N, V) amounts."""
    with np.errstate(invalid="ignore"):
        wanted = rank(amounts, k)
        return np.abs(amounts - wanted) <= 1e-9 * np.maximum(1, np.abs(wanted))


def _most(amounts: Any, k: int) -> Any:
    return np.where(np.isnan(amounts), -np.inf, amounts).max(axis=1, keepdims=True)


def _least(amounts: Any, k: int) -> Any:
    return np.where(np.isnan(amounts), np.inf, amounts).min(axis=1, keepdims=True)


def _exactly(amounts: Any, k: int) -> Any:
    return np.full((len(amounts), 1), float(k))


def _repeating(situation: Situation) -> list[int]:
    columns = situation.index.columns
    rows = situation.index.rows
    return [c for c, own in enumerate(columns) if 1 < own.count < rows and not own.is_long]


def _with_counts(situation: Situation) -> list[tuple[int, int]]:
    if not situation.triggered("occurs"):
        return []
    ks = [i for i, n in enumerate(situation.numbers) if 1 <= n.value <= 30 and n.value % 1 == 0]
    return [(column, k) for column in _repeating(situation) for k in ks]


def _with_sums(situation: Situation) -> list[tuple[int, int]]:
    if not (situation.triggered("has_most") or situation.triggered("has_least")):
        return []
    columns = situation.index.columns
    summed = [c for c, own in enumerate(columns) if own.column.kind == "number"]
    return [(column, ~c) for column in _repeating(situation) for c in summed if c != column]


def _summed(situation: Situation, column: int, first: int) -> Argument:
    return Name(situation.index.names[~first])


def _of_all(situation: Situation) -> list[tuple[int, int]]:
    return [(column, 0) for column in range(len(situation.index.columns))]


def _of_ordered(situation: Situation) -> list[tuple[int, int]]:
    return [(column, 0) for column in situation.index.ordered]


def _no_column(situation: Situation) -> list[tuple[int, int]]:
    return [(-1, 0)]


_NEXT: Final = ("next", "after", "following", "followed", "later", "below", "subsequent", "succeeded", "succeed", "right after", "came after", "then")  # fmt: skip
_BEFORE: Final = ("before", "previous", "preceding", "prior", "above", "earlier", "preceded", "came before", "precede", "precedes", "previously", "last")  # fmt: skip
_ABOVE: Final = ("more", "higher", "larger", "greater", "bigger", "longer", "older", "taller", "later", "better", "above", "after", "faster", "over", "than", "exceed", "exceeded", "worse")  # fmt: skip
_BELOW: Final = ("less", "lower", "fewer", "smaller", "shorter", "younger", "earlier", "below", "before", "under", "better", "faster", "than", "ahead", "above", "higher")  # fmt: skip
_SAME: Final = ("same", "also", "too", "similar", "share", "shared", "shares", "equal", "tied", "as well", "other", "another", "else", "match", "as many", "as much")  # fmt: skip
_MOST: Final = ("most", "often", "frequent", "common", "frequently", "top", "highest", "largest", "greatest", "more", "majority", "mostly", "popular", "best")  # fmt: skip
_LEAST: Final = ("least", "fewest", "rarest", "lowest", "smallest", "less", "fewer", "once")


def _widening(
    name: str,
    keywords: str,
    english: str,
    forms: tuple[Meaning, Apply],
    sql: Callable[[Test, Names], Any],
    words: tuple[str, ...],
    example: str,
    choices: Choices = _no_column,
) -> StepOperator:
    meaning, apply = forms
    return StepOperator(
        name, tuple(keywords.split()), english, meaning, choices, apply, sql, follows="few", widens=True,
        has_column=choices is not _no_column, row_order=choices is _no_column, words=words,
        example=f"SELECT Leader WHERE Season = '1893-94' THEN {example}",
    )  # fmt: skip


def _group_step(
    name: str,
    keywords: str,
    english: str,
    rank: Rank,
    choices: Choices,
    words: tuple[str, ...],
    example: str,
) -> StepOperator:
    meaning, apply = _grouped(rank)
    sums, counts = choices is _with_sums, choices is _with_counts
    return StepOperator(
        name, tuple(keywords.split()), english, meaning, choices, apply,
        lambda step, names: names.grouped(step, rank is _most), follows="any",
        argument=_summed if sums else number_argument if counts else lambda situation, column, first: None,
        takes="column" if sums else "number" if counts else None, words=words,
        example=f"SELECT Leader THEN {example}",
    )  # fmt: skip


STEPS: Final[dict[str, StepOperator]] = {
    step.name: step
    for step in (
        _step(MAX, _by_order(True, lambda count, k: count == 1, False)),
        _step(MIN, _by_order(False, lambda count, k: count == 1, False)),
        _step(MAX_TIES, _tied(True)),
        _step(MIN_TIES, _tied(False)),
        _step(TOP, _by_order(True, lambda count, k: count <= k, True)),
        _step(BOTTOM, _by_order(False, lambda count, k: count <= k, True)),
        _step(KTH_MAX, _by_order(True, lambda count, k: count == k, True)),
        _step(KTH_MIN, _by_order(False, lambda count, k: count == k, True)),
        _step(FIRST, _by_row(False, False)),
        _step(LAST, _by_row(True, False)),
        _step(FIRST_K, _by_row(False, True)),
        _step(LAST_K, _by_row(True, True)),
        _widening("then_next_row", "NEXT ROW", "the row after those", _beside(1),
                  lambda step, names: names.beside_kept(1), _NEXT, "NEXT ROW"),
        _widening("after_first", "ROW AFTER FIRST", "the row after the first of those", (_after_first, _after_first_of_each),
                  lambda step, names: names.after_first_kept(), _NEXT, "ROW AFTER FIRST"),
        _widening("then_row_before", "ROW BEFORE", "the row before those", _beside(-1),
                  lambda step, names: names.beside_kept(-1), _BEFORE, "ROW BEFORE"),
        _widening("then_rows_after", "ROWS AFTER", "all rows after those", _beyond(True),
                  lambda step, names: names.beyond_kept(True), _NEXT, "ROWS AFTER"),
        _widening("then_rows_before", "ROWS BEFORE", "all rows before those", _beyond(False),
                  lambda step, names: names.beyond_kept(False), (*_BEFORE, "ahead"), "ROWS BEFORE"),
        _widening("above_theirs", "IS ABOVE THEIRS", "rows where {column} is above theirs", _than_theirs(True),
                  lambda step, names: names.than_kept(step.column or "", True), _ABOVE, "Crew IS ABOVE THEIRS", _of_ordered),
        _widening("below_theirs", "IS BELOW THEIRS", "rows where {column} is below theirs", _than_theirs(False),
                  lambda step, names: names.than_kept(step.column or "", False), _BELOW, "Crew IS BELOW THEIRS", _of_ordered),
        _widening("same_as_theirs", "IS SAME AS THEIRS", "other rows where {column} is the same as theirs", (_same, _same_of_each),
                  lambda step, names: names.same_as_kept(step.column or ""), _SAME, "Ships IS SAME AS THEIRS", _of_all),
        _group_step("most_common", "IS MOST COMMON", "those of the most common {column}", _most,
                    lambda situation: [(c, 0) for c in _repeating(situation)], _MOST, "Leader IS MOST COMMON"),
        _group_step("least_common", "IS LEAST COMMON", "those of the least common {column}", _least,
                    lambda situation: [(c, 0) for c in _repeating(situation)], _LEAST, "Leader IS LEAST COMMON"),
        _group_step("occurs", "OCCURS", "those of a {column} that occurs {argument} times", _exactly,
                    _with_counts, ("times", "twice", "once", "exactly", "only", "won", "appear", "appears", "more than", "least", "single", "one"), "Leader OCCURS 2"),
        _group_step("has_most", "HAS MOST", "those of the {column} with the largest sum of {argument}", _most,
                    _with_sums, _MOST, "Leader HAS MOST Crew"),
        _group_step("has_least", "HAS LEAST", "those of the {column} with the smallest sum of {argument}", _least,
                    _with_sums, _LEAST, "Leader HAS LEAST Crew"),
    )
}  # fmt: skip
