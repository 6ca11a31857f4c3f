"""The page on a light installation is made from its results, and they keep what it promises."""

from __future__ import annotations

import json

from denota.reports.light import PAGE, ROOT, page

RESULTS = ROOT / "results" / "light"


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text("utf-8") == page(RESULTS)


def test_what_is_measured_keeps_the_promise() -> None:
    """What does not depend on how busy the machine was that day."""
    install, commands, engines = (
        json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
        for name in ("install", "commands", "engines")
    )
    assert install["after"]["mb"] <= 320
    assert commands["ask"]["after"]["mb"] <= 250
    assert engines["engines"]["numpy float32"]["equal_percent"] >= 99.8
