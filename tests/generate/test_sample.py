"""The bundled sample: what the tables make, readable, small, and fit to learn the small language
from.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from denota import sample
from denota.data import load_examples, read_jsonl, split_names
from denota.generate.sample import DEV, SPLITS, Split, make, write_split
from denota.programs.operators import LANGUAGES
from denota.programs.operators_used import operators_used

NAMES = [split.name for split in SPLITS]


@pytest.mark.parametrize("split", SPLITS, ids=NAMES)
def test_files_are_what_the_tables_make(split: Split, tmp_path: Path) -> None:
    write_split(split, tmp_path)
    made = (tmp_path / f"{split.name}.jsonl").read_text(encoding="utf-8")
    there = (sample.path() / f"{split.name}.jsonl").read_text(encoding="utf-8")
    assert made == there, "run `python -m denota.generate.sample` and look at what has changed"


@pytest.mark.parametrize("name", NAMES)
def test_files_read_without_problems(name: str) -> None:
    loaded = read_jsonl(sample.path() / f"{name}.jsonl")
    assert loaded.problems == ()
    assert len(loaded.examples) == len(loaded.questions) >= 150
    assert all(example.cells for example in loaded.examples)


def test_it_is_data_like_any_other() -> None:
    assert set(split_names(sample.path())) == set(NAMES)
    assert len(load_examples(sample.path(), "train").examples) >= 600


def test_dev_has_tables_of_its_own() -> None:
    tables = {
        name: {q.table_file for q in read_jsonl(sample.path() / f"{name}.jsonl").questions}
        for name in NAMES
    }
    assert tables["dev"] == tables["dev-heldout"] == DEV
    assert not tables["train"] & DEV
    assert tables["train"] | DEV == set(sample.tables())


def test_tables_are_small_and_varied() -> None:
    tables = sample.tables()
    assert len(tables) >= 40
    assert all(6 <= len(table) <= 20 and 4 <= len(table.columns) <= 10 for table in tables.values())
    kinds = {(column.kind, column.unit) for table in tables.values() for column in table.columns}
    assert kinds >= {
        ("text", ""),
        ("number", ""),
        ("number", "year"),
        ("number", "$"),
        ("number", "%"),
        ("number", "time"),
        ("date", ""),
    }
    assert any(column.missing.any() for table in tables.values() for column in table.columns)
    assert all(table.notes == () for table in tables.values())


@pytest.mark.parametrize("split", SPLITS, ids=NAMES)
def test_questions_are_in_the_small_language_and_most_of_those_held_out(split: Split) -> None:
    turns = [turn for conversation in make(split, sample.tables()) for turn in conversation.turns]
    small = sum(operators_used(turn.program) <= LANGUAGES["dynsp++"] for turn in turns)
    if split.held_out:
        assert 0.8 * len(turns) <= small < len(turns)
    else:
        assert small == len(turns)


@pytest.mark.parametrize("split", SPLITS, ids=NAMES)
def test_only_one_split_has_held_out_wordings(split: Split) -> None:
    turns = [turn for conversation in make(split, sample.tables()) for turn in conversation.turns]
    assert all(name.endswith("*") == split.held_out for turn in turns for name in turn.wordings)


def test_it_is_small() -> None:
    files = [file for file in sample.path().rglob("*") if file.suffix in (".csv", ".jsonl")]
    assert sum(file.stat().st_size for file in files) < 300_000
