"""The page on updates and critiques says what the result files say, by its rule."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from denota.reports.critiques import PAGE, ROOT, RUNS, gains, page, verdict


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROOT / "results")


def test_gains_are_paired_by_seed(tmp_path: Path) -> None:
    accuracy = {
        ("mml", "none", 0): 30.0,
        ("mml", "none", 1): 32.0,
        ("mml", "paper", 0): 33.0,
        ("mml", "paper", 1): 34.5,
        ("mml", "paper", 2): 99.0,  # nothing to compare with
    }
    assert gains(accuracy, "mml", "paper") == [3.0, 2.5]
    assert verdict(gains(accuracy, "mml", "paper")) == "pays"
    shutil.copytree(ROOT / "results" / "oracle", tmp_path / "oracle")
    lines = [
        {
            "algorithm": a,
            "critique": c,
            "seed": s,
            "dev": v,
            "questions": 100,
            "epochs": 1,
            "mib": 9,
        }
        for (a, c, s), v in accuracy.items()
    ]
    curve = {"epoch": 1, "dev_accuracy": 12.5, "questions_per_s": 200}
    lines.append({"algorithm": "mml", "critique": "none", "seed": 0, **curve})
    path = tmp_path / RUNS["outcomes"]
    path.parent.mkdir()
    path.write_text("\n".join(json.dumps(line) for line in lines))
    assert "| MML | 31.0 (2) | 55.5 (3) | +2.8 pays |" in page(tmp_path)
