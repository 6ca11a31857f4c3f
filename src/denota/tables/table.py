"""A table as the rest of denota sees it: frozen columns of text with lazily made views.

A cell is addressed as `(row, column)`, both counted from 0, row 0 being the first row after the
header.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from denota.errors import TableError
from denota.tables.column import Column
from denota.tables.how_read import HowRead
from denota.tables.stored import Stored, StoredKind

if TYPE_CHECKING:
    from denota.tables.large import Large

Cell = tuple[int, int]


@dataclass(frozen=True)
class Table:
    """An immutable table.

    >>> table = Table.from_rows(["city", "people"], [["Oslo", "709,037"], ["Bergen", "291,940"]])
    >>> table.shape
    (2, 2)
    >>> table.cell(1, 0)
    'Bergen'
    >>> table["people"].numbers.tolist()
    [709037.0, 291940.0]
    """

    columns: tuple[Column, ...]
    name: str = "table"
    notes: tuple[str, ...] = field(default=(), compare=False)
    """Changes and guesses made while reading, a sentence each, for `denota show`."""
    stored: Stored | None = field(default=None, compare=False)
    """Where it lives, if a database has it."""
    large: Large | None = field(default=None, compare=False, repr=False)
    """What has the rest of it, if these are only some of its rows."""
    kinds: tuple[StoredKind, ...] = field(default=(), compare=False)
    """The types of its columns, where a file has types of its own (Parquet)."""
    how: HowRead | None = field(default=None, compare=False)
    """How its file was read."""

    def __post_init__(self) -> None:
        """Check that the columns make a rectangle with distinct names."""
        if len({len(column) for column in self.columns}) > 1:
            raise TableError(f"the columns of {self.name} differ in length")
        if len(set(self.names)) < len(self.columns):
            raise TableError(f"two columns of {self.name} have the same name")

    @staticmethod
    def from_rows(
        names: Sequence[str], rows: Iterable[Sequence[str]], name: str = "table"
    ) -> Table:
        """Make a table from a header and rows of text; empty and repeated names are made unique."""
        from denota.tables.header import unique_names

        unique, notes = unique_names(names)
        cells = list(zip(*rows, strict=True)) or [()] * len(unique)
        columns = zip(unique, cells, strict=True)
        return Table(tuple(Column(n, tuple(text)) for n, text in columns), name, notes)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column names, all different."""
        return tuple(column.name for column in self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return (len(self.columns[0]) if self.columns else 0), len(self.columns)

    def __len__(self) -> int:
        """Count the rows."""
        return self.shape[0]

    @property
    def count(self) -> int:
        """How many rows there are; of a sketch those of the whole table."""
        return self.large.rows if self.large is not None else len(self)

    def __getitem__(self, key: int | str) -> Column:
        """Return a column by position or name."""
        if isinstance(key, str):
            try:
                key = self.names.index(key)
            except ValueError:
                known = ", ".join(map(repr, self.names[:20]))
                raise TableError(f"{self.name} has no column {key!r}; it has {known}") from None
        return self.columns[key]

    def cell(self, row: int, column: int) -> str:
        """Return the text of one cell as it stands in the source."""
        return self.columns[column].text[row]

    def row(self, row: int) -> tuple[str, ...]:
        """Return one row's texts."""
        return tuple(column.text[row] for column in self.columns)
