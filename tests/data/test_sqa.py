"""The reader of the SQA layout: what it reads, and that it says where a file is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota.data import read_examples, read_questions
from denota.errors import DataError


def test_questions_come_in_file_order_with_history_by_position(release: Path) -> None:
    questions = read_questions(release / "train.tsv")
    assert [(q.id, q.annotator, q.position, q.history) for q in questions] == [
        ("nt-1", "0", 0, ()),
        ("nt-1", "0", 1, ("what are the cities?",)),
        ("nt-1", "1", 0, ()),
        ("nt-2", "0", 1, ("who won in 2000?",)),
        ("nt-2", "0", 0, ()),
    ]
    assert questions[1].text == "which is\nthe largest?"
    assert questions[0].table_file == "table_csv/1.csv"


def test_a_table_is_read_once_and_shared(release: Path) -> None:
    questions = read_questions(release / "train.tsv")
    assert questions[0].table is questions[2].table
    assert questions[0].table.cell(2, 0) == "Mo i\nRana"


def test_examples_are_the_same_questions_with_cells(release: Path) -> None:
    examples = read_examples(release / "train.tsv")
    assert tuple(e.question for e in examples) == read_questions(release / "train.tsv")
    assert [sorted(e.cells) for e in examples] == [
        [(0, 0), (1, 0), (2, 0)],
        [(0, 0)],
        [(1, 1)],
        [(2, 1)],
        [(1, 1)],
    ]


def test_questions_without_answers_are_read_and_examples_refused(release: Path) -> None:
    (question,) = read_questions(release / "questions.tsv")
    assert question.text == "who leads?"
    with pytest.raises(DataError, match=r"questions.tsv has no answers"):
        read_examples(release / "questions.tsv")


def test_answer_texts_may_differ_in_white_space_and_order_only(release: Path) -> None:
    train = release / "train.tsv"
    text = train.read_text()
    train.write_text(
        text.replace("['Oslo', 'Bergen', 'Mo i\\nRana']", "['Mo  i Rana', 'Oslo ', 'Bergen']")
    )
    assert read_examples(train)[0].cells == {(0, 0), (1, 0), (2, 0)}
    train.write_text(text.replace("['Oslo']", "['oslo']"))
    with pytest.raises(DataError, match=r"train.tsv:3 and table_csv/1.csv disagree .* 'oslo'"):
        read_examples(train)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "['(1, 1)']\t['Ben']",
            "['(9, 1)']\t['Ben']",
            r"train.tsv:7 .*\(9, 1\) outside .*3 rows, 2 columns",
        ),
        ("['(1, 1)']\t['Ben']", "['(1, 2)']\t['Ben']", r"train.tsv:7 .*\(1, 2\) outside"),
        ("['(1, 1)']\t['Ben']", "[(1, 1)]\t['Ben']", "train.tsv:7 has the answer coordinates"),
        ("['(1, 1)']\t['Ben']", "['(1, 1)', '(1, 1)']\t['Ben']", "train.tsv:7 .*disagree"),
        ("['Ben']", "__import__('os').abort()", "train.tsv:7 has the answer text"),
        ("['Ben']", "[1]", "train.tsv:7 has the answer text"),
        ("nt-2\t0\t0", "nt-2\t0\t-1", "train.tsv:7 has the position '-1'"),
        ("nt-2\t0\t0", "nt-2\t0\t1", "train.tsv:7 repeats position 1 .* line 6"),
        ("who won in 2000?", " ", "train.tsv:7 has an empty question"),
        ("2000?\ttable_csv/2.csv", "2000?\ttable_csv/3.csv", "train.tsv:7 asks about .* one table"),
        ("2000?\ttable_csv/2.csv", "2000?\ttable_csv/9.csv", "train.tsv:7 names a table"),
        ("2000?\ttable_csv/2.csv", "2000?\t", "train.tsv:7 names the table ''"),
        ("\t['Ben']", "", "train.tsv:7 has 6 fields where the header has 7"),
        ("annotator", "who", "lacks 'annotator'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    release: Path, old: str, new: str, message: str
) -> None:
    train = release / "train.tsv"
    assert old in train.read_text()
    train.write_text(train.read_text().replace(old, new))
    with pytest.raises(DataError, match=message) as caught:
        read_examples(train)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "escape",
    [
        "../secret.csv",
        "/etc/passwd",
        "table_csv/../../secret.csv",
        "..\\secret.csv",
        "C:secret.csv",
    ],
)
def test_a_file_cannot_name_tables_outside_its_directory(release: Path, escape: str) -> None:
    (release.parent / "secret.csv").write_text("a,b\n1,2\n")
    train = release / "train.tsv"
    train.write_text(train.read_text().replace("table_csv/2.csv", escape))
    with pytest.raises(DataError, match=r"train.tsv:6 names the table .* not a path inside"):
        read_questions(train)


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_are_no_matter(release: Path) -> None:
    train = release / "train.tsv"
    plain = read_examples(train)
    text = train.read_text().replace("nt-1\t1", "\nnt-1\t1").replace("which is\n", "which is ")
    train.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert [e.cells for e in read_examples(train)] == [e.cells for e in plain]


def test_files_that_cannot_be_read_are_said_so(release: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_questions(release / "nowhere.tsv")
    with pytest.raises(DataError, match="directory"):
        read_questions(release)
    (release / "latin.tsv").write_bytes("id\tbjørn\n".encode("latin-1"))
    with pytest.raises(DataError, match="UTF-8"):
        read_questions(release / "latin.tsv")
    (release / "empty.tsv").write_bytes(b"")
    with pytest.raises(DataError, match="lacks 'id'"):
        read_examples(release / "empty.tsv")
