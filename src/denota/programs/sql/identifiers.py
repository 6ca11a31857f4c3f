"""The names of tables and columns in SQL: the engine's own, in quotes only where they must be."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sqlglot import exp

from denota.tables.header import header_note
from denota.tables.table import Table


def identifier(name: str, dialect: str) -> exp.Identifier:
    """Return a name as SQL, in quotes where a dialect would not read it as this name."""
    return exp.to_identifier(name, quoted=needs_quotes(name, dialect))


def needs_quotes(name: str, dialect: str) -> bool:
    """Say whether a name must stand in quotes.

    >>> needs_quotes("Crew", "duckdb"), needs_quotes("Crew", "postgres")
    (False, True)
    >>> needs_quotes("day's run", "duckdb"), needs_quotes("order", "duckdb")
    (True, True)
    """
    if not _PLAIN.fullmatch(name) or name.casefold() in RESERVED:
        return True
    if dialect in ("postgres", "redshift"):
        return name != name.lower()
    return dialect in ("snowflake", "oracle") and name != name.upper()


def table_name(table: Table, dialect: str) -> exp.Table:
    """Return the table as FROM names it: as its database does, or its file name without ending."""
    parts = table.stored.name if table.stored is not None else (file_table_name(table),)
    *schema, own = [identifier(part, dialect) for part in parts]
    outer = dict(zip(("db", "catalog"), reversed(schema), strict=False))
    return exp.Table(this=own, **outer)


def file_table_name(table: Table) -> str:
    """Return what a file's table is called: the file's name without its ending."""
    return table.name.replace("\0", " ").split(".")[0].strip() or "table"


def column_names(table: Table) -> tuple[str, ...]:
    """Return each column's name in its engine.

    DuckDB gives a column of a file that has no name its place for one, does not tell upper from
    lower case, and adds a number to a name that comes again.
    """
    if table.stored is not None:
        return tuple(column.name for column in table.stored.columns)
    used: set[str] = set()
    names = [name.replace("\0", " ") for name in table.names]
    for note in table.notes:
        place, name = header_note(note)
        if place:
            digits = len(str(len(names) - 1))
            names[place - 1] = name or f"column{place - 1:0{digits}}"
    return tuple(_numbered(name, used, "_{}", 1) for name in names)


def free_name(name: str, used: set[str]) -> str:
    """Return a name that is not used yet, with a number behind it if need be, and add it.

    >>> free_name("previous", {"previous"})
    'previous_2'
    """
    return _numbered(name, used, "_{}", 2)


def folded(names: Iterable[str]) -> set[str]:
    """Return names as engines compare them."""
    return {name.casefold() for name in names}


def _numbered(name: str, used: set[str], ending: str, first: int) -> str:
    unique, count = name, first - 1
    while unique.casefold() in used:
        count += 1
        unique = name + ending.format(count)
    used.add(unique.casefold())
    return unique


_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
RESERVED: Final = frozenset(
    """add all alter analyse analyze and anti any array as asc asof asymmetric at authorization
    autoincrement between binary both by case cast check collate collation column columns commit
    concurrently constraint create cross current_catalog current_date current_role current_time
    current_timestamp current_user default deferrable delete desc describe distinct do drop else end
    escape except exists false fetch for foreign freeze from full generated glob grant group having
    if ilike in index initially inner insert intersect into is isnull join lambda lateral leading
    left like limit localtime localtimestamp map natural not nothing notnull null offset on only or
    order outer over overlaps partition pivot pivot_longer pivot_wider placing positional primary
    qualify recursive references returning right select semi session_user set show similar some
    struct summarize symmetric table tablesample then to trailing transaction true try_cast tuple
    union unique unpack unpivot update user using values variadic verbose when where window
    with""".split()
)
"""Words that DuckDB, SQLite or PostgreSQL do not take as a name; sqlglot knows MySQL's own."""
