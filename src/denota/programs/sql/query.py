"""The SQL of one turn."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from denota.programs.sql.dialects import for_dialect


@dataclass(frozen=True)
class Query:
    """A turn's SQL, with the rows and columns that the next turn needs."""

    tree: exp.Query
    """Selects `_row` and the columns, or one value."""
    rows: exp.Query
    """Selects `_row` alone; a follow-up nests this."""
    columns: tuple[str, ...]
    """The names of the answer's columns."""

    def sql(self, dialect: str = "duckdb", pretty: bool = False) -> str:
        """Render the query; tested for duckdb, postgres, spark, bigquery and sqlite."""
        tree = for_dialect(self.tree, dialect)
        return tree.sql(dialect=dialect, identify=True, pretty=pretty)
