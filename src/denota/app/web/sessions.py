"""Sessions on disk: what was answered is there again after a restart, however the server ended.

A session is a table and the questions asked of it, each with the program it was taken to mean: all
that a conversation is made of. They are in one SQLite file that belongs to one server at a time,
and are written before an answer is given. What a server must know of every session to let a request
through (whose it is, how far it has gone) is in memory too, so that looking it up never waits.
"""

from __future__ import annotations

import fcntl
import json
import secrets
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final

from denota.app.web.refusals import Damaged, NoRoom, no_session
from denota.data.answer import Item
from denota.errors import DataError
from denota.sqlite import Database
from denota.tables.table import Cell

MOST: Final = 500
"""Sessions of one owner."""
BYTES: Final = 512 << 20
"""Bytes that the sessions of one owner take."""
SPACE: Final = 16 << 30
"""Bytes that all sessions take."""
COLUMNS: Final = (
    "question, program, confidence, sure, cells, told, taught, id, key, request, afresh"
)
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
SECOND: Final = (
    "ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sessions ADD COLUMN version TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sessions ADD COLUMN name TEXT NOT NULL DEFAULT 'table'",
    "ALTER TABLE sessions ADD COLUMN rows INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE sessions ADD COLUMN cells INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE sessions ADD COLUMN key TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sessions ADD COLUMN request TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE turns ADD COLUMN taught INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE turns ADD COLUMN id TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE turns ADD COLUMN key TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE turns ADD COLUMN request TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE turns ADD COLUMN afresh INTEGER NOT NULL DEFAULT 0",
    "UPDATE sessions SET version = lower(hex(randomblob(8))), cells = length(content) / 8",
    "UPDATE turns SET id = lower(hex(randomblob(8)))",
    # how recently each was used, as a count: clocks may jump
    """UPDATE sessions SET touched = (
        SELECT COUNT(*) FROM sessions AS other WHERE other.touched <= sessions.touched
    )""",
)
"""What format 2 adds: whose a session is, how far it has gone, and keys of requests."""


def _to_format_1(to: sqlite3.Connection) -> None:
    """Make the tables; a file from before formats were numbered may lack two columns."""
    for statement in SCHEMA:
        to.execute(statement)
    columns = to.execute("SELECT name FROM pragma_table_info('turns')").fetchall()
    for column in ("cells", "told"):
        if (column,) not in columns:
            to.execute(f"ALTER TABLE turns ADD COLUMN {column} TEXT")


def _to_format_2(to: sqlite3.Connection) -> None:
    for statement in SECOND:
        to.execute(statement)


def new_id() -> str:
    """Return an id that cannot be guessed."""
    return secrets.token_urlsafe(16)


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
    taught: bool = False
    """Whether a person said what its answer is."""
    id: str = ""
    """The session's version since which it is as it is."""
    key: str = ""
    """The `Idempotency-Key` of the request that made it."""
    request: str = ""
    """A digest of that request."""
    afresh: bool = False
    """Whether it was understood as if nothing had been asked before."""


@dataclass(frozen=True)
class SavedSession:
    """A session as it was kept."""

    id: str
    content: dict[str, Any]
    """The table, as an object of JSON."""
    turns: tuple[SavedTurn, ...]


@dataclass(frozen=True)
class Kept:
    """What a server knows of a session without reading it."""

    id: str
    owner: str
    version: str
    """Changes with every turn that is added, changed or taken back."""
    name: str
    rows: int
    cells: int
    bytes: int
    turns: int
    used: int
    """The larger, the more recently it was used."""
    key: str = ""
    request: str = ""


