"""Evaluate, predict, score and oracle on data sets whose answers are values.

Training on several of them is tested too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from denota.app.cli import main
from denota.data import Cells, Example, Question, Values, load_examples
from denota.evaluation.metrics import score
from denota.evaluation.predict import gold_of, in_form_of, key_of
from denota.programs import Denotation
from denota.tables import Table

TABLE = Table.from_rows(["City", "People"], [["Oslo", "7"], ["Bergen", "2"], ["Moss", "2"]])
CONFIG = """
[data]
train = "wtq:train, wikisql:all, jsonl:train*0.5"
dev = "wtq:dev"
[model]
dimension = 8
hidden = 4
[train]
epochs = 1
"""
Call = Callable[..., str]


def asked(name: str, answer: Cells | Values) -> Example:
    return Example(Question(name, "0", 0, "?", TABLE, "t.csv"), answer)


def test_accuracy_by_text_by_hand() -> None:
    gold = gold_of(
        [
            asked("a", Values(("Oslo", "Moss"))),
            asked("b", Values((3.0,))),
            asked("c", Cells(frozenset({(1, 1)}))),
            asked("d", Cells(frozenset({(0, 0)}))),
        ]
    )
    answers = dict(
        zip(
            gold,
            [
                Denotation((0, 2), (0,)),
                Denotation((0, 1, 2), (0,), (3.0,)),
                Denotation((2,), (1,)),
                Denotation((1,), (0,)),
            ],
            strict=True,
        )
    )
    found = score(gold, in_form_of(gold, answers))
    assert found.answer_accuracy == 50, "another cell with the same text is another answer"
    assert found.denotation_accuracy == 75
    assert score(gold, {}).denotation_accuracy == 0
    never = score(gold, in_form_of(gold, answers), lambda predicted, wanted: False)
    assert never.denotation_accuracy == 25, "the rule for values is the data set's own"


def test_values_stand_for_what_the_program_gives() -> None:
    example = asked("a", Values(("7", "2"), repeats=True))
    key = key_of(example.question)
    found = in_form_of({key: example}, {key: Denotation((0, 1), (1,))})
    assert found == {key: Values(("7", "2"))}
    assert score({key: example}, found).denotation_accuracy == 100


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three small data sets beside each other."""
    wtq, wikisql, jsonl = (tmp_path / name for name in ("wtq", "wikisql", "jsonl"))
    for path in (wtq / "data", wtq / "csv" / "200-csv", wikisql, jsonl):
        path.mkdir(parents=True)
    rows = [("Oslo", "7"), ("Bergen", "2"), ("Moss", "5")]
    lines = ["City\tPeople", *("\t".join(row) for row in rows)]
    (wtq / "csv" / "200-csv" / "1.tsv").write_text("\n".join(lines) + "\n")
    (wtq / "csv" / "200-csv" / "2.tsv").write_text("Team\tPoints\nreds\t3\nblues\t4\n")
    header = "id\tutterance\tcontext\ttargetValue\n"
    (wtq / "data" / "train.tsv").write_text(
        header
        + "n-0\twhich city has 7 people?\tcsv/200-csv/1.csv\tOslo\n"
        + "n-1\thow many cities are there?\tcsv/200-csv/1.csv\t3\n"
    )
    (wtq / "data" / "dev.tsv").write_text(
        header
        + "n-2\twhich team has 3 points?\tcsv/200-csv/2.csv\tReds\n"
        + "n-3\thow many points do the blues have?\tcsv/200-csv/2.csv\t4.0\n"
    )
    tables = [{"id": "1-1", "columns": ["Team", "Points"], "rows": [["Reds", "3"], ["Blues", "4"]]},
              {"id": "1-2", "columns": ["a", "b"], "rows": [["x", "1"], ["y", "2"]]}]  # fmt: skip
    questions = [
        {"id": f"w{n}", "table": table["id"], "question": "which has 2?", "answer": ["y"]}
        for n, table in enumerate(tables)
    ]
    for name, objects in (("tables.train", tables), ("train", questions)):
        text = "".join(json.dumps(one) + "\n" for one in objects)
        (wikisql / f"{name}.jsonl").write_text(text)
    (jsonl / "t.csv").write_text("a,b\nx,1\ny,2\n")
    turn = {"question": "which a has 1?", "answer": ["x"]}
    (jsonl / "train.jsonl").write_text(json.dumps({"table": "t.csv", "turns": [turn]}) + "\n")
    (tmp_path / "c.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: object) -> str:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        assert not ended.value.code, told.err
        return told.out + told.err

    return run


def test_the_commands_on_values(home: Path, call: Call) -> None:
    told = call("train", home / "c.toml", "--data", home / "wtq", "--out", home / "run")
    assert "1 questions of wikisql are left out: their tables are in a dev set" in told
    for name, split, gold in (
        ("wtq", "dev", "data/dev.tsv"),
        ("wikisql", "all", "train.jsonl"),
    ):
        data = home / name
        of = ("--data", data, "--split", split)
        found = json.loads(call("evaluate", home / "run", *of, "--json"))
        assert set(found) == {"denotation_accuracy", "questions"} and found["questions"] == 2
        call("predict", home / "run", *of, "--out", home / "p.tsv")
        assert json.loads(call("score", data / gold, home / "p.tsv", "--json")) == found
        assert "percent right, of 2 questions" in call("score", data / gold, home / "p.tsv")
        ids = [line.split("\t")[0] for line in (home / "p.tsv").read_text().splitlines()]
        assert ids == [e.question.id for e in load_examples(data, split).examples]
        reached = json.loads(call("oracle", *of, "--language", "dynsp", "--json"))
        assert reached["coverage"] >= 50


def test_gold_items_score_all(home: Path, call: Call) -> None:
    (home / "p.tsv").write_text("n-2\treds (home)\nn-3\t4\n")
    found = json.loads(call("score", home / "wtq" / "data" / "dev.tsv", home / "p.tsv", "--json"))
    assert found == {"denotation_accuracy": 100.0, "questions": 2}
