"""docs/wikitablequestions.md, from results/: how far the languages reach, and a first parser.

Usage: python -m denota.reports.wtq
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "wikitablequestions.md"
DATA_SET_TITLES: Final = {"wtq": "WikiTableQuestions", "sqa": "SQA", "wikisql": "WikiSQL"}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    bound = _BOUND.format(**_read(results / "oracle" / "bound.json"))
    return "\n\n".join([_TOP, _coverage(results), bound, _RUNS, _runs(results), _END])


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _coverage(results: Path) -> str:
    """A line for each data set and language."""
    lines = [
        (
            "| data set | language | questions | coverage | grounded | other question's answer: "
            "grounded | other row's cell: grounded | programs a question | consistent |"
        ),
        "| --- " * 2 + "| ---: " * 7 + "|",
    ]
    for path in sorted((results / "oracle").glob("*.*.json")):
        data, language, _ = path.name.split(".")
        one = _read(path)
        others = (_share(one.get(name)) for name in ("other_answer", "other_row"))
        lines.append(
            f"| {DATA_SET_TITLES[data]} {one['split']} | `{language}` | {one['questions']:,} | "
            f"{one['coverage']:.2f} | {one['grounded_coverage']:.2f}"
            f" | {' | '.join(others)} | {one['programs_per_question']:,.0f} | "
            f"{one['consistent_per_question']:,.0f} |"
        )
    return "\n".join(lines)


def _share(other: dict[str, Any] | None) -> str:
    return f"{other['grounded_coverage']:.2f}" if other else "-"


def _runs(results: Path) -> str:
    """A line for each run, with its curve."""
    lines = [
        "| run | settings | dev accuracy by epoch | best | questions/s |",
        "| --- " * 3 + "| ---: " * 2 + "|",
    ]
    for path in sorted((results / "wtq").glob("*.json")):
        one = _read(path)
        if "epochs" not in one:
            continue
        curve = [epoch["dev_accuracy"] for epoch in one["epochs"]]
        speed = sum(epoch["questions_per_s"] for epoch in one["epochs"]) / len(curve)
        settings = " ".join(f"`{change}`" for change in one["changes"])
        lines.append(
            f"| {one['run']} | `{one['config']}` {settings} | "
            f"{', '.join(f'{c:.1f}' for c in curve)} | {max(curve):.1f} | {speed:.0f} |"
        )
    whole = results / "wtq" / "minilm.shaped.dev.json"
    if whole.exists():
        found = _read(whole)
        lines += [
            "",
            f"On all {found['questions']:,} questions of split-1 dev, minilm.shaped after its "
            f"last epoch, its weights rounded to 8 bits: **{found['denotation_accuracy']:.2f}**"
            " (`denota evaluate RUN --data wtq --split random-split-1-dev --json`).",
        ]
    return "\n".join(lines)


_TOP: Final = """# WikiTableQuestions and WikiSQL

What people ask of a table is not only its cells: on WikiTableQuestions (WTQ, Pasupat and Liang \
2015) a quarter of the answers stand in no cell. The language `full` computes them. This page \
says how far it reaches,
and what a first parser learns from answers alone.

## How far the languages reach

Coverage: some program gives exactly the gold answer. Grounded: and the question bears the program \
out (its constants share a word with the question, its operators have a trigger word). Beside it \
the same measure with the answer of another
question about the same table, and with the cell of another row of the answer's column: what is \
covered there is covered by luck. `denota oracle --data DATA --split NAME --language L`."""
_BOUND: Final = """A question has at most 200,000 programs: each family of programs has a share of \
them, and where that is not enough the row sets that the question bears out come first, plain \
conditions before steps. On {questions:,} dev questions of
WTQ drawn with a seed the bound leaves programs out of {bounded:.1f}%; with ten times as many \
programs coverage is {coverage_without:.2f} in place of {coverage:.2f} and grounded coverage \
{grounded_without:.2f} in place of {grounded:.2f}."""
_RUNS: Final = """## A first parser

Learnt from the answers of random-split-1-train, no program seen. The figure is the share of right \
denotations by the official rule, on every fourth question of random-split-1-dev (708); one seed, \
so differences below two points say
nothing. The gold answers are read with denota's own number and date views, since the release here \
has no canonical values."""
_END: Final = """With the encoder shaping gains; with word vectors it loses. DynSP's modules start \
from lexicon words, which is the knowledge that the critique would bring, and the encoder's do \
not; whether that is the reason is not measured here.
These are first runs of one seed each, cut off by time after five epochs; the curves still rise."""

if __name__ == "__main__":
    main()
