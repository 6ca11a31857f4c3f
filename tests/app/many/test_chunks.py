"""Chunks: a partition of the questions, and files that are whole or not there."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.app.many.chunks import Chunk, cut, joined, missing, read_chunk, write_chunk
from denota.data import Question
from denota.data.example import conversations
from denota.errors import DataError
from denota.evaluation.predict import key_of
from denota.programs.denotation import Denotation
from denota.tables import Table

TABLE = Table.from_rows(["City"], [["Oslo"], ["Moss"]])
ANSWERS = st.builds(
    Denotation,
    st.lists(st.integers(0, 9), max_size=3).map(tuple),
    st.lists(st.integers(0, 9), max_size=3).map(tuple),
    st.none()
    | st.lists(st.text() | st.booleans() | st.floats(allow_nan=False), max_size=3).map(tuple),
    st.lists(st.text(), max_size=3).map(tuple),
)


@st.composite
def asked(draw: st.DrawFn) -> list[Question]:
    """Questions of some conversations about some tables, in any order."""
    lengths = draw(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), max_size=12))
    questions = [
        Question(f"c{number}", "0", position, "which?", TABLE, f"{table}.csv")
        for number, (turns, table) in enumerate(lengths)
        for position in range(turns)
    ]
    return draw(st.permutations(questions))


def question(id_: str, position: int = 0, table: str = "t.csv") -> Question:
    return Question(id_, "0", position, "which?", TABLE, table)


@given(asked(), st.integers(1, 5))
def test_chunks_are_a_partition_of_whole_conversations(
    questions: list[Question], size: int
) -> None:
    chunks = cut(questions, size)
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    together = [key_of(question) for chunk in chunks for question in chunk.questions]
    assert sorted(together) == sorted(map(key_of, questions))
    talks = [{question.sequence for question in chunk.questions} for chunk in chunks]
    assert sum(map(len, talks)) == len(set().union(*talks))  # no conversation is in two chunks
    assert all(len(talk) == size for talk in talks[:-1])
    for chunk in chunks:
        assert [q for talk in conversations(chunk.questions) for q in talk] == [*chunk.questions]


@given(asked(), st.integers(1, 5))
def test_the_conversations_of_a_table_stand_together(questions: list[Question], size: int) -> None:
    files = [q.table_file for chunk in cut(questions, size) for q in chunk.questions]
    changes = sum(one != other for one, other in pairwise(files))
    assert changes == max(0, len(set(files)) - 1)


def test_chunks_of_tables_in_order_are_groups_of_conversations() -> None:
    questions = [question(f"c{n}", table=f"{n // 3}.csv") for n in range(7)]
    assert [[*chunk.questions] for chunk in cut(questions, 2)] == [
        questions[start : start + 2] for start in range(0, 7, 2)
    ]


def test_a_question_that_is_there_twice_is_refused() -> None:
    with pytest.raises(DataError, match="there are two questions a 0 1; give each its own"):
        cut([question("a"), question("a", 1), question("a", 1)])


@given(st.lists(ANSWERS, min_size=1, max_size=3))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, answers: list[Denotation]
) -> None:
    folder = tmp_path_factory.mktemp("chunks")
    chunk = Chunk(7, tuple(question("a", n) for n in range(len(answers))))
    write_chunk(folder, chunk, dict(zip(map(key_of, chunk.questions), answers, strict=True)))
    assert [file.name for file in folder.iterdir()] == ["00007.jsonl"]
    found = read_chunk(folder, chunk)
    assert found is not None and [*found.values()] == answers
    kinds = [[type(value) for value in one.values or ()] for one in answers]
    assert [[type(value) for value in one.values or ()] for one in found.values()] == kinds


def test_a_chunk_half_written_is_missing(tmp_path: Path) -> None:
    chunks = cut([question(f"c{n}") for n in range(6)], 2)
    for chunk in reversed(chunks):  # the order in which they are answered does not matter
        answers = {key_of(q): Denotation((chunk.number,), (0,)) for q in chunk.questions}
        write_chunk(tmp_path, chunk, answers)
    assert missing(tmp_path, chunks) == []
    assert [*joined(tmp_path, chunks)] == [(f"c{n}", "0", 0) for n in range(6)]

    file = tmp_path / "00001.jsonl"
    whole = file.read_text()
    for content in ("", whole[:-20], whole.splitlines()[0] + "\n", whole + whole, "[]\n"):
        file.write_text(content)
        assert missing(tmp_path, chunks) == [chunks[1]]
    file.rename(tmp_path / ".00001.jsonl.1234.part")
    assert missing(tmp_path, chunks) == [chunks[1]]
    with pytest.raises(DataError, match=r"00001\.jsonl is missing or not whole; give the command"):
        joined(tmp_path, chunks)
