"""A conversation about a database: each table is opened when a question is about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from denota.conversation.chat import Chat
from denota.conversation.choose_table import Choice, Offer, choose_table, words_of_value
from denota.conversation.turn import Turn
from denota.errors import DataError, TableError
from denota.tables.limits import Limits
from denota.tables.source import Source, how_to_name, listed, quoted, read_stored, shown_name
from denota.tables.stored import Stored
from denota.tables.table import Table

SEEN: Final = 1_000
"""Rows of a table that are looked at before it is opened, to know what it speaks of."""
LOOKED_INTO: Final = 50
"""Tables of a database that are looked into so."""


class Undecided(DataError):
    """A question of which no single table can be told."""


class Tables:
    """The tables of a database, each read when it is first asked, and asked anew when come back to.

    Args:
        source: the database, which is closed with `close`.
        begin: begins a conversation about a table.
        opened: is told of each table that was read.
        limits: how much of a table is read.
    """

    def __init__(
        self,
        source: Source,
        begin: Callable[[Table], Chat],
        opened: Callable[[Table], None] = lambda table: None,
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        self.source = source
        self._begin, self._opened, self._limits = begin, opened, limits
        self.stored = {shown_name(one): one for one in source.catalogue()}
        self._tables: dict[str, Table] = {}
        self._chat: Chat | None = None
        self._offers: dict[str, Offer] = {}
        self.current: str | None = None
        """The table of the last question."""

    @property
    def chat(self) -> Chat:
        """The conversation about the current table.

        Raises:
            Undecided: nothing was asked yet.
        """
        if self._chat is None:
            raise Undecided(f"nothing was asked yet. {self.about()}")
        return self._chat

    def about(self) -> str:
        """Say which tables there are, and how to name one."""
        tables = tuple(self.stored.values())
        how = how_to_name(self.source.label, tables[0])
        return f"{self.source.label} has {listed(tables)}; name one, as in {how}"

    def ask(self, question: str) -> Turn:
        """Answer a question about the table that it speaks of.

        Raises:
            Undecided: that cannot be told, or it needs two.
            TableError: the table cannot be read.
        """
        choice = choose_table(question, tuple(map(self._offer, self.stored)), self.current)
        if choice.table is None or choice.other is not None:
            raise Undecided(self._why(choice))
        if self._chat is None or choice.table != self.current:
            self._chat = self._begin(self._read(choice.table))
            self.current = choice.table
        return self._chat.ask(question)

    def _read(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = read_stored(self.source, self.stored[name], self._limits)
            self._opened(self._tables[name])
        return self._tables[name]

    def close(self) -> None:
        """Let go of the database."""
        self.source.close()

    def _why(self, choice: Choice) -> str:
        if choice.other is None:
            return f"I cannot tell which table that is about. {self.about()}."
        where = f"“{choice.lacking}” is in {choice.other}, the rest in {choice.table}"
        return f"That needs two tables: {where}. I do not join tables; ask about one at a time."

    def _offer(self, name: str) -> Offer:
        """A table by its words: those of its columns, and of its first rows."""
        if name not in self._offers:
            columns = tuple(column.name for column in self.stored[name].columns)
            place = list(self.stored).index(name)
            texts = self._look(self.stored[name]) if place < LOOKED_INTO else set()
            self._offers[name] = Offer(name, columns, _values(texts))
        return self._offers[name]

    def _look(self, stored: Stored) -> set[str]:
        spoken = [quoted(stored.engine, c.name) for c in stored.columns if c.kind == "text"]
        if not spoken:
            return set()
        table = quoted(stored.engine, *stored.name)
        try:
            found = self.source.query(f"SELECT {', '.join(spoken)} FROM {table} LIMIT {SEEN}")
        except TableError:  # a broken view says so when it is asked
            return set()
        return {text for column in found.texts() for text in column}


def _values(texts: set[str]) -> frozenset[str]:
    return frozenset(filter(None, map(words_of_value, texts)))
