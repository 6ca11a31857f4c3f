"""Programs as SQL over a table as its owner has it, built as sqlglot expressions, never as text.

A column is used under its own name as its engine stores it; one whose texts must first be read
(`$1.2 million`) is read once, in a query in front. Rows have numbers only where a program speaks of
their order. The SQL of a follow-up contains that of the turn before: each turn's SQL stands alone.
"""

from denota.programs.sql.build import rows_query, to_sql
from denota.programs.sql.dialects import ENGINES, check_dialect
from denota.programs.sql.identifiers import file_table_name
from denota.programs.sql.names import Names
from denota.programs.sql.query import Query

__all__ = [
    "ENGINES",
    "Names",
    "Query",
    "check_dialect",
    "file_table_name",
    "rows_query",
    "to_sql",
]
