"""Which tables made-up questions are about: shares, ids, and nothing that is held out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from denota import sample
from denota.data.mixed import load_tables
from denota.data.shared import shared_tables
from denota.errors import ConfigError, DataError
from denota.generate.examples import made_up_examples
from denota.generate.sources import Manner, Source, make_up, read_sources

TABLES = [*sample.tables().values()]


def test_sources_are_written_briefly() -> None:
    assert read_sources("train,wikisql:train*0.5") == (
        Source("train"),
        Source("wikisql:train", 0.5),
    )
    for wrong in ("", " , ", "train*0", "train*x", "*2", "train*-1", "train*nan"):
        with pytest.raises(ConfigError, match="made_up_tables"):
            read_sources(wrong)


def test_tables_that_are_not_given_are_refused() -> None:
    with pytest.raises(ConfigError, match="wikisql:train"):
        make_up(read_sources("wikisql:train"), {"train": TABLES}, 20, 0, Manner())


def test_training_tables_alone_are_asked_about_as_ever() -> None:
    made = make_up(read_sources("train"), {"train": TABLES}, 100, 3, Manner("full"))
    assert made.examples == made_up_examples(TABLES, 100, 3, "full") and not made.reach


def test_each_source_has_its_part() -> None:
    sources = read_sources("train, invented*3")
    manner = Manner("full", loose=0.5)
    examples = make_up(sources, {"train": TABLES}, 400, 0, manner).examples
    known = {id(table) for table in TABLES}
    own = sum(id(example.question.table) in known for example in examples)
    assert 0.2 < own / len(examples) < 0.3
    ids = Counter((e.question.id, e.question.position) for e in examples)
    assert max(ids.values()) == 1
    again = make_up(sources, {"train": TABLES}, 400, 0, manner).examples
    assert [e.question.text for e in examples] == [e.question.text for e in again]
    assert [e.answer for e in examples] == [e.answer for e in again]


def test_long_tables_are_left_out_where_that_is_said() -> None:
    few = Manner("full", loose=0.5, rows=9)
    examples = make_up(read_sources("train, invented"), {"train": TABLES}, 60, 0, few).examples
    assert max(len(example.question.table) for example in examples) <= 9
    with pytest.raises(ConfigError, match="made_up_rows"):
        make_up(read_sources("train"), {"train": TABLES}, 20, 0, Manner(rows=1))


def test_what_is_not_in_the_space_is_left_out_and_counted() -> None:
    sources, manner = read_sources("train"), Manner("full", loose=0.5, checked=True)
    made = make_up(sources, {"train": TABLES[:12]}, 60, 1, manner, jobs=1)
    asked = sum(one.asked for one in made.reach.values())
    assert asked >= 60 and len(made.examples) <= asked - sum(made.left_out.values())


def write_split(folder: Path, name: str, tables: dict[str, list[list[str]]]) -> None:
    folder.mkdir(exist_ok=True)
    lines = [
        json.dumps({"id": f"{name}-{t}", "table": t, "question": "what is it", "answer": ["x"]})
        for t in tables
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    held = [
        json.dumps({"id": t, "columns": ["a", "b"], "rows": rows}) for t, rows in tables.items()
    ]
    (folder / f"tables.{name}.jsonl").write_text("\n".join(held) + "\n")


def test_no_question_is_about_a_table_of_dev(tmp_path: Path) -> None:
    """Not by name, and not by what it holds: another data set may have the same table."""
    shared = [["Oslo", "709,037"], ["Bergen", "291,940"], ["Moss", "50,290"]]
    other = [["Rome", "1"], ["Paris", "2"], ["Lyon", "3"]]
    write_split(tmp_path / "mine", "held", {"d1": shared})
    write_split(tmp_path / "theirs", "train", {"t1": shared, "t2": other})
    tables = load_tables("theirs:all", tmp_path / "mine", apart_from="mine:held")
    assert [table.name for table in tables] == ["t2"]
    dev = load_tables("mine:held", tmp_path / "mine")
    assert not shared_tables({table.name: table for table in tables}, dev)
    made = make_up(read_sources("theirs:all"), {"theirs:all": tables}, 30, 0, Manner("full", 0.5))
    assert {example.question.table_file for example in made.examples} == {"t2"}
    with pytest.raises(DataError):
        load_tables("nothing:train", tmp_path / "mine")
