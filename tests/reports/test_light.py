"""The page on a light installation is made from its results, and they keep what it promises."""

from __future__ import annotations

import json

from denota.reports.light import PAGE, ROOT, page

RESULTS = ROOT / "results" / "light"


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text("utf-8") == page(RESULTS)


def test_what_is_measured_keeps_the_promise() -> None:
    install, commands, questions, engines = (
        json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
        for name in ("install", "commands", "questions", "engines")
    )
    assert install["after"]["mb"] <= 320
    assert commands["ask"]["after"]["median_s"] <= 0.8 and commands["ask"]["after"]["mb"] <= 250
    assert commands["help"]["after"]["median_s"] <= 0.15
    alone, beside = (questions["after"][f"beside {loops}"]["median_ms"] for loops in (0, 2))
    assert beside <= 2.5 * alone
    assert engines["engines"]["numpy float32"]["equal_percent"] >= 99.8
