"""docs/steps.md, made from results/steps/*.json: what each step of understanding brings.

Usage: python -m denota.reports.steps
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "steps.md"
DATA_SETS: Final = {
    "sqa": "SQA dev",
    "wtq": "WikiTableQuestions dev",
    "real_tables": "real tables",
}
Lines = list[dict[str, Any]]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results" / "steps"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    found = {
        name: json.loads((results / f"{name}.json").read_text(encoding="utf-8"))
        for name in DATA_SETS
        if (results / f"{name}.json").exists()
    }
    went = json.loads((results / "went.json").read_text(encoding="utf-8"))
    parts = [_TOP, _table(found), _NOTES, _sure(found), _WENT, _table(went, short=True), _END]
    return "\n\n".join(parts) + "\n"


def _table(found: dict[str, dict[str, Any]], short: bool = False) -> str:
    """Answers gained and lost by each step, a column a data set."""
    names = [name for name in DATA_SETS if name in found]
    heads = [
        f"{DATA_SETS[name]} ({_whole(found[name])['questions']:,} questions)" for name in names
    ]
    lines = ["| | " + " | ".join(heads) + " |", "| --- " + "| ---: " * len(names) + "|"]
    for variant in _variants(found):
        if short and variant == "only the model":
            continue
        cells = [_cell(_line(found[name]["lines"], variant)) for name in names]
        lines.append(f"| {variant} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _sure(found: dict[str, dict[str, Any]]) -> str:
    """How many answers are sure, and how many of those are right."""
    lines = []
    for name, own in found.items():
        parts = []
        for variant in ("all steps", "only the model"):
            one = _line(own["lines"], variant)
            if one is not None:
                sure = f"{one['sure_right']} of {one['sure']} sure answers right"
                parts.append(f"{variant}: {sure}, {one['declined']} declined")
        lines.append(f"- {DATA_SETS[name]}, model `{own['model']}`: {'; '.join(parts)}.")
    return "\n".join(lines)


def _variants(found: dict[str, dict[str, Any]]) -> list[str]:
    """The lines in the order of the steps, as the data set that was measured with most has them."""
    whole = sorted(found.values(), key=lambda own: -len(own["lines"]))
    return list(dict.fromkeys(one["variant"] for own in whole for one in own["lines"]))


def _whole(own: dict[str, Any]) -> dict[str, Any]:
    whole = _line(own["lines"], "all steps")
    assert whole is not None
    return whole


def _line(lines: Lines, variant: str) -> dict[str, Any] | None:
    return next((one for one in lines if one["variant"] == variant), None)


def _cell(line: dict[str, Any] | None) -> str:
    if line is None:
        return "-"
    if line["variant"] == "all steps":
        return f"**{line['accuracy']:.2f}**"
    return f"{line['accuracy']:.2f} (+{line['gained']} −{line['lost']})"


_TOP: Final = """# What each step brings

`denota.conversation.understand.STEPS` is the way of a question: everything that answers (`ask`,
`serve`, Python, teaching) and everything that measures (`evaluate`, `predict`, `calibrate`,
`score`) takes it. This table says what is right without each step, in percent. In brackets: the
answers that the step makes right (+) and wrong (−)."""
_NOTES: Final = """The model computes values itself, so the steps that take a question apart for it
(`requests`, `differences`, `repeat`, `ties`) are not among its steps: they are for models that pick
cells. `order`, `mentions` and `coverage` bring little or lose on SQA and WikiTableQuestions, whose
dev questions this model has learnt from before its last step; `mentions` and `coverage` win on the
real tables, by which, among others, it was chosen how likely a reading is to be for `coverage`.
`decline` and `change_constant` are for what these data sets do not have: small talk, wishes that no
program can say, and "and in 1907?" after a count. They are held by
`tests/fixtures/declined.tsv` and `tests/conversation`. `groups` computes a value of each group
where the model's own reading has the rows and not the groups; it is held by
`tests/fixtures/groups.tsv`."""
_WENT: Final = """## Steps that went

Measured before with the others, for the model that picked cells, they brought nothing anywhere:
`half_numbers` (`million` is no number in `100 million`), `distinct` (programs that drop equal rows
come last) and `unlike` (unlikely requests are declined)."""
_END: Final = """The page is made by `python -m denota.reports.steps` from `results/steps/*.json`,
which these commands make:

```text
denota evaluate default --data path/to/sqa --split random-split-1-dev --each-step --json
denota evaluate default --data path/to/wtq --split random-split-1-dev --each-step --json
python benchmarks/real_tables.py choose --each-step
```

All questions of both dev parts, and all of the part `choose` of the real tables. Those of SQA and
WikiTableQuestions are of the default model of revision 4d80a38, which today's goes on from. Of the
steps that went the figures are of samples."""


if __name__ == "__main__":
    main()
