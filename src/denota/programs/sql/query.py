"""The SQL of one turn, for any dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from denota.programs.denotation import Denotation
from denota.programs.tree import Program
from denota.tables.table import Table

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, eq=False)
class Query:
    """A turn as SQL can be written of it: what was asked, what it gave, and the turn before."""

    table: Table
    program: Program | None
    """None for an answer that no program gave; its SQL names its rows by number."""
    answer: Denotation
    before: Query | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the answer's columns."""
        return tuple(self.table.names[column] for column in self.answer.columns)

    @property
    def dialect(self) -> str:
        """The dialect of the engine that has the table, DuckDB's for a file."""
        return self.table.stored.engine if self.table.stored is not None else "duckdb"

    def tree(self, dialect: str | None = None) -> exp.Query:
        """Return the query as a sqlglot expression."""
        from denota.programs.sql.build import build

        return build(self, dialect or self.dialect)

    def rows_tree(self) -> exp.Query:
        """Return all columns of the rows that the answer is, or comes from, for the engine."""
        from denota.programs.sql.build import build_rows

        return build_rows(self, self.dialect)

    def sql(self, dialect: str | None = None, pretty: bool = False) -> str:
        """Write the query, in the engine's own dialect unless another is named.

        Raises:
            ProgramError: there is no such dialect.
        """
        from denota.programs.sql.dialects import check_dialect, written

        dialect = check_dialect(dialect or self.dialect)
        return written(self.tree(dialect), dialect, pretty)
