"""The page on records says what the result files say."""

from __future__ import annotations

import json
from pathlib import Path

from denota.learning.presets import load_experiment
from denota.reports.records import PAGE, ROOT, page


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROOT / "results" / "records")


def test_what_was_tried_are_settings_that_there_are() -> None:
    tried = json.loads((ROOT / "results" / "records" / "tried.json").read_text("utf-8"))["runs"]
    for run in tried:
        config = load_experiment(ROOT / "experiments" / f"glove.{run['data']}.toml", run["changes"])
        assert config.model.scorer == "outcomes" and config.seed == run["seed"]
        assert len(run["epochs"]) == ((run["planned_epochs"] and 6) or config.train.epochs)


def test_the_last_epoch_is_told_and_no_better_one(tmp_path: Path) -> None:
    curve = [
        {"dev_answer_accuracy": value, "dev_sequence_accuracy": value / 2}
        for value in (50.0, 57.0, 55.0)
    ]
    run = {"data": "SQA", "experiment": "glove.sqa", "seed": 0, "epochs": curve}
    (tmp_path / "glove.sqa.seed0.json").write_text(json.dumps(run))
    (tmp_path / "tried.json").write_text(json.dumps({"machine": "one", "runs": []}))
    assert "| SQA | `glove.sqa` | 0 | 3 | **55.0** | 27.5 | 50.0, 57.0, 55.0 |" in page(tmp_path)
