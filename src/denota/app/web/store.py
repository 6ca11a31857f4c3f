"""Sessions on disk: what was answered is there again after a restart, however the server ended.

A session is a table and the questions asked of it, each with the program it was taken to mean. That is all a conversation is made of, so that is all that is kept. One
SQLite file, written before an answer is given.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from denota.errors import DataError

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL, content TEXT NOT NULL, touched REAL NOT NULL);
CREATE TABLE IF NOT EXISTS turns (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, place INTEGER NOT NULL, question TEXT NOT NULL, program TEXT NOT NULL,
    PRIMARY KEY (session, place)
);
"""


@dataclass(frozen=True)
class Asked:
    """A question, and the program it was taken to mean."""

    question: str
    program: str


@dataclass(frozen=True)
class Saved:
    """A session as it was kept."""

    id: str
    name: str
    content: str
    """The table as CSV."""
    turns: tuple[Asked, ...]


class SessionStore:
    """Sessions in a file."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(SCHEMA)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def create(self, name: str, content: str) -> str:
        """Begin a session and return its id, which cannot be guessed."""
        id_ = secrets.token_urlsafe(16)
        with self._writing() as to:
            to.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?)", (id_, name, content, time.time())
            )
        return id_

    def load(self, id_: str) -> Saved:
        """Return a session.

        Raises:
            DataError: there is none of this id.
        """
        with self._lock:
            found = self._connection.execute(
                "SELECT name, content FROM sessions WHERE id = ?", (id_,)
            ).fetchone()
            if found is None:
                raise DataError("there is no such session; begin a new one")
            turns = self._connection.execute(
                "SELECT question, program FROM turns WHERE session = ? ORDER BY place", (id_,)
            ).fetchall()
        return Saved(id_, found[0], found[1], tuple(Asked(*turn) for turn in turns))

    def put(self, id_: str, place: int, asked: Asked) -> None:
        """Keep a turn; those behind it are dropped."""
        with self._writing() as to:
            to.execute("DELETE FROM turns WHERE session = ? AND place >= ?", (id_, place))
            to.execute("INSERT INTO turns VALUES (?, ?, ?, ?)", (id_, place, *_fields(asked)))
            to.execute("UPDATE sessions SET touched = ? WHERE id = ?", (time.time(), id_))

    def cut(self, id_: str, place: int) -> None:
        """Drop the turns from a place on."""
        with self._writing() as to:
            to.execute("DELETE FROM turns WHERE session = ? AND place >= ?", (id_, place))

    def delete(self, id_: str) -> None:
        """Drop a session."""
        with self._writing() as to:
            to.execute("DELETE FROM sessions WHERE id = ?", (id_,))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _fields(asked: Asked) -> tuple[str, str]:
    return asked.question, asked.program
