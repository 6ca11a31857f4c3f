"""Conversations behind the server: begun, asked, read otherwise and brought back from disk."""

from __future__ import annotations

import csv
import io
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from denota import sample
from denota.app.chat import Chat, Reading
from denota.app.run import Turn
from denota.app.web.store import Asked, SessionStore
from denota.errors import DataError, TableError
from denota.model.parser import Parser
from denota.tables.io import read_table
from denota.tables.table import Table

LIVE: Final = 256
"""So many conversations are kept in memory; others are brought back from disk when they are met."""
LARGEST: Final = 32 << 20
"""Bytes of a table that is taken."""
LONGEST: Final = 2000
"""Characters of a question that is taken."""
CELLS: Final = 2_000_000
"""Cells of a table that is taken."""


@dataclass(eq=False)
class Live:
    """A conversation in memory."""

    id: str
    chat: Chat
    lock: threading.Lock = field(default_factory=threading.Lock)
    orders: dict[tuple[int | None, bool, str], np.ndarray[tuple[int], np.dtype[np.int64]]] = field(
        default_factory=dict
    )
    """Rows as they were last sorted and searched."""

    @property
    def table(self) -> Table:
        """What it is about."""
        return self.chat.table


class Service:
    """Conversations with one parser."""

    def __init__(self, parser: Parser, store: SessionStore) -> None:
        self.parser, self.store = parser, store
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._lock = threading.Lock()
        self._model = threading.Lock()
        """The parser learns new words when it meets them, so one question is scored at a time."""

    def samples(self) -> list[str]:
        """Return the names of the tables that come with denota."""
        return [_plain(file) for file in sample.tables()]

    def begin_sample(self, name: str) -> Live:
        """Begin a conversation about one of them.

        Raises:
            DataError: there is none of this name.
        """
        for file, table in sample.tables().items():
            if _plain(file) == name:
                return self._begin(name, to_csv(table))
        raise DataError(f"there is no sample called {name}")

    def begin(self, name: str, content: str) -> Live:
        """Begin a conversation about a table given as text: CSV, TSV or the like.

        Raises:
            TableError: it cannot be read, or is too large.
        """
        raw = content.encode("utf-8", "replace")
        if len(raw) > LARGEST:
            raise TableError(f"the table is larger than {LARGEST >> 20} MB")
        table = read_table(io.BytesIO(raw), ragged="fill")
        return self._begin(name[:200] or "table", to_csv(table))

    def _begin(self, name: str, content: str) -> Live:
        table = table_of(content, name)
        if len(table) * len(table.columns) > CELLS:
            raise TableError(f"the table has more than {CELLS:,} cells")
        chat = Chat(self.parser, table)
        live = Live(self.store.create(name, content), chat)
        self._keep(live)
        return live

    def get(self, id_: str) -> Live:
        """Return a conversation, brought back from disk if it is not in memory.

        Raises:
            DataError: there is none of this id.
        """
        with self._lock:
            found = self._live.get(id_)
            if found is not None:
                self._live.move_to_end(id_)
                return found
        saved = self.store.load(id_)
        chat = Chat(self.parser, table_of(saved.content, saved.name))
        for asked in saved.turns:
            with self._model:
                turn = chat.ask(asked.question)
                if turn.program != asked.program:
                    try:
                        chat.choose(asked.program)
                    except DataError:  # the parser is another by now
                        break
        live = Live(id_, chat)
        self._keep(live)
        return live

    def _keep(self, live: Live) -> None:
        with self._lock:
            self._live[live.id] = live
            while len(self._live) > LIVE:
                self._live.popitem(last=False)

    def ask(self, live: Live, question: str) -> Turn:
        """Answer a question; it is on disk before the answer is given."""
        question = question.strip()
        if not question:
            raise DataError("the question is empty; write what you want to know")
        if len(question) > LONGEST:
            raise DataError(f"the question is longer than {LONGEST:,} characters")
        with live.lock, self._model:
            place = len(live.chat.turns)
            turn = live.chat.ask(question)
            self.store.put(live.id, place, Asked(question, turn.program))
        return turn

    def readings(self, live: Live, count: int = 5) -> tuple[Reading, ...]:
        """Return the ways to understand the last question."""
        with live.lock, self._model:
            return live.chat.readings(count)

    def choose(self, live: Live, program: str) -> Turn:
        """Take another reading of the last question."""
        with live.lock, self._model:
            turn = live.chat.choose(program)
            place = len(live.chat.turns) - 1
            self.store.put(live.id, place, Asked(turn.question, turn.program))
        return turn

    def undo(self, live: Live) -> None:
        """Take the last question back."""
        with live.lock:
            live.chat.undo()
            self.store.cut(live.id, len(live.chat.turns))

    def reset(self, live: Live) -> None:
        """Begin again."""
        with live.lock:
            live.chat.reset()
            self.store.cut(live.id, 0)

    def rows(
        self, live: Live, start: int, count: int, sort: int | None, down: bool, search: str
    ) -> tuple[list[tuple[int, list[str]]], int]:
        """Return some rows as they are seen, each with its number in the table, and how many there are in all."""
        order = self._order(live, sort, down, search.strip().lower()[:LONGEST])
        table = live.table
        shown = [
            (int(row), [column.text[int(row)] for column in table.columns])
            for row in order[start : start + count]
        ]
        return shown, len(order)

    def _order(
        self, live: Live, sort: int | None, down: bool, search: str
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        key = (sort, down, search)
        with live.lock:
            if key not in live.orders:
                live.orders = {key: seen_order(live.table, sort, down, search)}
            return live.orders[key]


def seen_order(
    table: Table, sort: int | None, down: bool, search: str
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the rows that have a text in some cell, sorted by a column: by number or date where it is one, what is missing last.

    >>> table = Table.from_rows(["n"], [["10"], ["9"], ["-"]])
    >>> seen_order(table, 0, False, "").tolist(), seen_order(table, 0, True, "1").tolist()
    ([1, 0, 2], [0])
    """
    rows = np.arange(len(table))
    if search:
        found = np.zeros(len(table), bool)
        for column in table.columns:
            here = np.array([search in value.lower() for value in column.values], bool)
            found |= here[column.codes] if len(here) else False
        rows = rows[found]
    if sort is None:
        return rows
    if not 0 <= sort < len(table.columns):
        raise DataError(f"there is no column {sort}")
    column = table.columns[sort]
    if column.kind == "text":
        ranks = np.argsort(np.argsort(np.array([v.lower() for v in column.values]), kind="stable"))
        keys = ranks[column.codes].astype(np.float64)
    else:
        keys = column.numbers if column.kind == "number" else column.dates.order
    keys = np.where(np.isnan(keys), np.inf, -keys if down else keys)
    return rows[np.argsort(keys[rows], kind="stable")]


def table_of(content: str, name: str) -> Table:
    """Return the table of its CSV."""
    lines = list(csv.reader(io.StringIO(content)))
    return Table.from_rows(lines[0], lines[1:], name)


def to_csv(table: Table) -> str:
    """Return a table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(zip(*(column.text for column in table.columns), strict=True))
    return out.getvalue()


def _plain(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".csv")
