"""The page on questions that start afresh says what was measured."""

from __future__ import annotations

import json

from denota.reports.scope import PAGE, ROOT, page


def test_the_page_is_what_its_results_make() -> None:
    found = json.loads((ROOT / "results" / "scope.json").read_text("utf-8"))
    assert PAGE.read_text("utf-8") == page(found)
