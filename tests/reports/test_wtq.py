"""The page on WikiTableQuestions says what the result files say."""

from __future__ import annotations

from denota.reports.wtq import PAGE, ROOT, page


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROOT / "results")
