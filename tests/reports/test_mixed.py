"""The page on the parser for three data sets says what the result files say."""

from __future__ import annotations

import json
from pathlib import Path

from denota.reports.mixed import PAGE, ROOT, page


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROOT / "results" / "mixed")


def test_the_last_epoch_is_told_and_no_better_one(tmp_path: Path) -> None:
    epochs = [{"by": {"sqa": a, "wtq": b}, "qps": 9} for a, b in ((60.0, 51.0), (59.0, 52.0))]
    run = {"run": "one", "encoder": "minilm", "differs": "nothing", "epochs": epochs}
    (tmp_path / "one.dev.json").write_text(json.dumps(run))
    assert "| one | minilm | 59.0 | 52.0 |  |" in page(tmp_path)
