"""The teaching log: what people pointed out, in order, in a file that is only ever added to.

A record is a lesson (a question, what came before it, and the right cells or values), an accepted
answer about a taught table, the undoing of the last lesson, or a reset. What a parser was taught is
a function of the log, so it can be replayed, taken back and carried elsewhere. Each record is
written through to the disk before it is acknowledged.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from denota.data.answer import Answer, Cells, Item, Values
from denota.errors import DataError
from denota.programs.denotation import Denotation
from denota.sqlite import Database
from denota.tables.inline import inline_table, table_as_object
from denota.tables.table import Cell, Table

ONLY_ADDED: Final = "BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END"
SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS tables (digest TEXT PRIMARY KEY, content TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS log (
        number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, person TEXT NOT NULL,
        kind TEXT NOT NULL, content TEXT NOT NULL
    )""",
    f"CREATE TRIGGER IF NOT EXISTS log_stays BEFORE UPDATE ON log {ONLY_ADDED}",
    f"CREATE TRIGGER IF NOT EXISTS log_keeps BEFORE DELETE ON log {ONLY_ADDED}",
)
"""Format 1; files from before formats were numbered have the same tables."""


def _to_format_1(to: sqlite3.Connection) -> None:
    for statement in SCHEMA:
        to.execute(statement)


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

    @property
    def answer(self) -> Answer:
        """What is right, for the search."""
        return Cells(self.cells) if self.values is None else Values(self.values)


@dataclass(frozen=True)
class Record:
    """A line of the log."""

    number: int
    at: float
    person: str
    kind: str
    """`lesson`, `accepted`, `undo` or `reset`."""
    digest: str
    """Of the lesson's table."""
    correction: Correction | None


class TeachingLog:
    """Lessons in a file, or in memory alone.

    Raises:
        DataError: the file cannot be opened, or is something else.
        FormatError: a newer denota wrote it.
    """

    def __init__(self, path: Path | None = None) -> None:
        try:
            self._database = Database(path, [_to_format_1])
        except (OSError, sqlite3.Error) as error:
            raise DataError(f"lessons cannot be kept in {path}: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add(
        self, table: Table, correction: Correction, person: str = "", kind: str = "lesson"
    ) -> int:
        """Write a lesson or an accepted answer to the disk and return its number."""
        content = json.dumps(table_as_object(table))
        digest = hashlib.sha256(content.encode()).hexdigest()
        line = json.dumps({"table": digest, **_as_object(correction)})
        with self._database.writing() as to:
            to.execute("INSERT OR IGNORE INTO tables VALUES (?, ?)", (digest, content))
            return self._insert(to, person, kind, line)

    def undo(self, person: str = "") -> Record:
        """Take a person's last lesson back and return it.

        Raises:
            DataError: there is none.
        """
        there = self.lessons(person)
        if not there:
            raise DataError("there is nothing to undo: no lesson is in force")
        with self._database.writing() as to:
            self._insert(to, person, "undo", json.dumps({"lesson": there[-1].number}))
        return there[-1]

    def reset(self, person: str = "") -> int:
        """Take all of a person's lessons back and return how many there were."""
        there = len(self.lessons(person))
        with self._database.writing() as to:
            self._insert(to, person, "reset", "{}")
        return there

    def records(self) -> list[Record]:
        """Return the whole log, oldest first."""
        with self._database.reading() as of:
            lines = of.execute(
                "SELECT number, at, person, kind, content FROM log ORDER BY number"
            ).fetchall()
        return [_record(*line) for line in lines]

    def lessons(self, person: str = "") -> list[Record]:
        """Return the lessons of a person that are in force, oldest first."""
        return [record for record in self.in_force(person) if record.kind == "lesson"]

    def in_force(self, person: str = "") -> list[Record]:
        """Return a person's lessons in force and the answers accepted since, oldest first."""
        found: list[Record] = []
        for record in self.records():
            if record.person != person:
                continue
            if record.kind in ("lesson", "accepted"):
                if found and _is_chosen(found[-1], record):
                    found.pop()
                found.append(record)
            elif record.kind == "reset":
                found.clear()
            else:
                while found and found.pop().kind != "lesson":
                    pass  # what was accepted since goes with it
        return found

    def table(self, digest: str) -> Table:
        """Return the table of a lesson."""
        with self._database.reading() as of:
            (content,) = of.execute(
                "SELECT content FROM tables WHERE digest = ?", (digest,)
            ).fetchone()
        return inline_table(json.loads(content))

    def export(self, person: str = "") -> str:
        """Return the lessons in force as conversations, as `denota train` takes them.

        The answer before a question is a turn before it.
        """
        lines = []
        for record in self.lessons(person):
            assert record.correction is not None
            correction = record.correction
            turns: list[dict[str, Any]] = [{"question": text} for text in correction.history]
            if turns and correction.previous is not None and correction.previous.cells:
                turns[-1]["cells"] = [list(cell) for cell in sorted(correction.previous.cells)]
            if correction.values is not None:
                answer: dict[str, Any] = {"answer": list(correction.values)}
            else:
                answer = {"cells": [list(cell) for cell in sorted(correction.cells)]}
            turns.append({"question": correction.asked, **answer})
            table = table_as_object(self.table(record.digest))
            lines.append(json.dumps({"table": table, "turns": turns}, ensure_ascii=False) + "\n")
        return "".join(lines)

    def _insert(self, to: sqlite3.Connection, person: str, kind: str, content: str) -> int:
        added = to.execute(
            "INSERT INTO log (at, person, kind, content) VALUES (?, ?, ?, ?)",
            (time.time(), person, kind, content),
        )
        assert added.lastrowid is not None
        return added.lastrowid


def _is_chosen(before: Record, record: Record) -> bool:
    """Whether a lesson only names the reading of the one before it; the two are one lesson then."""
    if not before.kind == record.kind == "lesson" or not (before.correction and record.correction):
        return False
    same = replace(before.correction, program=record.correction.program) == record.correction
    return same and before.digest == record.digest


def _as_object(correction: Correction) -> dict[str, Any]:
    before = correction.previous
    values = {} if correction.values is None else {"values": list(correction.values)}
    return {
        "question": correction.question,
        "asked": correction.asked,
        "history": list(correction.history),
        "previous": None if before is None else [list(before.rows), list(before.columns)],
        "cells": [list(cell) for cell in sorted(correction.cells)],
        "program": correction.program,
        **values,
    }


def _record(number: int, at: float, person: str, kind: str, content: str) -> Record:
    found = json.loads(content)
    if kind not in ("lesson", "accepted"):
        return Record(number, at, person, kind, "", None)
    before = found["previous"]
    correction = Correction(
        found["question"],
        found["asked"],
        tuple(found["history"]),
        None if before is None else Denotation(tuple(before[0]), tuple(before[1])),
        frozenset((row, column) for row, column in found["cells"]),
        found["program"],
        tuple(found["values"]) if "values" in found else None,  # older records have cells alone
    )
    return Record(number, at, person, kind, found["table"], correction)
