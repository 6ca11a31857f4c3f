"""What the server and its workers say to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from denota.app.reading import ReaderOptions
from denota.app.web.sessions import SavedTurn
from denota.tables.limits import Limits
from denota.teaching.log import Entry

LARGEST: Final = 32 << 20
"""Bytes of a table that is taken."""
LIMITS: Final = Limits(
    bytes=4 * LARGEST,
    columns=500,
    cells=3_000_000,
    text=64_000_000,
    cell=32_767,
    sketches=False,
)
"""Of a table that is taken, unpacked; a cell as long as a spreadsheet's may be."""
FILLED: Final = ReaderOptions(ragged="fill")
"""How an upload is read of which nothing is said: a person at a page cannot mend its lines."""


@dataclass(frozen=True)
class Source:
    """Where a table comes from."""

    kind: Literal["file", "sample", "offer"]
    name: str
    data: bytes = field(default=b"", repr=False)
    how: ReaderOptions = FILLED


@dataclass(frozen=True)
class At:
    """A conversation as it is now, and what its version is to be if the request changes it."""

    id: str
    version: str
    person: str
    """Whose lessons count."""
    next_version: str = ""
    limit: int = 1000
    """The most items of an answer that are told."""


@dataclass(frozen=True)
class Change:
    """What a request changes, to be written before it is answered."""

    put: tuple[int, SavedTurn] | None = None
    """A turn and its place; those behind it go."""
    cut: int | None = None
    """The place from which on turns go."""
    entries: tuple[Entry, ...] = ()
    """Of the teaching log."""


@dataclass(frozen=True)
class Opened:
    """A table that was read."""

    name: str
    rows: int
    cells: int
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class Done:
    """What came of a request."""

    body: bytes
    """The answer: JSON, or the text of a file."""
    change: Change | None = None
    opened: Opened | None = None
