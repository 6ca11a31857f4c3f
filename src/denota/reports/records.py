"""docs/records.md, from results/records/: parsers without a language model, and what carries them.

Usage: python -m denota.reports.records
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final

from denota.reports.markdown import table

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "records.md"
Run = Mapping[str, Any]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(ROOT / "results" / "records"), encoding="utf-8")


def page(records: Path) -> str:
    """Return the page's Markdown."""
    runs = [json.loads(path.read_text("utf-8")) for path in sorted(records.glob("*.seed*.json"))]
    tried = json.loads((records / "tried.json").read_text("utf-8"))
    parts = [_TOP, _of_record(runs), _AGAIN]
    for data, (title, said) in _TITLES.items():
        own = [run for run in tried["runs"] if run["data"] == data]
        parts.append(f"## {title}\n\n{said} ({tried['machine']}.)\n\n{_tried(own)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _of_record(runs: Sequence[Run]) -> str:
    """The parsers of record on split-1 dev: the last epoch, into which no choice has gone."""
    lines: list[Sequence[str]] = [
        ("data set", "experiment", "seed", "epochs", "dev answers", "dev sequences", "by epoch")
    ]
    for run in runs:
        last = run["epochs"][-1]
        sequences = f"{last['dev_sequence_accuracy']:.1f}" if run["data"] == "SQA" else ""
        curve = ", ".join(f"{line['dev_answer_accuracy']:.1f}" for line in run["epochs"])
        figures = (f"**{last['dev_answer_accuracy']:.1f}**", sequences, curve)
        names = (run["data"], f"`{run['experiment']}`", str(run["seed"]))
        lines.append((*names, str(len(run["epochs"])), *figures))
    return table(*lines) if runs else ""


def _tried(runs: Sequence[Run]) -> str:
    lines: list[Sequence[str]] = [
        ("changed", "epochs", "last epoch", "sequences", "mean of the last three", "by epoch")
    ]
    for run in sorted(runs, key=lambda one: -_late(one)):
        changes = " ".join(f"`{change}`" for change in run["changes"]) or "nothing"
        last, curve = run["epochs"][-1], [line["dev_answer_accuracy"] for line in run["epochs"]]
        planned = run.get("planned_epochs")
        epochs = f"{len(curve)} of {planned}" if planned else str(len(curve))
        figures = (f"{curve[-1]:.1f}", f"{last['dev_sequence_accuracy']:.1f}", f"{_late(run):.1f}")
        lines.append((changes, epochs, *figures, ", ".join(f"{one:.1f}" for one in curve)))
    return table(*lines)


def _late(run: Run) -> float:
    return float(mean(line["dev_answer_accuracy"] for line in run["epochs"][-3:]))


_TOP: Final = """# Records without a language model

Parsers on GloVe word vectors and nothing else that was learnt beforehand: DynSP++ with cues and \
outcomes (`model.scorer = "outcomes"`), learnt from answers alone. Published without a language \
model: on SQA's test questions 55.1 answers and 28.1 sequences (Mueller et al. 2019, no program), \
on those of WikiTableQuestions 44.5 (Wang et al. 2019). The test answers were not looked at: \
predictions of parsers that learnt from train and dev together are in `results/predictions/`, \
`glove.sqa.tsv` and `glove.wtq.tsv`.

On dev of split 1, learnt from its training part; the figure is that of the last epoch, settings \
were chosen on the same dev (the runs below)."""
_AGAIN: Final = """One command each, with `DENOTA_VECTORS` naming GloVe 6B in 100 dimensions \
(here the file cut to SQA's vocabulary; other words get a random vector each):

```text
denota train experiments/glove.sqa.toml --data SQA --out runs/glove.sqa
denota train experiments/glove.wtq.toml --data WTQ --out runs/glove.wtq
```

and for the test questions, learning from all training data:

```text
denota train experiments/glove.sqa.toml --set data.train=train data.dev= --data SQA --out runs/sqa
denota predict runs/sqa --only-model --data SQA --split test-questions --out glove.sqa.tsv
```"""
_TITLES: Final = {
    "sqa": (
        "What was tried on SQA",
        "Changes to `experiments/glove.sqa.toml`, one seed each, dev of split 1.",
    ),
    "wtq": (
        "What was tried on WikiTableQuestions",
        "Changes to `experiments/glove.wtq.toml`, one seed each, all of split 1's dev; the runs "
        "were cut off after six of eight epochs.",
    ),
}

if __name__ == "__main__":
    main()
