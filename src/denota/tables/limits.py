"""The most that is read of a source before it is refused, so that none can fill the memory."""

from __future__ import annotations

from dataclasses import dataclass

from denota.errors import TableError


@dataclass(frozen=True)
class Limits:
    """The most that is read of one table."""

    bytes: int = 1 << 30
    """Bytes of a file, after unpacking."""
    columns: int = 1_000
    """Columns of a table."""
    cells: int = 10_000_000
    """Cells of a table."""
    sketches: bool = True
    """Whether a table of too many cells is asked where it lies, if it can be."""

    def check(self, name: str, rows: int, columns: int) -> None:
        """Raise if a table of this size is too large."""
        if columns > self.columns:
            raise TableError(
                f"{name} has {columns:,} columns and at most {self.columns:,} are read; "
                "keep the columns the questions are about"
            )
        if rows * columns > self.cells:
            raise TableError(
                f"{name} has more than {self.cells:,} cells, the most that are read; "
                "keep the rows and columns the questions are about"
            )
