"""Many questions by processes: resumed, the same as by one, and by whom else it can be said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import denota
from denota.app.commands.answering import answer_all
from denota.app.commands.predict import Workers, predict_run
from denota.app.many.answer import answer_on
from denota.app.many.chunks import cut, missing
from denota.app.many.work import Work, answer_chunk, claim
from denota.data import Question
from denota.errors import ConfigError, DataError, DenotaError
from denota.tables import Table, read_table

TOWNS = Table.from_rows(
    ["City", "Country", "People"],
    [["Oslo", "Norway", "709,037"], ["Bergen", "Norway", "291,940"], ["Turku", "Finland", "-"]],
    "towns",
)
TEXTS = ("which city has the most people?", "how many cities are in Norway?", "which country?")


def questions(count: int) -> list[Question]:
    return [
        Question(f"c{n}", "0", 0, TEXTS[n % len(TEXTS)], TOWNS, f"t{n % 2}") for n in range(count)
    ]


def test_what_was_answered_before_is_not_answered_again(tmp_path: Path) -> None:
    asked = questions(70)
    work, chunks = Work.of("default", tmp_path / "chunks"), cut(asked)
    assert [len(chunk.questions) for chunk in chunks] == [32, 32, 6]
    claim(work, chunks)
    answer_chunk(work, chunks[1])
    file = work.folder / "00001.jsonl"
    before = file.stat().st_mtime_ns
    done: list[int] = []
    found = answer_on(work, asked, workers=1, progress=done.append)
    assert done[0] == 32 and sorted(done[1:]) == [6, 32]
    assert file.stat().st_mtime_ns == before and missing(work.folder, chunks) == []
    assert found == answer_all("default", asked, jobs=1)

    answer_chunk(work, chunks[1])  # by a worker that was thought to be lost
    assert file.stat().st_mtime_ns == before


def test_a_folder_of_other_work_is_refused(tmp_path: Path) -> None:
    claim(Work.of("default", tmp_path), cut(questions(3)))
    claim(Work.of("default", tmp_path), cut(questions(3)))
    for other, asked in (
        (Work.of("default", tmp_path), questions(4)),
        (Work.of("default", tmp_path, without=["ties"]), questions(3)),
    ):
        with pytest.raises(DataError, match="holds answers to other questions, of another model"):
            claim(other, cut(asked))


def test_predictions_in_chunks_are_those_without(tmp_path: Path) -> None:
    talk = {"table": str(Path("examples/towns.csv").absolute()), "turns": [{"question": TEXTS[0]}]}
    data = tmp_path / "many.jsonl"
    data.write_text((json.dumps(talk) + "\n") * 40)
    plain, chunked = tmp_path / "plain.tsv", tmp_path / "chunked.tsv"
    predict_run("default", str(data), "all", plain)
    predict_run("default", str(data), "all", chunked, workers=Workers("processes", 2))
    assert chunked.read_bytes() == plain.read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {data.name, plain.name, chunked.name}


def test_questions_from_python(tmp_path: Path) -> None:
    towns = Path("examples/towns.csv").absolute()
    talk = ["which towns are there?", "how many are there?"]
    answers = denota.answer_many([(TOWNS, TEXTS[1]), (towns, talk), (str(towns), talk[0])])
    assert [one["question"] for one in answers] == [TEXTS[1], *talk, talk[0]]
    assert answers[0]["answer"] == ["2"] and answers[0]["values"] == [2.0]
    chat = denota.load().chat(towns)
    turns = [chat.ask(text) for text in talk]
    assert [one["answer"] for one in answers[1:3]] == [[*turn.answer] for turn in turns]
    assert [one["cells"] for one in answers[1:3]] == [[*turn.cells] for turn in turns]
    assert answers[3] == answers[1]


def test_questions_of_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"table": ["examples/towns.csv"] * 2, "question": TEXTS[:1] * 2})
    first, second = denota.answer_many(frame)
    assert first == second and first["question"] == TEXTS[0]
    with pytest.raises(DataError, match="needs a column table and a column question"):
        denota.answer_many(frame.rename(columns={"question": "text"}))


def test_what_cannot_be_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="on 'dask'; say processes, ray or spark"):
        denota.answer_many([(TOWNS, TEXTS[0])], on="dask")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="processes have no cluster"):
        denota.answer_many([(TOWNS, TEXTS[0])], cluster="auto")
    with pytest.raises(DataError, match="the question is empty"):
        denota.answer_many([(TOWNS, " ")])
    with pytest.raises(DataError, match=r"cannot read .*nowhere"):
        denota.answer_many([(TOWNS, TEXTS[0])], tmp_path / "nowhere")
    with pytest.raises(DenotaError):
        denota.answer_many([(tmp_path / "none.csv", TEXTS[0])])


@pytest.mark.parametrize("package, on", [("ray", "ray"), ("pyspark", "spark")])
def test_a_cluster_that_is_not_installed(package: str, on: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"import denota; denota.answer_many([('examples/towns.csv', 'which?')], on={on!r})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"`pip install 'denota[{on}]'` gets it" in ran.stderr


def test_a_table_is_read_once() -> None:
    from denota.app.many.asked import questions_of

    first, second, other = questions_of(
        [("examples/towns.csv", "a?"), ("examples/towns.csv", "b?"), (TOWNS, "c?")]
    )
    assert first.table is second.table and other.table is TOWNS
    assert first.table == read_table("examples/towns.csv")
