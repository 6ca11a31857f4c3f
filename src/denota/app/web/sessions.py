"""Sessions on disk: what was answered is there again after a restart, however the server ended.

A session is a table and the questions asked of it, each with the program it was taken to mean: all
that a conversation is made of. They are in one SQLite file, written before an answer is given.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from denota.data.answer import Item
from denota.errors import DataError
from denota.sqlite import Database
from denota.tables.table import Cell

MOST: Final = 5000
"""Sessions that are kept; beyond, the one that was left alone for longest goes."""
COLUMNS: Final = "question, program, confidence, sure, cells, told"
"""Of a turn, in the order of `SavedTurn`; `told` holds values."""
SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS sessions (
        id TEXT PRIMARY KEY, content TEXT NOT NULL, touched REAL NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS turns (
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, place INTEGER NOT NULL,
        question TEXT NOT NULL, program TEXT NOT NULL, confidence REAL NOT NULL,
        sure INTEGER NOT NULL, cells TEXT, told TEXT, PRIMARY KEY (session, place)
    )""",
    "CREATE INDEX IF NOT EXISTS sessions_by_touch ON sessions (touched)",
)
"""Format 1."""


def _to_format_1(to: sqlite3.Connection) -> None:
    """Make the tables; a file from before formats were numbered may lack two columns."""
    for statement in SCHEMA:
        to.execute(statement)
    columns = to.execute("SELECT name FROM pragma_table_info('turns')").fetchall()
    for column in ("cells", "told"):
        if (column,) not in columns:
            to.execute(f"ALTER TABLE turns ADD COLUMN {column} TEXT")


@dataclass(frozen=True)
class SavedTurn:
    """A question, and the program it was taken to mean; none if it was declined."""

    question: str
    program: str
    confidence: float
    sure: bool
    cells: tuple[Cell, ...] | None = None
    """That were pointed at, if no program gives them."""
    values: tuple[Item, ...] | None = None
    """That were said to be right, likewise."""


@dataclass(frozen=True)
class SavedSession:
    """A session as it was kept."""

    id: str
    content: str
    """The table as JSON."""
    turns: tuple[SavedTurn, ...]


class SessionStore:
    """Sessions in a file.

    Raises:
        DataError: the file cannot be opened, or is something else.
        FormatError: a newer denota wrote it.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._database = Database(path, [_to_format_1])
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"sessions cannot be kept in {path}: {error}; name another file with --sessions"
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def create(self, content: str) -> str:
        """Begin a session and return its id, which cannot be guessed."""
        id_ = secrets.token_urlsafe(16)
        with self._database.writing() as to:
            to.execute("INSERT INTO sessions VALUES (?, ?, ?)", (id_, content, time.time()))
            to.execute(
                "DELETE FROM sessions WHERE id IN "
                "(SELECT id FROM sessions ORDER BY touched DESC LIMIT -1 OFFSET ?)",
                (MOST,),
            )
        return id_

    def load(self, id_: str) -> SavedSession:
        """Return a session.

        Raises:
            DataError: there is none of this id.
        """
        with self._database.reading() as of:
            found = of.execute("SELECT content FROM sessions WHERE id = ?", (id_,)).fetchone()
            if found is None:
                raise DataError("there is no such session; begin a new one")
            turns = of.execute(
                f"SELECT {COLUMNS} FROM turns WHERE session = ? ORDER BY place", (id_,)
            ).fetchall()
        return SavedSession(id_, found[0], tuple(_turn(*turn) for turn in turns))

    def put(self, id_: str, place: int, asked: SavedTurn) -> None:
        """Keep a turn; those behind it are dropped."""
        with self._database.writing() as to:
            to.execute("DELETE FROM turns WHERE session = ? AND place >= ?", (id_, place))
            cells = None if asked.cells is None else json.dumps(asked.cells)
            told = None if asked.values is None else json.dumps(asked.values)
            own = (id_, place, asked.question, asked.program, asked.confidence, asked.sure)
            to.execute(
                f"INSERT INTO turns (session, place, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*own, cells, told),
            )
            to.execute("UPDATE sessions SET touched = ? WHERE id = ?", (time.time(), id_))

    def cut(self, id_: str, place: int) -> None:
        """Drop the turns from a place on."""
        with self._database.writing() as to:
            to.execute("DELETE FROM turns WHERE session = ? AND place >= ?", (id_, place))

    def delete(self, id_: str) -> None:
        """Drop a session."""
        with self._database.writing() as to:
            to.execute("DELETE FROM sessions WHERE id = ?", (id_,))


def _turn(
    question: str,
    program: str,
    confidence: float,
    sure: int,
    cells: str | None,
    told: str | None,
) -> SavedTurn:
    pointed = None if cells is None else tuple((row, column) for row, column in json.loads(cells))
    values = None if told is None else tuple(json.loads(told))
    return SavedTurn(question, program, confidence, bool(sure), pointed, values)
