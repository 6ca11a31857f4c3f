"""The page on real tables says what the result files say."""

from __future__ import annotations

import json
from pathlib import Path

from denota.reports.real_tables import PAGE, ROOT, page


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROOT / "results" / "real_tables")


def test_before_stands_beside_after(tmp_path: Path) -> None:
    for side, right in (("before", 3), ("after", 5)):
        found = {"right": right, "questions": 8, "accuracy": 12.5 * right, "sure": 4}
        found |= {"sure_right": right - 2, "by_kind": {"two_conditions": [right, 8]}}
        (tmp_path / f"parser.{side}.json").write_text(json.dumps(found))
    text = page(tmp_path)
    assert "| two conditions | 8 | 3 | 5 |" in text
    assert "**3** (37.5%) | **5** (62.5%)" in text
    assert "1 of 4 were right before, 3 of 4 after" in text
    assert "looked at once" in text and "choices were made" not in text.split("## Again")[0]
