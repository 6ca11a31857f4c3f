"""What people say is right becomes lessons: found, written down, learnt and taken back."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from denota.data.answer import Answer, Values, is_right, items_of
from denota.data.example import Question
from denota.errors import DataError
from denota.kept import Kept
from denota.model.memory import Memory, TableMemory, header_of
from denota.model.parser import Parser
from denota.programs.denotation import Denotation, value_text
from denota.programs.english import say, time_columns
from denota.programs.operators import SCOPES
from denota.programs.text import print_program
from denota.programs.tree import Program
from denota.search.preparer import Preparer
from denota.tables.plain import table_read_as
from denota.tables.table import Table
from denota.teaching.lesson import Lesson, learn, lesson_of
from denota.teaching.log import (
    LARGEST_LESSON,
    Correction,
    Entry,
    Record,
    TeachingLog,
    Version,
    WrittenTable,
)
from denota.tokens import tokenise

AGAIN: Final = "asked again in these words about this table, this is the answer"
"""What comes of a lesson that is not learnt."""
OFFERED: Final = 3
"""Readings that are offered."""
NEAR: Final = 0.85
"""The cosine of two questions that are about much the same."""
PEOPLE: Final = 64
"""People whose lessons are kept ready, at most; those of others are learnt again when needed."""
TABLES: Final = 8
"""Tables of the log that are kept in memory, at most."""

Answered = tuple[Table, Correction]
"""An answer that was given about a table, as a correction that says the same."""


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


@dataclass(frozen=True)
class Recalled:
    """What was taught of the very same question before."""

    correction: Correction
    program: Program | None
    """What was learnt, None if nothing was or it does not apply here."""


@dataclass(frozen=True, eq=False)
class _Person:
    """What a person taught, as of a version of the log."""

    version: Version
    memory: Memory
    """With what the parser came with."""
    records: tuple[Record, ...]
    """Those in force that can be learnt from."""
    headers: Mapping[str, str]
    """Of their tables, by digest."""
    lessons: Mapping[object, Lesson]
    """Of the records that count, by what they say."""
    by_header: Mapping[str, tuple[list[Lesson], TableMemory]]
    """Of the tables that were taught."""
    taught: frozenset[object]
    """The questions that were taught."""
    accepted: frozenset[object]
    """The answers that were accepted, each with its session."""


class Teacher:
    """Teaches a parser, for one person or many.

    It follows its log: what another process writes to that is learnt too. What it keeps in memory
    belongs to records in force, of the people who asked last.

    Args:
        parser: what is taught; it is not changed.
        log: where lessons are written down, at once or later (`teaching.pending`).
    """

    def __init__(self, parser: Parser, log: TeachingLog) -> None:
        self.parser, self.log = parser, log
        self._preparer = Preparer.of(parser.config, 1, True, parser.language)
        self._lock = threading.RLock()
        """Held while something is learnt."""
        self._kept_lock = threading.Lock()
        self._people: OrderedDict[str, _Person] = OrderedDict()
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._written = Kept[WrittenTable](TABLES)

    def memory(self, person: str = "") -> Memory:
        """Return what the parser came with and what a person taught it, up to the last lesson."""
        return self._person(person).memory

    def has_taught(self, table: Table, person: str = "") -> bool:
        """Say whether a person has taught something of tables with the same columns."""
        return header_of(table) in self._person(person).by_header

    def teach(
        self,
        table: Table,
        correction: Correction,
        person: str = "",
        session: str = "",
        accepted: Sequence[Answered] = (),
    ) -> Taught:
        """Learn that the answer to a question is some cells or values; it is written down first.

        Correcting the same question again replaces the earlier correction.

        Args:
            table: what the question is about.
            correction: the question with its right answer.
            person: who teaches.
            session: where, for `TeachingLog.erase`.
            accepted: earlier answers that were left as they were; lessons must not spoil them.

        Raises:
            DataError: there are no cells, too many, or not all in the table; a value is no number
                or text; or the program that is meant does not give the answer. Nothing changes.
        """
        _check(table, correction)
        with self._lock:
            lesson = self._lesson(table, correction)
            if correction.program and lesson.chosen is None:
                raise DataError(f"{correction.program} is not among the readings that give this")
            before = self._same_question(table, correction, person)
            entries = self._accepted(accepted, person, session)  # first: undoing leaves them
            written = self._as_written(table)
            self.log.write([*entries, Entry("lesson", person, session, written, correction)])
            self._person(person, {_lesson_key(written.digest, correction, "lesson"): lesson})
        taken = None if correction.program == "" else lesson.taken
        return Taught(
            lesson.readings[:OFFERED], taken, _said(taken, lesson, table, correction), before
        )

    def accept(self, answered: Sequence[Answered], person: str = "", session: str = "") -> None:
        """Write down answers that were left as they were, each once.

        Those to questions that were taught are left out.
        """
        entries = self._accepted(answered, person, session)
        if entries:
            self.log.write(entries)

    def _accepted(self, answered: Sequence[Answered], person: str, session: str) -> list[Entry]:
        known = self._person(person)
        entries: list[Entry] = []
        there = set(known.accepted)
        for table, correction in answered:
            place = header_of(table), _key(correction)
            own = (session, *place, correction.cells, correction.values)
            if place not in known.taught and own not in there:
                there.add(own)
                written = self._as_written(table)
                entries.append(Entry("accepted", person, session, written, correction))
        return entries

    def lessons(self, person: str = "", table: Table | None = None) -> list[tuple[Record, str]]:
        """Return a person's lessons in force, each with the program that is learnt, or empty.

        Args:
            person: who taught them.
            table: only those of tables with the same columns; of any table if None.
        """
        known, found = self._person(person), []
        header = header_of(table) if table is not None else None
        for record in known.records:
            if record.kind != "lesson" or record.correction is None:
                continue
            if header in (None, known.headers[record.digest]):
                taken = _taken(known, record)
                found.append((record, print_program(taken) if taken is not None else ""))
        return found

    def recalled(
        self, table: Table, question: str, previous: Denotation | None, person: str = ""
    ) -> Recalled | None:
        """Return what a person taught of the very same question about the very same table.

        The question is asked after the same answer, or afresh, or its answer does not depend on
        what was asked before. None if there is no such lesson.
        """
        known = self._person(person)
        if header_of(table) not in known.headers.values():
            return None
        words, digest = _words(question), ""
        for record in reversed(known.records):
            one = record.correction
            if record.kind != "lesson" or one is None or _words(one.question) != words:
                continue
            digest = digest or self._as_written(table).digest
            if record.digest != digest or not _is_within(table, one):
                continue
            taken = _taken(known, record)
            alone = taken is not None and not SCOPES[taken.scope].follows
            if alone or previous is None or previous == one.previous:
                return Recalled(one, taken if alone or previous == one.previous else None)
        return None

    def forget(self, lesson: int, person: str = "", session: str = "") -> Record:
        """Take one of a person's lessons back, by its number in the log.

        Raises:
            DataError: the person has no such lesson in force.
        """
        with self._lock:
            record = self.log.forget(lesson, person, session)
            self._person(person)
            return record

    def undo(self, person: str = "", session: str = "") -> Record:
        """Take a person's last lesson back.

        Raises:
            DataError: there is none.
        """
        with self._lock:
            record = self.log.undo(person, session)
            self._person(person)
            return record

    def reset(self, person: str = "", session: str = "") -> int:
        """Take all of a person's lessons back and return how many there were."""
        with self._lock:
            count = self.log.reset(person, session)
            self._person(person)
            return count

    def _person(self, person: str, new: Mapping[object, Lesson] | None = None) -> _Person:
        """What a person taught, learnt again if the log has changed.

        Args:
            person: who.
            new: lessons that were just found.
        """
        found = self._current(person)
        if found is not None:
            return found
        with self._lock:
            found = self._current(person)  # another thread may just have learnt it
            if found is None:
                found = self._learnt(person, self._people.get(person), new or {})
                with self._kept_lock:
                    self._people[person] = found
                    self._people.move_to_end(person)
                    if len(self._people) > PEOPLE:
                        self._people.popitem(last=False)
            return found

    def _current(self, person: str) -> _Person | None:
        """What is known of a person, None if the log has changed since."""
        version = self.log.version(person)
        with self._kept_lock:
            found = self._people.get(person)
            if found is None or found.version != version:
                return None
            self._people.move_to_end(person)
            return found

    def _learnt(self, person: str, before: _Person | None, new: Mapping[object, Lesson]) -> _Person:
        """What a person taught, as the log has it; what has not changed is taken from before."""
        version = self.log.version(person)  # before its records, so that none is missed
        headers: dict[str, str] = {}
        records = []
        for record in self.log.in_force(person):
            try:
                headers[record.digest] = (
                    (before.headers.get(record.digest) if before is not None else None)
                    or headers.get(record.digest)
                    or header_of(self._table(record.digest))
                )
            except DataError:
                continue  # its table is damaged
            records.append(record)
        known = {**(before.lessons if before is not None else {}), **new}
        lessons: dict[object, Lesson] = {}
        for record in _that_count(records, headers):
            if _is_none_of_them(record):
                continue
            key = _record_key(record)
            lesson = known.get(key) or self._lesson_of(record)
            if lesson is not None:
                lessons[key] = lesson
        tables = dict(self.parser.memory.tables)
        by_header: dict[str, tuple[list[Lesson], TableMemory]] = {}
        for header, own in _by_header(records, headers, lessons).items():
            old = before.by_header.get(header) if before is not None else None
            same = old is not None and old[0] == own
            learnt = old[1] if old is not None and same else learn(own, self.parser.config)
            by_header[header] = own, learnt
            if len(learnt.weights):
                tables[header] = _joined(tables.get(header), learnt)
        for digest in (set(before.headers) if before is not None else set()) - set(headers):
            self._tables.pop(digest, None)
        taught, accepted = set[object](), set[object]()
        for record in records:
            assert record.correction is not None
            one = record.correction
            place = headers[record.digest], _key(one)
            if record.kind == "lesson":
                taught.add(place)
            else:
                accepted.add((record.session, *place, one.cells, one.values))
        return _Person(
            version,
            Memory(tables),
            tuple(records),
            headers,
            lessons,
            by_header,
            frozenset(taught),
            frozenset(accepted),
        )

    def _table(self, digest: str) -> Table:
        """The table of a lesson; the last few are kept."""
        found = self._tables.pop(digest, None)
        if found is None:
            found = table_read_as(self.log.table(digest), self.parser.config.data.numbers)
        self._tables[digest] = found
        if len(self._tables) > TABLES:
            self._tables.popitem(last=False)
        return found

    def _as_written(self, table: Table) -> WrittenTable:
        return self._written.get(table) or self._written.put(table, None, WrittenTable.of(table))

    def _lesson_of(self, record: Record) -> Lesson | None:
        """The lesson of a record, None if it does not belong to its table."""
        assert record.correction is not None
        table = self._table(record.digest)
        if not _is_within(table, record.correction):
            return None
        return self._lesson(table, record.correction, record.kind)

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
        known = self._person(person)
        for record in reversed(known.records):
            assert record.correction is not None
            other = record.correction
            if record.kind != "lesson" or _key(other) != _key(correction):
                continue
            if other.program == "":
                continue  # nothing was learnt of it
            if known.headers[record.digest] != header_of(table):
                continue
            there = self._table(record.digest)
            if not _is_within(there, other):
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


