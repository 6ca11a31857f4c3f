"""An SQLite file: opened, brought to the newest format, and written in transactions.

The format is the file's `user_version`. A file without one has format 0: it is new, or from
before formats were numbered.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from denota.errors import DataError, newer_format

Upgrade = Callable[[sqlite3.Connection], None]
"""Brings a file from one format to the next, within a transaction."""
PRAGMAS: Final = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",  # what is deleted is overwritten
)
SIDES: Final = ("", "-wal", "-shm")
"""The endings of the files that SQLite keeps a database in."""


class Database:
    """An SQLite file that threads share; what a transaction wrote is on the disk when it ends.

    Args:
        path: the file, which only its owner may read, as a folder that is made for it; None for
            one in memory.
        upgrades: the first brings a file of format 0 to format 1, and so on.
        read_only: whether nothing is written but upgrades.

    Raises:
        FormatError: a newer denota wrote the file.
        OSError, sqlite3.Error: it cannot be opened, or is something else.
    """

    def __init__(
        self, path: Path | None, upgrades: Sequence[Upgrade], read_only: bool = False
    ) -> None:
        self._lock = threading.Lock()
        if path is not None:
            make_private(path)
        place = path or ":memory:"
        self._connection = sqlite3.connect(place, check_same_thread=False, isolation_level=None)
        try:
            if path is not None and self.format > len(upgrades):
                raise newer_format(path, self.format, len(upgrades))
            for pragma in PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")
            self._upgrade(upgrades)
            if read_only:
                self._connection.execute("PRAGMA query_only = ON")
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
        """Read; no other thread writes meanwhile.

        Raises:
            DataError: the file cannot be read.
        """
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise DataError(f"what is kept on disk cannot be read ({error})") from None

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

    def wipe(self) -> None:
        """Let nothing that was deleted be left in the files, the write-ahead log among them.

        Raises:
            DataError: it could not be done now; a later call, or closing the file, does it.
        """
        with self._lock:
            try:
                busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                raise DataError(f"what was deleted is still on disk ({error})") from None
        if busy:
            raise DataError("what was deleted is still on disk: the file is being read")

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
        # deleted text of files that did not overwrite it goes too; the file is good without
        with suppress(sqlite3.Error):
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def make_private(path: Path) -> None:
    """Make a file that only its owner may read, or let it be so; likewise folders it needs."""
    missing = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    path.touch(mode=0o600)
    for side in SIDES:
        file = path.with_name(path.name + side)
        with suppress(FileNotFoundError, PermissionError):  # another's file is theirs to mend
            if file.stat().st_mode & 0o777 != 0o600:
                file.chmod(0o600)
