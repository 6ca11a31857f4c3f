"""Programs as SQL, built as sqlglot expressions and never as text.

Every column of the table is one typed column in SQL (DOUBLE for numbers, TIMESTAMP for dates, NULL
where a cell states none). Number and date columns have their text beside it as `name (text)`, and
`_row` numbers the rows. The SQL of a follow-up nests that of the turn before as `previous`, so the
SQL of each turn stands alone. Conditions that look at other rows (IS MAX) look at those of `scope`.
"""

from denota.programs.sql.build import rows_query, to_sql
from denota.programs.sql.identifiers import ROW, source_name, sql_names
from denota.programs.sql.names import Names
from denota.programs.sql.query import Query

__all__ = ["Names", "Query", "ROW", "rows_query", "source_name", "sql_names", "to_sql"]
