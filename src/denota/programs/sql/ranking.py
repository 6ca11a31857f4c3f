"""Rows by their rank: ORDER BY and LIMIT, with the row number where equal values are cut apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from denota.programs.sql.rows import BASE, Rows

if TYPE_CHECKING:
    from denota.programs.sql.names import Names


@dataclass(frozen=True)
class Ranking:
    """A test that keeps `count` rows after the first `skip` in an order."""

    column: str | None
    """None for the order of the table."""
    largest: bool
    """Whether the largest, or the last, come first."""
    skip: int
    count: int


def cut_rows(names: Names, rows: Rows, by: Ranking) -> Rows:
    """Return the rows that a ranking keeps of some that are not cut."""
    order, where = [], rows.where
    tied = by.column is None
    if by.column is not None:
        own = names.order_of(by.column)[list(rows.members)]
        if np.isnan(own).any() or names.table.large is not None:  # a sketch may lack some
            where = (*where, names.value(by.column).is_(exp.not_(exp.null())))
        # the rows of a large table have no numbers, so any of those tied will do
        tied = names.table.large is None and _is_tied(own[~np.isnan(own)], by)
        order.append(ordered(names.value(by.column), by.largest, names.dialect))
    if tied and (by.column is not None or by.largest or rows.source != BASE):
        order.append(ordered(names.row(), by.largest, names.dialect))
    count = min(by.count, 10**9)
    return replace(rows, where=where, order=tuple(order), limit=count, offset=by.skip)


def ordered(value: Any, descending: bool, dialect: str) -> exp.Ordered:
    """Return an order whose NULLs, which there are none of, need no mention."""
    first = _nulls_first(dialect, descending)
    return exp.Ordered(this=value, desc=descending or None, nulls_first=first)


def _nulls_first(dialect: str, descending: bool) -> bool:
    """Say where an engine puts NULLs by itself."""
    from sqlglot.dialects.dialect import Dialect

    order = Dialect.get_or_raise(dialect).NULL_ORDERING
    if order == "nulls_are_last":
        return False
    return descending if order == "nulls_are_large" else not descending


def _is_tied(values: Any, by: Ranking) -> bool:
    """Say whether equal values stand on both sides of an edge of what a ranking keeps."""
    ranked = np.sort(values)[::-1] if by.largest else np.sort(values)
    edges = (by.skip, by.skip + by.count)
    return any(0 < edge < len(ranked) and ranked[edge - 1] == ranked[edge] for edge in edges)
