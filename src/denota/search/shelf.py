"""Questions made ready once for all of some processes: what one of them made, the others read.

Each question is a file of a folder, as a record of a store has it; a reader finds a whole file or
none. The processes are forked from one, so that a question is known by its address.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from contextlib import suppress
from pathlib import Path

import numpy as np

from denota.programs.denotation import Denotation
from denota.programs.index import index_of
from denota.search.prepare import Prepared
from denota.search.store_record import StoreRecord, record_arrays
from denota.search.task import Task


class Shelf:
    """Where a process finds questions that another made ready, and leaves its own."""

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most = folder, most
        """At most this many are left by this process."""

    def find(
        self, key: tuple[int, Denotation | None], task: Task, language: frozenset[str]
    ) -> Prepared | None:
        """Return a question that was made ready, None if it was not."""
        try:
            file = np.memmap(self._path(key, task), np.uint8, "r")
        except (OSError, ValueError):
            return None
        size = int(file[:8].view("<i8")[0])
        before, has_number, begins, more = pickle.loads(file[8 : 8 + size].tobytes())
        known = index_of(task.question.table).class_tokens
        values = (*known, *more) if begins and more else known if begins else more
        record = StoreRecord(file, 8 + size + -size % 8)
        return record.prepared(task, values, before, has_number, language)

    def keep(self, key: tuple[int, Denotation | None], task: Task, ready: Prepared) -> None:
        """Leave a question for others, if there is room."""
        if self.most <= 0:
            return
        self.most -= 1
        path = self._path(key, task)
        known = index_of(task.question.table).class_tokens
        begins = ready.values[: len(known)] == known  # not where only linked values are read
        more = ready.values[len(known) :] if begins else ready.values
        facts = pickle.dumps((ready.before_constant, ready.has_number, begins, more))
        beside = path.with_suffix(f".{os.getpid()}")
        try:
            with beside.open("wb") as file:
                for raw in (len(facts).to_bytes(8, "little"), facts):
                    file.write(raw + b"\0" * (-len(raw) % 8))
                for array in record_arrays(ready):
                    raw = array.tobytes()
                    file.write(raw + b"\0" * (-len(raw) % 8))
            os.replace(beside, path)
        except OSError:  # no room: every process makes its own
            self.most = 0
            with suppress(OSError):
                beside.unlink()

    def _path(self, key: tuple[int, Denotation | None], task: Task) -> Path:
        address, previous = key
        digest = hashlib.sha256(repr((previous, task.answer is None)).encode()).hexdigest()
        return self.folder / f"{address:x}-{digest[:24]}"
