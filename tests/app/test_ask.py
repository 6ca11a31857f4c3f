"""`denota ask`: a conversation on the command line, as JSON and through a pipe.

`train --final` and curves are tested on the way.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from denota import load, sample
from denota.conversation.chat import Chat
from denota.model.checkpoint import load_parser
from denota.programs import Denotation, execute
from denota.programs.text import parse_program
from denota.tables import Table
from denota.tables.io import read_table
from processes import denota

TABLE = Path("examples/expeditions.csv")
SETTINGS = ("train.epochs=2", "model.dimension=16", "model.hidden=4", "data.train=dev")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "tiny"
    done = denota(
        *("train", "experiments/sample.toml", "--data", sample.path(), "--out", out),
        *("--set", *SETTINGS, "data.dev=dev-heldout", "--final"),
    )
    assert done.returncode == 0, done.stderr
    return out


def test_a_conversation_as_json(run: Path) -> None:
    done = denota(
        "ask", TABLE, "which leaders?", "of those, the largest crew?", "--model", run, "--json"
    )
    assert done.returncode == 0, done.stderr
    turns = [json.loads(line) for line in done.stdout.splitlines()]
    assert [turn["question"] for turn in turns] == ["which leaders?", "of those, the largest crew?"]
    table = read_table(str(TABLE))
    previous: Denotation | None = None
    for turn in turns:
        assert set(turn) == {
            *("question", "answer", "cells", "program", "sql"),
            *("explanation", "confidence", "sure", "kind", "values", "reason"),
            *("scope", "among", "readings", "builds_on"),
        }
        assert turn["kind"] in ("cells", "none") and turn["values"] == [] and turn["reason"] == ""
        assert turn["readings"] == [] and turn["builds_on"] is None
        previous = execute(parse_program(turn["program"]), table, previous)
        assert sorted(map(list, previous.cells)) == turn["cells"], "the program gives the cells"
        assert turn["answer"] == [table.cell(row, column) for row, column in turn["cells"]]
        assert 0 <= turn["confidence"] <= 1
        assert turn["sure"] == (turn["confidence"] >= 0.5)
        assert turn["explanation"].endswith(".")


def test_questions_through_a_pipe(run: Path) -> None:
    piped = denota("ask", TABLE, "--model", run, "--json", text="which leaders?\n\nwhich ships?\n")
    given = denota("ask", TABLE, "which leaders?", "which ships?", "--model", run, "--json")
    assert piped.stdout == given.stdout != ""


def test_people_get_a_table_and_a_sentence(run: Path) -> None:
    done = denota("ask", TABLE, "which leaders?", "--model", run)
    assert done.returncode == 0, done.stderr
    assert "› which leaders?" in done.stdout
    assert "SELECT" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.csv", "who?"), "nowhere.csv"),
        ((TABLE, "  "), "empty"),
        ((TABLE, "who?", "--model", "nowhere"), "no model at nowhere"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    run: Path, arguments: tuple[object, ...], message: str
) -> None:
    if "--model" not in arguments:
        arguments = (*arguments, "--model", run)
    done = denota("ask", *arguments)
    assert done.returncode == 1
    assert message in done.stderr and done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_table_without_rows_is_refused(run: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("a,b\n")
    done = denota("ask", tmp_path / "empty.csv", "who?", "--model", run)
    assert done.returncode == 1
    assert "no rows" in done.stderr


def test_odd_questions_are_answered(run: Path) -> None:
    table = Table.from_rows(["a", "b"], [["x", "1"], ["y", ""]])
    chat = Chat(load_parser(run / "best.safetensors")[0], table)
    for question in ("?", "…", "× \u202e zero\u0000 '; DROP TABLE t", "x " * 500, "of those?"):
        turn = chat.ask(question)
        assert all(0 <= row < 2 and 0 <= column < 2 for row, column in turn.cells)


def test_the_run_has_curves_and_a_final_parser(run: Path) -> None:
    names = {path.name for path in run.iterdir()}
    assert {"config.toml", "metrics.jsonl", "best.safetensors", "run.json", "curves.svg"} <= names
    assert "<svg" in (run / "curves.svg").read_text()
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    best = max(lines, key=lambda line: line["dev_answer_accuracy"])["epoch"]
    final = (run / "final" / "metrics.jsonl").read_text().splitlines()
    assert len(final) == best, "train and dev together, to the best epoch"
    assert json.loads(final[-1])["dev_answer_accuracy"] is None
    parser, _, facts = load_parser(run / "final" / "best.safetensors")
    assert facts["epoch"] == str(best)
    assert "dev-heldout" not in parser.config.data.dev


def test_a_run_of_a_newer_format_is_not_gone_on_with(run: Path, tmp_path: Path) -> None:
    record = json.loads((run / "run.json").read_text())
    assert record["format"] == 1
    (tmp_path / "run.json").write_text(json.dumps({**record, "format": 2}))
    config = "experiments/sample.toml"
    done = denota("train", config, "--data", sample.path(), "--out", tmp_path, "--resume")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "was written by a newer denota (format 2, this one reads up to 1); update denota\n"
    )


def test_bench_says_what_the_contract_says(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "denota", "bench", "--data", sample.path(), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in ("train", "inference", "prepare"):
        assert found[f"{name}_questions_per_s"] > 0
    assert 50 < found["peak_memory_mb"] < 4000
    stages = found["stages"]
    assert {"read", "prepare", "forward", "search", "backward", "answer"} <= set(stages)
    epoch = found["questions"]["train"] / found["train_questions_per_s"]
    laps = sum(s for name, s in stages.items() if name not in ("read", "prepare", "answer"))
    assert laps == pytest.approx(epoch, rel=0.1), "the stages of a step make up the epoch"


def test_sql_is_written_in_the_dialect_that_is_named() -> None:
    program = "SELECT Leader WHERE Ships = '2'"
    done = denota("run", TABLE, program, "--dialect", "postgres", "--json")
    assert json.loads(done.stdout)["sql"] == 'SELECT "Leader" FROM expeditions WHERE "Ships" = 2'
    wrong = denota("run", TABLE, program, "--dialect", "postgis")
    assert wrong.returncode != 0 and "did you mean postgres" in wrong.stderr


def test_the_last_answer_as_csv() -> None:
    asked = (
        "ask",
        TABLE,
        "which season cost the most?",
        "how many expeditions did each leader lead?",
    )
    done = denota(*asked, "--csv")
    assert done.returncode == 0 and done.stdout.startswith("Leader,Number\nIngrid Solheim,2\n")
    declined = denota("ask", TABLE, "why did they turn back?", "--csv")
    assert declined.returncode == 1 and not declined.stdout
    assert "cannot say why" in declined.stderr
    both = denota("ask", TABLE, "which season cost the most?", "--csv", "--json")
    assert both.returncode == 1 and "give --csv, --json or --sql" in both.stderr


def test_an_answer_that_is_not_sure_is_written_with_a_warning() -> None:
    question = "which seasons did not turn back?"
    turn = load().ask(str(TABLE), question)
    assert not turn.sure and not turn.declined
    unsure = denota("ask", TABLE, question, "--csv")
    assert unsure.returncode == 0 and unsure.stdout == turn.csv()
    assert unsure.stderr.startswith("Not sure (") and turn.explanation in unsure.stderr
    sure = denota("ask", TABLE, "which season cost the most?", "--csv")
    assert sure.returncode == 0 and not sure.stderr


def test_the_sql_of_the_last_answer() -> None:
    done = denota("ask", TABLE, "which season cost the most?", "--sql")
    assert done.returncode == 0 and done.stdout.count("\n") == 1
    assert done.stdout.startswith(("SELECT Season", "WITH cleaned"))
    other = denota("ask", TABLE, "which season cost the most?", "--sql", "--dialect", "mysql")
    assert "REGEXP_SUBSTR" in other.stdout and "REGEXP_SUBSTR" not in done.stdout


def test_a_long_conversation_goes_on(run: Path) -> None:
    table = read_table(str(TABLE))
    chat = Chat(load_parser(run / "best.safetensors")[0], table)
    longest = 0
    for _ in range(40):
        chat.ask("which leaders?") if chat.previous is None or not chat.previous.rows else None
        turn = chat.ask("of those, which one has the latest departed?")
        longest = max(longest, turn.sql.count("previous"))
    assert longest < 60
    assert len(chat.preparer._met) <= 2


def test_an_interrupted_training_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "denota", "train", "experiments/sample.toml"]
    command += ["--data", str(sample.path()), "--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    for _ in range(600):
        if (tmp_path / "run" / "metrics.jsonl").exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.splitlines()[-1] == "denota: stopped"
    assert "Traceback" not in said
