"""Teaching in a process that does not write: changes to the log are collected, to be written later.

A worker process holds chats and a `Teacher` over a `PendingLog`. It answers a request and sends
what the request changed to the one process that writes:

    worker    log = PendingLog(path); teacher = Teacher(parser, log)
              turn = chat.ask(question)         # or teach, unteach, ...
              return turn, log.taken()          # entries can be pickled
    server    TeachingLog(path).write(entries)  # all or none, before the client gets the answer

A request that fails half way is followed by `log.drop()`. If the server could not write what it was
given, nothing has to be said to the log; the chat should be brought back as it was on disk.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from denota.tables.table import Table
from denota.teaching.log import Entry, Record, TeachingLog, Version


class PendingLog(TeachingLog):
    """A log that reads its file and collects what is added in memory.

    It shows its file with the entries that are pending, so that a lesson is in force at once for
    whoever asks through it. `taken` hands the entries over: from then on the file alone counts, in
    which they appear as soon as they are written. Use one for one request at a time.

    Args:
        path: the file, which another process writes.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path, read_only=True)
        self._pending: list[Entry] = []
        self._count = 0
        """How many entries there ever were."""
        self._pending_lock = threading.Lock()

    def write(self, entries: Sequence[Entry]) -> list[int]:
        """Keep changes until they are taken; return the numbers they have until then, below 0."""
        with self._pending_lock:
            before = len(self._pending)
            self._pending += entries
            self._count += len(entries)
            return [-number for number in range(before + 1, len(self._pending) + 1)]

    def taken(self) -> tuple[Entry, ...]:
        """Return the entries that are pending, for `TeachingLog.write`, and forget them."""
        with self._pending_lock:
            found = tuple(self._pending)
            self._pending.clear()
            return found

    def drop(self) -> None:
        """Forget the entries that are pending."""
        self.taken()

    def version(self, person: str = "") -> Version:
        """Return what changes whenever a person's records do, pending ones among them."""
        with self._pending_lock:
            pending = any(entry.person == person for entry in self._pending)
            own = (self._count,) if pending else ()
        return *super().version(person), *own

    def records(self, person: str | None = None) -> list[Record]:
        """Return the log of one person or of all, pending entries last."""
        written = super().records(person)
        with self._pending_lock:
            pending = [
                _record(-number, entry)
                for number, entry in enumerate(self._pending, start=1)
                if person in (None, entry.person)
            ]
        return [*written, *pending]

    def table(self, digest: str) -> Table:
        """Return the table of a lesson, pending or written."""
        with self._pending_lock:
            there = [entry.table for entry in self._pending if entry.table is not None]
        for table in there:
            if table.digest == digest:
                return table.read()
        return super().table(digest)


def _record(number: int, entry: Entry) -> Record:
    digest = entry.table.digest if entry.table is not None else ""
    own = (entry.at, entry.person, entry.kind, digest, entry.correction, entry.session)
    return Record(number, *own, entry.lesson)
