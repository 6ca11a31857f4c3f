"""The page on scale says what the measurements and the simulation say."""

from __future__ import annotations

import pytest

from denota.reports.scale import PAGE, ROOT, page, scan_cost


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROOT / "results")


def test_a_line_goes_through_the_shortest_and_the_longest_table() -> None:
    runs = [
        {"rows": rows, "answers": [{"cpu_seconds": 99.0}, {"cpu_seconds": 2 + rows / 1000}]}
        for rows in (1000, 5000, 9000)
    ]
    assert scan_cost(runs) == pytest.approx((2.0, 0.001))
