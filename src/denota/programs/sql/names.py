"""What SQL says about several rows: ranks, the previous answer, the rows kept, and aggregates.

Operators are declared with a function from `Names` to a sqlglot expression.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from denota.programs.index import index_of
from denota.programs.sql.cells import CellSql
from denota.programs.sql.computed import best_column, first_day, longest_run, most_common_part
from denota.programs.sql.group_tests import group_test
from denota.programs.sql.identifiers import (
    file_table_name,
    folded,
    free_name,
    identifier,
    table_name,
)
from denota.programs.sql.ranking import Ranking, cut_rows, ordered
from denota.programs.sql.rows import BASE, Rows
from denota.programs.tree import Test
from denota.tables.table import Table


class Names(CellSql):
    """A table in SQL, as operators speak of it."""

    def __init__(self, table: Table, dialect: str) -> None:
        super().__init__(table, dialect)
        self.scope = Rows(range(len(table)))
        """The rows that conditions look at."""
        self.kept = self.scope
        """The rows from which a step goes on."""
        self.previous = self.scope
        """The rows of the answer before."""
        self.rows = self.scope
        """The rows that a value is computed of."""
        self.compared_by: str | None = None
        """What two values are compared by."""
        self._queries: list[tuple[str, exp.Query]] = []
        stored = table.stored.name if table.stored is not None else (file_table_name(table),)
        self._tables = folded(stored)

    def named(self, rows: Rows, name: str) -> Rows:
        """Return rows as a named query in front, unless they are the table itself."""
        if rows.is_whole:
            return rows
        query = self.settled(rows).select(exp.Star())
        return Rows(rows.members, self.query_named(name, query))

    def settled(self, rows: Rows) -> Rows:
        """Return rows for use inside a query: the first so many of the table by their number."""
        if not rows.is_cut or rows.order:
            return rows
        return replace(rows, order=(ordered(self.row(), False, self.dialect),))

    def query_named(self, name: str, query: exp.Query) -> str:
        """Put a query in front under a name, and return the name it got."""
        own = free_name(name, self._tables)
        self._queries.append((own, query))
        return own

    def opened(self, rows: Rows, name: str) -> Rows:
        """Return rows to which conditions can be added."""
        return self.named(rows, name) if rows.is_cut else rows

    def finished(self, tree: exp.Query) -> exp.Query:
        """Return a query with those it needs in front, over the table itself."""
        base = table_name(self.table, self.dialect)
        if self.derived or self.row_name:
            added = [
                exp.alias_(expression, identifier(name, self.dialect))
                for name, expression in self.derived.values()
            ]
            if self.row_name:
                by = {"sqlite": exp.column("rowid"), "mysql": exp.null()}.get(self.dialect)
                order = exp.Order(expressions=[by]) if by is not None else None
                number = exp.Window(this=exp.RowNumber(), order=order)
                added.append(exp.alias_(number, identifier(self.row_name, self.dialect)))
            whole = exp.select(exp.Star(), *added).from_(base)
            name = free_name("cleaned" if self.derived else "numbered", self._tables)
            self._queries.insert(0, (name, whole))
            base = exp.Table(this=exp.to_identifier(name))
        for query in (tree, *(query for _, query in self._queries)):
            for one in list(query.find_all(exp.Table)):
                if one.name == BASE:
                    one.replace(base.copy())
        for name, query in self._queries:
            tree = tree.with_(exp.to_identifier(name), as_=query, copy=False)
        return tree

    def ranked(self, column: str, largest: bool, skip: int, count: int) -> Any:
        """Whether the row is one of `count` after the first `skip`, by the order of a column.

        Of equal rows, the largest takes the last of the table first, the smallest the first.
        """
        if self.order_of(column) is None:
            return exp.false()
        return Ranking(column, largest, skip, count)

    def placed(self, last: bool, count: int) -> Any:
        """Whether the row is one of the first or last `count` of the scope."""
        return Ranking(None, last, 0, count)

    def among(self, by: Ranking) -> Any:
        """Whether a row of the scope is one of those that a ranking keeps."""
        cut = cut_rows(self, self.scope, by)
        if by.column is not None and by.count == 1 and not by.skip and len(cut.order) == 1:
            return self.extreme(by.column, by.largest)
        return self.row().isin(query=self.settled(cut).select(self.row()))

    def extreme(self, column: str, largest: bool) -> Any:
        """Whether the value is the largest or smallest of the scope."""
        if self.order_of(column) is None:
            return exp.false()
        best = (exp.Max if largest else exp.Min)(this=self.value(column))
        best_of_all = exp.Subquery(this=self.scope.select(best))
        return exp.EQ(this=self.value(column), expression=best_of_all)

    def first_of_each(self, column: str) -> Any:
        """Whether the row is the first of the scope with its value."""
        first = self.scope.select(exp.Min(this=self.row()))
        return self.row().isin(query=first.group_by(self.group_key(column), copy=False))

    def key(self, column: str) -> Any:
        """One expression that is equal for cells of one value, never NULL."""
        key = self.group_key(column)
        if not self.has_blanks(column):
            return key
        if self.readings[column].kind not in ("text", "other") and key == self.cell(column):
            key = exp.cast(key, "text")
        return exp.Coalesce(this=key, expressions=[exp.Literal.string("")])

    def group_key(self, column: str) -> Any:
        """One expression that is equal for cells of one value, NULL for empty ones."""
        if self.has_own_key(column):
            return self.cell(column)
        value = self.value(column)
        if all(stated is not None for stated in self.readings[column].stated.values()):
            return value
        own: Any = self.cell(column)
        if self.readings[column].kind not in ("text", "other"):
            own = exp.cast(own, "text")
        return exp.Coalesce(this=exp.cast(value, "text"), expressions=[own])

    def has_own_key(self, column: str) -> bool:
        """Whether cells have one value just where the engine has equal cells."""
        reading = self.readings[column]
        if reading.is_plain or reading.kind == "number" or reading.column.kind == "text":
            return True
        stated = [value for value in reading.stated.values() if value is not None]
        return len(set(stated)) == len(stated)

    def value_of_previous(self, column: str) -> Any:
        """Whether a row of the previous answer has the same value."""
        return self.key(column).isin(query=self.settled(self.previous).select(self.key(column)))

    def in_previous(self) -> Rows:
        """The rows of the previous answer."""
        return self.previous

    def not_in_previous(self) -> Any:
        """Whether the row is not one of the previous answer's."""
        rows = self.previous
        if rows.is_whole and rows.source == BASE:
            return exp.false()
        if rows.source == BASE and not rows.is_cut:
            return self._opposite(exp.and_(*(one.copy() for one in rows.where)))
        return self.row().isin(query=self.settled(rows).select(self.row())).not_()

    def beside_previous(self, by: int) -> Any:
        """Whether the row stands `by` rows after one of the previous answer's."""
        return self._beside(self.previous, by)

    def beside_kept(self, by: int) -> Any:
        """Whether the row stands `by` rows after one that was kept."""
        return self._beside(self.kept, by)

    def _beside(self, rows: Rows, by: int) -> Any:
        rows, moved = self.settled(rows), self.row() + by if by > 0 else self.row() - -by
        if len(rows.members) == 1:
            return exp.EQ(this=self.row(), expression=exp.Subquery(this=rows.select(moved)))
        return self.row().isin(query=rows.select(moved))

    def after_first_kept(self) -> Any:
        """Whether the row follows the first that was kept."""
        first = self.closed(self.kept).select(exp.Min(this=self.row()) + 1)
        return exp.EQ(this=self.row(), expression=exp.Subquery(this=first))

    def beyond_kept(self, after: bool) -> Any:
        """Whether the row comes after or before all that were kept."""
        edge = (exp.Max if after else exp.Min)(this=self.row())
        kept = exp.Subquery(this=self.closed(self.kept).select(edge))
        return (exp.GT if after else exp.LT)(this=self.row(), expression=kept)

    def than_kept(self, column: str, above: bool) -> Any:
        """Whether the value is above or below those of all rows kept."""
        if self.order_of(column) is None:
            return exp.false()
        edge = (exp.Max if above else exp.Min)(this=self.value(column))
        kept = exp.Subquery(this=self.closed(self.kept).select(edge))
        return (exp.GT if above else exp.LT)(this=self.value(column), expression=kept)

    def same_as_kept(self, column: str) -> Any:
        """Whether another row that was kept has the same value."""
        kept = self.settled(self.kept)
        theirs = kept.select(self.key(column))
        own = self.row().isin(query=kept.select(self.row())).not_()
        return exp.and_(self.key(column).isin(query=theirs), own)

    def closed(self, rows: Rows) -> Rows:
        """Return rows that can be aggregated."""
        return self.opened(rows, "kept")

    def present_rows(self, rows: Rows, column: str) -> Rows:
        """Return those of some rows where a column is not missing."""
        if not self.has_missing(column):
            return rows
        return rows.filtered(self.is_present(column))

    def count_distinct(self, column: str) -> Any:
        """The number of different values, missing ones left out."""
        counted = self.group_key(column)
        content = self.table[column]
        if any(content.values[code] for code in set(content.codes[content.missing].tolist())):
            counted = exp.case().when(self.is_present(column), counted)
        return exp.Count(this=exp.Distinct(expressions=[counted]))

    def grouped(self, step: Test, largest: bool) -> Any:
        """Whether the row's group, among those kept, is the one that a step picks."""
        return group_test(self, step, largest)

    def day(self, column: str) -> Any:
        """The first date in days, or the date itself where two are only set against each other."""
        return first_day(self, column)

    def best_column(self, largest: bool) -> Any:
        """The name of the number column with the largest or smallest sum, NULL for a tie."""
        return best_column(self, largest)

    def longest_run(self) -> Any:
        """The most rows that follow each other."""
        return longest_run(self)

    def most_common_part(self, column: str, name: str) -> Any:
        """The part that most cells have, all that are tied."""
        return most_common_part(self, column, name)

    def exists(self) -> Any:
        """Whether there is a row."""
        return exp.select(exp.Exists(this=self.rows.select(exp.Star())))

    def _opposite(self, test: Any) -> Any:
        """Whether a test is not true: NULL counts as not true."""
        columns = {one.name for one in test.find_all(exp.Column)}
        nullable = {name for name, _ in self.derived.values()}
        nullable |= {self.own_names[c] for c in self.table.names if self.has_blanks(c)}
        if columns & nullable:
            return exp.Is(this=exp.paren(test), expression=exp.true()).not_()
        for own, other in _OPPOSITES:
            for one, two in ((own, other), (other, own)):
                if type(test) is one:
                    return two(**test.args)
        return exp.paren(test).not_() if isinstance(test, exp.Connector) else test.not_()

    def order_of(self, column: str) -> Any:
        """What a column is ordered by, None for texts."""
        return index_of(self.table).columns[self.table.names.index(column)].order


_OPPOSITES = ((exp.EQ, exp.NEQ), (exp.GT, exp.LTE), (exp.GTE, exp.LT))
