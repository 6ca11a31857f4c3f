"""The names that tables and columns have in SQL."""

from __future__ import annotations

from typing import Final

from denota.tables.table import Table

ROW: Final = "_row"
"""The column of row numbers."""
SCOPE_ROWS: Final = "scope"
"""The rows a program starts from, as a named query."""
PREVIOUS_ROWS: Final = "previous"
"""The rows of the answer before, as a named query."""
KEPT_ROWS: Final = "kept"
"""The rows that a condition keeps, from which a step goes on, as a named query."""


def sql_names(table: Table) -> tuple[tuple[str, str], ...]:
    """Return the (typed, text) names of each column: one name for a text column.

    All names differ, even in lower case.
    """
    used = {ROW, SCOPE_ROWS, PREVIOUS_ROWS}
    plain = str.maketrans("\0", " ")
    result = []
    for column in table.columns:
        name = column.name.translate(plain)
        typed = free_name(name, used)
        text = typed if column.kind == "text" else free_name(f"{name} (text)", used)
        result.append((typed, text))
    return tuple(result)


def free_name(name: str, used: set[str]) -> str:
    """Return a name that is not used yet, with a number behind it if need be, and add it."""
    unique, count = name, 1
    while unique.casefold() in used:
        count += 1
        unique = f"{name} ({count})"
    used.add(unique.casefold())
    return unique


def source_name(table: Table) -> str:
    """Return the table's name: its file name without the ending, never a name used here."""
    name = table.name.split(".")[0].strip() or "table"
    own = (SCOPE_ROWS, PREVIOUS_ROWS, KEPT_ROWS, ROW, "before", "amounts")
    return name if name.casefold() not in own else f"{name} table"
