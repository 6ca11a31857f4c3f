"""How a file was read: what was said of it or found out, as people would say it themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from denota.errors import TableError

if TYPE_CHECKING:
    from denota.tables.table import Table


@dataclass(frozen=True)
class HowRead:
    """What a file was taken for; what does not apply to its kind is empty or 0."""

    format: str = ""
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    """All sheets of the workbook."""
    header: int = 0
    """The row of the names, counted from 1."""


def with_text_columns(table: Table, names: Sequence[str]) -> Table:
    """Return a table with some columns read as text, whatever stands in them.

    >>> from denota.tables.table import Table
    >>> table = Table.from_rows(["Town", "Post code"], [["Moss", "1530"], ["Oslo", "150"]])
    >>> with_text_columns(table, ["Post code"])["Post code"].kind
    'text'

    Raises:
        TableError: there is no such column, or a database says what its columns are.
    """
    if not names:
        return table
    if table.stored is not None or table.large is not None:
        raise TableError(f"{table.name} has its types from where it is kept; leave out the columns")
    for name in names:
        table[name]  # raises if there is none
    columns = (replace(c, as_text=c.as_text or c.name in names) for c in table.columns)
    return replace(table, columns=tuple(columns))