class SessionStore:
    """Sessions in a file.

    Args:
        path: the file.
        alone: whether this process is the one that writes it.

    Raises:
        DataError: the file cannot be opened, is something else, or belongs to another server.
        FormatError: a newer denota wrote it.
    """

    def __init__(self, path: Path, alone: bool = True) -> None:
        self._held = hold(path) if alone else None
        try:
            self._database = Database(path, [_to_format_1, _to_format_2])
            self._kept = self._all() if alone else {}
        except (OSError, sqlite3.Error, DataError) as error:
            raise DataError(
                f"sessions cannot be kept in {path}: {error}; name another file with --sessions"
            ) from None
        self._used = max((one.used for one in self._kept.values()), default=0)

    def close(self) -> None:
        """Close the file."""
        self._database.close()
        if self._held is not None:
            self._held.close()

    def __len__(self) -> int:
        """Return how many sessions there are."""
        return len(self._kept)

    def find(self, id_: str) -> Kept:
        """Return what is known of a session.

        Raises:
            NotThere: there is none of this id.
        """
        found = self._kept.get(id_)
        if found is None:
            raise no_session()
        return found

    def of(self, owner: str) -> list[Kept]:
        """Return the sessions of an owner, the one used last first."""
        own = [one for one in list(self._kept.values()) if one.owner == owner]
        return sorted(own, key=lambda one: -one.used)

    def create(self, one: Kept, content: bytes, makes_room: bool) -> tuple[str, ...]:
        """Begin a session and return the ids of those that made room for it.

        Args:
            one: what is known of it.
            content: the table, as `packed` gives it.
            makes_room: whether the owner's own oldest sessions may go; else it is refused.

        Raises:
            NoRoom: there is no room for it.
        """
        own = self.of(one.owner)
        gone: list[str] = []
        taken = len(content) + sum(each.bytes for each in own)
        while len(own) >= MOST or taken > BYTES:
            if not makes_room or not own:
                raise NoRoom(
                    f"no more than {MOST} tables and {BYTES >> 20} MB are kept for one client; "
                    "delete some of them first"
                )
            oldest = own.pop()
            taken -= oldest.bytes
            gone.append(oldest.id)
        if len(content) + sum(each.bytes for each in self._kept.values()) > SPACE:
            raise NoRoom("the server keeps no more tables; delete some of them first")
        line = (one.id, content, self._next(), one.owner, one.version, one.name, one.rows)
        with self._writing() as to:
            to.execute(
                "INSERT INTO sessions (id, content, touched, owner, version, name, rows, cells, "
                "key, request) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*line, one.cells, one.key, one.request),
            )
            to.executemany("DELETE FROM sessions WHERE id = ?", [(id_,) for id_ in gone])
        for id_ in gone:
            del self._kept[id_]
        self._kept[one.id] = replace(one, bytes=len(content), used=self._used)
        return tuple(gone)

    def load(self, id_: str) -> SavedSession:
        """Return a session.

        Raises:
            NotThere: there is none of this id.
            Damaged: it cannot be read.
        """
        with self._database.reading() as of:
            found = of.execute("SELECT content FROM sessions WHERE id = ?", (id_,)).fetchone()
            if found is None:
                raise no_session()
        return SavedSession(id_, unpacked(found[0]), self.turns(id_))

    def turns(self, id_: str) -> tuple[SavedTurn, ...]:
        """Return the turns of a session.

        Raises:
            Damaged: they cannot be read.
        """
        with self._database.reading() as of:
            lines = of.execute(
                f"SELECT {COLUMNS} FROM turns WHERE session = ? ORDER BY place", (id_,)
            ).fetchall()
        try:
            return tuple(_turn(*line) for line in lines)
        except (ValueError, TypeError):
            raise Damaged("this conversation cannot be read from the disk any more") from None

    def put(
        self, id_: str, place: int, asked: SavedTurn, also: Callable[[], object] = lambda: None
    ) -> None:
        """Keep a turn; those behind it are dropped.

        Args:
            id_: the session.
            place: of the turn.
            asked: the turn.
            also: what has to be written with it; if that fails, nothing is kept.
        """
        cells = None if asked.cells is None else json.dumps(asked.cells)
        told = None if asked.values is None else json.dumps(asked.values)
        own = (id_, place, asked.question, asked.program, asked.confidence, asked.sure)
        with self._going_on(id_, place + 1, asked.id) as to:
            to.execute("DELETE FROM turns WHERE session = ? AND place >= ?", (id_, place))
            to.execute(
                f"INSERT INTO turns (session, place, {COLUMNS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*own, cells, told, asked.taught, asked.id, asked.key, asked.request, asked.afresh),
            )
            also()

    def cut(self, id_: str, place: int, version: str) -> None:
        """Drop the turns from a place on."""
        with self._going_on(id_, place, version) as to:
            to.execute("DELETE FROM turns WHERE session = ? AND place >= ?", (id_, place))

    def delete(self, id_: str) -> None:
        """Drop a session, and what is left of it in the file."""
        self.find(id_)
        with self._writing() as to:
            to.execute("DELETE FROM sessions WHERE id = ?", (id_,))
        self._kept.pop(id_, None)
        self._database.wipe()

    def place_of(self, id_: str, key: str) -> tuple[int, str] | None:
        """Return the place of the turn that a keyed request made, and that request's digest."""
        with self._database.reading() as of:
            found: tuple[int, str] | None = of.execute(
                "SELECT place, request FROM turns WHERE session = ? AND key = ?", (id_, key)
            ).fetchone()
        return found

    @contextmanager
    def _going_on(self, id_: str, turns: int, version: str) -> Iterator[sqlite3.Connection]:
        """Change a session's turns, and with them its version."""
        one, used = self.find(id_), self._next()
        with self._writing() as to:
            yield to
            to.execute(
                "UPDATE sessions SET touched = ?, version = ? WHERE id = ?", (used, version, id_)
            )
        self._kept[id_] = replace(one, version=version, turns=turns, used=used)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._database.writing() as to:
                yield to
        except DataError as error:
            raise NoRoom(str(error)) from None

    def _next(self) -> int:
        self._used += 1
        return self._used

    def _all(self) -> dict[str, Kept]:
        with self._database.reading() as of:
            lines = of.execute(
                "SELECT id, owner, version, name, rows, cells, length(content), "
                "(SELECT COUNT(*) FROM turns WHERE session = id), CAST(touched AS INTEGER), "
                "key, request FROM sessions"
            ).fetchall()
        return {line[0]: Kept(*line) for line in lines}


