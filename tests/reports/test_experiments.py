"""The pages on the encoder, the default model and teaching say what results/ says."""

from __future__ import annotations

import json
from pathlib import Path

from denota.reports.experiments import draw_experiments, experiments_page, read_runs
from denota.reports.model_card import model_card, read_figures
from denota.reports.teaching import teaching_page

ROOT = Path(__file__).parents[2]


def test_the_log_of_experiments_is_up_to_date() -> None:
    page = (ROOT / "docs/experiments.md").read_text(encoding="utf-8")
    assert page == experiments_page(read_runs(ROOT / "results"))


def test_each_run_agrees_with_itself() -> None:
    runs = read_runs(ROOT / "results")
    names = [run["name"] for run in runs]
    assert len(set(names)) == len(names)
    for run in runs:
        assert not run["control"] or run["control"] in names
        dev = [epoch["dev_answer_accuracy"] for epoch in run["epochs"]]
        assert run["dev_answer_accuracy"] == max(dev) == dev[run["best_epoch"] - 1]
        assert all(run[field] for field in ("idea", "expected", "verdict"))


def test_the_page_on_teaching_is_up_to_date() -> None:
    page = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
    assert page == teaching_page(ROOT / "results")


def test_the_model_card_is_up_to_date() -> None:
    page = (ROOT / "docs/model_card.md").read_text(encoding="utf-8")
    assert page == model_card(read_figures(ROOT / "results")) + "\n"


def test_a_changed_figure_changes_the_pages(tmp_path: Path) -> None:
    runs = read_runs(ROOT / "results")
    before = experiments_page(runs)
    runs[0]["dev_answer_accuracy"] += 1
    assert experiments_page(runs) != before
    figures = json.loads(json.dumps(read_figures(ROOT / "results")))
    card = model_card(figures)
    figures["sqa"]["answer_accuracy"] += 1
    assert model_card(figures) != card
    draw_experiments(runs, tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text().startswith("<?xml")
