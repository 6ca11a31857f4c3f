"""The page on confidence says what was measured."""

from __future__ import annotations

from denota.reports.confidence import PAGE, RESULTS, page, read_results


def test_the_page_is_what_its_results_make() -> None:
    assert PAGE.read_text("utf-8") == page(read_results(RESULTS))


def test_every_line_keeps_what_it_promises() -> None:
    """Cross-fitted figures are of the thresholds that are told; the least area is the least."""
    for own in read_results(RESULTS)["fit"]["over_tables"].values():
        for side in own.values():
            assert side["best_area"] <= side["area"]
            assert side["sure_right"] <= side["sure"] <= side["questions"]
            assert side["risk_coverage"][-1][0] == 1
