"""Where a table lives: the engine that keeps it, and its table and columns as that engine has them.

A file has none of this: SQL takes its columns to be what their texts plainly state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Engine = Literal["duckdb", "sqlite", "postgres", "mysql"]
StoredKind = Literal["text", "number", "date", "timestamp", "time", "boolean", "other"]


@dataclass(frozen=True)
class StoredColumn:
    """A column as its engine has it."""

    name: str
    """The engine's own name, which need not be the name in `Table`."""
    kind: StoredKind
    """What the engine's type amounts to."""
    zoned: bool = False
    """Whether it holds moments of any time zone, which the table shows in UTC."""


@dataclass(frozen=True)
class Stored:
    """A table as its engine has it."""

    engine: Engine
    """Whose dialect its SQL is written in."""
    name: tuple[str, ...]
    """The parts of its name, a schema before the table where it takes one."""
    columns: tuple[StoredColumn, ...]
    """In the order of `Table.columns`."""
