"""The tables that an assistant has opened, by id, each with its conversation.

An id is also what SQL calls the table: that of an answer can be run as it is.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from denota.app.agents.allowed import Allowed, Place
from denota.app.agents.jobs import Line
from denota.app.agents.sql import Viewed
from denota.app.reading import ReaderOptions
from denota.errors import DataError, TableError
from denota.tables.address import is_remote
from denota.tables.folders import files_of
from denota.tables.opening import open_database, part_of
from denota.tables.source import shown_name
from denota.tables.table import Table

if TYPE_CHECKING:
    from denota.conversation.chat import Chat

MOST: Final = 50
"""Tables that are open at once."""
MOST_CELLS: Final = 20_000_000
"""Cells of all of them together."""
LISTED: Final = 200
"""Tables of a database that are listed."""


@dataclass(eq=False)
class Held:
    """A table, read or to be read, and the conversation about it."""

    id: str
    name: str
    place: Place | None
    """Where it is; None if it was given as text."""
    line: Line = field(default_factory=Line)
    table: Table | None = None
    view: Viewed | None = None
    chat: Chat | None = None


class Shelf:
    """Opened tables.

    Args:
        allowed: what may be opened.
        begin: begins a conversation about a table.
    """

    def __init__(self, allowed: Allowed, begin: Callable[[Table], Chat]) -> None:
        self.allowed, self._begin = allowed, begin
        self._held: dict[str, Held] = {}
        self._lock = threading.RLock()
        self.has_begun = False
        """Whether the tables that were named at the start are known."""

    def all(self) -> list[Held]:
        """Return what is open, and the tables that were named at the start."""
        with self._lock:
            if not self.has_begun:
                self.has_begun = True
                for place in self.allowed.named:
                    self._offer(place)
            return list(self._held.values())

    def known(self, id_: str) -> Held | None:
        """Return the table of an id, if there is one."""
        return next((one for one in self.all() if one.id.casefold() == id_.casefold()), None)

    def find(self, id_: str) -> Held:
        """Return the table of an id.

        Raises:
            DataError: there is none.
        """
        found = self.known(id_)
        if found is None:
            there = ", ".join(one.id for one in self.all()[:20])
            said = f"the tables are {there}" if there else "open one with open_table"
            shown = "".join(letter for letter in id_[:80] if letter.isprintable())
            raise DataError(f"there is no table {shown!r}; {said}")
        return found

    def opened(self, id_: str) -> tuple[Held, Table]:
        """Return the table of an id, read if it was not yet.

        Raises:
            DenotaError: there is none, or it cannot be read.
        """
        held = self.find(id_)
        if held.table is None:
            assert held.place is not None
            self._fill(held, self._read(held.place, held.id))
        assert held.table is not None
        return held, held.table

    def talk(self, id_: str) -> tuple[Held, Chat]:
        """Return the conversation about a table."""
        held, table = self.opened(id_)
        if held.chat is None:
            held.chat = self._begin(table)
        return held, held.chat

    def open(self, place: Place) -> Held:
        """Read a table, anew if it is open; the conversation about it begins again."""
        with self._lock:
            same = next((o for o in self.all() if o.place and o.place.is_same(place)), None)
            held = same or Held(self._free_id(_title(place)), _title(place), place)
        table = self._read(place, held.id)
        with self._lock:
            _let_go(held)
            held.chat = None
            self._fill(held, table)
            self._held[held.id] = held
        return held

    def open_text(self, text: str, name: str) -> Held:
        """Read a table that is given as text."""
        held = Held(self._free_id(name), name, None)
        data = io.BytesIO(text.encode("utf-8", "replace"))
        self._fill(held, ReaderOptions().read(data, name=f"{held.id}.csv"))
        with self._lock:
            self._held[held.id] = held
        return held

    def tables_in(self, place: Place) -> list[str]:
        """Return the addresses of the tables of a folder, a glob, or a database of several."""
        if place.is_several:
            return [str(file) for file in self.allowed.files(place)]
        names = _tables_of(place)
        return [f"{place.shown}#{name}" for name in names[:LISTED]] if len(names) > 1 else []

    def close(self, id_: str) -> str:
        """Let go of a table; one that was named at the start can be asked again."""
        held = self.find(id_)
        with self._lock:
            _let_go(held)
            held.table = held.view = held.chat = None
            if held.place not in self.allowed.named:
                self._held.pop(held.id, None)
        return held.id

    def views(self) -> dict[str, Viewed]:
        """Return the tables that SQL can be about, by id."""
        return {one.id: one.view for one in self.all() if one.view is not None}

    def _offer(self, place: Place) -> None:
        try:
            names = [] if place.is_several else _tables_of(place)
        except TableError:  # whoever asks it is told why
            names = []
        places = [place]
        if len(names) > 1:
            places = [Place(place.address, f"{place.shown}#{name}", name) for name in names]
        for one in places:
            held = Held(self._free_id(_title(one)), _title(one), one)
            self._held[held.id] = held

    def _fill(self, held: Held, table: Table) -> None:
        from denota.programs.sql.kinds import kinds_of  # sqlglot takes a while to import

        rows, columns = table.shape
        with self._lock:
            others = [one.table.shape for one in self._held.values() if one.table and one != held]
            if len(others) >= MOST or sum(r * c for r, c in others) + rows * columns > MOST_CELLS:
                raise DataError("too many tables are open; close one with close_table")
            held.table, held.view = table, None
            if table.large is None:
                held.table = replace(table, name=held.id, stored=None, kinds=kinds_of(table))
                held.view = Viewed(held.table)
            elif held.place is not None and not is_remote(held.place.address):
                files = _parquet_files(held.place.address)
                held.view = Viewed(table, files) if files else None

    def _read(self, place: Place, id_: str) -> Table:
        if place.is_several:
            outside = [f for f in files_of(place.address) if not self.allowed.holds(f)]
            if outside:
                raise DataError(f"{outside[0].name} leads to a file that may not be opened")
        ending = "".join(Path(place.address).suffixes[-2:])
        is_file = not is_remote(place.address) and not _is_database(place)
        name = f"{id_}{ending}" if is_file else None  # the ending says what kind of file it is
        return ReaderOptions().read(place.address, table=place.table, name=name)

    def _free_id(self, title: str) -> str:
        """A name that no other table has, and that SQL takes without quotes."""
        from denota.programs.sql.identifiers import needs_quotes

        plain = re.sub(r"[^A-Za-z0-9]+", "_", title).strip("_")[:40] or "table"
        if needs_quotes(plain, "duckdb"):
            plain = f"table_{plain}"
        taken = {one.id.casefold() for one in self.all()}
        found, count = plain, 1
        while found.casefold() in taken:
            count += 1
            found = f"{plain}_{count}"
        return found


def _let_go(held: Held) -> None:
    """Close the database of a table that was too large to be read."""
    if held.table is not None and held.table.large is not None:
        held.table.large.source.close()


def _title(place: Place) -> str:
    part = place.table or part_of(place.address)
    if part is not None:
        return part
    address = place.shown if is_remote(place.address) else place.address
    parts = [one for one in Path(address).parts if not any(mark in one for mark in "*?[")]
    return parts[-1].split(".")[0] if parts else "table"


def _tables_of(place: Place) -> list[str]:
    """The tables of a database of which none is named."""
    if place.table is not None:
        return []
    opened = open_database(place.address)
    if opened is None:
        return []
    database, part = opened
    try:
        return [] if part is not None else [shown_name(one) for one in database.catalogue()]
    finally:
        database.close()


def _is_database(place: Place) -> bool:
    opened = open_database(place.address)
    if opened is None:
        return False
    opened[0].close()
    return True


def _parquet_files(address: str) -> tuple[Path, ...]:
    path = Path(address)
    files = files_of(address) if path.is_dir() or not path.exists() else [path]
    return tuple(files) if all(file.suffix == ".parquet" for file in files) else ()
