"""The log of lessons: what is in force, written elsewhere, erased, damaged, and how it is kept."""

from __future__ import annotations

import json
import pickle
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.errors import DataError
from denota.programs.denotation import Denotation
from denota.sqlite import SIDES, Database
from denota.tables.table import Table
from denota.teaching.log import Correction, Entry, Record, TeachingLog, WrittenTable
from denota.teaching.pending import PendingLog

TABLES = [
    Table.from_rows(["city", "people"], [[name, "7"], ["Moss", "3"]]) for name in ("Oslo", "Rome")
]
SECRET = Table.from_rows(["name", "ssn"], [["Bob Brown", "078-05-1120"], ["Ann", "219-09-9999"]])
PEOPLE = ("ada", "bob")
SESSIONS = ("", "s", "t")


def correction(question: str, program: str | None = None) -> Correction:
    return Correction(question, question, (), None, frozenset({(0, 0)}), program)


@dataclass(frozen=True)
class Step:
    """Something a person does in a session."""

    kind: str
    person: str
    session: str
    question: str = "q"
    program: str | None = None
    table: int = 0

    def do(self, log: TeachingLog) -> None:
        if self.kind == "undo":
            if log.lessons(self.person):
                log.undo(self.person, self.session)
        elif self.kind == "reset":
            log.reset(self.person, self.session)
        else:
            own = correction(self.question, self.program)
            log.add(TABLES[self.table], own, self.person, self.kind, self.session)


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(["lesson", "lesson", "lesson", "accepted", "undo", "undo", "reset"]),
        st.sampled_from(PEOPLE),
        st.sampled_from(SESSIONS),
        st.sampled_from("qr"),
        st.sampled_from([None, "SELECT city"]),
        st.integers(0, 1),
    ),
    max_size=14,
)


def told(records: Sequence[Record]) -> list[tuple[object, ...]]:
    """What records say, whatever their numbers and times."""
    return [(r.kind, r.person, r.session, r.digest, r.correction) for r in records]


def modelled(steps: Sequence[Step], person: str) -> list[Step]:
    """What is in force, as the words of the documentation have it."""
    found: list[Step] = []
    for step in steps:
        if step.person != person:
            continue
        if step.kind == "reset":
            found = []
        elif step.kind == "undo":
            places = [n for n, one in enumerate(found) if one.kind == "lesson"]
            found = found[: places[-1]] if places else found
        else:
            if found and step.kind == found[-1].kind == "lesson":
                own = replace(found[-1], program=step.program, session=step.session)
                found = found[:-1] if own == step else found
            found = [*found, step]
    return found


@given(STEPS)
def test_in_force_is_what_was_taught_and_not_taken_back(steps: list[Step]) -> None:
    log = TeachingLog()
    for step in steps:
        step.do(log)
    for person in PEOPLE:
        expected = [(s.kind, s.session, s.question, s.program) for s in modelled(steps, person)]
        found = [
            (r.kind, r.session, r.correction.question, r.correction.program)
            for r in log.in_force(person)
            if r.correction
        ]
        assert found == expected


@given(STEPS, STEPS, st.sampled_from(["s", "t"]))
def test_erasing_takes_a_session_and_nothing_else(
    steps: list[Step], later: list[Step], session: str
) -> None:
    log = TeachingLog()
    for step in steps:
        step.do(log)
    before = {person: log.in_force(person) for person in PEOPLE}
    versions = {person: log.version(person) for person in PEOPLE}
    count = sum(record.session == session for record in log.records())
    assert log.erase(session) == count
    for person in PEOPLE:
        left = [record for record in before[person] if record.session != session]
        after = log.in_force(person)
        assert [r.number for r in after] == [r.number for r in left]
        assert told(after) == told(left)
        if after != before[person]:
            assert log.version(person) != versions[person]
    assert not any(record.session == session for record in log.records())
    for record in (record for person in PEOPLE for record in log.in_force(person)):
        assert log.table(record.digest).names == ("city", "people")
    assert log.erase(session) == 0 and log.erase("") == 0
    kept = {person: told(log.in_force(person)) for person in PEOPLE}
    for step in later:  # the log goes on as one of these records alone would
        step.do(log)
    fresh = TeachingLog()
    for person in PEOPLE:
        for record in before[person]:
            if record.session != session and record.correction is not None:
                _add_apart(fresh, record)
    assert {person: told(fresh.in_force(person)) for person in PEOPLE} == kept
    for step in later:
        step.do(fresh)
    for person in PEOPLE:
        assert told(log.in_force(person)) == told(fresh.in_force(person))


