"""docs/scope.md, from results/scope.json: when a question starts afresh.

Usage: python -m denota.reports.scope
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "scope.md"
CHANGED: Final = ("SQA dev, a question put in", "made up", "written")
"""The sets of questions that start afresh."""


def main() -> None:
    """Write the page."""
    found = json.loads((ROOT / "results" / "scope.json").read_text("utf-8"))
    PAGE.write_text(page(found), encoding="utf-8")


def page(found: Mapping[str, Any]) -> str:
    """Return the page's Markdown."""
    return "\n\n".join([_TOP, _afresh(found), _FOLLOW_UPS, _going_on(found), _AGAIN]) + "\n"


def _afresh(found: Mapping[str, Any]) -> str:
    head = ("questions that start afresh", "of", "narrowed", "answered otherwise than alone")
    lines: list[Sequence[str]] = [(*head, "right")]
    for name in CHANGED:
        sides = [found[side][name] for side in ("before", "after")]
        columns = [_both(sides, key) for key in ("narrowed", "otherwise_than_alone", "right")]
        lines.append((name, str(sides[0]["questions"]), *columns))
    return table(*lines)


def _going_on(found: Mapping[str, Any]) -> str:
    sides = [found[side]["SQA dev"] for side in ("before", "after")]
    written = [found[side]["written"] for side in ("before", "after")]
    count = str(written[0]["going_on"])
    kept = [str(one["understood_as_going_on"]) for one in written]
    return table(
        ("", "of", "without the step", "with it"),
        ("SQA dev, answers", str(sides[0]["questions"]), *(_percent(s["answers"]) for s in sides)),
        ("SQA dev, whole conversations", "", *(_percent(s["sequences"]) for s in sides)),
        ("written follow-ups understood as such", count, *kept),
    )


def _both(sides: Sequence[Mapping[str, Any]], name: str) -> str:
    if name not in sides[0]:
        return ""
    return " to ".join(_percent(one[name]) for one in sides)


def _percent(value: float) -> str:
    return f"{value:.1f}%"


_TOP: Final = """# When a question starts afresh

A second question may be about the first one's answer or about the whole table. SQA's conversations
nearly always go on, so a parser that learnt from them narrows nearly everything. The step `scope`
tells the two apart before the parser is asked: a logistic regression over the function words of
the question and over what it shares with the conversation and the table
(`conversation/scope.py`). It was learnt without labels (`conversation/learn_scope.py`): later
questions of SQA's training conversations go on, and an opening question of another conversation
about the same table, put in between, starts afresh; likewise of made-up conversations about
invented tables.

Without the step and with it:"""
_FOLLOW_UPS: Final = """Made-up questions are in wordings and about tables that were not learnt
from. The written ones, `tests/fixtures/subject_changes.tsv`, were written before the first
measurement, and what an earlier version got wrong of them was seen; features and data were chosen
by SQA's dev conversations and made-up ones, not by them. A question that is asked first, and of
which the table has no word, is declined; in a conversation it is answered, hence more are right
and some are answered otherwise than alone.

What it costs where questions do go on:"""
_AGAIN: Final = """Where it errs, a question names a thing as the last one did ("which castles are
ruins?", "which castle has the most visitors?"), which people mean either way. The page says
"among the 3 above" then, and one click asks the whole table.

Again, with a RUN that has not seen split 1's dev conversations (`experiments/encoder.toml`):

```text
python benchmarks/scope.py fit --data path/to/sqa
python benchmarks/scope.py measure --data path/to/sqa --model RUN > results/scope.json
python -m denota.reports.scope
```"""


if __name__ == "__main__":
    main()
