"""WikiSQL's parts: read, divided by tables, judged by its own rule."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from denota.data import Values, load_examples, load_questions, split_names
from denota.data.answer import Item
from denota.data.wikisql import is_right_exactly
from denota.errors import DataError


def test_the_parts_are_read(wikisql_release: Path) -> None:
    assert split_names(wikisql_release) == ("all", "dev", "test-questions", "train")
    first = load_examples(wikisql_release, "all").examples[0]
    assert first.answer == Values(("x0", "Y"), repeats=True)
    assert (first.question.id, first.question.table_file) == ("q0", "1-0")
    assert first.question.table.row(1) == ("y", "2", "2")
    assert len(set(first.question.table.names)) == 3, "empty and repeated names are made unique"
    (asked,) = load_questions(wikisql_release, "test-questions").questions
    assert asked.table.cell(0, 0) == "z"
    with pytest.raises(DataError, match="has no answers"):
        load_examples(wikisql_release, "test-questions")


def test_a_tenth_of_the_tables_is_dev(wikisql_release: Path) -> None:
    everything, train, dev = (
        load_examples(wikisql_release, split).examples for split in ("all", "train", "dev")
    )
    assert len(dev) == 1 and len(train) == 11
    assert {e.question.id for e in (*train, *dev)} == {e.question.id for e in everything}
    assert load_questions(wikisql_release, "dev").examples == ()


def test_a_dev_file_is_taken_as_it_is(wikisql_release: Path) -> None:
    line = {"id": "d", "table": "2-0", "question": "?", "answer": ["z"]}
    (wikisql_release / "dev.jsonl").write_text(json.dumps(line))
    assert [e.question.id for e in load_examples(wikisql_release, "dev").examples] == ["d"]
    assert len(load_examples(wikisql_release, "train").examples) == 12


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ({"id": "a", "table": "1-0"}, 'a text as its "question"'),
        ({"id": "a", "table": "9-9", "question": "?"}, "the table '9-9', which no tables"),
        ({"id": "a", "table": "1-0", "question": "?", "answer": "x"}, 'a list as its "answer"'),
        ({"id": "a", "table": "1-0", "question": "?", "answer": [1]}, "list of texts"),
    ],
)
def test_a_line_that_cannot_be_used_is_said(wikisql_release: Path, line: Any, message: str) -> None:
    text = line if isinstance(line, str) else json.dumps(line)
    (wikisql_release / "more.jsonl").write_text(f"\n{text}\n")
    with pytest.raises(DataError, match=f"more.jsonl:2 .*{message}"):
        load_examples(wikisql_release, "more")


def test_files_that_are_damaged_are_said(wikisql_release: Path) -> None:
    whole = (wikisql_release / "train.jsonl.gz").read_bytes()
    (wikisql_release / "train.jsonl.gz").write_bytes(whole[:-9])
    with pytest.raises(DataError, match="not a whole gzip file"):
        load_examples(wikisql_release, "all")
    table = {"id": "1-0", "columns": ["a"], "rows": [["x", "y"]]}
    (wikisql_release / "tables.train.jsonl.gz").write_bytes(
        gzip.compress(json.dumps(table).encode())
    )
    (wikisql_release / "train.jsonl.gz").write_bytes(whole)
    with pytest.raises(DataError, match=r"tables.train.jsonl.gz:1 is no table"):
        load_examples(wikisql_release, "all")


@pytest.mark.parametrize(
    ("predicted", "gold", "right"),
    [
        (["Oslo", "moss"], ["MOSS", "oslo"], True),
        (["a  b"], ["A B"], True),
        (["1,234"], ["1234"], True),
        ([2.0], ["2"], True),
        ([0.1 + 0.2], ["0.3"], True),
        (["a"], ["a", "a"], False),
        (["a", "a"], ["a"], False),
        (["a (b)"], ["a"], False),
        (["é"], ["e"], False),
        (["$5"], ["5"], False),
        ([], ["a"], False),
    ],
)
def test_its_own_rule(predicted: list[Item], gold: list[str], right: bool) -> None:
    assert is_right_exactly(predicted, Values(tuple(gold), repeats=True)) == right


@pytest.mark.wikisql
def test_the_real_parts(wikisql: Path) -> None:
    everything, dev = (load_examples(wikisql, split).examples for split in ("all", "dev"))
    assert (len(everything), len(dev)) == (42_751, 4_250)
    tables = [{e.question.table_file for e in part} for part in (everything, dev)]
    assert tables[1] < tables[0] and [*map(len, tables)] == [14_392, 1_439]
    assert len(load_questions(wikisql, "test-questions").questions) == 13_714
    assert all(isinstance(e.answer, Values) and e.answer.repeats for e in dev)
