"""docs/mixed.md, from results/mixed/: one parser for three data sets, run by run.

Usage: python -m denota.reports.mixed
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "mixed.md"
Run = Mapping[str, Any]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results" / "mixed"), encoding="utf-8")


def page(results: Path) -> str:
    """Return the page's Markdown."""
    runs = [json.loads(path.read_text("utf-8")) for path in sorted(results.glob("*.dev.json"))]
    runs.sort(key=_place)
    said = "\n".join(f"- **{run}**: {differs}." for run, differs in _differences(runs).items())
    sections = [_TOP, _summary(runs), "What differs:", said, _curves(runs)]
    parts = results / "parts.json"
    if parts.exists():
        sections.append(_parts(json.loads(parts.read_text("utf-8"))["runs"]))
    return "\n\n".join([*sections, _AGAIN]) + "\n"


def _place(run: Run) -> int:
    """Where a run stands: in the order in which they were made."""
    first = run["run"].split(",")[0].split()[0]
    return ORDER.index(first) if first in ORDER else len(ORDER)


def _parts(runs: Mapping[str, Run]) -> str:
    """What each part brings, beside a parser that has all of them."""
    base = runs["base"]["by"]
    lines: list[Sequence[str]] = [("parser", "SQA", "", "WikiTableQuestions", "")]
    for name, told in PARTS.items():
        by = runs[name]["by"]
        cells = (f"{by[k]:.1f}" for k in ("sqa", "wtq"))
        more = (f"{by[k] - base[k]:+.1f}" if name != "base" else "" for k in ("sqa", "wtq"))
        lines.append((told, *(cell for pair in zip(cells, more, strict=True) for cell in pair)))
    return f"{_PARTS}\n\n{table(*lines)}"


def _differences(runs: Sequence[Run]) -> dict[str, str]:
    return {run["run"]: run["differs"] for run in runs}


def _summary(runs: Sequence[Run]) -> str:
    """The last epoch of each run, into which no choice has gone."""
    lines: list[Sequence[str]] = [
        ("run", "encoder", "SQA", "WikiTableQuestions", "SQA, where only cells answer")
    ]
    for run in runs:
        by = run["epochs"][-1]["by"]
        cells = run.get("only_model", {}).get("sqa")
        only = f"{cells[0]:.1f} / {cells[1]:.1f}" if cells else ""
        lines.append((run["run"], run["encoder"], f"{by['sqa']:.1f}", f"{by['wtq']:.1f}", only))
    return table(*lines)


def _curves(runs: Sequence[Run]) -> str:
    """Every epoch: dev by data set, and how fast it was."""
    lines: list[Sequence[str]] = [
        ("run", "encoder", "SQA by epoch", "WikiTableQuestions by epoch", "questions/s")
    ]
    for run in runs:
        sqa, wtq = (
            ", ".join(f"{line['by'][name]:.1f}" for line in run["epochs"] if "by" in line)
            for name in ("sqa", "wtq")
        )
        speed = sorted(line["qps"] for line in run["epochs"])[len(run["epochs"]) // 2]
        lines.append((run["run"], run["encoder"], sqa, wtq, str(speed)))
    return "## Epoch by epoch\n\n" + table(*lines)


ORDER: Final = ("first", "second", "third", "fourth", "the")
"""The first words of the runs' names, in order."""
PARTS: Final = {
    "base": "MiniLM, MAVER, policy shaping, 12,000 made-up questions, three data sets",
    "base_mpnet": "MPNet in place of MiniLM",
    "mml": "MML in place of MAVER",
    "unshaped": "without policy shaping",
    "made_up_none": "without made-up questions",
    "without_wikisql": "without WikiSQL",
    "without_wtq": "without WikiTableQuestions",
}
"""What each run of parts.json is, in the order of the table."""
_PARTS: Final = """## What each part brings

One epoch on made-up questions and one on real ones, otherwise as the fourth run; one seed each. \
Parsers from one teacher, without SQA, with six or three layers of their encoder, and with made-up \
questions about one kind of tables were planned as well, and cut off with the machine."""
_TOP: Final = """# One parser for three data sets

A parser of the language `full`, learnt from the answers of SQA, WikiTableQuestions and a part of
WikiSQL (a seventh, a quarter, a third) and from made-up questions about tables of
WikiTableQuestions, WikiSQL and invented ones (`experiments/mixed.toml`). Dev answers in percent,
split 1, the last epoch, one seed. A number that a program computes counts as wrong on SQA, whose
answers are cells; in the last column the best program that gives cells answers (answers / whole
sequences).

**One of the two seeds of the third run failed**: its figures are about those of a parser that goes
by matching words alone, as if its encoder had been lost in the first, large steps (that was not
looked into); nothing in its loss told. Dev was answered after the last epoch only, and a student
was taught by it meanwhile. So dev is answered after the made-up questions as well now, a parser
below a least accuracy teaches nobody, and the plan begins with smaller steps (`train.warmup`,
`train.pretrained`). Its parsers, two teachers on MPNet and their students, were trained so; what
they answered of dev was lost with the machine, but for samples: a student that had not learnt from
dev had 62.3 on 400 questions of SQA and 49.0 on 400 of WikiTableQuestions about tables that SQA
does not have (`results/confidence/fit.json` of revision ef3ab47).

**The last two lines know their dev**: the parser that they begin with had learnt from it. What they
gain there, while they learn from other questions, is the least that they gain on new ones. The
fourth run was made for parsers that do not know it: its student has about the accuracy of the
default model on questions that neither knows (`results/mixed/fourth.student.fit.json` beside
`results/confidence/fit.json`: WikiSQL and made-up questions), and its teacher
no more than that of the second run, from three epochs in place of five."""
_AGAIN: Final = """The first epoch of the first three runs is on made-up questions alone. \
Several runs shared
one H200 and its 16 cores. Of the third run dev was answered after the last epoch alone.

## Again

```bash
denota train experiments/mixed.toml --data data/sqa --set model.encoder=mpnet --out runs/mixed
```

or a teacher and its students side by side, from questions prepared once:

```bash
PYTHONPATH=src python benchmarks/side_by_side.py experiments/plans/mixed.toml \\
    --data data/sqa --out runs
```

and the default model's last step, on two cores in 45 minutes, where BEFORE is the default model of
revision 4d80a38 (the step before it, from that of revision ef3ab47, is that revision's
`experiments/goes_on.toml`):

```bash
torchrun --standalone --nproc-per-node 2 -m denota train experiments/goes_on.toml \\
    --data data/sqa --init BEFORE --out runs/goes_on
```"""

if __name__ == "__main__":
    main()
