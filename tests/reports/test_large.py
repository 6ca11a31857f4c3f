"""The page on large tables says what the result files say."""

from __future__ import annotations

import json

from denota.reports.large import PAGE, ROOT, page

RESULTS = ROOT / "results" / "large"


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(RESULTS)


def test_what_was_counted_adds_up() -> None:
    same = json.loads((RESULTS / "same.json").read_text("utf-8"))
    assert same["same program and answer"] <= same["same program"] <= same["questions"]
    assert len(same["apart"]) >= same["questions"] - same["same program"]
    for path in RESULTS.glob("cost.*.json"):
        run = json.loads(path.read_text("utf-8"))
        assert run["sketch"] < run["rows"] and run["memory_mb"] >= run["memory_before_mb"]
