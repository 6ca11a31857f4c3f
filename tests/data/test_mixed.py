"""Several data sets at once: what a name means, shares, ids, and tables that dev has too."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data import load_examples
from denota.data.mixed import Spec, load_mixed, read_specs
from denota.data.shared import shared_tables
from denota.errors import DataError
from denota.tables.table import Table


def table(*rows: str) -> Table:
    width = len(rows[0].split("|"))
    return Table.from_rows([f"c{n}" for n in range(width)], [row.split("|") for row in rows])


def test_tables_are_shared_by_what_they_hold() -> None:
    dev = table("Oslo|709,037|x", "Bergen|291 940|", "Voss|15|é")
    tables = {
        "same": dev,
        "spelt otherwise": table("BERGEN!|291,940|-", "voss|1 5|e\u0301"),
        "cut otherwise": table("Oslo|709|037|x", "Bergen|291940||"),
        "one row": table("Oslo|709,037|x", "Rome|1|y"),
        "the same row twice": table("Oslo|709,037|x", "oslo|709037|X"),
        "other columns": table("709,037|Oslo|x", "291 940|Bergen|"),
        "short rows": table("|Oslo|", "|Bergen|"),
    }
    found = shared_tables(tables, [table("Rome|1|y"), dev, table("|Oslo|", "|Bergen|")])
    assert found == {"same", "spelt otherwise", "cut otherwise"}
    assert shared_tables({"a": table("a|b")}, [table("A|B")]) == {"a"}, "all of a one-row table"
    assert shared_tables(tables, []) == set()


def test_what_to_load_is_written_briefly() -> None:
    assert read_specs("sqa:train*0.5,/a/b:c") == (Spec("sqa", "train", 0.5), Spec("/a/b", "c"))
    for wrong in ("sqa:", "sqa:train*0", "sqa:train*2", "sqa:train*x", "sqa:train*nan", " , "):
        with pytest.raises(DataError):
            read_specs(wrong)


def test_a_split_alone_is_as_it_always_was(release: Path) -> None:
    mixed = load_mixed("train", release, apart_from="train")
    assert mixed.loaded == load_examples(release, "train")
    assert [(part.kind, part.conversations, part.left_out) for part in mixed.parts] == [
        ("sqa", 3, 0)
    ]


def test_names_are_directories_beside_the_data_or_paths(
    release: Path, wtq_release: Path, wikisql_release: Path
) -> None:
    written = f"release:train, wtq:training, {wikisql_release}:all"
    mixed = load_mixed(written, release)
    assert [part.kind for part in mixed.parts] == ["sqa", "wtq", "wikisql"]
    assert len(mixed.loaded.examples) == 5 + 3 + 12
    ids = {example.question.id for example in mixed.loaded.examples}
    assert {"release:nt-1", "wtq:nt-1", "wikisql:q0"} <= ids, "SQA's ids are WTQ's"
    for unknown in ("wqt:training", "wtq:train", "train*0.5, wikisql:all, other:x"):
        with pytest.raises(DataError, match=r"no data set|no split"):
            load_mixed(unknown, release)


def test_tables_of_anothers_dev_are_left_out(release: Path, wtq_release: Path) -> None:
    (wtq_release / "csv" / "200-csv" / "1.tsv").write_text(
        "City\tPeople\nOSLO\t709037\nBergen\t291940\nRome\t1\n"
    )
    mixed = load_mixed("wtq:training, wtq:pristine-unseen-tables", release, apart_from="train")
    assert [part.left_out for part in mixed.parts] == [3, 0]
    assert [e.question.id for e in mixed.loaded.examples] == ["nu-0"]
    own = load_mixed("train, wtq:training", release, apart_from="test, train")
    assert [part.left_out for part in own.parts] == [0, 3], "splits of one data set are as they are"


@given(st.sampled_from([0.1, 0.25, 0.5, 0.75]), st.integers(0, 3))
def test_a_share_is_of_conversations_and_is_drawn_anew_by_seed(
    tmp_path_factory: pytest.TempPathFactory, share: float, seed: int
) -> None:
    home = tmp_path_factory.mktemp("own")
    (home / "t.csv").write_text("a\nx\n")
    turn = '{"question": "?", "answer": ["x"]}'
    (home / "all.jsonl").write_text(f'{{"table": "t.csv", "turns": [{turn}, {turn}]}}\n' * 20)
    found = load_mixed(f"all*{share}", home, seed=seed).loaded
    assert len(found.examples) == 2 * round(20 * share) == len(found.questions)
    assert found == load_mixed(f"all*{share}", home, seed=seed).loaded
    larger = load_mixed("all*0.9", home, seed=seed).loaded
    assert set(found.questions) <= set(larger.questions)
    everything = load_mixed("all", home).loaded.questions
    assert [q for q in everything if q in set(found.questions)] == list(found.questions)


@pytest.mark.wtq
def test_what_sqa_and_wtq_share(sqa: Path, wtq: Path) -> None:
    mixed = load_mixed(
        "sqa:random-split-1-train, wtq:random-split-1-train",
        sqa,
        apart_from="sqa:random-split-1-dev, wtq:random-split-1-dev",
    )
    assert [part.left_out for part in mixed.parts] == [566, 10]
    keys = {(e.question.sequence, e.question.position) for e in mixed.loaded.examples}
    assert len(keys) == len(mixed.loaded.examples)
