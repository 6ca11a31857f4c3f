"""Sets of rows in SQL: their source, the conditions they satisfy, and a cut by some order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

BASE: Final = "\0base"
"""Stands for the table, or for the query that cleans it, until it is known which is needed."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows, as the parts of a SELECT."""

    members: Sequence[int] = ()
    """Which rows of the table they are, from 0: ties are looked up there."""
    source: str = BASE
    where: tuple[Any, ...] = ()
    order: tuple[Any, ...] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether it keeps the first rows of an order, so that no condition can be added."""
        return self.limit is not None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out of the source."""
        return not self.where and not self.is_cut

    def select(self, *what: Any) -> exp.Select:
        """Select something of these rows."""
        # copy=False, for sqlglot's builders copy the whole query each time
        query = exp.select(*what, copy=False)
        query = query.from_(exp.Table(this=exp.to_identifier(self.source)), copy=False)
        if self.where:
            query.where(*(one.copy() for one in self.where), copy=False)
        if self.order:
            query.order_by(*(one.copy() for one in self.order), copy=False)
        if self.limit is not None:
            query.limit(self.limit, copy=False)
        if self.offset:
            query.offset(self.offset, copy=False)
        return query

    def filtered(self, *tests: Any) -> Rows:
        """Return those of these rows that satisfy some tests."""
        assert not self.is_cut
        return replace(self, where=(*self.where, *tests))

    def of(self, members: Sequence[int]) -> Rows:
        """Return these rows with the members that they turned out to have."""
        return replace(self, members=members)


def subquery(query: exp.Query, name: str) -> exp.Subquery:
    """Return a query as FROM takes it."""
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(name)))
