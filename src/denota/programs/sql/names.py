"""What SQL says about several rows: ranks, the previous answer, the rows kept, and aggregates.

Operators are declared with a function from `Names` to a sqlglot expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from denota.programs.index import index_of
from denota.programs.sql.cells import CellSql
from denota.programs.sql.identifiers import KEPT_ROWS, PREVIOUS_ROWS, ROW
from denota.programs.sql.literals import number_literal
from denota.programs.tree import Name, Number, Test
from denota.tables.table import Table


class Names(CellSql):
    """A table in SQL, as operators speak of it."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.scope: exp.Identifier = self.source
        """The name of the rows of the scope: the table itself if nothing narrows it."""
        self.looks_around = False
        """Whether a condition looked at other rows of the scope."""
        self.select: Callable[..., exp.Select] = exp.select
        """Selects something of the program's rows."""

    def ranked(self, column: str, largest: bool, skip: int, count: int) -> exp.Expr:
        """Whether the row is one of `count` after the first `skip`, by the order of a column.

        Of equal rows, the largest takes the last of the table first, the smallest the first.
        """
        if not self._has_order(column):
            return exp.false()
        value = self.value(column)
        query = self._of_scope(exp.column(ROW)).where(value.is_(exp.null()).not_(), copy=False)
        query = query.order_by(
            exp.Ordered(this=value.copy(), desc=largest),
            exp.Ordered(this=exp.column(ROW), desc=largest),
            copy=False,
        )
        query = query.limit(count, copy=False)
        return exp.column(ROW).isin(query=query.offset(skip, copy=False) if skip else query)

    def extreme(self, column: str, largest: bool) -> exp.Expr:
        """Whether the value is the largest or smallest of the scope."""
        if not self._has_order(column):
            return exp.false()
        best = (exp.Max if largest else exp.Min)(this=self.value(column))
        return exp.EQ(this=self.value(column), expression=exp.Subquery(this=self._of_scope(best)))

    def placed(self, last: bool, count: int) -> exp.Expr:
        """Whether the row is one of the first or last `count` of the scope."""
        order = exp.Ordered(this=exp.column(ROW), desc=last)
        return exp.column(ROW).isin(
            query=self._of_scope(exp.column(ROW)).order_by(order).limit(count)
        )

    def first_of_each(self, column: str) -> exp.Expr:
        """Whether the row is the first of the scope with its value."""
        query = self._of_scope(exp.Min(this=exp.column(ROW))).group_by(*self.value_class(column))
        return exp.column(ROW).isin(query=query)

    def value_of_previous(self, column: str) -> exp.Expr:
        """Whether a row of the previous answer has the same value."""
        before = exp.Table(
            this=self.source.copy(), alias=exp.TableAlias(this=exp.to_identifier("before"))
        )
        self.looks_around = True
        mine = self.value_class(column, self.scope)
        theirs = self.value_class(column, "before")
        query = exp.select(number_literal(1)).from_(before).where(self.in_previous("before"))
        for left, right in zip(mine, theirs, strict=True):
            query = query.where(exp.NullSafeEQ(this=right, expression=left))
        return exp.Exists(this=query)

    def in_previous(self, of: str | exp.Identifier | None = None) -> exp.Expr:
        """Whether the row is one of the previous answer's."""
        return exp.column(ROW, table=of).isin(
            query=exp.select(exp.column(ROW)).from_(PREVIOUS_ROWS)
        )

    def beside_previous(self, by: int) -> exp.Expr:
        """Whether the row stands `by` rows after one of the previous answer's."""
        return exp.column(ROW).isin(query=exp.select(exp.column(ROW) + by).from_(PREVIOUS_ROWS))

    def beside_kept(self, by: int) -> exp.Expr:
        """Whether the row stands `by` rows after one that was kept."""
        return exp.column(ROW).isin(query=exp.select(exp.column(ROW) + by).from_(KEPT_ROWS))

    def after_first_kept(self) -> exp.Expr:
        """Whether the row follows the first that was kept."""
        first = exp.select(exp.Min(this=exp.column(ROW)) + 1).from_(KEPT_ROWS)
        return exp.EQ(this=exp.column(ROW), expression=exp.Subquery(this=first))

    def beyond_kept(self, after: bool) -> exp.Expr:
        """Whether the row comes after or before all that were kept."""
        edge = (exp.Max if after else exp.Min)(this=exp.column(ROW))
        kept = exp.Subquery(this=exp.select(edge).from_(KEPT_ROWS))
        return (exp.GT if after else exp.LT)(this=exp.column(ROW), expression=kept)

    def than_kept(self, column: str, above: bool) -> exp.Expr:
        """Whether the value is above or below those of all rows kept."""
        if not self._has_order(column):
            return exp.false()
        edge = (exp.Max if above else exp.Min)(this=self.value(column))
        kept = exp.Subquery(this=exp.select(edge).from_(KEPT_ROWS))
        return (exp.GT if above else exp.LT)(this=self.value(column), expression=kept)

    def same_as_kept(self, column: str) -> exp.Expr:
        """Whether another row that was kept has the same value."""
        theirs = exp.select(self.key(column)).from_(KEPT_ROWS)
        own = exp.select(exp.column(ROW)).from_(KEPT_ROWS)
        return exp.and_(self.key(column).isin(query=theirs), exp.column(ROW).isin(query=own).not_())

    def grouped(self, step: Test, largest: bool) -> exp.Expr:
        """Whether the row's group, among those kept, is the one that a step picks.

        The step picks the groups with the largest or smallest count or sum, or with a given count.
        """
        column = step.column or ""
        present = self.is_missing(column).not_()
        amount: exp.Expr = exp.Count(this=exp.Star())
        if isinstance(step.argument, Name):
            amount = exp.Sum(this=self.value(step.argument.text))
            if self.table[step.argument.text].kind != "number":
                return exp.false()
        groups = (
            exp.select(self.key(column)).from_(KEPT_ROWS).where(present).group_by(self.key(column))
        )
        if isinstance(step.argument, Number):
            wanted = number_literal(step.argument.value)
            chosen = groups.having(exp.EQ(this=amount, expression=wanted))
        else:
            amounts = exp.select(exp.alias_(amount.copy(), "amount")).from_(KEPT_ROWS)
            amounts = amounts.where(present.copy()).group_by(self.key(column))
            best = (exp.Max if largest else exp.Min)(this=exp.column("amount"))
            edge = exp.select(best).from_(_named(amounts, "amounts"))
            chosen = groups.having(exp.EQ(this=amount, expression=exp.Subquery(this=edge)))
        return exp.and_(self.key(column).isin(query=chosen), present.copy())

    def count_distinct(self, column: str) -> exp.Expr:
        """The number of different values, missing ones left out."""
        present = exp.case().when(self.is_missing(column).not_(), self.key(column))
        return exp.Count(this=exp.Distinct(expressions=[present]))

    def group(self, column: str) -> list[exp.Expr]:
        """The name of a group of rows with one value."""
        return [exp.alias_(exp.Min(this=self.text(column)), "group", quoted=True)]

    def day(self, column: str) -> exp.Expr:
        """The first date in days."""
        seconds = exp.Anonymous(this="EPOCH", expressions=[exp.Min(this=self.value(column))])
        return exp.paren(seconds) / exp.Literal.number("86400.0")

    def best_column(self, largest: bool) -> exp.Expr:
        """The name of the number column with the largest or smallest sum, NULL for a tie."""
        names = [c.name for c in self.table.columns if c.kind == "number"]
        if not names:
            return exp.null()
        sums = {name: exp.Sum(this=self.value(name)) for name in names}
        compare = exp.GT if largest else exp.LT
        worst = "-1e308" if largest else "1e308"

        def or_worst(total: exp.Expr) -> exp.Expr:
            return exp.Coalesce(this=total.copy(), expressions=[exp.Literal.number(worst)])

        chosen = exp.case()
        for name, total in sums.items():
            others = [
                compare(this=total.copy(), expression=or_worst(other))
                for own, other in sums.items()
                if own != name
            ]
            stated = total.copy().is_(exp.null()).not_()
            chosen = chosen.when(exp.and_(stated, *others), exp.Literal.string(name))
        return chosen

    def longest_run(self) -> exp.Select:
        """The most rows that follow each other: row number less rank is the same along a run."""
        rank = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.column(ROW)]))
        runs = self.select(exp.alias_(exp.column(ROW) - rank, "run"))
        size = exp.Coalesce(this=_largest("size"), expressions=[number_literal(0)])
        return exp.select(exp.alias_(size, "value")).from_(_sizes(runs, "run"))

    def most_common_part(self, column: str, name: str) -> exp.Select:
        """The part that most cells have, all that are tied."""
        part = self.part(column, name)
        parts = self.select(exp.column(ROW), exp.alias_(part, "value"))
        parts = parts.where(part.copy().is_(exp.null()).not_(), copy=False)
        most = exp.Subquery(this=exp.select(_largest("size")).from_(_sizes(parts, "value")))
        chosen = exp.select(exp.column("value")).from_(_named(parts, "parts")).group_by("value")
        chosen = chosen.having(exp.EQ(this=exp.Count(this=exp.Star()), expression=most))
        return chosen.order_by(exp.Min(this=exp.column(ROW)))

    def _has_order(self, column: str) -> bool:
        return index_of(self.table).columns[self.table.names.index(column)].order is not None

    def _of_scope(self, what: Any) -> exp.Select:
        self.looks_around = True
        return exp.select(what).from_(exp.Table(this=self.scope.copy()))


def _largest(column: str) -> exp.Expr:
    return exp.Max(this=exp.column(column))


def _named(query: exp.Query, name: str) -> exp.Subquery:
    alias = exp.TableAlias(this=exp.to_identifier(name))
    return exp.Subquery(this=query.copy(), alias=alias)


def _sizes(query: exp.Query, column: str) -> exp.Subquery:
    """The number of rows of a query with each value of a column, as `size`."""
    size = exp.alias_(exp.Count(this=exp.Star()), "size")
    return _named(exp.select(size).from_(_named(query, "parts")).group_by(column), "sizes")
