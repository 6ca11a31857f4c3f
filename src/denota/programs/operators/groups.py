"""Aggregates by group: a value for each group of rows, and the column with the best sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from denota.programs.denotation import Value
from denota.programs.index import index_of
from denota.programs.operators.declare import AggregateOperator
from denota.tables.table import Table


def groups_of(table: Table, rows: Sequence[int], column: int) -> list[tuple[str, list[int]]]:
    """Return the name and rows of each value of a column, in the order of their first rows.

    A group is called by the first text of its cells in the alphabet. Missing values are left out.
    """
    own = index_of(table).columns[column]
    found: dict[int, list[int]] = {}
    for row in rows:
        if not own.column.missing[row]:
            found.setdefault(int(own.classes[row]), []).append(row)
    return [(min(own.column.text[row] for row in group), group) for group in found.values()]


def per_group(inner: AggregateOperator, english: str, example: str) -> AggregateOperator:
    """Return the operator that takes an aggregate of each group of rows."""
    return AggregateOperator(
        name=f"{inner.name}_per",
        keyword=f"{inner.keyword} PER",
        english=english,
        meaning=_per(inner),
        sql=lambda names, columns: inner.sql(names, columns[1:]),
        of=("any", *inner.of),
        grouped=True,
        per=inner.name,
        example=example,
    )


def _per(
    inner: AggregateOperator,
) -> Callable[[Table, Sequence[int], Sequence[int]], tuple[Value, ...]]:
    def meaning(table: Table, rows: Sequence[int], columns: Sequence[int]) -> tuple[Value, ...]:
        found = (
            inner.meaning(table, own, columns[1:]) for _, own in groups_of(table, rows, columns[0])
        )
        return tuple(values[0] if values else math.nan for values in found)

    return meaning


def column_of(which: Literal["largest", "smallest"], total: AggregateOperator) -> AggregateOperator:
    """Return the operator that names the column with the best sum over the rows, none for a tie."""
    largest = which == "largest"

    def meaning(table: Table, rows: Sequence[int], columns: Sequence[int]) -> tuple[Value, ...]:
        every = range(len(table.columns))
        sums = [(total.meaning(table, rows, [column]), table.names[column]) for column in every]
        known = sorted((float(values[0]), name) for values, name in sums if values)
        if not known:
            return ()
        best = known[-1 if largest else 0]
        tied = sum(value == best[0] for value, _ in known) > 1
        return () if tied else (best[1],)

    return AggregateOperator(
        name=f"{which}_column",
        keyword=f"{which.upper()} COLUMN",
        english=f"the column with the {which} number in {{rows}}",
        meaning=meaning,
        sql=lambda names, columns: names.best_column(largest),
        of=(),
        names_column=True,
        example=f"{which.upper()} COLUMN (ROWS WHERE Season = '1891-92')",
    )
