"""docs/model_card.md: what the model in the package is, what it learnt from, and how good it is.

Figures from results/default/: what `benchmarks/default_model.py` prints (model), `denota evaluate
default --json` (sqa, wtq), `python -m denota.reports.shuffles`, `benchmarks/answer.py` and
`benchmarks/real_tables.py` (real: by part, before and after); and from results/confidence/.

Usage: python -m denota.reports.model_card [--results DIR] [--docs DIR]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

from denota.reports.confidence import NAMES
from denota.reports.markdown import table

Figures = dict[str, dict[str, Any]]


def read_figures(results: Path) -> Figures:
    """Return what was measured, by the name of each file."""
    paths = [*sorted((results / "default").glob("*.json")), *_elsewhere(results)]
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def _elsewhere(results: Path) -> tuple[Path, ...]:
    return (results / "confidence" / "fit.json",)


def model_card(figures: Figures) -> str:
    """Return the page."""
    model = figures["model"]
    facts = _FACTS.format(
        megabytes=model["bytes"] / 1e6,
        sha256=model["sha256"][:16],
        parameters=model["parameters"] / 1e6,
        language=model["language"],
    )
    return "\n\n".join(
        [_TOP, facts, _LEARNT, _accuracy(figures), _real(figures), _behaviour(figures), _LIMITS]
    )


_TOP: Final = """# The default model

Made from `results/default/` by `python -m denota.reports.model_card`. `denota ask` uses this \
model unless `--model` names another; `denota evaluate default` and `denota predict default` do \
too."""

_FACTS: Final = """## What it is

A semantic parser: question, history and table in, a program of the language `{language}` out \
([language.md](language.md)): cells, counts, sums, averages, differences, shares, groups, yes or \
no. It scores every program of the language, or all that fit where there are too many, by a \
pretrained encoder over question, two earlier questions, column names, the cells that share words \
with them and some values of columns that have few, then looks once more at the best 20, each as a \
whole. The encoder is all-MiniLM-L6-v2 (6 layers, 384 wide; Apache 2.0), learnt further; its word \
vectors are as they were.

| | |
| --- | --- |
| parameters | {parameters:.1f} million |
| file | {megabytes:.1f} MB: whole numbers of 8 bits with a scale a row |
| sha256 | `{sha256}...` |
| confidence and order of readings | `default.confidence.json` beside the model \
([confidence.md](confidence.md)) |"""

_LEARNT: Final = """## What it learnt from

Questions and their answers, no programs, of three data sets, and made-up questions:

| data | licence | what of it |
| --- | --- | --- |
| SQA 1.0 (Iyyer, Yih and Chang 2017) | Microsoft Research's own, in its release (listed as Ms-PL \
on the Hugging Face hub); tables from Wikipedia, CC BY-SA | all of `train.tsv`, 14,541 questions |
| WikiTableQuestions 1.0.2 (Pasupat and Liang 2015) | CC BY-SA 4.0 | `training.tsv`, without \
questions about tables of the other set's dev |
| WikiSQL (Zhong, Xiong and Socher 2017) | BSD 3-Clause | a quarter of its training questions |
| made up by denota (`denota.generate`) | none needed | about tables of these and invented ones |

The weights are derived from these, so read SQA's licence before other uses than research. None of \
the data sets' text is in the package.

How, in three steps; each step's recipe is a file or the line below it:

1. Two parsers on MPNet (110 million parameters) learnt by MAVER with policy shaping from all of \
this on an NVIDIA H200 (`experiments/plans/mixed.toml` of revision 4d80a38). They are not shipped.
2. A parser on MiniLM learnt what those believe of the programs that give the answer \
(`update.algorithm = "distil_beliefs"`), and then from more made-up questions and unanswerable \
ones, there too.
3. On two CPU cores it went on learning from SQA's and WikiTableQuestions' split-1 training parts \
by MAVER, without a teacher, twice: the second time with made-up questions that call values \
otherwise than their tables do, such as codes by their names. `docs/mixed.md` has the command and \
its dev figures by epoch."""

_LIMITS: Final = """## Limits