def _that_count(records: Sequence[Record], headers: Mapping[str, str]) -> list[Record]:
    """The last lesson about each question, and the last accepted answer to each other one.

    Of tables that were not taught none counts, and answers that were accepted since the last lesson
    count with the next: asking on costs no learning, and undoing a lesson leaves all as before it.
    """
    end = max((n for n, one in enumerate(records, start=1) if one.kind == "lesson"), default=0)
    lessons: dict[tuple[str, object], Record] = {}
    accepted: dict[tuple[str, object], Record] = {}
    for record in records[:end]:
        assert record.correction is not None
        place = headers[record.digest], _key(record.correction)
        (lessons if record.kind == "lesson" else accepted)[place] = record
    taught = {header for header, _ in lessons}
    rest = (one for place, one in accepted.items() if place[0] in taught and place not in lessons)
    return [*lessons.values(), *rest]


def _by_header(
    records: Sequence[Record], headers: Mapping[str, str], lessons: Mapping[object, Lesson]
) -> dict[str, list[Lesson]]:
    """What there is to learn of each header: lessons, then accepted answers.

    An accepted answer is left out if a lesson contradicts it.
    """
    taught: dict[str, list[Lesson]] = {}
    accepted: dict[str, list[Lesson]] = {}
    for record in _that_count(records, headers):
        own = (taught if record.kind == "lesson" else accepted).setdefault(
            headers[record.digest], []
        )
        lesson = None if _is_none_of_them(record) else lessons.get(_record_key(record))
        if lesson is not None:
            own.append(lesson)
    return {
        header: [*own, *(one for one in accepted.get(header, ()) if not _is_near(one, own))]
        for header, own in taught.items()
    }


