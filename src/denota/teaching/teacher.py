"""What people say is right becomes lessons: found, written down, learnt and taken back."""

from __future__ import annotations

import math
import threading
from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np

from denota.data.answer import Answer, Values, is_right, items_of
from denota.data.example import Question
from denota.errors import DataError
from denota.model.memory import Memory, TableMemory, header_of
from denota.model.parser import Parser
from denota.programs.denotation import value_text
from denota.programs.english import say
from denota.programs.text import print_program
from denota.programs.tree import Program
from denota.search.preparer import Preparer
from denota.tables.plain import table_read_as
from denota.tables.table import Table
from denota.teaching.lesson import Lesson, learn, lesson_of
from denota.teaching.log import Correction, Record, TeachingLog

OFFERED: Final = 3
"""Readings that are offered."""
NEAR: Final = 0.85
"""The cosine of two questions that are about much the same."""
NOTES: Final = 50
"""Answers about a table that are remembered until something is taught of it."""


@dataclass(frozen=True)
class Taught:
    """What came of a lesson."""

    readings: tuple[Program, ...]
    """The best programs that give the answer, best first; none if there is no such program."""
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
        self._preparer = Preparer.of(parser.config, 1, True, parser.language)
        self._lock = threading.Lock()
        self._lessons: dict[int, Lesson] = {}
        """By their number in the log."""
        self._tables: dict[str, Table] = {}
        self._notes: dict[tuple[str, str], deque[tuple[Table, Correction]]] = {}
        """Answers given lately, by person and header."""
        self._memories: dict[str, Memory] = {}
        """What each person taught."""
        self._by_header: dict[tuple[str, str], tuple[list[Lesson], TableMemory]] = {}
        self._headers: dict[str, set[str]] = {}
        """Of which tables, by their header."""

    def memory(self, person: str = "") -> Memory:
        """Return what the parser came with and what a person taught it, up to the last lesson."""
        found = self._memories.get(person)
        if found is not None:
            return found
        with self._lock:
            return self._memory(person)

    def teach(self, table: Table, correction: Correction, person: str = "") -> Taught:
        """Learn that the answer to a question is some cells or values; it is written down first.

        Correcting the same question again replaces the earlier correction.

        Raises:
            DataError: there are no cells, or not all in the table, or a value is no number or text.
        """
        _check(table, correction)
        with self._lock:
            lesson = self._lesson(table, correction)
            before = self._same_question(table, correction, person)
            self._strike(table, correction, person)
            self._accept(person, header_of(table))  # before the lesson: undoing that leaves them
            self._lessons[self.log.add(table, correction, person)] = lesson
            self._relearn(person)
        taken = None if correction.program == "" else _taken(lesson)
        return Taught(
            lesson.readings[:OFFERED], taken, _said(taken, lesson, table, correction), before
        )

    def note(self, table: Table, correction: Correction, person: str = "") -> None:
        """Note an answer that was given.

        If the person asks on without correcting it, it is accepted, and lessons must not spoil it.
        Accepted answers about taught tables are written down.
        """
        with self._lock:
            header = header_of(table)
            notes = self._notes.setdefault((person, header), deque(maxlen=NOTES))
            notes.append((table, correction))
            if header in self._taught(person):
                self._accept(person, header, all_but=1)

    def forget(self, table: Table, correction: Correction, person: str = "") -> None:
        """Strike an answer from the notes: it was taken back or corrected."""
        with self._lock:
            self._strike(table, correction, person)

    def _strike(self, table: Table, correction: Correction, person: str) -> None:
        notes = self._notes.get((person, header_of(table)), deque())
        for place, (_, noted) in enumerate(notes):
            if _key(noted) == _key(correction):
                del notes[place]
                return

    def _accept(self, person: str, header: str, all_but: int = 0) -> None:
        """Write down noted answers as accepted, but for the last so many."""
        notes = self._notes.get((person, header), deque())
        while len(notes) > all_but:
            self.log.add(*notes.popleft(), person, "accepted")

    def _taught(self, person: str) -> set[str]:
        """The headers of tables that a person taught something of."""
        self._memory(person)
        return self._headers.get(person, set())

    def lessons(self, person: str = "") -> list[tuple[Record, str]]:
        """Return a person's lessons in force, each with the program that is learnt, or empty."""
        with self._lock:
            self._memory(person)
            found = []
            for record in self.log.lessons(person):
                assert record.correction is not None
                lesson = self._lessons.get(record.number)
                taken = _taken(lesson) if lesson and record.correction.program != "" else None
                found.append((record, print_program(taken) if taken is not None else ""))
            return found

    def undo(self, person: str = "") -> Record:
        """Take a person's last lesson back.

        Raises:
            DataError: there is none.
        """
        with self._lock:
            record = self.log.undo(person)
            self._relearn(person)
            return record

    def reset(self, person: str = "") -> int:
        """Take all of a person's lessons back and return how many there were."""
        with self._lock:
            count = self.log.reset(person)
            self._relearn(person)
            return count

    def _memory(self, person: str) -> Memory:
        if person not in self._memories:
            self._relearn(person)
        return self._memories[person]

    def _relearn(self, person: str) -> None:
        """Bring what a person taught up to the log."""
        tables = dict(self.parser.memory.tables)
        in_force = self._in_force(person)
        self._headers[person] = set(in_force)
        for header, lessons in in_force.items():
            learnt = self._learnt(person, header, lessons)
            if len(learnt.weights):
                tables[header] = _joined(tables.get(header), learnt)
        self._memories[person] = Memory(tables)

    def _learnt(self, person: str, header: str, lessons: list[Lesson]) -> TableMemory:
        """What the lessons of a header teach, learnt anew only if they have changed."""
        known = self._by_header.get((person, header))
        if known is None or known[0] != lessons:
            known = self._by_header[person, header] = lessons, learn(lessons, self.parser.config)
        return known[1]

    def _in_force(self, person: str) -> dict[str, list[Lesson]]:
        """A person's lessons by header, the last about each question, then accepted answers.

        An accepted answer is left out if a lesson contradicts it.
        """
        lessons: dict[str, dict[object, Lesson | None]] = {}
        accepted: dict[str, dict[object, Lesson]] = {}
        for record in self.log.in_force(person):
            assert record.correction is not None
            table = self._table(record.digest)
            if record.number not in self._lessons:
                self._lessons[record.number] = self._lesson(table, record.correction, record.kind)
            lesson, key = self._lessons[record.number], _key(record.correction)
            if record.kind == "lesson":
                own = None if record.correction.program == "" else lesson
                lessons.setdefault(header_of(table), {})[key] = own
            else:
                accepted.setdefault(header_of(table), {})[key] = lesson
        found: dict[str, list[Lesson]] = {}
        for header, by_key in lessons.items():
            taught = [lesson for lesson in by_key.values() if lesson is not None]
            rest = [one for key, one in accepted.get(header, {}).items() if key not in by_key]
            found[header] = [*taught, *(one for one in rest if not _is_near(one, taught))]
        return found

    def _table(self, digest: str) -> Table:
        if digest not in self._tables:
            table, numbers = self.log.table(digest), self.parser.config.data.numbers
            self._tables[digest] = table_read_as(table, numbers)
        return self._tables[digest]

    def _lesson(self, table: Table, correction: Correction, kind: str = "lesson") -> Lesson:
        question = Question(
            "lesson", "0", len(correction.history), correction.asked, table, "", correction.history
        )
        ready = self._preparer(question, correction.previous, correction.answer)
        return lesson_of(
            self.parser, ready, correction.program or None if kind == "lesson" else None
        )

    def _same_question(self, table: Table, correction: Correction, person: str) -> str | None:
        """A sentence on an earlier lesson about the same question that has another answer."""
        for record in reversed(self.log.lessons(person)):
            assert record.correction is not None
            other = record.correction
            if _key(other) != _key(correction):
                continue
            if other.program == "":
                continue  # nothing was learnt of it
            there = self._table(record.digest)
            if header_of(there) != header_of(table):
                continue
            if _say_the_same(other.answer, there, correction.answer, table):
                continue
            items = items_of(other.answer, there)
            shown = ", ".join(map(value_text, items[:4])) or "nothing"
            more = f" and {len(items) - 4} more" if len(items) > 4 else ""
            return (
                f"Earlier the answer to “{other.question}” was said to be {shown}{more};"
                " the newer lesson counts."
            )
        return None


