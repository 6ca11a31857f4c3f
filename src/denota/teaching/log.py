"""The teaching log: what people pointed out, in order, in a file that is only ever added to.

A record is a lesson (a question, what came before it, and the right cells or values), an accepted
answer about a taught table, the undoing of a lesson, or a reset. What a parser was taught is a
function of the log, so it can be replayed, taken back and carried elsewhere. Records are written
through to the disk before they are acknowledged. Only `erase` removes any: those that were made in
one session.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from denota.data.answer import Answer, Cells, Item, Values
from denota.errors import DataError, TableError
from denota.programs.denotation import Denotation
from denota.sqlite import Database
from denota.tables.inline import inline_table, table_as_object
from denota.tables.table import Cell, Table

LARGEST_LESSON: Final = 10_000
"""The most cells or values of a lesson."""
ANSWERS: Final = ("lesson", "accepted")
"""Kinds of records that have an answer."""
KINDS: Final = (*ANSWERS, "undo", "reset")
ONLY_ADDED: Final = "BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END"
FORMAT_1: Final = (
    "CREATE TABLE IF NOT EXISTS tables (digest TEXT PRIMARY KEY, content TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS log (
        number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, person TEXT NOT NULL,
        kind TEXT NOT NULL, content TEXT NOT NULL
    )""",
)
"""Files from before formats were numbered have the same tables."""
FORMAT_2: Final = (
    "ALTER TABLE log RENAME TO log_1",
    """CREATE TABLE log (
        number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, person TEXT NOT NULL,
        kind TEXT NOT NULL, content TEXT NOT NULL,
        session TEXT NOT NULL DEFAULT '',
        digest TEXT NOT NULL DEFAULT '',
        apart INTEGER NOT NULL DEFAULT 0
    )""",
    "INSERT INTO log (number, at, person, kind, content) SELECT * FROM log_1",
    "DROP TABLE log_1",  # and its triggers
    "CREATE INDEX log_of_person ON log (person, number)",
    "CREATE INDEX log_of_session ON log (session)",
    "CREATE INDEX log_of_table ON log (digest)",
    "CREATE TABLE erasures (person TEXT PRIMARY KEY, count INTEGER NOT NULL)",
    """CREATE TABLE erasing (
        number INTEGER, at REAL, person TEXT, kind TEXT, content TEXT, session TEXT, digest TEXT
    )""",
)
"""`digest` is the record's table, `apart` says that a lesson is never one with that before it,
`erasures` counts how often records of a person were erased, and `erasing` is only used within a
transaction that erases."""
GUARDS: Final = (
    f"CREATE TRIGGER log_stays BEFORE UPDATE ON log {ONLY_ADDED}",
    "CREATE TRIGGER log_keeps BEFORE DELETE ON log"
    f" WHEN NOT EXISTS (SELECT 1 FROM erasing) {ONLY_ADDED}",
)


def _to_format_1(to: sqlite3.Connection) -> None:
    for statement in FORMAT_1:
        to.execute(statement)


def _to_format_2(to: sqlite3.Connection) -> None:
    for statement in FORMAT_2:
        to.execute(statement)
    for number, content in to.execute(f"SELECT number, {_BYTES} FROM log").fetchall():
        digest = _digest_in(content)
        if digest:
            to.execute("UPDATE log SET digest = ? WHERE number = ?", (digest, number))
    for statement in GUARDS:
        to.execute(statement)


_BYTES: Final = "CAST(content AS BLOB)"
"""As bytes, which can be had of damaged text too."""
_LINE: Final = (
    f"number, at, CAST(person AS BLOB), CAST(kind AS BLOB), {_BYTES}, CAST(session AS BLOB), apart"
)


@dataclass(frozen=True)
class Correction:
    """A question and its right answer as a person gave it, in cells or in values."""

    question: str
    """As it was typed."""
    asked: str
    """As the parser was asked: in the table's spelling, without what is to be computed."""
    history: tuple[str, ...]
    """The questions before it, likewise."""
    previous: Denotation | None
    """The answer before it."""
    cells: frozenset[Cell]
    """None of them where the answer is values."""
    program: str | None = None
    """The program that the person chose, empty for none of those offered, None if not said."""
    values: tuple[Item, ...] | None = None
    """The right values; None where the answer is cells."""
    told: tuple[Item, ...] | None = None
    """The values that the person said, where the lesson is about the cells behind them."""

    @property
    def answer(self) -> Answer:
        """What is right, for the search."""
        return Cells(self.cells) if self.values is None else Values(self.values)


