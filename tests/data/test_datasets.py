"""The kinds of data sets: told by what lies at a path, each with predictions that read back as
they were written.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data import Cells, Question, Values, load_examples
from denota.data.answer import Item, item_key
from denota.data.dataset import DataSet
from denota.data.datasets import DATA_SETS, dataset_of, dataset_of_file, datasets_at
from denota.data.items import print_item, read_items, write_items
from denota.data.ours import OURS
from denota.data.sqa import SQA
from denota.data.wikisql import WIKISQL
from denota.data.wtq import WTQ
from denota.errors import DataError
from denota.tables.table import Table

TABLE = Table.from_rows(["city"], [["Oslo"], ["Mo i\nRana"]])


@pytest.fixture
def homes(
    release: Path, wtq_release: Path, wikisql_release: Path, tmp_path: Path
) -> dict[str, Path]:
    own = tmp_path / "own"
    own.mkdir()
    (own / "t.csv").write_text("a\nx\n")
    (own / "train.jsonl").write_text(
        '{"table": "t.csv", "turns": [{"question": "?", "answer": ["x"]}]}'
    )
    return {"sqa": release, "wtq": wtq_release, "wikisql": wikisql_release, "ours": own}


def test_each_layout_is_of_one_kind(homes: dict[str, Path]) -> None:
    assert {kind.name for kind in DATA_SETS} == set(homes)
    for name, path in homes.items():
        assert [kind.name for kind in datasets_at(path)] == [name]
        for kind in DATA_SETS:
            assert kind.fits(path) == (kind.name == name)


@pytest.mark.parametrize("kind", DATA_SETS, ids=lambda kind: kind.name)
def test_every_split_that_is_named_can_be_read(kind: DataSet, homes: dict[str, Path]) -> None:
    path = homes[kind.name]
    for split in kind.splits(path):
        assert dataset_of(path, split) is kind
        loaded = kind.questions(path, split)
        assert loaded.questions and not loaded.examples
    with pytest.raises(DataError, match="has no split 'other'; it has "):
        dataset_of(path, "other")


def test_other_tsv_files_are_no_splits_of_sqa(release: Path) -> None:
    (release / "p.tsv").write_text("id\tannotator\tposition\tanswer_coordinates\n")
    assert "p" not in SQA.splits(release)


def test_a_gold_file_says_what_it_is(homes: dict[str, Path]) -> None:
    found = {
        homes["sqa"] / "train.tsv": (SQA, homes["sqa"], "train"),
        homes["wtq"] / "data" / "training.tsv": (WTQ, homes["wtq"], "training"),
        homes["wikisql"] / "train.jsonl.gz": (WIKISQL, homes["wikisql"], "all"),
        homes["ours"] / "train.jsonl": (OURS, homes["ours"], "train"),
    }
    for file, meant in found.items():
        assert dataset_of_file(file) == meant
    with pytest.raises(DataError, match="is not a split of a data set"):
        dataset_of_file(homes["sqa"] / "table_csv" / "1.csv")
    with pytest.raises(DataError, match="there is no file"):
        dataset_of_file(homes["sqa"] / "gone.tsv")


@pytest.mark.parametrize("kind", DATA_SETS, ids=lambda kind: kind.name)
def test_gold_answers_written_as_predictions_are_read_back(
    kind: DataSet, homes: dict[str, Path], tmp_path: Path
) -> None:
    path = homes[kind.name]
    examples = load_examples(path, "training" if kind is WTQ else "train").examples
    kind.write_predictions(tmp_path / "p.tsv", [(e.question, e.answer) for e in examples])
    found = kind.read_predictions(tmp_path / "p.tsv")
    assert len(found) == len(examples)
    for example in examples:
        asked = example.question
        answer = found[asked.id, asked.annotator, asked.position]
        if isinstance(example.answer, Cells):
            assert answer == example.answer
        elif isinstance(answer, Values):
            assert kind.is_right(answer.items, example.answer)


words = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda t: t == "" or t.strip())
items = st.lists(
    words | st.booleans() | st.floats(allow_nan=False, allow_infinity=False), max_size=4
)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,3}-[0-9]{1,3}", fullmatch=True), items, max_size=4))
def test_items_are_read_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[str, list[Item]]
) -> None:
    file = tmp_path_factory.mktemp("items") / "p.tsv"
    pairs = [
        (Question(name, "0", 0, "?", TABLE, "t"), Values(tuple(v))) for name, v in answers.items()
    ]
    write_items(file, pairs)
    found = read_items(file)
    assert [name for name, _, _ in found] == list(answers)
    for name, wanted in answers.items():
        read = found[name, "0", 0]
        assert isinstance(read, Values) and len(read.items) == len(wanted)
        assert [item_key(item) for item in read.items] == [item_key(item) for item in wanted]


def test_an_item_keeps_to_its_line(tmp_path: Path) -> None:
    question = Question("q", "0", 0, "?", TABLE, "t")
    write_items(tmp_path / "p.tsv", [(question, Cells(frozenset({(1, 0), (0, 0)})))])
    assert (tmp_path / "p.tsv").read_text() == "q\tOslo\tMo i Rana\n"
    assert print_item(-3.0) == "-3" and print_item(1e20) == "1e+20" and print_item(False) == "no"


def test_a_value_of_wtq_is_written_once_and_one_of_wikisql_as_often_as_it_is_found(
    tmp_path: Path,
) -> None:
    answer = Values(("b", "Oslo", "5", "oslo", 5.0, "a"))
    for kind, line in ((WTQ, "q\tb\tOslo\t5\ta\n"), (WIKISQL, "q\tb\tOslo\t5\toslo\t5\ta\n")):
        kind.write_predictions(
            tmp_path / "p.tsv", [(Question("q", "0", 0, "?", TABLE, "t"), answer)]
        )
        assert (tmp_path / "p.tsv").read_text() == line


def test_a_question_is_answered_once(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("q\ta\r\n\nr\nq\tb\n")
    with pytest.raises(DataError, match=r"p.tsv:4 answers the question q again"):
        read_items(tmp_path / "p.tsv")
    (tmp_path / "p.tsv").write_text("q\ta\r\n\nr\n")
    found = read_items(tmp_path / "p.tsv")
    assert found == {("q", "0", 0): Values(("a",)), ("r", "0", 0): Values(())}
