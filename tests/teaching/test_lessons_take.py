"""A lesson takes, for its own question always, and never answers another with its constant."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.errors import DataError
from denota.model.parser import Parser
from denota.tables.table import Table
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher
from parsers import picks_cells

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "other_constants.py"
_SPEC = spec_from_file_location("other_constants", BENCHMARK)
assert _SPEC is not None and _SPEC.loader is not None
_MODULE = sys.modules["other_constants"] = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
cases, taught = _MODULE.cases, _MODULE.taught
ROWS = [
    ["Ann Lee", "Canada", "37", "Leafs"],
    ["Bo Roy", "Mexico", "22", "Bulls"],
    ["Cy Dot", "Canada", "37", "Bulls"],
    ["Di Fox", "Sweden", "29", "Leafs"],
    ["Ed Kim", "Mexico", "37", "Kings"],
    ["Gus Ott", "Switzerland", "22", "Leafs"],
]
PLAYERS = Table.from_rows(["Player", "Country", "Age", "Team"], ROWS)
OLDEST = {(0, 0), (2, 0), (4, 0)}


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load_run("default")


@pytest.fixture
def teacher(parser: Parser) -> Teacher:
    return Teacher(parser, TeachingLog())


def chat_of(teacher: Teacher, table: Table = PLAYERS) -> Chat:
    return Chat(teacher.parser, table, teacher=teacher)


def test_forty_lessons_take_and_none_answers_with_anothers_constant(parser: Parser) -> None:
    found = [taught(parser, case) for case in cases()]
    assert len(found) == 40
    for one in found:
        assert one.takes, one.case.question
        assert not one.answers_with_the_lesson, one.case.other
    before = sum(one.kind_before == "right" for one in found)
    after = sum(one.kind == "right" for one in found)
    assert after > before, "lessons help about other constants"
    spoilt = [o.case.other for o in found if o.kind_before == "right" and o.kind != "right"]
    assert not spoilt


def test_the_oldest_is_the_largest_age_and_the_youngest_stays(teacher: Teacher) -> None:
    youngest = chat_of(teacher).ask("who is the youngest?")
    chat = chat_of(teacher)
    learnt = chat.teach(chat.ask("who is the oldest?"), OLDEST)
    assert learnt.said == "I now read this as: The Player where Age is largest, including ties."
    assert set(chat_of(teacher).ask("who is the oldest?").cells) == OLDEST
    assert chat_of(teacher).ask("who is the youngest?").cells == youngest.cells
    rows = [*ROWS, ["Old Tom", "Sweden", "61", "Kings"]]
    grown = Table.from_rows(PLAYERS.names, rows)
    assert chat_of(teacher, grown).ask("who is the oldest?").answer == ("Old Tom",)


def test_a_lesson_takes_without_its_record_too(teacher: Teacher, tmp_path: Path) -> None:
    """A saved parser has no log, and gives what was taught by its memory alone."""
    from denota.app.api import TableParser
    from denota.app.paths import load_run as load

    chat = chat_of(teacher)
    chat.teach(chat.ask("whose country is it?"), {(1, 1), (4, 1)})
    own = TableParser(teacher.parser)
    own.teacher = teacher
    saved = load(own.save(tmp_path / "taught.safetensors"))
    assert set(Chat(saved, PLAYERS).ask("whose country is it?").cells) == {(1, 1), (4, 1)}


def test_what_no_program_gives_comes_back_for_its_question_and_table_alone(
    teacher: Teacher,
) -> None:
    odd = {(0, 0), (3, 2), (4, 1)}
    chat = chat_of(teacher)
    learnt = chat.teach(chat.ask("which cells do I like?"), odd)
    assert not learnt.learnt and "asked again in these words" in learnt.said
    again = chat_of(teacher).ask("Which cells do I like")
    assert set(again.cells) == odd and again.explanation.endswith("So it was taught.")
    assert set(chat_of(teacher).ask("which teams do I like?").cells) != odd
    other = Table.from_rows(PLAYERS.names, ROWS[:-1])
    assert set(chat_of(teacher, other).ask("which cells do I like?").cells) != odd
    (record, program), *_ = teacher.lessons()
    assert not program
    teacher.forget(record.number)
    assert set(chat_of(teacher).ask("which cells do I like?").cells) != odd


def test_a_value_teaches_the_cells_behind_it() -> None:
    teacher = Teacher(picks_cells(), TeachingLog())
    chat = chat_of(teacher)
    wrong = chat.ask("how many Mexicans are there?")
    learnt = chat.teach(wrong, values=[2])
    assert learnt.learnt and learnt.said.startswith("I now read this as: ")
    assert chat.turns[-1].values == (2.0,)
    assert chat_of(teacher).ask("how many Mexicans are there?").values == (2.0,)
    (record, program), *_ = teacher.lessons(table=PLAYERS)
    assert record.correction is not None and record.correction.told == (2.0,)
    assert program and record.correction.cells
    with pytest.raises(DataError, match="not among the readings"):
        chat.teach(-1, values=[2], program="SELECT Nope")


def test_a_value_that_nothing_gives_is_remembered(teacher: Teacher) -> None:
    chat = chat_of(teacher)
    learnt = chat.teach(chat.ask("how many fans do the Leafs have?"), values=[4711])
    assert not learnt.learnt and "not learnt from it" in learnt.said
    again = chat_of(teacher).ask("how many fans do the Leafs have?")
    assert again.values == (4711.0,) and again.explanation.endswith("So it was taught.")
    assert chat_of(teacher).ask("how many fans do the Bulls have?").values != (4711.0,)


def test_cells_to_be_counted_are_counted() -> None:
    teacher = Teacher(picks_cells(), TeachingLog())
    chat = chat_of(teacher)
    chat.ask("how many Mexicans are there?")
    chat.teach(-1, {(1, 0), (4, 0)})
    assert chat.turns[-1].values == (2.0,)
    assert chat_of(teacher).ask("how many Mexicans are there?").values == (2.0,)


def test_a_follow_up_that_was_taught_comes_back_after_the_same_answer(teacher: Teacher) -> None:
    for _ in range(2):
        chat = chat_of(teacher)
        chat.ask("who is in the Leafs?")
        turn = chat.ask("of those, who is it?")
        if not teacher.log.lessons():
            chat.teach(turn, {(3, 0)})
    assert set(turn.cells) == {(3, 0)}


def test_lessons_are_forgotten_one_by_one(teacher: Teacher) -> None:
    for text, cells in (("who is the oldest?", OLDEST), ("who is the zorg?", {(3, 0)})):
        chat = chat_of(teacher)
        chat.teach(chat.ask(text), cells)
    first, second = (record for record, _ in teacher.lessons(table=PLAYERS))
    with pytest.raises(DataError, match="no lesson 99"):
        teacher.forget(99)
    with pytest.raises(DataError, match="no lesson"):
        teacher.forget(first.number, person="somebody else")
    teacher.forget(first.number)
    assert [record for record, _ in teacher.lessons()] == [second]
    assert set(chat_of(teacher).ask("who is the oldest?").cells) != OLDEST
    assert set(chat_of(teacher).ask("who is the zorg?").cells) == {(3, 0)}
    other = Table.from_rows(["a"], [["1"]])
    assert teacher.lessons(table=other) == []