@dataclass(frozen=True)
class WrittenTable:
    """A table as the log has it."""

    content: str = field(repr=False)
    """As JSON."""
    digest: str

    @staticmethod
    def of(table: Table) -> WrittenTable:
        """Return a table as the log has it."""
        content = json.dumps(table_as_object(table))
        return WrittenTable(content, hashlib.sha256(content.encode()).hexdigest())

    def read(self) -> Table:
        """Return the table."""
        return inline_table(json.loads(self.content))


@dataclass(frozen=True)
class Entry:
    """A change to the log: what `TeachingLog.write` writes, in this process or another."""

    kind: str
    """`lesson`, `accepted`, `undo` or `reset`."""
    person: str = ""
    session: str = ""
    """In which it was made, for `erase`; empty for none."""
    table: WrittenTable | None = None
    """Of a lesson or an accepted answer."""
    correction: Correction | None = None
    """Likewise."""
    lesson: int | None = None
    """What is undone: a number of the log, or −n for the n-th of the entries it is written with."""
    at: float = field(default_factory=time.time)


@dataclass(frozen=True)
class Record:
    """A line of the log."""

    number: int
    """Negative for one that is not written yet."""
    at: float
    person: str
    kind: str
    """`lesson`, `accepted`, `undo` or `reset`."""
    digest: str
    """Of the lesson's table."""
    correction: Correction | None
    session: str = ""
    lesson: int | None = None
    """The number of the lesson that is undone."""
    apart: bool = False
    """Whether it is never one lesson with the record before it."""


Version = tuple[int, ...]
"""What a person's records are told by: they have not changed if it has not."""


class TeachingLog:
    """Lessons in a file, or in memory alone.

    Processes may share the file: each sees what the others wrote.

    Raises:
        DataError: the file cannot be opened, or is something else.
        FormatError: a newer denota wrote it.
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        try:
            self._database = Database(path, [_to_format_1, _to_format_2], read_only)
        except (OSError, sqlite3.Error) as error:
            raise DataError(f"lessons cannot be kept in {path}: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def write(self, entries: Sequence[Entry]) -> list[int]:
        """Write changes to the disk, all or none, and return their numbers.

        Args:
            entries: in order; of a `PendingLog` all that it gave at once.

        Raises:
            DataError: they could not be written, and none was.
        """
        numbers: list[int] = []
        with self._database.writing() as to:
            for entry in entries:
                numbers.append(_insert(to, entry, numbers))
        return numbers

    def add(
        self,
        table: Table,
        correction: Correction,
        person: str = "",
        kind: str = "lesson",
        session: str = "",
    ) -> int:
        """Write a lesson or an accepted answer and return its number."""
        entry = Entry(kind, person, session, WrittenTable.of(table), correction)
        return self.write([entry])[0]

    def undo(self, person: str = "", session: str = "") -> Record:
        """Take a person's last lesson back and return it.

        Raises:
            DataError: there is none.
        """
        there = self.lessons(person)
        if not there:
            raise DataError("there is nothing to undo: no lesson is in force")
        return self.forget(there[-1].number, person, session)

    def forget(self, lesson: int, person: str = "", session: str = "") -> Record:
        """Take one of a person's lessons back, by its number, and return it.

        Raises:
            DataError: the person has no such lesson in force.
        """
        found = next((one for one in self.lessons(person) if one.number == lesson), None)
        if found is None:
            raise DataError(f"there is no lesson {lesson}; the list of lessons has their numbers")
        self.write([Entry("undo", person, session, lesson=lesson)])
        return found

    def reset(self, person: str = "", session: str = "") -> int:
        """Take all of a person's lessons back and return how many there were."""
        there = len(self.lessons(person))
        self.write([Entry("reset", person, session)])
        return there

    def erase(self, session: str) -> int:
        """Remove from the disk what was made in a session; return how many records that were.

        All else in force stays in force. The history of the people who taught in the session, such
        as lessons they took back, goes as well, and so do tables that no record is about any more.

        Raises:
            DataError: it could not be done.
        """
        if not session:
            return 0
        with self._database.writing() as to:
            found = to.execute(
                "SELECT DISTINCT person FROM log WHERE session = ?", (session,)
            ).fetchall()
            (count,) = to.execute(
                "SELECT COUNT(*) FROM log WHERE session = ?", (session,)
            ).fetchone()
            for (person,) in found:
                _erase(to, person, session)
        self._database.wipe()  # whatever was found: an earlier try may have got this far
        return int(count)

    def version(self, person: str = "") -> Version:
        """Return what changes whenever a person's records do, by this process or another."""
        with self._database.reading() as of:
            newest, erasures = of.execute(
                "SELECT (SELECT MAX(number) FROM log WHERE person = ?1),"
                " (SELECT count FROM erasures WHERE person = ?1)",
                (person,),
            ).fetchone()
        return newest or 0, erasures or 0

    def records(self, person: str | None = None) -> list[Record]:
        """Return the log of one person or of all, oldest first, without what is damaged."""
        with self._database.reading() as of:
            lines = _lines(of, person)
        found = (_record(*line) for line in lines)
        return [record for record in found if record is not None]

    def lessons(self, person: str = "") -> list[Record]:
        """Return the lessons of a person that are in force, oldest first."""
        return [record for record in self.in_force(person) if record.kind == "lesson"]

    def in_force(self, person: str = "") -> list[Record]:
        """Return a person's lessons in force and the answers accepted since, oldest first."""
        return replayed(self.records(person))

    def damaged(self) -> int:
        """Count the records that cannot be read, they or their tables; they are passed over."""
        with self._database.reading() as of:
            lines = _lines(of, None)
        found = [_record(*line) for line in lines]
        digests = {record.digest for record in found if record is not None and record.digest}
        lost = {digest for digest in digests if not self._is_readable(digest)}
        return sum(record is None or record.digest in lost for record in found)

    def table(self, digest: str) -> Table:
        """Return the table of a lesson.

        Raises:
            DataError: it is not there, or damaged.
        """
        with self._database.reading() as of:
            found = of.execute(
                f"SELECT {_BYTES} FROM tables WHERE digest = ?", (digest,)
            ).fetchone()
        if found is None:
            raise DataError("the table of a lesson is not in the log any more")
        try:
            return inline_table(json.loads(found[0]))
        except (RecursionError, TypeError, ValueError, TableError):
            raise DataError("the table of a lesson is damaged") from None

    def export(
        self, person: str = "", kind: str = "lesson", numbers: Collection[int] | None = None
    ) -> str:
        """Return the lessons in force as conversations, as `denota train` takes them.

        The answer before a question is a turn before it. Lessons whose table is damaged are left
        out.

        Args:
            person: who taught them.
            kind: `lesson`, or `accepted` for the accepted answers.
            numbers: of the lessons to write; all if None.
        """
        lines = []
        for record in self.in_force(person):
            if record.kind != kind or (numbers is not None and record.number not in numbers):
                continue
            assert record.correction is not None
            correction = record.correction
            try:
                table = table_as_object(self.table(record.digest))
            except DataError:
                continue
            turns: list[dict[str, Any]] = [{"question": text} for text in correction.history]
            if turns and correction.previous is not None and correction.previous.cells:
                turns[-1]["cells"] = [list(cell) for cell in sorted(correction.previous.cells)]
            if correction.values is not None:
                answer: dict[str, Any] = {"answer": list(correction.values)}
            else:
                answer = {"cells": [list(cell) for cell in sorted(correction.cells)]}
            turns.append({"question": correction.asked, **answer})
            lines.append(json.dumps({"table": table, "turns": turns}, ensure_ascii=False) + "\n")
        return "".join(lines)

    def _is_readable(self, digest: str) -> bool:
        try:
            self.table(digest)
        except DataError:
            return False
        return True


