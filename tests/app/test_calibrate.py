"""A run is calibrated on a split it did not learn from; its confidence then means something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from denota import sample
from denota.app.cli import app
from denota.config import Config, DataConfig, ModelConfig, TrainConfig
from denota.conversation.chat import Chat
from denota.data import load_examples
from denota.learning.run import train
from denota.model.checkpoint import load_parser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    config = Config(
        data=DataConfig("train", ""),
        model=ModelConfig(dimension=20, hidden=10, dropout=0.0),
        train=TrainConfig(epochs=2, batch=16, device="cpu"),
    )
    train(config, load_examples(sample.path(), "train").examples[:300], (), out)
    return out


def test_confidence_is_measured_and_kept(run: Path) -> None:
    arguments = ["calibrate", str(run), "--data", str(sample.path()), "--split", "dev"]
    before, _, _ = load_parser(run / "best.safetensors")
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["questions"] == len(load_examples(sample.path(), "dev").examples)
    assert found["calibration_error"] < 15
    if found["sure_accuracy"] is not None:
        assert found["sure_accuracy"] >= 80
    assert (run / "reliability.svg").exists()
    parser, _, facts = load_parser(run / "best.safetensors")
    assert parser.calibration is not None and facts["epoch"] == "2"
    table = sample.tables()["tables/castles.csv"]
    asked = "which castles are there?"
    turns = [Chat(one, table).ask(asked) for one in (before, parser)]
    assert turns[0].answer == turns[1].answer, "the answers stay"
    assert turns[0].confidence != turns[1].confidence
    assert turns[1].sure == (turns[1].confidence >= parser.calibration.sure)


def test_not_on_what_it_learnt_from(run: Path) -> None:
    arguments = ["calibrate", str(run), "--data", str(sample.path()), "--split", "train"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code != 0
    assert "learnt from train" in str(done.output) + str(done.exception)
