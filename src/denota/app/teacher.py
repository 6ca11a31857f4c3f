"""From what people point at to what a parser knows: lessons are found, written down, learnt, and taken back."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final

import numpy as np

from denota.app.lessons import Pointed, Record, TeachingLog
from denota.data.example import Question
from denota.errors import DataError
from denota.learning.teach import Lesson, learn, lesson_of
from denota.model.memory import Memory, TableMemory, header_of
from denota.model.parser import Parser
from denota.programs.english import say
from denota.programs.tree import Program
from denota.search.preparer import Preparer
from denota.tables.table import Table

OFFERED: Final = 3
"""Readings that are offered."""


@dataclass(frozen=True)
class Taught:
    """What came of a lesson."""

    readings: tuple[Program, ...]
    """The best programs that give the cells, best first; none if there is no such program."""
    taken: Program | None
    """The one that is learnt."""
    said: str
    """What to tell the person."""
    contradicts: str | None = None
    """What an earlier lesson said of the same question."""

    @property
    def learnt(self) -> bool:
        """Whether it was learnt; if not it is kept for later."""
        return self.taken is not None


class Teacher:
    """Teaches a parser, for one person or many.

    Args:
        parser: what is taught; it is not changed.
        log: where lessons are written down.
    """

    def __init__(self, parser: Parser, log: TeachingLog) -> None:
        self.parser, self.log = parser, log
        self._preparer = Preparer.of(parser.config, kept=1, keep_spaces=True)
        self._lock = threading.Lock()
        self._lessons: dict[int, Lesson] = {}
        """By their number in the log."""
        self._tables: dict[str, Table] = {}
        self._memories: dict[str, Memory] = {}
        """What each person taught."""
        self._headers: dict[str, set[str]] = {}
        """Of which tables, by their header."""

    def memory(self, person: str = "") -> Memory:
        """Return what a person taught the parser, beside what it came with."""
        with self._lock:
            return self._memory(person)

    def teach(self, table: Table, pointed: Pointed, person: str = "") -> Taught:
        """Learn that the answer to a question is some cells; it is written down first.

        A person who points at the same question again, to choose another reading, replaces what they said of it.

        Raises:
            DataError: there are no cells, or some outside the table.
        """
        _check(table, pointed)
        with self._lock:
            lesson = self._lesson(table, pointed)
            before = self._same_question(table, pointed, person)
            self._lessons[self.log.add(table, pointed, person)] = lesson
            self._memories.pop(person, None)
            self._memory(person)
        taken = None if pointed.program == "" else _taken(lesson)
        return Taught(
            lesson.readings[:OFFERED], taken, _said(taken, lesson, table, pointed), before
        )

    def accept(self, table: Table, pointed: Pointed, person: str = "") -> bool:
        """Write down that an answer was left as it was, so that lessons do not spoil it, and say whether that was done: only of tables that were taught something."""
        with self._lock:
            if header_of(table) not in self._taught(person):
                return False
            self.log.add(table, pointed, person, "accepted")
            return True

    def _taught(self, person: str) -> set[str]:
        """The headers of tables that a person taught something of."""
        self._memory(person)
        return self._headers.get(person, set())

    def undo(self, person: str = "") -> Record:
        """Take a person's last lesson back.

        Raises:
            DataError: there is none.
        """
        with self._lock:
            self._memories.pop(person, None)
            return self.log.undo(person)

    def reset(self, person: str = "") -> int:
        """Take all of a person's lessons back and return how many there were."""
        with self._lock:
            self._memories.pop(person, None)
            return self.log.reset(person)

    def _memory(self, person: str) -> Memory:
        if person not in self._memories:
            tables = dict(self.parser.memory.tables)
            in_force = self._in_force(person)
            self._headers[person] = set(in_force)
            for header, lessons in in_force.items():
                learnt = learn(lessons, self.parser.config)
                if len(learnt.weights):
                    tables[header] = _joined(tables.get(header), learnt)
            self._memories[person] = Memory(tables)
        return self._memories[person]

    def _in_force(self, person: str) -> dict[str, list[Lesson]]:
        """A person's lessons by header, with the answers that were accepted; of those about one question, the last."""
        found: dict[str, dict[object, Lesson | None]] = {}
        taught = set()
        for record in self.log.in_force(person):
            assert record.pointed is not None
            table = self._table(record.digest)
            header = header_of(table)
            if record.kind == "lesson":
                taught.add(header)
            if record.number not in self._lessons:
                self._lessons[record.number] = self._lesson(table, record.pointed)
            own = None if record.pointed.program == "" else self._lessons[record.number]
            found.setdefault(header, {})[_key(record.pointed)] = own
        return {
            header: [lesson for lesson in lessons.values() if lesson is not None]
            for header, lessons in found.items()
            if header in taught
        }

    def _table(self, digest: str) -> Table:
        if digest not in self._tables:
            self._tables[digest] = self.log.table(digest)
        return self._tables[digest]

    def _lesson(self, table: Table, pointed: Pointed) -> Lesson:
        question = Question(
            "lesson", "0", len(pointed.history), pointed.asked, table, "", pointed.history
        )
        ready = self._preparer(question, pointed.previous, pointed.cells)
        return lesson_of(self.parser, ready, pointed.program or None)

    def _same_question(self, table: Table, pointed: Pointed, person: str) -> str | None:
        """A sentence on an earlier lesson about the same question that has other cells."""
        for record in reversed(self.log.lessons(person)):
            assert record.pointed is not None
            other = record.pointed
            if _key(other) != _key(pointed) or other.cells == pointed.cells:
                continue
            there = self._table(record.digest)
            if header_of(there) != header_of(table):
                continue
            cells = sorted(other.cells)
            shown = ", ".join(there.cell(*cell) for cell in cells[:4])
            more = f" and {len(cells) - 4} more" if len(cells) > 4 else ""
            return f"Earlier the answer to “{other.question}” was said to be {shown}{more}; the newer lesson counts."
        return None


def _key(pointed: Pointed) -> object:
    """What makes two lessons be about one question: the same words after the same answer."""
    words = " ".join(pointed.asked.lower().split()).rstrip("?!. ")
    return words, pointed.previous


def _taken(lesson: Lesson) -> Program | None:
    if not lesson.consistent:
        return None
    return lesson.programs[lesson.chosen or 0]


def _said(taken: Program | None, lesson: Lesson, table: Table, pointed: Pointed) -> str:
    if taken is not None:
        before = pointed.previous.columns if pointed.previous is not None else ()
        names = tuple(table.names[column] for column in before)
        return f"I now read this as: {say(taken, names)}"
    if lesson.consistent:
        return "None of the readings is meant, so this is kept for later and not learnt."
    return (
        "I know no program that gives just these cells, so this is kept for later and not learnt."
    )


def _joined(base: TableMemory | None, learnt: TableMemory) -> TableMemory:
    if base is None or base.questions.shape[1] != learnt.questions.shape[1]:
        return learnt
    questions = np.concatenate([base.questions, learnt.questions])
    return TableMemory(questions, (*base.weights, *learnt.weights))


def _check(table: Table, pointed: Pointed) -> None:
    if not pointed.cells:
        raise DataError("point at one cell at least")
    rows, columns = table.shape
    for row, column in pointed.cells:
        if not (0 <= row < rows and 0 <= column < columns):
            raise DataError(f"the cell ({row}, {column}) is outside the table")
