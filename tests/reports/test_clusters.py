"""The page on many machines says what was measured."""

from __future__ import annotations

import json

from denota.reports.clusters import PAGE, ROOT, page

RESULTS = ROOT / "results" / "clusters"


def test_the_page_is_what_its_results_make() -> None:
    assert PAGE.read_text("utf-8") == page(RESULTS)


def test_every_question_had_one_answer_after_workers_were_killed() -> None:
    result = json.loads((RESULTS / "kill.json").read_text("utf-8"))
    assert {run["on"] for run in result["runs"]} == {"processes", "ray", "spark"}
    for run in result["runs"]:
        assert run["killed"] and run["same"] and run["answers"] == result["questions"]