def replayed(records: Iterable[Record]) -> list[Record]:
    """Return what is in force of one person's records: lessons, and accepted answers."""
    found: list[Record] = []
    for record in records:
        if record.kind in ANSWERS:
            if found and _is_chosen(found[-1], record):
                found.pop()
            found.append(record)
        elif record.kind == "reset":
            found.clear()
        else:
            _take_back(found, record.lesson)
    return found


def _take_back(found: list[Record], lesson: int | None) -> None:
    """Strike a lesson, and with it the answers that were accepted between it and the next."""
    place = next((n for n, one in enumerate(found) if one.number == lesson), None)
    if place is None:
        return  # it was taken back before, or is damaged
    end = place + 1
    while end < len(found) and found[end].kind != "lesson":
        end += 1
    del found[place:end]


def _is_chosen(before: Record, record: Record) -> bool:
    """Whether a lesson only names the reading of the one before it; the two are one lesson then."""
    if record.apart or not before.kind == record.kind == "lesson":
        return False
    if not (before.correction and record.correction):
        return False
    same = replace(before.correction, program=record.correction.program) == record.correction
    return same and before.digest == record.digest


def _insert(to: sqlite3.Connection, entry: Entry, before: Sequence[int]) -> int:
    """Write an entry, given the numbers of those that it is written with."""
    digest, content = "", "{}"
    if entry.table is not None and entry.correction is not None:
        digest = entry.table.digest
        to.execute("INSERT OR IGNORE INTO tables VALUES (?, ?)", (digest, entry.table.content))
        content = json.dumps({"table": digest, **_as_object(entry.correction)})
    elif entry.kind == "undo":
        lesson = entry.lesson
        if lesson is not None and lesson < 0:
            if -lesson > len(before):
                raise DataError("what is taken back was not written")
            lesson = before[-lesson - 1]
        content = json.dumps({"lesson": lesson})
    added = to.execute(
        "INSERT INTO log (at, person, kind, content, session, digest) VALUES (?, ?, ?, ?, ?, ?)",
        (entry.at, entry.person, entry.kind, content, entry.session, digest),
    )
    assert added.lastrowid is not None
    return added.lastrowid


