"""Processes that rate questions, one a core, so that many people can ask at once.

Conversations live in the server. A worker has the parser and the tables that it was asked about
lately, which it reads from the store by itself.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final

from denota.app.paths import load_run
from denota.app.web.sessions import SessionStore
from denota.conversation.rating import RatedProgram, rate
from denota.data.example import Question
from denota.errors import DenotaError
from denota.model.memory import Memory, TableMemory, header_of
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.search.preparer import Preparer
from denota.tables.inline import whole_inline_table
from denota.tables.table import Table

PATIENCE: Final = 30.0
"""Seconds after which a question is given up."""
TABLES: Final = 32
"""Tables that a worker remembers."""


class Busy(DenotaError):
    """A server with too much to do."""


class Workers:
    """Processes that rate questions."""

    def __init__(self, model: str, sessions: Path, count: int) -> None:
        self._start = model, str(sessions)
        self._count = count
        self._lock = threading.Lock()
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self._count, spawn, initializer=_begin, initargs=self._start)
        for _ in range(self._count):
            pool.submit(_nothing)  # so that they start now, and not with the first question
        return pool

    def rate(
        self,
        session: str,
        question: Question,
        previous: Denotation | None,
        taught: TableMemory | None = None,
    ) -> tuple[RatedProgram, ...]:
        """Return the best programs of a question of a session, with what was taught of its table.

        Raises:
            Busy: it took too long, or the processes died.
        """
        asked = (session, question.position, question.text, question.history, previous, taught)
        for _ in range(2):
            pool = self._pool
            try:
                return pool.submit(_rate, *asked).result(PATIENCE)
            except TimeoutError:
                raise Busy("the server has too much to do; ask again in a moment") from None
            except BrokenProcessPool:
                with self._lock:
                    if self._pool is pool:  # nobody else has seen to it yet
                        self._pool = self._new()
        raise Busy("the server lost what answers questions; ask again in a moment")

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)


class _Worker:
    """What a process has."""

    def __init__(self, model: str, sessions: str) -> None:
        self.parser: Parser = load_run(model)
        self.preparer = Preparer.of(self.parser.config, 1, True, self.parser.language)
        self.store = SessionStore(Path(sessions))
        self.tables: OrderedDict[str, Table] = OrderedDict()

    def table(self, session: str) -> Table:
        found = self.tables.get(session)
        if found is None:
            found = whole_inline_table(json.loads(self.store.load(session).content))
            self.tables[session] = found
        self.tables.move_to_end(session)
        if len(self.tables) > TABLES:
            self.tables.popitem(last=False)
        return found


_worker: _Worker | None = None


def _begin(model: str, sessions: str) -> None:
    global _worker
    import torch

    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker = _Worker(model, sessions)


def _end_with_parent() -> None:
    """Leave when the server is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _nothing() -> None:
    pass


def _rate(
    session: str,
    position: int,
    text: str,
    history: tuple[str, ...],
    previous: Denotation | None,
    taught: TableMemory | None,
) -> tuple[RatedProgram, ...]:
    assert _worker is not None
    table = _worker.table(session)
    question = Question(session, "0", position, text, table, "", history)
    memory = Memory({header_of(table): taught} if taught is not None else {})
    parser = replace(_worker.parser, memory=memory)
    return rate(parser, _worker.preparer, question, previous)
