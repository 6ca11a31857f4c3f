"""An SQLite file: opened, brought to the newest format, and written in transactions.

The format is the file's `user_version`. A file without one has format 0: it is new, or from
before formats were numbered.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from denota.errors import DataError, newer_format

Upgrade = Callable[[sqlite3.Connection], None]
"""Brings a file from one format to the next, within a transaction."""


class Database:
    """An SQLite file that threads share; what a transaction wrote is on the disk when it ends.

    Args:
        path: the file, which only its owner may read; None for one in memory.
        upgrades: the first brings a file of format 0 to format 1, and so on.

    Raises:
        FormatError: a newer denota wrote the file.
        OSError, sqlite3.Error: it cannot be opened, or is something else.
    """

    def __init__(self, path: Path | None, upgrades: Sequence[Upgrade]) -> None:
        self._lock = threading.Lock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
        place = path or ":memory:"
        self._connection = sqlite3.connect(place, check_same_thread=False, isolation_level=None)
        try:
            if path is not None and self.format > len(upgrades):
                raise newer_format(path, self.format, len(upgrades))
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                self._connection.execute(f"PRAGMA {pragma}")
            self._upgrade(upgrades)
        except BaseException:
            self._connection.close()
            raise

    @property
    def format(self) -> int:
        """The format of the file."""
        (found,) = self._connection.execute("PRAGMA user_version").fetchone()
        return int(found)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read; no other thread writes meanwhile."""
        with self._lock:
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write in a transaction.

        Raises:
            DataError: it could not be written, and nothing of it was.
        """
        with self._lock:
            try:
                with self._transaction() as to:
                    yield to
            except sqlite3.Error as error:
                raise DataError(f"this could not be kept on disk ({error})") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _upgrade(self, upgrades: Sequence[Upgrade]) -> None:
        if self.format == len(upgrades):
            return
        with self._transaction() as to:
            for upgrade in upgrades[self.format :]:  # another process may just have done it
                upgrade(to)
            to.execute(f"PRAGMA user_version = {len(upgrades)}")
