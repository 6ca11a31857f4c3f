"""A teacher and its conversations: what is accepted, how it follows the log, what it refuses."""

from __future__ import annotations

import gc
import pickle
import sqlite3
import weakref
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from denota import sample
from denota.app.commands.teach import teach_model
from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.errors import DataError
from denota.model.memory import Memory, header_of
from denota.model.parser import Parser
from denota.tables.inline import inline_table, table_as_object
from denota.tables.table import Table
from denota.teaching import teacher as teaching
from denota.teaching.log import Correction, TeachingLog
from denota.teaching.pending import PendingLog
from denota.teaching.teacher import LARGEST_LESSON, Teacher

CASTLES = sample.tables()["tables/castles.csv"]
ODD = "what was the zorg of harrock tower?"
OTHER = "what was the zorg of dun fort?"
ANSWER = {(2, 2)}
INTACT = "which castles have the condition intact?"
RUINS = "which castles are in ruin?"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load_run("default")


def said(log: TeachingLog, person: str = "") -> list[tuple[str, str]]:
    return [(r.kind, r.correction.question) for r in log.records(person) if r.correction]


def same(one: Memory, other: Memory) -> bool:
    """Whether two memories add the same to all scores."""
    return one.tables.keys() == other.tables.keys() and all(
        np.array_equal(own.questions, other.tables[header].questions)
        and own.weights == other.tables[header].weights
        for header, own in one.tables.items()
    )


def test_silence_is_not_consent(parser: Parser) -> None:
    """Only what was said to be right, or asked on about, is written as accepted."""
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher)
    chat.ask(INTACT)
    chat.ask("hello")
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    chat.ask("which castles are ruins?")
    chat.ask("which castle has the most towers?")
    assert said(teacher.log) == [("lesson", ODD)], "nobody said that the others are right"
    chat.accept(0)
    assert said(teacher.log) == [("lesson", ODD), ("accepted", INTACT)]
    chat.accept(0)
    assert len(said(teacher.log)) == 2, "each is accepted once"
    for wrong in (1, 2, 99):
        with pytest.raises(DataError):
            chat.accept(wrong)
    assert len(said(teacher.log)) == 2


def test_a_follow_up_accepts_the_answer_that_it_builds_on(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher)
    chat.ask(INTACT)
    chat.ask(RUINS)
    assert chat.ask("of those, which has the most towers?").scope == "previous"
    assert said(teacher.log) == [], "of a table that was not taught nothing is written"
    chat.ask(ODD, scope="table")
    chat.teach(-1, ANSWER)
    assert said(teacher.log) == [("accepted", RUINS), ("lesson", ODD)]
    chat.ask(INTACT)
    assert chat.ask("of those, which has the fewest towers?").scope == "previous"
    assert said(teacher.log)[2:] == [("accepted", INTACT)]
    again = Chat(parser, CASTLES, teacher=Teacher(parser, TeachingLog()))
    for turn, taught in zip(chat.turns, chat.taught, strict=True):
        again.recall(turn.question, turn.program, turn.confidence, turn.sure, taught=taught)
    again.ask(OTHER, scope="table")
    again.teach(-1, {(3, 2)})
    assert said(again.teacher.log) == [
        ("accepted", RUINS),
        ("accepted", INTACT),
        ("lesson", OTHER),
    ], "a conversation taken up again knows what was built on"


def test_a_conversation_that_is_gone_leaves_nothing(parser: Parser) -> None:
    """What was asked in a conversation without lessons is never written by another one."""
    teacher = Teacher(parser, TeachingLog())
    table = inline_table(table_as_object(CASTLES))
    there = weakref.ref(table)
    chat = Chat(parser, table, teacher=teacher)
    chat.ask(INTACT)
    del chat, table
    for turn in (ODD, OTHER):
        chat = Chat(parser, CASTLES, teacher=teacher)
        chat.ask(turn)
        chat.teach(-1, ANSWER)
    assert said(teacher.log) == [("lesson", ODD), ("lesson", OTHER)]
    gc.collect()
    assert there() is None


def test_a_conversation_taken_up_again_accepts_nothing_twice(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher, session="s")
    chat.ask(INTACT)
    chat.accept()
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    chat.unteach()
    chat.accept(chat.ask(RUINS))
    again = Chat(parser, CASTLES, teacher=Teacher(parser, teacher.log), session="s")
    for turn, taught in zip(chat.turns, chat.taught, strict=True):
        again.recall(turn.question, turn.program, turn.confidence, turn.sure, taught=taught)
    assert again.taught == chat.taught == (False, True, False)
    again.ask(OTHER)
    again.teach(-1, {(3, 2)})
    assert said(teacher.log) == [
        ("accepted", INTACT),
        ("lesson", ODD),
        ("accepted", RUINS),
        ("lesson", OTHER),
    ], "an answer that was taught and taken back is not accepted"
    assert all(record.session == "s" for record in teacher.log.records())


