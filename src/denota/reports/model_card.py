"""docs/model_card.md: what the model in the package is, what it learnt from, and how good it is.

Figures from results/default/.

Those are what `denota evaluate --json`, `denota calibrate`, `python -m denota.reports.shuffles` and
`benchmarks/answer.py` print.

Usage: python -m denota.reports.model_card [--results DIR] [--docs DIR]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

from denota.reports.experiments import read_runs
from denota.reports.markdown import table

Figures = dict[str, dict[str, Any]]


def read_figures(results: Path) -> Figures:
    """Return what was measured, by the name of each file."""
    paths = [*sorted((results / "default").glob("*.json")), results / "confidence" / "fit.json"]
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def model_card(figures: Figures, results: Path) -> str:
    """Return the page."""
    model = figures["model"]
    facts = _FACTS.format(
        megabytes=model["bytes"] / 1e6,
        sha256=model["sha256"][:16],
        minutes=model["training_seconds"] / 60,
        epochs=model["epochs"],
        parameters=model["parameters"] / 1e6,
    )
    return "\n\n".join([_TOP, facts, _accuracy(figures, results), _behaviour(figures), _LIMITS])


_TOP: Final = """# The default model

Made from `results/default/` by `python -m denota.reports.model_card`. `denota ask` uses this \
model unless `--model` names another; `denota evaluate default` and `denota predict default` do \
too."""

_FACTS: Final = """## What it is

A semantic parser: question, history and table in, a program of the `extended` language out \
([language.md](language.md)). It scores every program of the language, or all that fit where \
there are too many, by a pretrained encoder over question, two earlier questions, column names \
and the
cells that share words with them, then looks once more at the best 20, each as a whole. The \
encoder is all-MiniLM-L6-v2 (6 layers, 384 wide; Apache 2.0), learnt further; its word vectors \
are as they were.

| | |
| --- | --- |
| parameters | {parameters:.1f} million |
| file | {megabytes:.1f} MB: whole numbers of 8 bits with a scale a row |
| sha256 | `{sha256}...` |
| learnt from | SQA 1.0 (Iyyer, Yih and Chang 2017), all of `train.tsv`: 14,541 questions with \
their answer cells, no programs. SQA is Microsoft Research's, with a licence of its own in its \
release (listed as Ms-PL on the Hugging Face hub), and made of tables from Wikipedia (CC BY-SA); \
the weights are derived from it, so read that licence before other uses than research. None of \
SQA's text is in the package |
| how | `denota train experiments/encoder.toml --set data.train=train data.dev= --data SQA --out \
RUN`: MAVER with policy shaping, {epochs} epochs, {minutes:.1f} minutes on an NVIDIA H200 beside \
nine other runs; [experiments.md](experiments.md) has what was tried |
| confidence | `default.confidence.json` beside the model, fitted to what a parser of the same \
recipe that learnt from split 1's training part (5 epochs) answers on six data sets \
([confidence.md](confidence.md)) |"""

_LIMITS: Final = """## Limits

- The [README](../README.md#what-it-can-and-cannot-do) lists what it can and cannot do. A question \
beyond its language is declined where its words give it away; else the answer is the nearest thing \
that the language can say, often with low confidence.
- It learnt from Wikipedia tables of at most 30 rows and 10 columns. Long and wide tables work, \
but no accuracy was measured on them.
- Conversations err more the longer they last: a wrong answer is the next question's context.
- It learnt from answers alone: some programs are right for the wrong reason. Read the sentence or \
the SQL before you trust a number."""


