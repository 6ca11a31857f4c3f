"""The most that is read of a source before it is refused, so that none can fill the memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from denota.errors import TooLarge

if TYPE_CHECKING:
    from denota.tables.table import Table


@dataclass(frozen=True)
class Limits:
    """The most that is read of one table."""

    bytes: int = 1 << 30
    """Bytes of a file, after unpacking."""
    columns: int = 1_000
    """Columns of a table."""
    cells: int = 10_000_000
    """Cells of a table."""
    text: int = 1 << 30
    """Characters of all cells together."""
    cell: int = 1 << 23
    """Characters of one cell."""
    sketches: bool = True
    """Whether a table of too many cells is asked where it lies, if it can be."""

    def check(self, name: str, rows: int, columns: int) -> None:
        """Raise if a table of this size is too large."""
        if columns > self.columns:
            raise TooLarge(
                f"{name} has {columns:,} columns and at most {self.columns:,} are read; "
                "keep the columns the questions are about"
            )
        if rows * columns > self.cells:
            raise TooLarge(
                f"{name} has more than {self.cells:,} cells, the most that are read; "
                "keep the rows and columns the questions are about"
            )

    def check_bytes(self, name: str, size: int, does: str = "is larger than") -> None:
        """Raise if a file is larger, or unpacks to more, than is read."""
        if size > self.bytes:
            raise TooLarge(
                f"{name} {does} {self.bytes:,} bytes, the most that is read; "
                "keep the rows and columns the questions are about"
            )

    def check_cell(self, name: str, length: int) -> None:
        """Raise if a cell is too long."""
        if length > self.cell:
            raise TooLarge(
                f"{name} has a cell of more than {self.cell:,} characters, the most that are read; "
                "leave it out or shorten it"
            )

    def check_text(self, name: str, length: int) -> None:
        """Raise if all cells together are too long."""
        if length > self.text:
            raise TooLarge(
                f"{name} has more than {self.text:,} characters in its cells, "
                "the most that are read; keep the rows and columns the questions are about"
            )

    def without(self, table: Table) -> Limits:
        """Return what is left when a table has been read."""
        rows, columns = table.shape
        text = sum(sum(map(len, column.text)) for column in table.columns)
        return replace(
            self, cells=max(self.cells - rows * columns, 1), text=max(self.text - text, 0)
        )


class Tally:
    """The characters of a table's cells, held against the limits while they are read."""

    def __init__(self, name: str, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._text = 0

    def add(self, cells: Iterable[str]) -> None:
        """Count some cells.

        Raises:
            TooLarge: one of them, or all so far, are too long.
        """
        lengths = list(map(len, cells))
        self._text += sum(lengths)
        self._limits.check_cell(self._name, max(lengths, default=0))
        self.foresee(0)

    def foresee(self, text: int) -> None:
        """Raise if so many characters more are too many."""
        self._limits.check_text(self._name, self._text + text)
