"""Which data a command means, and that a split by tables is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data import Values, load_examples, load_questions, resolve_data, split_names
from denota.errors import DataError


def write_tables(home: Path, names: list[str], answer: bool = True) -> Path:
    turn = {"question": "which?", **({"answer": ["x"]} if answer else {})}
    for name in names:
        (home / name).write_text("a\nx\n")
    file = home / "mine.jsonl"
    file.write_text("".join(json.dumps({"table": name, "turns": [turn]}) + "\n" for name in names))
    return file


def test_the_splits_of_a_directory_are_its_files(release: Path) -> None:
    assert split_names(release) == ("questions", "test", "train")
    assert len(load_questions(release, "train").questions) == 5
    assert load_questions(release, "train").examples == ()
    loaded = load_examples(release, "train")
    assert tuple(e.question for e in loaded.examples) == loaded.questions


def test_a_directory_may_mix_both_layouts(release: Path) -> None:
    (release / "mine.jsonl").write_text(
        '{"table": "table_csv/3.csv", "turns": [{"question": "who leads?", "answer": ["reds"]}]}\n'
    )
    assert [e.answer for e in load_examples(release, "mine").examples] == [Values(("reds",))]
    (release / "mine.tsv").write_text("")
    with pytest.raises(DataError, match=r"both mine.jsonl and mine.tsv"):
        load_examples(release, "mine")


def test_an_unknown_split_lists_those_there_are(release: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no split 'dev'; it has questions, test, train"):
        load_examples(release, "dev")
    with pytest.raises(DataError, match=r"no split '../release/train'"):
        load_questions(release, "../release/train")
    file = write_tables(tmp_path, ["a.csv", "b.csv"])
    with pytest.raises(DataError, match="no split 'test'; it has all, dev, train"):
        load_questions(file, "test")


def test_one_table_cannot_be_split(tmp_path: Path) -> None:
    file = write_tables(tmp_path, ["a.csv"])
    assert split_names(file) == ("all", "train")
    with pytest.raises(DataError, match="no split 'dev'; it has all, train"):
        load_examples(file, "dev")


@given(st.sets(st.integers(0, 999), min_size=2, max_size=40))
def test_a_file_splits_into_parts_by_table(
    tmp_path_factory: pytest.TempPathFactory, numbers: set[int]
) -> None:
    names = [f"t{number}.csv" for number in sorted(numbers)]
    file = write_tables(tmp_path_factory.mktemp("one"), names + names[:1])
    train, dev, everything = (load_examples(file, s).examples for s in ("train", "dev", "all"))
    tables = [{e.question.table_file for e in part} for part in (train, dev)]
    assert not tables[0] & tables[1]
    assert sorted(map(repr, train + dev)) == sorted(map(repr, everything))
    assert len(tables[1]) == max(1, round(len(names) / 10))
    assert tables[0]
    elsewhere = write_tables(tmp_path_factory.mktemp("two"), names[::-1])
    again = load_questions(elsewhere, "dev").questions
    assert {q.table_file for q in again} == tables[1]


@given(st.integers(2, 60))
def test_a_further_table_moves_at_most_one_other_between_the_parts(
    tmp_path_factory: pytest.TempPathFactory, count: int
) -> None:
    home = tmp_path_factory.mktemp("grow")
    parts = []
    for size in (count, count + 1):
        file = write_tables(home, [f"t{i}.csv" for i in range(size)])
        parts.append({q.table_file for q in load_questions(file, "dev").questions})
    assert len((parts[0] ^ parts[1]) - {f"t{count}.csv"}) <= 1


def test_the_split_of_some_names_is_the_same_everywhere(tmp_path: Path) -> None:
    file = write_tables(tmp_path, [f"table{i}.csv" for i in range(20)])
    dev = sorted({q.table_file for q in load_questions(file, "dev").questions})
    assert dev == ["table12.csv", "table17.csv"]  # the two smallest by sha256sum


def test_two_spellings_of_a_path_are_one_table(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("a\nx\n")
    paths = [f"{dots}{name}.csv" for name in "abc" for dots in ("", "./")]
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(f'{{"table": "{p}", "turns": [{{"question": "?"}}]}}\n' for p in paths))
    assert len(load_questions(file, "dev").questions) == 2


def test_problems_are_told_whatever_the_split(tmp_path: Path) -> None:
    file = write_tables(tmp_path, ["a.csv", "b.csv"])
    file.write_text(file.read_text() + "{\n")
    for split in ("train", "dev", "all"):
        assert [p.line for p in load_examples(file, split).problems] == [3]


def test_data_without_answers_is_refused_where_answers_are_needed(tmp_path: Path) -> None:
    file = write_tables(tmp_path, ["a.csv", "b.csv"], answer=False)
    assert len(load_questions(file, "all").questions) == 2
    with pytest.raises(DataError, match="no answers in all"):
        load_examples(file, "all")


def test_what_is_not_data_is_said_so(release: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing at"):
        load_questions(tmp_path / "gone", "train")
    with pytest.raises(DataError, match=r"release as the data and train as the split"):
        load_questions(release / "train.tsv", "train")
    with pytest.raises(DataError, match="is not data"):
        load_questions(release / "table_csv" / "1.csv", "train")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"holds no NAME.tsv or NAME.jsonl"):
        load_questions(tmp_path / "empty", "train")


def test_data_is_what_is_asked_for_then_what_the_environment_says(
    release: Path, tmp_path: Path
) -> None:
    environ = {"DENOTA_DATA": str(release)}
    assert resolve_data(str(tmp_path), environ) == tmp_path
    assert resolve_data(None, environ) == release
    for environ in ({}, {"DENOTA_DATA": ""}):
        with pytest.raises(DataError, match=r"pass --data .* or set DENOTA_DATA"):
            resolve_data(None, environ)
    with pytest.raises(DataError, match="which --data names"):
        resolve_data(str(tmp_path / "gone"), {})
    with pytest.raises(DataError, match="which DENOTA_DATA names"):
        resolve_data(None, {"DENOTA_DATA": str(tmp_path / "gone")})