def _accuracy(figures: Figures, results: Path) -> str:
    lines: list[tuple[str, ...]] = [
        ("measured on", "questions", "answers", "sequences", "first, second, third question")
    ]
    names = {
        "dev": "split 1's dev part",
        "dev_new_tables": "of these, tables that the training part does not have",
        "dev_gold_history": "dev, with the right previous answers given",
    }
    for name, told in names.items():
        one = figures[name]
        positions = ", ".join(f"{one['position_accuracy'][p]:.1f}" for p in ("0", "1", "2"))
        lines.append(
            (
                told,
                f"{one['questions']:,}",
                f"{one['answer_accuracy']:.1f}",
                f"{one['sequence_accuracy']:.1f}",
                positions,
            )
        )
    runs = [run for run in read_runs(results) if run.get("final_split")]
    best = [run["dev_answer_accuracy"] for run in runs]
    last = [run["epochs"][-1]["dev_answer_accuracy"] for run in runs]
    splits = (
        "The same recipe on splits 1 to 3, best epoch on each dev part: "
        f"{', '.join(f'{b:.1f}' for b in best)}, mean {sum(best) / len(best):.1f}; "
        "last epoch, where nothing was chosen and which the shipped model has: "
        f"{', '.join(f'{b:.1f}' for b in last)}, mean {sum(last) / len(last):.1f}."
    )
    return (
        "## How good it is\n\nPercent right, of a parser of the same recipe that learnt from "
        "split 1's training part alone, in its best epoch on dev and as it would be shipped (8 "
        "bits), with its own previous answers. Published, on SQA's test questions: 65.4 the best "
        "with an executable program, 74.5 the best at all. "
        "The model itself has learnt from dev as well; its answers to the test questions, whose "
        "answers we do not have, are `results/predictions/default.tsv`.\n\n"
        + table(*lines)
        + "\n\n"
        + splits
    )


def _behaviour(figures: Figures) -> str:
    calibration, shuffles, speed = (figures[n] for n in ("calibration", "shuffles", "answer"))
    model = figures["model"]
    lines = [
        ("what", "figure"),
        (
            "calibration error on dev, cross-fitted over tables, by its rating alone",
            f"{calibration['calibration_error']:.1f}%",
        ),
        *(
            (f"`sure` answers, {name}", f"{own['sure_share']:.0f}%, of which "
             f"{own['sure_accuracy']:.0f}% right")
            for name, own in (
                ("SQA's dev", figures["fit"]["over_tables"]["sqa"]["after"]),
                ("real tables", figures["fit"]["over_tables"]["real"]["after"]),
            )
        ),
        ("before, by its rating alone: `sure` answers, SQA's dev", (
                           f"{calibration['sure_share']:.0f}%, of which "
                           f"{calibration['sure_accuracy']:.1f}% right"
        )),
        ("dev with columns shuffled", (
                                      f"{shuffles['columns_shuffled']:.2f} beside "
                                      f"{shuffles['answer_accuracy']:.2f}"
        )),
        ("dev with rows shuffled", (
                                   f"{shuffles['rows_same']:.2f}% the same cells, of the "
                                   f"{shuffles['rows_compared']:,} questions where neither the "
                                   "program nor those before it speak of row order; "
                                   f"{shuffles['any_history_same']:.1f}% of the "
                                   f"{shuffles['any_history_compared']:,} whose own program does "
                                   "not"
        )),
        ("a question, one at a time, 2 cores", (
                                               f"{speed['median_ms']:.0f} ms median, "
                                               f"{speed['p95_ms']:.0f} ms in 95 of 100 cases, "
                                               "SQL and sentence included"
        )),
        ("many questions, 2 cores", f"{speed['batched_per_s']:.0f} a second"),
        (
            "a table of 100,000 rows",
            " s, then ".join(f"{s:.1f}" for s in speed["large_table_s"]) + " s",
        ),
        ("`denota ask`, from command to first answer", f"{model['first_answer_s']:.1f} s"),
    ]  # fmt: skip
    return "## How it behaves\n\n" + table(*lines) + "\n\n![reliability](reliability.svg)"


def main() -> None:
    """Write the page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--results", type=Path, default=Path("results"))
    arguments.add_argument("--docs", type=Path, default=Path("docs"))
    given = arguments.parse_args()
    page = model_card(read_figures(given.results), given.results)
    (given.docs / "model_card.md").write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
