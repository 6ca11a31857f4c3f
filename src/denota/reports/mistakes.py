"""docs/mistakes.md, from results/mistakes.json: wrong answers about real tables, read and classed.

Each answer is one that `benchmarks/real_tables.py PART --answers` prints; its class was given by a
person who read question, answer, program and table.

Usage: python -m denota.reports.mistakes
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "mistakes.md"
RESULTS: Final = ROOT / "results" / "mistakes.json"
CLASSES: Final = {
    "condition": "a condition of the question is left out, or another one is taken",
    "column": "the wrong column is answered or tested",
    "value": "a value that the table writes otherwise is not found: an abbreviation, a translation,"
    " an adjective, knowledge",
    "computed": "the rows are right, what is computed of them is not",
    "order": "the largest, the smallest or their order is taken of the wrong column or rows",
    "language": "no program of the language says it",
    "not said": "the table does not say it, and it is answered all the same",
    "declined": "it is declined, and the table says it",
    "before": "it goes on with a wrong answer, or does not go on where it should, or the reverse",
}
"""What was wrong first; an answer has one class."""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")


def page(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the page's Markdown."""
    counts = Counter(one["class"] for one in found)
    sure = Counter(one["class"] for one in found if one["sure"])
    lines: list[Sequence[str]] = [("class", "what is wrong", "answers", "told as sure")]
    for name, what in sorted(CLASSES.items(), key=lambda entry: -counts[entry[0]]):
        lines.append((name, what, str(counts[name]), str(sure[name])))
    shown = [_TOP.format(count=len(found)), table(*lines), "## One by one"]
    for name in sorted(CLASSES, key=lambda one: -counts[one]):
        own = [one for one in found if one["class"] == name]
        if own:
            entries: list[Sequence[str]] = [("question", "read as", "answer", "right")]
            entries += [_line(one) for one in own]
            shown += [f"### {name}", table(*entries)]
    return "\n\n".join(shown) + "\n"


def _line(one: Mapping[str, Any]) -> tuple[str, ...]:
    right = "the table does not say" if one["gold"] is None else _some(one["gold"])
    read_as = f"`{one['program']}`" if one["program"] else one["reason"]
    return tuple(_cell(text) for text in (one["question"], read_as, _some(one["answer"]), right))


def _some(values: Sequence[Any]) -> str:
    """The first few of some values."""
    texts = [f"{one[0]}: {one[1]}" if isinstance(one, list) else _plain(one) for one in values]
    return ", ".join(texts[:_SHOWN]) + (" ..." if len(texts) > _SHOWN else "")


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_SHOWN: Final = 3
_TOP: Final = """# What it still gets wrong

All {count} wrong answers of the default model to the 123 questions of the part `choose` of the
real tables (`benchmarks/real_tables`), each read beside its table and put into one class. The parts
that are kept apart were not read."""


if __name__ == "__main__":
    main()