- The [README](../README.md#what-it-can-and-cannot-do) lists what it can and cannot do, \
[mistakes.md](mistakes.md) what it gets wrong. A question beyond its language is declined where \
its words give it away; else the answer is the nearest thing that the language can say, often with \
low confidence.
- Conversations err more the longer they last: a wrong answer is the next question's context.
- It learnt from answers alone: some programs are right for the wrong reason. Read the sentence or \
the SQL before you trust a number."""


def _accuracy(figures: Figures) -> str:
    fit = figures["fit"]
    lines: list[tuple[str, ...]] = [("measured on", "questions", "right")]
    for name, own in fit["over_tables"].items():
        if name not in ("real", "sqa", "wtq"):
            after = own["after"]
            lines.append((NAMES[name], f"{after['questions']:,}", f"{after['accuracy']:.1f}"))
    seen: list[tuple[str, ...]] = [("measured on", "questions", "answers", "sequences")]
    for name, told in (("sqa", "SQA"), ("wtq", "WikiTableQuestions")):
        one = figures[name]
        right = one.get("answer_accuracy", one["denotation_accuracy"])
        whole = f"{one['sequence_accuracy']:.1f}" if "sequence_accuracy" in one else ""
        lines_of = (told, f"{one['questions']:,}", f"{right:.1f}", whole)
        seen.append(lines_of)
    return "\n\n".join([_HOW_GOOD, table(*lines), _SEEN, table(*seen)])


_HOW_GOOD: Final = """## How good it is

Percent right, as a chat answers, of questions that it has not learnt from: WikiSQL's training \
questions beyond the quarter that it learnt from, and made-up ones in other wordings about other \
tables."""
_SEEN: Final = """Split 1's dev parts: **steps 1 and 2 have learnt from them**, step 3 has not, \
so on new ones it is less. Its answers to the test questions, whose answers we do not have, \
are `results/predictions/default.*.tsv`: to SQA's with `--only-model` and to \
WikiTableQuestions' `--without coverage --without decline --without not_said`, as did best on dev, \
to WikiSQL's with all steps. Published on SQA's test questions: 65.4 / 38.5 the best \
with an executable program, 72.4 / 47.5 the best at all; on WikiTableQuestions', learnt from \
answers: 52.7 the best with a program, 63.3 the best at all."""


def _real(figures: Figures) -> str:
    """Real tables by kind of question, the model before and this one."""
    parts = figures["real"]
    found = ["## Real tables", _REAL]
    for part, own in parts.items():
        before, after = own["before"], own["after"]
        lines: list[tuple[str, ...]] = [("kind", "questions", "before", "now")]
        for kind, (right, count) in after["by_kind"].items():
            was = before["by_kind"][kind][0]
            lines.append((kind.replace("_", " "), str(count), str(was), str(right)))
        shares = (f"{one['right']} ({one['accuracy']:.1f}%)" for one in (before, after))
        lines.append(("**all**", str(after["questions"]), *shares))
        sure = (f"{one['sure_right']} of {one['sure']}" for one in (before, after))
        lines.append(("right of those that are sure", "", *sure))
        found += [_PARTS[part], table(*lines)]
    return "\n\n".join(found)


_REAL: Final = """Questions that people wrote about real files, between 32 and 42,000 rows long, \
without having seen a model's answers (`benchmarks/real_tables`): how many are right, of the model \
that was shipped before, with the rules that computed values for it, and of this one."""
_PARTS: Final = {
    "choose": "The part by which things are chosen:",
    "parser": "The part kept for parsers, of which nothing was chosen by; it was looked at once for"
    " the parser that this one goes on from and once for this one:",
    "confidence": "The part kept for its confidence, looked at once:",
}


def _behaviour(figures: Figures) -> str:
    shuffles, speed, model = (figures[n] for n in ("shuffles", "answer", "model"))
    lines = [
        ("what", "figure"),
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
        ("a question, one at a time", (
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
    return "## How it behaves\n\n" + table(*lines)


def main() -> None:
    """Write the page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--results", type=Path, default=Path("results"))
    arguments.add_argument("--docs", type=Path, default=Path("docs"))
    given = arguments.parse_args()
    page = model_card(read_figures(given.results))
    (given.docs / "model_card.md").write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
