"""A question cannot hold an answer, and conversations come out whole and in order."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from denota.data import Cells, Example, Question, conversations
from denota.data.loaded import Loaded
from denota.tables.table import Table

TABLE = Table.from_rows(["city"], [["Oslo"], ["Bergen"]])


def question(id: str = "q", position: int = 0, annotator: str = "0") -> Question:
    return Question(id, annotator, position, f"{id} {position}?", TABLE, "city.csv")


def test_a_question_has_no_field_that_could_hold_an_answer() -> None:
    assert {f.name for f in fields(Question)} == {
        *("id", "annotator", "position", "text", "table", "table_file", "history", "line")
    }
    assert not hasattr(question(), "__dict__")


def test_equality_looks_at_the_table_and_hashing_does_not() -> None:
    other = Table.from_rows(["city"], [["Oslo"], ["Bodø"]])
    here, there = question(), Question("q", "0", 0, "q 0?", other, "city.csv")
    assert here != there
    assert hash(here) == hash(there)
    assert here == question()


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("01"), st.integers(0, 9)), unique=True
    )
)
def test_conversations_keep_every_turn_once_and_in_order(keys: list[tuple[str, str, int]]) -> None:
    turns = [question(id, position, annotator) for id, annotator, position in keys]
    grouped = conversations(turns)
    assert sorted(map(id, (t for group in grouped for t in group))) == sorted(map(id, turns))
    for group in grouped:
        assert len({turn.sequence for turn in group}) == 1
        assert [turn.position for turn in group] == sorted(turn.position for turn in group)
    assert [g[0].sequence for g in grouped] == list(dict.fromkeys(t.sequence for t in turns))


def test_examples_are_grouped_like_their_questions() -> None:
    examples = [Example(question("a", p), Cells(frozenset({(0, 0)}))) for p in (2, 0, 1)]
    assert [[e.question.position for e in group] for group in conversations(examples)] == [
        [0, 1, 2]
    ]


def test_questions_about_other_tables() -> None:
    one, other = (
        Question("c", "0", 0, "which?", Table.from_rows(["A"], [["1"]]), file)
        for file in ("one.csv", "other.csv")
    )
    loaded = Loaded((one, other), (Example(one, Cells(frozenset({(0, 0)}))),))
    assert loaded.without_tables({"one.csv"}) == Loaded((other,), ())
    assert loaded.without_tables({"other.csv"}).examples == loaded.examples
