"""The page on the server under load says what was measured."""

from __future__ import annotations

from denota.reports.serving import PAGE, ROOT, page


def test_the_page_is_what_its_results_make() -> None:
    assert PAGE.read_text("utf-8") == page(ROOT / "results" / "serving")
