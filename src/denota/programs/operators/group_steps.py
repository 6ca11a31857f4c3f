"""Steps to the rows of some groups: the most common value, the value with the largest sum.

N sets of rows, R rows, V value classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import numpy as np

from denota.programs.index import ROOM, ColumnIndex, Mask, counted
from denota.programs.operators.declare import Apply, Choices, Meaning, Situation, StepOperator
from denota.programs.operators.groups import groups_of
from denota.programs.operators.superlative import number_argument
from denota.programs.tree import Argument, Name, Number, Test
from denota.tables.table import Table

GroupRank = Callable[[Any, int], Any]
"""((N, V) counts or sums of groups, the step's number) -> (N, 1) the count or sum wanted."""


def _sums_by_class(column: ColumnIndex, rows: Mask, weights: Any) -> Any:
    """(N, V) the sums of (R,) weights over each set's rows of each value class."""
    if len(weights) * column.count <= ROOM:
        one_hot = np.zeros((len(weights), column.count))
        one_hot[np.arange(len(weights)), column.classes] = weights
        return rows.astype(np.float64) @ one_hot
    lines = [
        np.bincount(column.classes[line], weights[line], minlength=column.count) for line in rows
    ]
    return np.array(lines).reshape(len(rows), column.count)


def _grouped(rank: GroupRank) -> tuple[Meaning, Apply]:
    """Return both forms of the step to the rows of the groups that `rank` picks."""

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


def _picked(rank: GroupRank, amounts: Any, k: int) -> Any:
    """(N, V) the groups that a rule picks of (N, V) amounts, NaN where there is no group."""
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
    return [c for c, own in enumerate(situation.index.columns) if own.makes_groups]


def _alone(situation: Situation) -> list[tuple[int, int]]:
    return [(column, 0) for column in _repeating(situation)]


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


def _group_step(
    name: str,
    keywords: str,
    english: str,
    rank: GroupRank,
    takes: Literal["number", "column"] | None,
    argument: str = "",
) -> StepOperator:
    """Return a step to the rows of some groups; `argument` is that of the example."""
    meaning, apply = _grouped(rank)
    choices: Choices = {"number": _with_counts, "column": _with_sums}.get(takes or "", _alone)
    arguments = {"number": number_argument, "column": _summed}
    return StepOperator(
        name=name,
        keywords=tuple(keywords.split()),
        english=english,
        meaning=meaning,
        choices=choices,
        apply=apply,
        sql=lambda step, names: names.grouped(step, rank is _most),
        follows="any",
        argument=arguments.get(takes or "", lambda situation, column, first: None),
        takes=takes,
        example=f"SELECT Leader THEN Leader {keywords}{argument}",
    )


GROUP_STEPS: Final = (
    _group_step("most_common", "IS MOST COMMON", "the most common {column}", _most, takes=None),
    _group_step("least_common", "IS LEAST COMMON", "the least common {column}", _least, takes=None),
    _group_step(
        "occurs",
        "OCCURS",
        "each {column} that occurs {times}",
        _exactly,
        takes="number",
        argument=" 2",
    ),
    _group_step(
        "has_most",
        "HAS MOST",
        "the {column} with the largest sum of {argument}",
        _most,
        takes="column",
        argument=" Crew",
    ),
    _group_step(
        "has_least",
        "HAS LEAST",
        "the {column} with the smallest sum of {argument}",
        _least,
        takes="column",
        argument=" Crew",
    ),
)
