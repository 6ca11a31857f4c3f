"""The page on shaping: means and gains by hand, and the page in docs is the one that is made."""

from __future__ import annotations

import json

from denota.reports.put_right import PAGE, ROOT, page


def test_gains_are_those_of_the_last_epochs() -> None:
    def run(level: float) -> list[float]:
        return [0.0, *([level] * 4)]

    runs = {
        "mmr.blank.shaped.seed0": run(44),
        "mmr.blank.shaped.seed1": run(46),
        "mmr.blank.unshaped.seed0": run(42),
        "mmr.blank.unshaped.seed1": run(41),
        "off_policy_w_mmr_q.sample.seed0": run(16),
        "off_policy_w_mmr_q.top.seed0": run(41.5),
    }
    text = page(runs)
    assert "| MMR | blank | 41.5 | 45.0 | **+3.5** | +2.0 +5.0 |" in text
    assert "| top | 41.5 | 41.5 |" in text


def test_the_page_is_the_one_that_is_made() -> None:
    found = json.loads((ROOT / "results" / "put_right" / "curves.json").read_text("utf-8"))
    assert PAGE.read_text("utf-8") == page({name: one["dev"] for name, one in found.items()})
