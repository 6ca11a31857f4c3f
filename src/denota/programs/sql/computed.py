"""Values that take more than a function of SQL: days, the best column, runs, the common part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from denota.programs.sql.literals import number_literal
from denota.programs.sql.ranking import ordered
from denota.programs.sql.rows import subquery

if TYPE_CHECKING:
    from denota.programs.sql.names import Names


def first_day(names: Names, column: str) -> Any:
    """The first date in days, or the date itnames where two are only set against each other."""
    first = exp.Min(this=names.value(column))
    epoch = exp.Literal.string("1970-01-01")
    has_time = names.readings[column].has_time or names.readings[column].kind == "timestamp"
    if names.dialect == "sqlite":
        return exp.Anonymous(this="JULIANDAY", expressions=[first]) - exp.Literal.number(
            "2440587.5"
        )
    if names.dialect == "mysql":
        return exp.Anonymous(this="DATEDIFF", expressions=[first, epoch])
    if not has_time and names.compared_by not in ("ratio", "share"):
        return first  # the difference of two dates is a number of days
    if names.dialect == "duckdb":
        seconds: Any = exp.Anonymous(this="EPOCH", expressions=[first])
    else:
        seconds = exp.Extract(this=exp.var("EPOCH"), expression=first)
    return seconds / exp.Literal.number("86400.0")


def best_column(names: Names, largest: bool) -> Any:
    """The name of the number column with the largest or smallest sum, NULL for a tie."""
    every = [c for c in names.table.columns if c.kind == "number"]
    if not every:
        return exp.null()
    members = list(names.rows.members)
    known = [c for c in every if not np.isnan(c.numbers[members]).all()] if members else []
    sums = sorted(float(np.nansum(c.numbers[members])) for c in known)
    tied = len(sums) > 1 and (sums[-1] == sums[-2] if largest else sums[0] == sums[1])
    totals = [
        names.rows.select(
            exp.alias_(exp.Literal.string(c.name), "name"),
            exp.alias_(exp.Sum(this=names.value(c.name)), "total"),
        )
        for c in every
    ]
    together = totals[0] if len(totals) == 1 else exp.union(*totals, distinct=False)
    source = exp.Table(this=exp.to_identifier(names.query_named("totals", together)))
    total = exp.column("total")
    if not tied:
        best = exp.select("name").from_(source)
        if len(known) < len(every):
            best = best.where(total.is_(exp.not_(exp.null())))
        return best.order_by(ordered(total, largest, names.dialect)).limit(1)
    edge = (exp.Max if largest else exp.Min)(this=total)
    most = exp.Subquery(this=exp.select(edge).from_(source.copy()))
    best = exp.select(exp.Min(this=exp.column("name"))).from_(source)
    alone = exp.EQ(this=exp.Count(this=exp.Star()), expression=number_literal(1))
    return best.where(exp.EQ(this=total, expression=most)).having(alone)


def longest_run(names: Names) -> Any:
    """The most rows that follow each other: row number less rank is the same along a run."""
    rank = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[names.row()]))
    runs = names.rows.select(exp.alias_(names.row() - rank, "run"))
    size = exp.alias_(exp.Count(this=exp.Star()), "size")
    sizes = exp.select(size).from_(subquery(runs, "runs")).group_by("run")
    longest = exp.Coalesce(this=exp.Max(this=exp.column("size")), expressions=[number_literal(0)])
    return exp.select(longest).from_(subquery(sizes, "sizes"))


def most_common_part(names: Names, column: str, name: str) -> Any:
    """The part that most cells have, all that are tied."""
    parts = names.rows.select(exp.alias_(names.part(column, name), "part"))
    source = exp.Table(this=exp.to_identifier(names.query_named("parts", parts)))
    present = exp.column("part").is_(exp.not_(exp.null()))
    count: Any = exp.Count(this=exp.Star())
    groups = exp.select("part").from_(source).where(present).group_by("part")
    sizes = exp.select(exp.alias_(count.copy(), "size")).from_(source.copy())
    sizes = sizes.where(present.copy()).group_by("part")
    most = exp.select(exp.Max(this=exp.column("size"))).from_(subquery(sizes, "sizes"))
    return groups.having(exp.EQ(this=count, expression=exp.Subquery(this=most)))