def _add_apart(log: TeachingLog, record: Record) -> None:
    """Add a record that is not one with the lesson before it: a session is erased between them."""
    assert record.correction is not None
    between = correction("between")
    log.add(TABLES[0], between, record.person, "lesson", "gone")
    log.add(log_table(record), record.correction, record.person, record.kind, record.session)
    log.erase("gone")


def log_table(record: Record) -> Table:
    return next(t for t in TABLES if WrittenTable.of(t).digest == record.digest)


def bytes_of(path: Path) -> bytes:
    files = [path.with_name(path.name + side) for side in SIDES]
    return b"".join(file.read_bytes() for file in files if file.exists())


def test_erased_text_is_in_no_file(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    log, reader = TeachingLog(path), PendingLog(path)
    log.add(TABLES[0], correction("where?"), session="kept")
    for number in range(30):
        log.add(SECRET, correction(f"what is the ssn of Bob Brown, no {number}?"), session="s")
    log.undo(session="kept")
    assert reader.lessons() and b"Bob Brown" in bytes_of(path) and b"078-05" in bytes_of(path)
    log.erase("s")
    for text in (b"Bob Brown", b"078-05", b"ssn"):
        assert text not in bytes_of(path)
    assert b"Oslo" in bytes_of(path) and b"where?" in bytes_of(path)
    assert len(reader.records()) == len(reader.lessons()) == 1
    log.close()
    assert b"Bob Brown" not in bytes_of(path)


def test_a_table_stays_while_a_record_is_about_it() -> None:
    log = TeachingLog()
    for session in ("s", "t"):
        log.add(TABLES[0], correction("q"), person=session, session=session)
    digest = log.lessons("s")[0].digest
    log.erase("s")
    assert log.table(digest) == TABLES[0]
    log.erase("t")
    with pytest.raises(DataError, match="not in the log any more"):
        log.table(digest)


def test_only_erasing_removes(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    log = TeachingLog(path)
    log.add(TABLES[0], correction("q"), session="s")
    log.erase("t")
    for statement in ("DELETE FROM log", "UPDATE log SET kind = 'reset'"):
        with closing(sqlite3.connect(path)) as other, pytest.raises(sqlite3.IntegrityError):
            other.execute(statement)
    log.erase("s")
    assert log.records() == []


@given(STEPS, STEPS)
def test_what_is_pending_is_as_if_written_and_then_is(before: list[Step], new: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lessons.sqlite"
        writing, direct = TeachingLog(path), TeachingLog()
        for step in before:
            step.do(writing)
            step.do(direct)
        pending = PendingLog(path)
        versions = {person: pending.version(person) for person in PEOPLE}
        for step in new:
            step.do(pending)
            step.do(direct)
        expected = {person: told(direct.in_force(person)) for person in PEOPLE}
        assert {person: told(pending.in_force(person)) for person in PEOPLE} == expected
        for record in pending.records():
            assert not record.digest or pending.table(record.digest).names
        entries = pickle.loads(pickle.dumps(pending.taken()))
        assert {person: pending.version(person) for person in PEOPLE} == versions
        assert pending.taken() == () and len(writing.records()) == len(pending.records())
        writing.write(entries)
        for log in (writing, pending):
            assert {person: told(log.in_force(person)) for person in PEOPLE} == expected
        for person in PEOPLE:
            changed = any(entry.person == person for entry in entries)
            assert (pending.version(person) != versions[person]) == changed
        writing.close()
        pending.close()


def test_what_is_dropped_was_never_there(tmp_path: Path) -> None:
    log = PendingLog(tmp_path / "lessons.sqlite")
    log.add(TABLES[0], correction("q"))
    version = log.version()
    assert log.lessons() and log.undo().number == -1 and not log.lessons()
    assert log.version() != version
    log.drop()
    assert log.records() == [] and log.taken() == ()
    with pytest.raises(DataError, match="nothing to undo"):
        log.undo()
    with pytest.raises(DataError):
        log.erase("s")


def test_entries_are_written_all_or_none(tmp_path: Path) -> None:
    log = TeachingLog(tmp_path / "lessons.sqlite")
    good = Entry("lesson", table=WrittenTable.of(TABLES[0]), correction=correction("q"))
    with pytest.raises(DataError):
        log.write([good, Entry("undo", lesson=-7)])
    with pytest.raises(DataError):
        log.write([good, replace(good, person=None)])  # type: ignore[arg-type]
    assert log.records() == []
    assert log.write([good, Entry("undo", lesson=-1)]) == [1, 2]
    assert len(log.records()) == 2 and log.lessons() == []


def damage(path: Path, number: int, content: bytes) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TRIGGER log_stays")
        file.execute("UPDATE log SET content = CAST(? AS TEXT) WHERE number = ?", (content, number))
        file.commit()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe{}",
        b"{}",
        b'{"table": "d"}',
        b"[" * 100_000,
        b'{"table": "d", "question": "q", "asked": "q", "history": [], "previous": null,'
        b' "cells": [["x", 0]], "program": null}',
        b'{"table": "d", "question": "q", "asked": "q", "history": [], "previous": null,'
        b' "cells": [], "program": null, "values": [null]}',
        b'{"table": "d", "question": "q", "asked": "q", "history": [], "previous": [["x"], [0]],'
        b' "cells": [[0, 0]], "program": null}',
        b'{"table": "d", "question": 1, "asked": "q", "history": [], "previous": null,'
        b' "cells": [[0, 0]], "program": null}',
        b'{"table": "d", "question": "q", "asked": "q", "history": [[]], "previous": null,'
        b' "cells": [[0, 0]], "program": null}',
        b'{"table": "d", "question": "q", "asked": "q", "history": [], "previous": [1],'
        b' "cells": [[0, 0]], "program": null}',
        b'{"table": "d", "question": "q", "asked": "q", "history": [], "previous": null,'
        b' "cells": [0], "program": null}',
    ],
)
def test_a_damaged_record_is_passed_over(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lessons.sqlite"
    log = TeachingLog(path)
    for question in "abc":
        log.add(TABLES[0], correction(question))
    damage(path, 2, content)
    assert [r.correction.question for r in log.lessons() if r.correction] == ["a", "c"]
    assert log.damaged() == 1 and len(log.export().splitlines()) == 2
    log.undo()
    assert [r.correction.question for r in log.lessons() if r.correction] == ["a"]
    log.add(TABLES[0], correction("d"), session="s")
    log.erase("s")
    assert [r.correction.question for r in log.lessons() if r.correction] == ["a"]
    assert log.damaged() == 1, "what cannot be read is not thrown away"


def test_the_undoing_of_a_lesson_that_is_damaged_takes_back_no_other(tmp_path: Path) -> None:
    log = TeachingLog(tmp_path / "lessons.sqlite")
    for question in "ab":
        log.add(TABLES[0], correction(question))
    log.undo()
    damage(tmp_path / "lessons.sqlite", 2, b"{")
    assert [r.correction.question for r in log.lessons() if r.correction] == ["a"]


def test_a_damaged_table_is_said_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    log = TeachingLog(path)
    for table in TABLES:
        log.add(table, correction("q"))
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE tables SET content = '{' WHERE content LIKE '%Rome%'")
        file.commit()
    assert log.damaged() == 1 and "Rome" not in log.export() and "Oslo" in log.export()
    with pytest.raises(DataError, match="damaged"):
        log.table(log.lessons()[1].digest)


def test_corrupt_pages_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    log = TeachingLog(path)
    for number in range(200):
        log.add(TABLES[0], correction(f"{number} " + "long " * 200))
    log.close()
    whole = bytearray(path.read_bytes())
    whole[8192:] = b"\xa5" * (len(whole) - 8192)
    path.write_bytes(whole)
    with pytest.raises(DataError) as caught:
        TeachingLog(path).lessons()
    assert "\n" not in str(caught.value)


#: A file of format 1, as 0.1.0 wrote it.
FORMAT_1 = """
CREATE TABLE tables (digest TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE log (number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, person TEXT NOT NULL,
    kind TEXT NOT NULL, content TEXT NOT NULL);
CREATE TRIGGER log_stays BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'only added to'); END;
CREATE TRIGGER log_keeps BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'only added to'); END;
PRAGMA user_version = 1;
"""


def test_a_log_of_format_1_keeps_everything(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    table = WrittenTable.of(TABLES[0])

    def line(question: str) -> str:
        own = {"table": table.digest, "question": question, "asked": question, "history": []}
        return json.dumps({**own, "previous": [[0], [1]], "cells": [[0, 0]], "program": None})

    rows = [
        (1, 10.0, "", "lesson", line("a")),
        (2, 20.0, "ada", "lesson", line("b")),
        (3, 30.0, "", "accepted", line("c")),
        (4, 40.0, "", "lesson", line("d")),
        (5, 50.0, "", "undo", '{"lesson": 4}'),
        (6, 60.0, "", "lesson", "{"),
        (7, 70.0, "bob", "reset", "{}"),
    ]
    with closing(sqlite3.connect(path)) as file:
        file.executescript(FORMAT_1)
        file.execute("INSERT INTO tables VALUES (?, ?)", (table.digest, table.content))
        file.executemany("INSERT INTO log VALUES (?, ?, ?, ?, ?)", rows)
        file.commit()
    log = TeachingLog(path)
    found = [(r.number, r.at, r.person, r.kind) for r in log.records()]
    assert found == [row[:4] for row in rows if row[0] != 6] and log.damaged() == 1
    assert [r.number for r in log.in_force()] == [1, 3]
    assert log.in_force()[0].correction == replace(correction("a"), previous=Denotation((0,), (1,)))
    assert log.add(TABLES[1], correction("e"), session="s") == 8
    log.erase("s")
    assert log.table(table.digest) == TABLES[0] and log.lessons("ada")
    assert [r.number for r in log.in_force()] == [1, 3]
    assert log.add(TABLES[1], correction("f")) == 9, "a number is never given twice"


def test_reading_a_person_is_by_index(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    TeachingLog(path).close()
    with closing(sqlite3.connect(path)) as file:
        for query in (
            "SELECT number FROM log WHERE person = '' ORDER BY number",
            "SELECT MAX(number) FROM log WHERE person = ''",
            "SELECT number FROM log WHERE session = 's'",
        ):
            plan = " ".join(str(row) for row in file.execute(f"EXPLAIN QUERY PLAN {query}"))
            assert "SEARCH log USING" in plan and "INDEX log_of_" in plan, plan


def test_only_the_owner_may_read_the_files(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "lessons.sqlite"
    log = TeachingLog(path)
    log.add(TABLES[0], correction("q"))
    for folder in (path.parent, path.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600
    log.close()
    path.chmod(0o644)
    tmp_path.chmod(0o755)
    TeachingLog(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert tmp_path.stat().st_mode & 0o777 == 0o755, "a folder that was there is left alone"


def test_deleted_text_of_older_files_goes_with_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA secure_delete = OFF")
        file.execute("CREATE TABLE notes (text)")
        file.executemany("INSERT INTO notes VALUES (?)", [("a secret " * 20,)] * 200)
        file.commit()
        file.execute("DELETE FROM notes")
        file.commit()
    assert b"a secret" in path.read_bytes()
    Database(path, [lambda to: None]).close()
    assert b"a secret" not in bytes_of(path)


def test_a_reading_error_is_one_sentence(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite", [lambda to: None])
    with pytest.raises(DataError, match="cannot be read"), database.reading() as of:
        of.execute("SELECT * FROM nothing")
