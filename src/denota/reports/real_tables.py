"""docs/real_tables.md, from results/real_tables/: questions about real tables, by kind.

A file is what `benchmarks/real_tables.py PART` prints, under the name PART.before.json or
PART.after.json.

Usage: python -m denota.reports.real_tables
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "real_tables.md"
PARTS: Final = {
    "choose": "The part that choices were made by",
    "parser": "The part kept for the parser, looked at once",
    "confidence": "The part kept for its confidence, looked at once",
}
Measured = Mapping[str, Any]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results" / "real_tables"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    parts = []
    for name, title in PARTS.items():
        sides = [results / f"{name}.{side}.json" for side in ("before", "after")]
        if all(path.exists() for path in sides):
            before, after = (json.loads(path.read_text("utf-8")) for path in sides)
            parts += [f"## {title}", by_kind(before, after), _sure(before, after)]
    return "\n\n".join([_TOP, *parts, _AGAIN]) + "\n"


def by_kind(before: Measured, after: Measured) -> str:
    """Return the right answers of each kind of question, before and after."""
    lines: list[Sequence[str]] = [("kind of question", "of", "before", "after")]
    for kind, (right, count) in after["by_kind"].items():
        was = before["by_kind"][kind][0]
        lines.append((kind.replace("_", " "), str(count), str(was), str(right)))
    whole = [f"**{one['right']}** ({one['accuracy']:.1f}%)" for one in (before, after)]
    return table(*lines, ("all", str(after["questions"]), *whole))


def _sure(before: Measured, after: Measured) -> str:
    told = [f"{one['sure_right']} of {one['sure']}" for one in (before, after)]
    return f"Of the answers marked sure {told[0]} were right before, {told[1]} after."


_TOP: Final = """# Real tables

Questions about 25 tables that people keep, from films to railway stations, in three parts by table
(`benchmarks/real_tables`). Answers were computed with pandas by people who had not seen the
model's. *Before* is the default model that learnt from SQA alone, with the rules that count, add
up, group and compare for it; *after* is the present one."""
_AGAIN: Final = """## Again

```text
python benchmarks/real_tables.py choose > results/real_tables/choose.after.json
python -m denota.reports.real_tables
```"""

if __name__ == "__main__":
    main()