def _erase(to: sqlite3.Connection, person: str, session: str) -> None:
    """Leave of a person's records those in force that were made elsewhere, and damaged ones."""
    lines = _lines(to, person)
    read = [_record(*line) for line in lines]
    in_force = replayed(record for record in read if record is not None)
    stay = {record.number for record in in_force if record.session != session}
    for line, record in zip(lines, read, strict=True):
        if record is None and line[5] != session.encode():
            stay.add(line[0])
    columns = "number, at, person, kind, content, session, digest"
    to.execute(f"INSERT INTO erasing SELECT {columns} FROM log WHERE person = ?", (person,))
    to.execute("DELETE FROM log WHERE person = ?", (person,))
    to.executemany(  # apart, for what stood between two of them may be gone
        f"INSERT INTO log ({columns}, apart) SELECT {columns}, 1 FROM erasing WHERE number = ?",
        [(number,) for number in sorted(stay)],
    )
    to.execute(
        "DELETE FROM tables WHERE digest IN (SELECT digest FROM erasing)"
        " AND NOT EXISTS (SELECT 1 FROM log WHERE log.digest = tables.digest)"
    )
    to.execute("DELETE FROM erasing")
    if stay:
        to.execute(
            "INSERT INTO erasures VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
            (person,),
        )
    else:  # numbers are never given twice, so the next record makes a new version
        to.execute("DELETE FROM erasures WHERE person = ?", (person,))


_Line = tuple[int, float, bytes, bytes, bytes, bytes, int]


def _lines(of: sqlite3.Connection, person: str | None) -> list[_Line]:
    if person is None:
        return of.execute(f"SELECT {_LINE} FROM log ORDER BY number").fetchall()
    return of.execute(
        f"SELECT {_LINE} FROM log WHERE person = ? ORDER BY number", (person,)
    ).fetchall()


def _as_object(correction: Correction) -> dict[str, Any]:
    before = correction.previous
    more: dict[str, Any] = {}
    if correction.values is not None:
        more["values"] = list(correction.values)
    if correction.told is not None:
        more["told"] = list(correction.told)
    return {
        "question": correction.question,
        "asked": correction.asked,
        "history": list(correction.history),
        "previous": None if before is None else [list(before.rows), list(before.columns)],
        "cells": [list(cell) for cell in sorted(correction.cells)],
        "program": correction.program,
        **more,
    }


def _digest_in(content: bytes) -> str:
    """The table that a record names, empty if none can be read."""
    try:
        return str(json.loads(content).get("table", ""))
    except (AttributeError, RecursionError, TypeError, ValueError):
        return ""


def _record(
    number: int,
    at: float,
    person: bytes,
    kind: bytes,
    content: bytes,
    session: bytes,
    apart: int,
) -> Record | None:
    """A line of the log as it is read, None if it cannot be."""
    try:
        found = json.loads(content)
        own = (person.decode(), kind.decode())
        if own[1] not in KINDS:
            return None
        digest, correction, lesson = "", None, None
        if own[1] in ANSWERS:
            digest, correction = found["table"], _correction(found)
        elif own[1] == "undo":
            lesson = found["lesson"]
        return Record(
            number, float(at), *own, digest, correction, session.decode(), lesson, bool(apart)
        )
    except (LookupError, AttributeError, RecursionError, TypeError, ValueError):
        return None


def _correction(found: dict[str, Any]) -> Correction:
    before = found["previous"]
    correction = Correction(
        found["question"],
        found["asked"],
        tuple(found["history"]),
        None if before is None else Denotation(tuple(before[0]), tuple(before[1])),
        frozenset((row, column) for row, column in found["cells"]),
        found["program"],
        tuple(found["values"]) if "values" in found else None,  # older records have cells alone
        tuple(found["told"]) if "told" in found else None,
    )
    texts = (correction.question, correction.asked, *correction.history, correction.program or "")
    numbers = [number for cell in correction.cells for number in cell]
    numbers += [*(before or [[]])[0], *(before or [[], []])[1]]
    said = (*(correction.values or ()), *(correction.told or ()))
    if not (
        all(isinstance(text, str) for text in (*texts, found["table"]))
        and all(isinstance(number, int) for number in numbers)
        and all(isinstance(value, str | int | float) for value in said)
    ):
        raise TypeError("a record has something else than texts and numbers")
    return correction
