"""The page on a light installation is made from its results, and they keep what it promises."""

from __future__ import annotations

import json
from typing import Any

from denota.reports.light import PAGE, ROOT, page

RESULTS = ROOT / "results" / "light"


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text("utf-8") == page(RESULTS)


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return found


def test_what_is_measured_keeps_the_promise() -> None:
    install, commands, engines = (read(name) for name in ("install", "commands", "engines"))
    assert install["after"]["mb"] <= 320
    assert commands["ask"]["after"]["mb"] <= 250
    assert commands["ask"]["after"]["median_s"] <= 0.8
    assert commands["help"]["after"]["median_s"] <= 0.15
    assert engines["engines"]["numpy float32"]["equal_percent"] >= 99.8


def test_a_busy_machine_is_no_more_than_its_share_slower() -> None:
    after = read("questions")["after"]
    assert after["beside 2"]["median_ms"] <= 2.5 * after["beside 0"]["median_ms"]
