"""The page on records says what the result files say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from denota.learning.presets import load_experiment
from denota.reports.cells import TABLES, packed
from denota.reports.records import CARRIES, DATA_SETS, PAGE, ROOT, groups_of, page


@pytest.mark.sqa
@pytest.mark.wtq
def test_the_page_is_made_from_the_results(sqa: Path) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROOT / "results", groups_of(sqa))


def test_every_row_is_told() -> None:
    assert {*DATA_SETS, *CARRIES} == set(TABLES["glove"].rows)


def test_what_was_tried_are_settings_that_there_are() -> None:
    tried = json.loads((ROOT / "results" / "records" / "tried.json").read_text("utf-8"))["runs"]
    for run in tried:
        config = load_experiment(ROOT / "experiments" / f"glove.{run['data']}.toml", run["changes"])
        assert config.model.scorer == "outcomes" and config.seed == run["seed"]
        assert len(run["epochs"]) == ((run["planned_epochs"] and 6) or config.train.epochs)


def write_result(results: Path, row: str, *rights: str) -> None:
    result = {
        "cell": {"table": "glove", "row": row, "shaped": False, "seed": 0},
        "epochs": [
            {
                "dev_answer_accuracy": 100 * right.count("1") / len(right),
                "dev_sequence_accuracy": 7.5,
            }
            for right in rights
        ],
        "dev_questions": len(rights[0]),
        "dev_right": [packed(right) for right in rights],
    }
    (results / f"glove.{row}.unshaped.seed0.json").write_text(json.dumps(result))


def test_the_last_epoch_is_told_and_no_better_one(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "tried.json").write_text(json.dumps({"machine": "one", "runs": []}))
    write_result(tmp_path, "sqa", "1000", "1111", "1110")
    write_result(tmp_path, "sqa_cues", "1111", "1100")
    told = page(tmp_path, {"sqa": [*"abcd"], "wtq": []})
    assert "| SQA | `glove.sqa` | 0 | 3 | **75.0** | 7.5 | 25.0, 100.0, 75.0 |" in told
    assert "| SQA | no outcomes | 0 | 50.0 | -25.0 |" in told