def _say_the_same(one: Answer, of_one: Table, other: Answer, of_other: Table) -> bool:
    """Whether two answers agree: the same cells, or values that are the same."""
    if isinstance(one, Values) or isinstance(other, Values):
        return is_right(items_of(one, of_one), Values(items_of(other, of_other)))
    return one == other


def _is_near(accepted: Lesson, lessons: list[Lesson]) -> bool:
    """Whether an accepted answer is to a near-copy of a corrected question, and so not trusted."""
    return any(float(accepted.asked @ lesson.asked) > NEAR for lesson in lessons)


def _key(correction: Correction) -> object:
    """What makes two lessons be about one question: the same words after the same answer."""
    words = " ".join(correction.asked.lower().split()).rstrip("?!. ")
    return words, correction.previous


def _taken(lesson: Lesson) -> Program | None:
    if not lesson.consistent:
        return None
    return lesson.programs[lesson.chosen or 0]


def _said(taken: Program | None, lesson: Lesson, table: Table, correction: Correction) -> str:
    if taken is not None:
        before = correction.previous.columns if correction.previous is not None else ()
        names = tuple(table.names[column] for column in before)
        return f"I now read this as: {say(taken, names)}"
    if lesson.consistent:
        return "None of the readings is meant, so this is kept for later and not learnt."
    if correction.values is not None:
        several = len(correction.values) > 1
        what = "these values" if several else "this value"
        return (
            f"No program of this parser's language gives {what} yet,"
            " so the lesson is kept and not learnt."
        )
    return (
        "I know no program that gives just these cells, so this is kept for later and not learnt."
    )


def _joined(base: TableMemory | None, learnt: TableMemory) -> TableMemory:
    if base is None or base.questions.shape[1] != learnt.questions.shape[1]:
        return learnt
    questions = np.concatenate([base.questions, learnt.questions])
    return TableMemory(questions, (*base.weights, *learnt.weights))


def _check(table: Table, correction: Correction) -> None:
    for value in correction.values or ():
        if isinstance(value, float) and not math.isfinite(value):
            raise DataError(f"{value} is no number that an answer can have")
    if correction.values is not None:
        return
    if not correction.cells:
        raise DataError("point at one cell at least")
    rows, columns = table.shape
    for row, column in correction.cells:
        if not (0 <= row < rows and 0 <= column < columns):
            raise DataError(f"the cell ({row}, {column}) is outside the table")
