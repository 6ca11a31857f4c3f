"""Conversations behind the server: begun, asked, read otherwise and brought back from disk."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from denota import sample
from denota.app.offers import Offers
from denota.app.reading import ReaderOptions
from denota.app.web.rows import SeenRows
from denota.app.web.sessions import SavedTurn, SessionStore
from denota.app.web.workers import Workers
from denota.conversation.chat import Chat, Reading
from denota.conversation.given import Given
from denota.conversation.rating import RatedProgram, rate
from denota.conversation.turn import Turn
from denota.data.example import Question
from denota.errors import DataError, ProgramError, TableError
from denota.model.parser import Parser
from denota.programs.denotation import Denotation, plain_number
from denota.search.preparer import Preparer
from denota.tables.inline import whole_inline_table, whole_table_as_object
from denota.tables.limits import Limits
from denota.tables.table import Table
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Taught, Teacher

LIVE: Final = 256
"""Conversations in memory, at most; others are brought back from disk when they are met."""
LARGEST: Final = 32 << 20
"""Bytes of a table that is taken."""
TURNS: Final = 500
"""Questions of a conversation."""
FILLED: Final = ReaderOptions(ragged="fill")
"""How an upload is read of which nothing is said: a person at a page cannot mend its lines."""
LIMITS: Final = Limits(bytes=4 * LARGEST, columns=500, cells=3_000_000, sketches=False)
"""Of a table that is taken, unpacked."""


@dataclass(eq=False)
class Live:
    """A conversation in memory."""

    id: str
    chat: Chat
    lock: threading.Lock = field(default_factory=threading.Lock)
    rows: SeenRows = field(init=False)
    gone: bool = False
    """Whether it was deleted."""

    def __post_init__(self) -> None:
        """Begin with the rows as they are."""
        self.rows = SeenRows(self.table)

    @property
    def table(self) -> Table:
        """What it is about."""
        return self.chat.table


class Service:
    """Conversations with one parser.

    Args:
        parser: what answers.
        store: where conversations are kept.
        workers: processes that rate questions; if None the parser rates them one at a time.
        teacher: what the parser is taught by; if None lessons are forgotten when the server ends.
        offers: tables that can be asked about by name; the server opens no others.
    """

    def __init__(
        self,
        parser: Parser,
        store: SessionStore,
        workers: Workers | None = None,
        teacher: Teacher | None = None,
        offers: Offers | None = None,
    ) -> None:
        self.parser, self.store, self.workers = parser, store, workers
        self.teacher = teacher or Teacher(parser, TeachingLog())
        self._preparer = Preparer.of(parser.config, 1, True, parser.language)
        self._parser_lock = threading.Lock()
        self._offers = offers or {}
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._lock = threading.Lock()
        self._samples = {_plain(file): table for file, table in sample.tables().items()}

    def close(self) -> None:
        """Stop answering and close the store."""
        if self.workers is not None:
            self.workers.close()
        self.teacher.log.close()
        self.store.close()

    def samples(self) -> list[str]:
        """Return the names of the tables that come with denota."""
        return list(self._samples)

    def begin_sample(self, name: str) -> Live:
        """Begin a conversation about one of them.

        Raises:
            DataError: there is none of this name.
        """
        if name not in self._samples:
            raise DataError(f"there is no sample called {name}")
        return self._begin(self._samples[name])

    def offered(self) -> list[str]:
        """Return the names of the tables that the operator offers."""
        return list(self._offers)

    def begin_offered(self, name: str) -> Live:
        """Begin a conversation about one of them, as it is now.

        Raises:
            DataError: there is none of this name.
            TableError: it cannot be read; the operator is told why.
        """
        if name not in self._offers:
            raise DataError("there is no table of that name here")
        try:
            table = self._offers[name]()
        except TableError as error:  # it may name hosts and paths
            print(f"denota: {name}: {error}", file=sys.stderr, flush=True)
            raise TableError(
                f"{name} cannot be read now; whoever runs the server can see why"
            ) from None
        return self._begin(table)

    def begin(self, name: str, data: bytes, how: ReaderOptions = FILLED) -> Live:
        """Begin a conversation about a table given as the bytes of a file.

        CSV, TSV, JSON, Excel or Parquet, gzipped or not; `how` says what should not be found out.

        Raises:
            TableError: it cannot be read, or is too large.
        """
        if len(data) > LARGEST:
            raise TableError(f"the table is larger than {LARGEST >> 20} MB")
        name = "".join(c for c in name if c.isprintable()).strip()[:200] or "table"
        return self._begin(how.read(io.BytesIO(data), LIMITS, name=name))

    def _begin(self, table: Table) -> Live:
        id_ = self.store.create(json.dumps(whole_table_as_object(table)))
        return self._keep(Live(id_, self._chat(id_, table)))

    def _chat(self, id_: str, table: Table) -> Chat:
        chat = Chat(self.parser, table, teacher=self.teacher)
        chat.rated_by = partial(self._rate, id_, chat)
        return chat

    def _rate(
        self, id_: str, chat: Chat, question: Question, previous: Denotation | None
    ) -> tuple[RatedProgram, ...]:
        memory = self.teacher.memory(chat.person)
        if self.workers is not None:
            taught = memory.of(question.table)
            return self.workers.rate(id_, question, previous, taught)
        with self._parser_lock:
            parser = replace(self.parser, memory=memory)
            return rate(parser, self._preparer, question, previous)

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
        chat = self._chat(id_, whole_inline_table(json.loads(saved.content)))
        for asked in saved.turns:
            try:
                chat.recall(
                    asked.question,
                    asked.program,
                    asked.confidence,
                    asked.sure,
                    asked.cells,
                    asked.values,
                )
            except ProgramError:  # of a version with another language
                break
        return self._keep(Live(id_, chat))

    def _keep(self, live: Live) -> Live:
        """Remember a conversation; if someone else brought it back meanwhile, theirs is the one."""
        with self._lock:
            live = self._live.setdefault(live.id, live)
            self._live.move_to_end(live.id)
            while len(self._live) > LIVE:
                self._live.popitem(last=False)
        return live

    def ask(self, live: Live, question: str, person: str = "") -> Turn:
        """Answer a question; it is on disk before the answer is given."""
        with live.lock:
            if len(live.chat.turns) >= TURNS:
                raise DataError(f"a conversation has at most {TURNS} questions; begin a new one")
            live.chat.person = person
            turn = live.chat.ask(question)
            try:
                self._save(live, turn)
            except DataError:
                live.chat.undo()  # what is not on disk was not said
                raise
        return turn

    def _save(self, live: Live, turn: Turn) -> None:
        if live.gone:
            raise DataError("there is no such session; begin a new one")
        place = len(live.chat.turns) - 1
        corrected = not turn.program and not turn.declined
        cells = turn.cells if corrected and turn.cells else None
        values = turn.items if corrected and not turn.cells else None
        asked = SavedTurn(turn.question, turn.program, turn.confidence, turn.sure, cells, values)
        self.store.put(live.id, place, asked)

    def readings(self, live: Live, count: int = 5) -> tuple[Reading, ...]:
        """Return the ways to understand the last question."""
        with live.lock:
            return live.chat.readings(count)

    def choose(self, live: Live, program: str) -> Turn:
        """Take another reading of the last question."""
        with live.lock:
            turn = live.chat.choose(program)
            self._save(live, turn)
        return turn

    def teach(
        self,
        live: Live,
        place: int,
        cells: Sequence[tuple[int, int]] | None,
        program: str | None,
        person: str,
        values: Sequence[Given] | None = None,
    ) -> tuple[Turn, Taught, tuple[Turn, ...]]:
        """Learn which cells or values answer a question.

        Return its turn now, what came of the lesson, and the readings that give the answer.
        """
        with live.lock:
            live.chat.person = person
            taught = live.chat.teach(place, cells, program, values)
            turn = live.chat.turns[-1]
            self._save(live, turn)
            return turn, taught, live.chat.told_as(taught.readings)

    def unteach(self, live: Live, person: str) -> str:
        """Take a person's last lesson back and return the question it was about."""
        with live.lock:
            live.chat.person = person
            return live.chat.unteach()

    def lessons(self, person: str) -> list[dict[str, Any]]:
        """Return a person's lessons in force, oldest first."""
        found = []
        for record, program in self.teacher.lessons(person):
            assert record.correction is not None
            correction = record.correction
            found.append(
                {
                    "question": correction.question,
                    "program": program,
                    "learnt": bool(program),
                    "cells": len(correction.cells),
                    "values": None
                    if correction.values is None
                    else [plain_number(value) for value in correction.values],
                }
            )
        return found

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

    def delete(self, live: Live) -> None:
        """Forget a conversation and its table."""
        with live.lock, self._lock:
            live.gone = True
            self._live.pop(live.id, None)
            self.store.delete(live.id)


def session_object(live: Live) -> dict[str, Any]:
    """Return a conversation for JSON."""
    table = live.table
    return {
        "id": live.id,
        "name": table.name,
        "rows": table.count,
        "notes": list(table.notes),
        "columns": [{"name": c.name, "kind": c.kind, "unit": c.unit} for c in table.columns],
        "turns": [turn.as_json() for turn in live.chat.turns],
    }


def _plain(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".csv")
