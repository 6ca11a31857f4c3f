"""The real SQA release, where it is: everything in it is read, and its answers agree with its
tables.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from denota.data import (
    Example,
    conversations,
    load_examples,
    load_questions,
    read_examples,
    read_jsonl,
    read_predictions,
    read_questions,
    write_jsonl,
    write_predictions,
)
from denota.errors import DataError
from denota.tables.io import read_table

pytestmark = pytest.mark.sqa


@pytest.fixture(scope="module")
def train(sqa: Path) -> tuple[Example, ...]:
    return read_examples(sqa / "train.tsv")


def test_every_training_answer_agrees_with_its_table(train: tuple[Example, ...]) -> None:
    """Reading checks the cells' text against the answer text, so the count says that all 14,541
    agree.
    """
    assert len(train) == 14_541
    assert all(example.cells for example in train)


def test_the_answer_texts_agree_letter_for_letter(sqa: Path, train: tuple[Example, ...]) -> None:
    with (sqa / "train.tsv").open(encoding="utf-8", newline="") as stream:
        printed = [row["answer_text"] for row in csv.DictReader(stream, delimiter="\t")]
    for example, text in zip(train, printed, strict=True):
        assert repr([example.question.table.cell(*cell) for cell in sorted(example.cells)]) == text


def test_conversations_are_whole(train: tuple[Example, ...]) -> None:
    groups = conversations(train)
    assert len(groups) == 5_041
    for group in groups:
        texts = tuple(e.question.text for e in group)
        assert [e.question.history for e in group] == [texts[:i] for i in range(len(group))]
        assert [e.question.position for e in group] == list(range(len(group)))


def test_every_table_is_read(sqa: Path) -> None:
    files = sorted((sqa / "table_csv").glob("*.csv"))
    assert len(files) == 982
    shapes = [read_table(file).shape for file in files]
    assert max(rows for rows, _ in shapes) == 30
    assert max(columns for _, columns in shapes) == 10


@pytest.mark.parametrize("number", range(1, 6))
def test_a_random_split_parts_the_training_conversations(
    sqa: Path, train: tuple[Example, ...], number: int
) -> None:
    parts = [
        load_examples(sqa, f"random-split-{number}-{name}").questions for name in ("train", "dev")
    ]
    keys = [[(*q.sequence, q.position) for q in part] for part in parts]
    assert sorted(keys[0] + keys[1]) == sorted(
        (*e.question.sequence, e.question.position) for e in train
    )
    assert not {q.sequence for q in parts[0]} & {q.sequence for q in parts[1]}


def test_split_one_has_the_sizes_the_literature_gives(sqa: Path) -> None:
    sizes = [
        len(load_questions(sqa, f"random-split-1-{name}").questions) for name in ("train", "dev")
    ]
    assert sizes == [12_276, 2_265]


def test_test_questions_have_no_answers(sqa: Path) -> None:
    file = sqa / "test-questions.tsv"
    if not file.is_file():
        pytest.skip("this copy of the release has no test-questions.tsv")
    questions = read_questions(file)
    assert len(questions) == 3_012
    assert all(len(q.history) == q.position for q in questions)
    with pytest.raises(DataError, match="no answers"):
        read_examples(file)


def test_gold_answers_survive_as_predictions_and_as_jsonl(
    sqa: Path, train: tuple[Example, ...], tmp_path: Path
) -> None:
    write_predictions(tmp_path / "gold.tsv", [(e.question, e.cells) for e in train])
    assert read_predictions(tmp_path / "gold.tsv") == {
        (*e.question.sequence, e.question.position): e.cells for e in train
    }
    (tmp_path / "table_csv").symlink_to(sqa.resolve() / "table_csv")
    write_jsonl(tmp_path / "train.jsonl", conversations(train))
    loaded = read_jsonl(tmp_path / "train.jsonl")
    assert loaded.problems == ()
    assert set(loaded.examples) == set(train)