def test_a_teacher_follows_its_log(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    one, other = (Teacher(parser, TeachingLog(path)) for _ in range(2))
    nothing = other.memory()
    assert not nothing.tables and other.memory() is nothing
    chat = Chat(parser, CASTLES, teacher=one, session="s")
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    assert same(other.memory(), one.memory()) and other.memory().tables
    learnt = other.memory()
    assert other.memory() is learnt, "learnt once"
    assert other.memory("ada") is not learnt and not other.memory("ada").tables
    one.undo()
    assert not other.memory().tables
    chat.teach(-1, ANSWER)
    assert same(other.memory(), learnt)
    assert [program for _, program in other.lessons()] == [p for _, p in one.lessons()] != [""]
    one.log.erase("s")
    assert not other.memory().tables and not one.memory().tables and other.lessons() == []


def test_undoing_leaves_all_as_it_was_before_the_lesson(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher)
    memories = [teacher.memory()]
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    memories.append(teacher.memory())
    for question in (INTACT, RUINS, "which castle has the most towers?"):
        chat.ask(question)
    assert same(teacher.memory(), memories[-1]), "asking on learns nothing by itself"
    chat.ask(OTHER)
    chat.teach(-1, {(3, 2)})
    fresh = Teacher(parser, teacher.log)
    assert same(fresh.memory(), teacher.memory()) and not same(fresh.memory(), memories[-1])
    for expected in reversed(memories):
        teacher.undo()
        assert same(teacher.memory(), expected)
        assert same(Teacher(parser, teacher.log).memory(), expected), "a function of the log"


def test_lessons_of_a_worker_are_written_by_another_process(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    server, log = TeachingLog(path), PendingLog(path)
    teacher = Teacher(parser, log)
    chat = Chat(parser, CASTLES, teacher=teacher, person="ada", session="s")
    chat.accept(chat.ask(INTACT))
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    assert teacher.memory("ada").tables and not teacher.memory().tables
    assert server.records() == []
    entries = pickle.loads(pickle.dumps(log.taken()))
    assert [entry.kind for entry in entries] == ["accepted", "lesson"]
    assert not teacher.memory("ada").tables, "nobody wrote them yet"
    server.write(entries)
    learnt = teacher.memory("ada")
    assert same(learnt, Teacher(parser, server).memory("ada")) and learnt.tables
    chat.unteach()
    assert not teacher.memory("ada").tables and server.lessons("ada")
    server.write(log.taken())
    assert not server.lessons("ada")
    chat.teach(-1, ANSWER)
    log.drop()  # the server could not take it
    assert not teacher.memory("ada").tables and not teacher.memory().tables


def test_what_is_kept_belongs_to_records_in_force(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teaching, "PEOPLE", 2)
    monkeypatch.setattr(teaching, "TABLES", 3)
    writer, teacher = TeachingLog(), None
    tables = []
    for number in range(8):
        rows = [[f"town {number}", "7"], ["Moss", "3"]]
        table = Table.from_rows(["city", f"people {number}"], rows)
        one = Correction("which?", "which?", (), None, frozenset({(0, 0)}))
        writer.add(table, one, person=f"p{number % 4}", session=f"s{number}")
    teacher = Teacher(parser, writer)
    read = writer.table

    def reading(digest: str) -> Table:
        table = read(digest)
        tables.append(weakref.ref(table))
        return table

    monkeypatch.setattr(writer, "table", reading)
    expected = [set(teacher.memory(f"p{number}").tables) for number in range(4)]
    assert all(len(headers) == 2 for headers in expected)
    gc.collect()
    assert len(tables) >= 8 and sum(table() is not None for table in tables) <= 3
    for number in range(8):
        writer.erase(f"s{number}")
        teacher.memory(f"p{number % 4}")
    assert not any(teacher.memory(f"p{number}").tables for number in range(4))


def test_a_program_that_does_not_give_the_answer_is_refused(parser: Parser) -> None:
    chat = Chat(parser, CASTLES)
    chat.ask(INTACT)
    chat.ask(ODD)
    before = chat.turns
    for wrong in ("SELECT Nope", before[0].program, "not a program"):
        with pytest.raises(DataError, match="not among the readings"):
            chat.teach(-1, ANSWER, wrong)
    chat.ask("how many castles are ruins?")
    with pytest.raises(DataError, match="not among the readings"):
        chat.teach(-1, program="SELECT Nope", values=[3])
    assert chat.turns[:2] == before and not chat.teacher.log.records()
    assert not chat.teacher.memory().tables


def test_a_lesson_has_so_many_cells_and_no_more(parser: Parser) -> None:
    table = Table.from_rows(["a", "b"], [[str(n), "x"] for n in range(LARGEST_LESSON + 1)])
    teacher = Teacher(parser, TeachingLog())
    every = frozenset((row, 0) for row in range(LARGEST_LESSON + 1))
    with pytest.raises(DataError, match="at most 10,000 cells"):
        teacher.teach(table, Correction("q", "q", (), None, every))
    values = tuple(float(row) for row, _ in every)
    with pytest.raises(DataError, match="at most 10,000 values"):
        teacher.teach(table, Correction("q", "q", (), None, frozenset(), None, values))
    assert teacher.log.records() == []


def test_damage_in_the_log_costs_its_own_lesson_alone(
    parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lessons.sqlite"
    teacher = Teacher(parser, TeachingLog(path))
    for question in (ODD, OTHER, INTACT):
        chat = Chat(parser, CASTLES, teacher=teacher)
        chat.ask(question)
        chat.teach(-1, ANSWER)
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TRIGGER log_stays")
        file.execute("UPDATE log SET content = 'x' WHERE number = 2")
        file.execute(
            "UPDATE log SET content = json_set(content, '$.cells[0][0]', 9999) WHERE number = 3"
        )
        file.commit()
    again = Teacher(parser, TeachingLog(path))
    assert len(again.memory().tables[header_of(CASTLES)].weights) == 1
    assert [bool(program) for _, program in again.lessons()] == [True, False]
    assert set(Chat(parser, CASTLES, teacher=again).ask(ODD).cells) == ANSWER
    monkeypatch.setenv("DENOTA_LESSONS", str(path))
    lines = list(teach_model("default", None, False, False, True, None, None))
    assert lines[-1] == "1 damaged records, which are passed over" and len(lines) == 3