def hold(path: Path) -> IO[bytes]:
    """Return an open lock file that says the sessions are ours, until it is closed.

    Raises:
        DataError: another server has them.
    """
    lock = path.with_name(path.name + ".lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = lock.open("ab")
        lock.chmod(0o600)
    except OSError as error:
        raise DataError(
            f"sessions cannot be kept in {path}: {error}; name another file with --sessions"
        ) from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        raise DataError(
            f"another server uses {path}; stop it, or name another file with --sessions"
        ) from None
    return held


def packed(content: dict[str, Any]) -> bytes:
    """Return a table's object as it is kept."""
    return zlib.compress(json.dumps(content).encode(), 1)


def unpacked(content: str | bytes) -> dict[str, Any]:
    """Return a table's object; files of format 1 have it as text.

    >>> unpacked(packed({"columns": ["n"]})), unpacked('{"columns": ["n"]}')
    ({'columns': ['n']}, {'columns': ['n']})

    Raises:
        Damaged: it cannot be read.
    """
    try:
        text = content if isinstance(content, str) else zlib.decompress(content)
        found = json.loads(text)
    except (ValueError, zlib.error):
        raise Damaged("this table cannot be read from the disk any more") from None
    if not isinstance(found, dict):
        raise Damaged("this table cannot be read from the disk any more")
    return found


def _turn(
    question: str,
    program: str,
    confidence: float,
    sure: int,
    cells: str | None,
    told: str | None,
    taught: int,
    id_: str,
    key: str,
    request: str,
    afresh: int,
) -> SavedTurn:
    pointed = None if cells is None else tuple((row, column) for row, column in json.loads(cells))
    values = None if told is None else tuple(json.loads(told))
    more = (pointed, values, bool(taught), id_, key, request, bool(afresh))
    return SavedTurn(question, program, confidence, bool(sure), *more)
