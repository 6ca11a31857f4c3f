"""A table within JSON: `{"name": "...", "columns": ["...", ...], "rows": [["...", ...], ...]}`."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from denota.errors import TableError
from denota.tables.decimal_commas import with_decimal_commas
from denota.tables.how_read import HowRead, with_text_columns
from denota.tables.stored import Stored, StoredColumn
from denota.tables.table import Table


def table_as_object(table: Table) -> dict[str, Any]:
    """Return a table as an object that JSON can hold.

    >>> table_as_object(Table.from_rows(["city"], [["Oslo"]], "cities"))
    {'name': 'cities', 'columns': ['city'], 'rows': [['Oslo']]}
    """
    rows = [list(row) for row in zip(*(column.text for column in table.columns), strict=True)]
    as_text = [column.name for column in table.columns if column.as_text]
    more = {"text": as_text} if as_text else {}
    return {"name": table.name, "columns": list(table.names), "rows": rows, **more}


def whole_table_as_object(table: Table) -> dict[str, Any]:
    """Return a table with its notes, how it was read and where it lives, for a file of our own."""
    stored = None if table.stored is None else asdict(table.stored)
    how = None if table.how is None else asdict(table.how)
    more = {"notes": list(table.notes), "stored": stored, "how": how}
    return {**table_as_object(table), **more}


def whole_inline_table(content: dict[str, Any]) -> Table:
    """Return the table of such an object, which is taken to be as it was written."""
    table = inline_table(content)
    how = content.get("how")
    if how:
        table = replace(table, how=HowRead(**{**how, "sheets": tuple(how["sheets"])}))
    notes, found = tuple(content.get("notes") or table.notes), content.get("stored")
    if not found:
        return replace(table, notes=notes)
    columns = tuple(StoredColumn(**column) for column in found["columns"])
    return replace(
        table, notes=notes, stored=Stored(found["engine"], tuple(found["name"]), columns)
    )


def inline_table(content: Any) -> Table:
    """Return the table of such an object; numbers among its cells are taken as text.

    >>> inline_table({"columns": ["n"], "rows": [[1], [2.5]]})["n"].text
    ('1', '2.5')

    Raises:
        TableError: it is not one.
    """
    if not isinstance(content, dict):
        raise TableError('a table within JSON is {"columns": [...], "rows": [[...], ...]}')
    names, rows = content.get("columns"), content.get("rows")
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise TableError('"columns" must be a list of names')
    if not isinstance(rows, list) or not rows:
        raise TableError('"rows" must be a list of at least one row')
    for number, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(names):
            raise TableError(f"row {number} must be a list of {len(names)} cells")
        if not all(_is_cell(cell) for cell in row):
            raise TableError(f"row {number} has a cell that is neither text nor a number")
    texts = (["" if cell is None else str(cell) for cell in row] for row in rows)
    name = content.get("name")
    table = Table.from_rows(names, texts, name if isinstance(name, str) and name else "table")
    table = replace(table, columns=with_decimal_commas(table.columns))
    as_text = content.get("text", [])
    if not isinstance(as_text, list) or not all(isinstance(n, str) for n in as_text):
        raise TableError('"text" must be a list of names of columns')
    return with_text_columns(table, as_text)


def _is_cell(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str | int | float) and not isinstance(cell, bool))
