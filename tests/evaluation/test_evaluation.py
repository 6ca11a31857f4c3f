"""Metrics by hand, the oracle against a count of its own, and the commands that use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from denota import sample
from denota.app.cli import main
from denota.data import Cells, Example, Question, load_examples
from denota.evaluation.metrics import score
from denota.evaluation.oracle import coverage, oracle
from denota.programs import Denotation, execute, language_of
from denota.programs.space import program_space
from denota.tables import Table

TABLE = Table.from_rows(["City", "People"], [["Oslo", "7"], ["Bergen", "2"], ["Moss", "2"]])


def example(position: int, text: str, answer: set[tuple[int, int]]) -> Example:
    history = ("which cities?",) * position
    return Example(
        Question("a", "0", position, text, TABLE, "t.csv", history), Cells(frozenset(answer))
    )


def test_metrics_by_hand() -> None:
    gold = {("a", "0", 0): {(0, 0)}, ("a", "0", 1): {(1, 1)}, ("b", "1", 0): {(0, 1), (1, 1)}}
    predicted = {("a", "0", 0): {(0, 0)}, ("a", "0", 1): {(2, 1)}, ("b", "1", 0): {(1, 1), (0, 1)}}
    found = score(
        {key: example(key[2], "?", cells) for key, cells in gold.items()},
        {key: Cells(frozenset(cells)) for key, cells in predicted.items()},
    )
    assert found.denotation_accuracy == 100, "Bergen and Moss have 2 people each"
    assert found.answer_accuracy == pytest.approx(200 / 3)
    assert found.sequence_accuracy == 50
    assert found.position_accuracy == {"0": 100.0, "1": 0.0}
    assert (found.questions, found.sequences) == (3, 2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_oracle_counts_what_execution_finds(jobs: int) -> None:
    turns = [
        example(0, "which cities?", {(0, 0), (1, 0), (2, 0)}),
        example(1, "which is largest?", {(0, 0)}),
    ]
    others = [example(0, "moss and bergen?", {(0, 1), (2, 0)})]
    conversations = [
        *turns,
        *(
            Example(Question("b", "0", 0, e.question.text, TABLE, "t.csv"), e.answer)
            for e in others
        ),
    ]
    language = language_of("dynsp++")
    reached = oracle(conversations, language, jobs=jobs)
    previous = None
    for one, found in zip(turns, reached, strict=False):
        space = program_space(one.question.text, TABLE, previous, language)
        by_hand = sum(
            execute(space.program(n), TABLE, previous).cells == one.cells for n in range(len(space))
        )
        assert (found.programs, found.consistent) == (len(space), by_hand)
        previous = Denotation.of_cells(one.cells)
    assert coverage(reached).coverage == pytest.approx(200 / 3)


def test_the_oracle_command_on_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "oracle",
                "--data",
                str(sample.path()),
                "--split",
                "dev",
                "--language",
                "dynsp",
                "--json",
            ]
        )
    assert not ended.value.code
    found = json.loads(capsys.readouterr().out)
    assert set(found) >= {
        "coverage",
        "grounded_coverage",
        "by_position",
        "programs_per_question",
        "consistent_per_question",
    }
    assert found["coverage"] >= found["grounded_coverage"] > 50


def test_train_evaluate_predict_and_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tiny run through the commands: `evaluate` says what `score` says of its predictions."""
    for name, count in (("train", 12), ("dev", 4)):
        lines = (sample.path() / f"{name}.jsonl").read_text().splitlines()[:count]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    (tmp_path / "tables").symlink_to(sample.path() / "tables")
    config = tmp_path / "c.toml"
    config.write_text("[model]\ndimension = 16\nhidden = 4\n[train]\nepochs = 1\n")
    run = tmp_path / "run"

    def call(*arguments: object) -> str:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        assert not ended.value.code, capsys.readouterr().err
        return capsys.readouterr().out

    call("train", config, "--data", tmp_path, "--out", run)
    found = json.loads(call("evaluate", run, "--data", tmp_path, "--split", "dev", "--json"))
    call("predict", run, "--data", tmp_path, "--split", "dev", "--out", tmp_path / "p.tsv")
    examples = load_examples(tmp_path, "dev").examples
    assert found["questions"] == len(examples)
    header, *lines = (tmp_path / "p.tsv").read_text().splitlines()
    assert header.split("\t") == ["id", "annotator", "position", "answer_coordinates"]
    assert len(lines) == len(examples)
    gold = tmp_path / "gold.tsv"
    rows = ["id\tannotator\tposition\tquestion\ttable_file\tanswer_coordinates\tanswer_text"]
    for e in examples:
        cells = sorted(e.cells)
        texts = [e.question.table.cell(r, c) for r, c in cells]
        q = e.question
        rows.append(
            "\t".join(
                [
                    q.id,
                    q.annotator,
                    str(q.position),
                    q.text,
                    q.table_file,
                    str([str(c) for c in cells]),
                    str(texts),
                ]
            )
        )
    gold.write_text("\n".join(rows) + "\n")
    assert json.loads(call("score", gold, tmp_path / "p.tsv", "--json")) == found
