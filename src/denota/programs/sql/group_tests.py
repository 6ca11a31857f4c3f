"""Tests of the group that a row is in: the most common value, the value with the largest sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from denota.programs.operators.groups import groups_of
from denota.programs.sql.literals import number_literal
from denota.programs.sql.ranking import ordered
from denota.programs.sql.rows import Rows, subquery
from denota.programs.tree import Name, Number, Test

if TYPE_CHECKING:
    from denota.programs.sql.names import Names


def group_test(names: Names, step: Test, largest: bool) -> Any:
    """Whether the row's group, among those kept, is the one that a step picks.

    The step picks the groups with the largest or smallest count or sum, or with a given count.
    """
    column = step.column or ""
    amount: Any = exp.Count(this=exp.Star())
    if isinstance(step.argument, Name):
        if names.table[step.argument.text].kind != "number":
            return exp.false()
        amount = exp.Sum(this=names.value(step.argument.text))
    rows, key = names.present_rows(names.closed(names.kept), column), names.group_key(column)
    groups = rows.select(key.copy()).group_by(key.copy(), copy=False)
    if isinstance(step.argument, Number):
        wanted = number_literal(step.argument.value)
        chosen = groups.having(exp.EQ(this=amount, expression=wanted), copy=False)
        return key.isin(query=chosen)
    amounts = _amounts(names, step, rows)
    best = (max if largest else min)(amounts, default=0.0)
    if sum(abs(one - best) <= 1e-9 * max(1, abs(best)) for one in amounts) == 1:
        if len(amounts) < len(
            groups_of(names.table, rows.members, names.table.names.index(column))
        ):
            groups.having(amount.copy().is_(exp.not_(exp.null())), copy=False)
        groups.order_by(ordered(amount, largest, names.dialect), copy=False).limit(1, copy=False)
        return exp.EQ(this=key, expression=exp.Subquery(this=groups))
    sizes = rows.select(exp.alias_(amount.copy(), "amount")).group_by(key.copy(), copy=False)
    edge = (exp.Max if largest else exp.Min)(this=exp.column("amount"))
    most = exp.Subquery(this=exp.select(edge).from_(subquery(sizes, "amounts")))
    return key.isin(query=groups.having(exp.EQ(this=amount, expression=most), copy=False))


def _amounts(names: Names, step: Test, rows: Rows) -> list[float]:
    """The counts or sums of the groups, those without a number left out."""
    groups = _groups(names, step.column or "", rows)
    if not isinstance(step.argument, Name):
        return [float(len(own)) for _, own in groups]
    numbers = names.table[step.argument.text].numbers
    sums = [numbers[own] for _, own in groups]
    return [float(np.nansum(one)) for one in sums if not np.isnan(one).all()]


def _groups(names: Names, column: str, rows: Rows) -> list[tuple[str, list[int]]]:
    return groups_of(names.table, rows.members, names.table.names.index(column))
