"""How commands read tables: the options that they share, and what they say was assumed."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any

from denota.app.terminal.text import visible
from denota.tables.body_rows import Ragged
from denota.tables.io import Format, read_table
from denota.tables.limits import Limits
from denota.tables.table import Table


@dataclass(frozen=True)
class ReaderOptions:
    """What a person says of a table, where it should not be found out."""

    format: Format | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quotes: bool = True
    ragged: Ragged = "error"
    sheet: str | None = None
    header: int | None = None
    text_columns: tuple[str, ...] = ()

    def read(
        self,
        address: Any,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        table: str | None = None,
        name: str | None = None,
    ) -> Table:
        """Return the table of an address or open file, or of a database there the one of a name."""
        own = asdict(self)
        if self.delimiter in ("tab", "\\t"):
            own["delimiter"] = "\t"
        return read_table(address, table=table, name=name, limits=limits, **own)


def assumed(table: Table) -> str:
    """Return what was assumed in reading a table, in one line; empty if nothing was."""
    return f"Note: {visible('; '.join(table.notes), 400)}." if table.notes else ""


def say_assumed(table: Table) -> None:
    """Say on stderr what was assumed."""
    if table.notes:
        print(assumed(table), file=sys.stderr, flush=True)
