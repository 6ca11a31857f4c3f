"""WikiTableQuestions: an invented release read by hand, what is refused, and the real one where it
is there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.data import Values, load_examples, load_questions, split_names
from denota.data.answer import is_right, items_of
from denota.data.escaped import unescape
from denota.errors import DataError


def test_the_release_is_read(wtq_release: Path) -> None:
    assert split_names(wtq_release) == ("pristine-unseen-tables", "questions", "training")
    loaded = load_examples(wtq_release, "training")
    first, second, third = loaded.examples
    assert loaded.problems == () and loaded.questions == tuple(e.question for e in loaded.examples)
    asked = first.question
    assert (asked.id, asked.annotator, asked.position) == ("nt-0", "0", 0)
    assert asked.text == 'how many people live in "oslo"?' and asked.history == ()
    assert asked.table_file == "csv/200-csv/1.csv"
    assert second.question.table is asked.table, "a table is read once"
    assert first.answer == Values(("709,037",))
    assert second.answer == Values(("Oslo", "Bergen", "Mo i\nRana"))
    assert third.answer == Values(("a\\b", "c|d"))


def test_tables_are_read_as_they_are_written(wtq_release: Path) -> None:
    table = load_questions(wtq_release, "training").questions[0].table
    assert table.names == ("City", "People", "Note")
    assert table.row(0) == ("Oslo", "709,037", "a\\b")
    assert table.row(1) == ("Bergen", "291,940", "c|d")
    assert table.row(2) == ("Mo i\nRana", "20,409", '"x'), "quotes are ordinary"


def test_a_csv_is_read_where_there_is_nothing_else(wtq_release: Path) -> None:
    (example,) = load_examples(wtq_release, "pristine-unseen-tables").examples
    assert example.question.table.row(0) == ("reds", '"go"')
    assert example.question.table.row(1) == ("blues", "a, b\nc")
    assert is_right(["Go"], Values(('"go"',)))


def test_a_split_without_answers_is_questions(wtq_release: Path) -> None:
    (question,) = load_questions(wtq_release, "questions").questions
    assert question.table.row(1) == ("2000", "Ben")
    with pytest.raises(DataError, match="has no answers"):
        load_examples(wtq_release, "questions")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("nt-9\t?\tcsv/200-csv/1.csv", "has 3 fields where the header has 4"),
        ("nt-9\t \tcsv/200-csv/1.csv\tx", "empty question"),
        ("nt-0\t?\tcsv/200-csv/1.csv\tx", "has the id 'nt-0', which .*training.tsv:2 has"),
        ("nt-9\t?\tcsv/200-csv/9.csv\tx", "table that cannot be read"),
        ("nt-9\t?\t../1.csv\tx", "not a path inside"),
        ("nt-9\t?\t/etc/passwd\tx", "not a path inside"),
        ("nt-9\t?\tcsv/200-csv/ragged.csv\tx", "rows differ in length"),
        ("nt-9\t?\tcsv/200-csv/empty.csv\tx", "has no rows"),
    ],
)
def test_a_row_that_cannot_be_used_is_said_with_its_line(
    wtq_release: Path, row: str, message: str
) -> None:
    (wtq_release / "csv" / "200-csv" / "ragged.tsv").write_text("a\tb\n1\n")
    (wtq_release / "csv" / "200-csv" / "empty.tsv").write_text("a\tb\n")
    file = wtq_release / "data" / "training.tsv"
    file.write_text(file.read_text() + row + "\n")
    with pytest.raises(DataError, match=rf"training.tsv:5 .*{message}"):
        load_examples(wtq_release, "training")


def test_escapes() -> None:
    assert unescape(r"\\n") == r"\n" and unescape(r"\n\p\\") == "\n|\\"
    assert unescape("\\x") == "\\x", "what is no escape stays"


@pytest.mark.wtq
def test_the_real_release(wtq: Path) -> None:
    examples = load_examples(wtq, "training").examples
    assert len(examples) == 14_142
    assert len({id(e.question.table) for e in examples}) == 1_678
    assert len(load_questions(wtq, "test-questions").questions) == 4_344
    names = ("random-split-1-train", "random-split-1-dev")
    parts = [load_examples(wtq, name).examples for name in names]
    assert sum(map(len, parts)) == len(examples)
    tables = [{e.question.table_file for e in part} for part in parts]
    assert not tables[0] & tables[1]
    assert all(is_right(items_of(e.answer, e.question.table), e.answer) for e in examples)
    single = sum(len(e.answer.items) == 1 for e in examples if isinstance(e.answer, Values))
    assert 0.96 < single / len(examples) < 0.98