def _record_key(record: Record) -> object:
    assert record.correction is not None
    return _lesson_key(record.digest, record.correction, record.kind)


def _lesson_key(digest: str, correction: Correction, kind: str) -> object:
    """What a lesson depends on."""
    program = correction.program or None if kind == "lesson" else None
    return digest, replace(correction, question="", program=program, told=None)


def _is_none_of_them(record: Record) -> bool:
    """Whether a lesson says that none of the readings is meant, and so teaches nothing."""
    correction = record.correction
    return record.kind == "lesson" and correction is not None and correction.program == ""


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


def _words(question: str) -> tuple[str, ...]:
    """What makes two questions the same as they are typed."""
    return tokenise(question)


def _taken(known: _Person, record: Record) -> Program | None:
    """The program that is learnt of a record."""
    lesson = None if _is_none_of_them(record) else known.lessons.get(_record_key(record))
    return lesson.taken if lesson is not None else None


def _said(taken: Program | None, lesson: Lesson, table: Table, correction: Correction) -> str:
    if taken is not None:
        before = correction.previous.columns if correction.previous is not None else ()
        names = tuple(table.names[column] for column in before)
        return f"I now read this as: {say(taken, names, time_columns(table))}"
    if lesson.consistent:
        return "None of the readings is meant, so this is kept for later and not learnt."
    if correction.values is not None:
        several = len(correction.values) > 1
        what = "these values" if several else "this value"
        return f"I found no way to work out {what}, so I have not learnt from it; {AGAIN}."
    return (
        "I know no program that gives just these cells, so this is kept for later and not learnt;"
        f" {AGAIN}."
    )


def _joined(base: TableMemory | None, learnt: TableMemory) -> TableMemory:
    if base is None or base.questions.shape[1] != learnt.questions.shape[1]:
        return learnt
    return TableMemory(
        np.concatenate([base.questions, learnt.questions]),
        (*base.weights, *learnt.weights),
        (*base.wordings, *learnt.wordings),
        (*base.programs, *learnt.programs),
    )


def _check(table: Table, correction: Correction) -> None:
    given = correction.cells if correction.values is None else correction.values
    if len(given) > LARGEST_LESSON:
        what = "cells" if correction.values is None else "values"
        raise DataError(f"a lesson has at most {LARGEST_LESSON:,} {what}, and this has more")
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


def _is_within(table: Table, correction: Correction) -> bool:
    """Whether a record's cells are in its table; those of a damaged one may not be."""
    rows, columns = table.shape
    before = correction.previous or Denotation((), ())
    return (
        all(row in range(rows) and column in range(columns) for row, column in correction.cells)
        and all(row in range(rows) for row in before.rows)
        and all(column in range(columns) for column in before.columns)
    )
