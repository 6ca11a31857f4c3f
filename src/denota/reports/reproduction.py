"""docs/reproduction.md and its plot, made from results/table2.*.json: every published figure beside ours.

Usage: python -m denota.reports.reproduction [--data SQA]   (with the data, intervals of differences too)
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from denota.data import load_examples

PUBLISHED: Final = {
    "mml": ("Maximum marginal likelihood", 33.2, 32.5),
    "meritocratic_0": ("Meritocratic (β = 0)", 27.1, 28.1),
    "meritocratic_0.5": ("Meritocratic (β = 0.5)", 28.3, 28.7),
    "meritocratic_inf": ("Meritocratic (β = ∞)", 39.3, 41.6),
    "reinforce": ("REINFORCE", 10.2, 11.8),
    "off_policy": ("Off-policy policy gradient", 36.6, 38.6),
    "mmr": ("MMR", 38.4, 40.7),
    "maver": ("MAVER", 39.6, 44.1),
}
"""Table 2 of Misra et al. (2018): dev without and with shaping."""
PAIRS: Final = (
    (("maver", True), ("maver", False), "shaping, with MAVER"),
    (("mmr", True), ("mmr", False), "shaping, with MMR"),
    (("mml", True), ("mml", False), "shaping, with MML"),
    (("maver", True), ("mmr", True), "MAVER over MMR, shaped"),
    (("maver", True), ("mml", True), "MAVER over MML, shaped"),
    (("mmr", True), ("mml", True), "MMR over MML, shaped"),
    (("off_policy", True), ("reinforce", True), "off-policy over REINFORCE, shaped"),
    (("off_policy", True), ("mml", True), "off-policy over MML, shaped"),
)
Judged = tuple[dict[str, Any], dict[str, str]]
"""results/spurious.json and results/spurious.verdicts.json."""
Found = dict[tuple[str, bool], list[dict[str, Any]]]
"""The results of each (row, shaped), one a seed."""


def read_results(results: Path, table: str = "table2") -> Found:
    """Return what results/ has of a table."""
    found: Found = {}
    for path in sorted(results.glob(f"{table}.*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        cell = result["cell"]
        found.setdefault((cell["row"], cell["shaped"]), []).append(result)
    return found


def reproduction_page(
    found: Found, sequences: Sequence[str] | None, judged: Judged | None = None
) -> str:
    """Return the page; with the sequence each dev question belongs to, differences have intervals; with judged programs, they are counted."""
    parts = [_TOP, _table(found), "![dev accuracy over epochs](table2.svg)", _stability(found)]
    if sequences is not None:
        parts.append(_differences(found, sequences))
    if judged is not None:
        parts.append(_spurious(*judged))
    return "\n\n".join([*parts, _cost(found)])


_TOP: Final = """# Reproduction

Made from `results/` by `python -m denota.reports.reproduction --data SQA`. One cell is rerun by one line, e.g. `denota reproduce table2.maver.shaped.seed0 --again`; `denota reproduce table2` runs the cells
that `results/` lacks, side by side, and goes on where it was stopped. Settings: `experiments/table2.*.toml`.

## Table 2: dev answer accuracy on split 1

30 epochs, the best one; the mean where there are several seeds, and their range."""


def _table(found: Found) -> str:
    lines = [
        "| algorithm | paper | ours | paper, shaped | ours, shaped | best epochs | seeds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row, (name, plain, shaped) in PUBLISHED.items():
        without, with_ = found.get((row, False), []), found.get((row, True), [])
        epochs = ", ".join(str(r["best_epoch"]) for r in (*without, *with_))
        lines.append(
            f"| {name} | {plain} | {_figure(without)} | {shaped} | {_figure(with_)} | {epochs} | {len(without)}, {len(with_)} |"
        )
    return "\n".join(lines)


def _figure(results: list[dict[str, Any]]) -> str:
    values = [result["dev_answer_accuracy"] for result in results]
    if not values:
        return "not run"
    spread = f" ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{spread}"


def _stability(found: Found) -> str:
    lines = [
        "## Stability",
        "",
        "The mean absolute difference of dev accuracy between successive epochs, over 30 epochs and from epoch 10 on. The paper reports 0.9 for MMR and 0.57 for MAVER.",
        "",
        "| algorithm | shaped | all epochs | from epoch 10 |",
        "| --- | --- | --- | --- |",
    ]
    for row in ("mmr", "maver"):
        for shaped in (False, True):
            for result in found.get((row, shaped), []):
                dev = [line["dev_answer_accuracy"] for line in result["epochs"]]
                lines.append(
                    f"| {PUBLISHED[row][0]} | {'yes' if shaped else 'no'} | {_changes(dev):.2f} | {_changes(dev[9:]):.2f} |"
                )
    return "\n".join(lines)


def _changes(values: Sequence[float]) -> float:
    return statistics.mean(abs(b - a) for a, b in pairwise(values)) if len(values) > 1 else 0.0


def _differences(found: Found, sequences: Sequence[str]) -> str:
    lines = [
        "## Differences",
        "",
        "On the same dev questions, seed 0; 95% intervals by a paired bootstrap over sequences. An order is claimed only where the interval excludes 0.",
        "",
        "| difference | points | 95% interval | claimed |",
        "| --- | --- | --- | --- |",
    ]
    for one, other, name in PAIRS:
        if one in found and other in found:
            right = [_outcomes(found[key][0]) for key in (one, other)]
            low, high = bootstrap(right[0] - right[1], sequences)
            points = 100 * float((right[0] - right[1]).mean())
            claimed = "yes" if low > 0 or high < 0 else "no"
            lines.append(f"| {name} | {points:+.1f} | {low:+.1f} to {high:+.1f} | {claimed} |")
    return "\n".join(lines)


def _outcomes(result: dict[str, Any]) -> NDArray[np.float64]:
    return np.array([float(c) for c in result["dev_right"]])


def bootstrap(
    differences: NDArray[np.float64], sequences: Sequence[str], draws: int = 2000
) -> tuple[float, float]:
    """Return the 95% interval, in points, of the mean of paired differences, sequences drawn with replacement."""
    _, group = np.unique(np.array(sequences), return_inverse=True)
    totals, sizes = np.bincount(group, differences), np.bincount(group)
    chosen = np.random.default_rng(0).integers(0, len(sizes), (draws, len(sizes)))
    means = 100 * totals[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def _spurious(programs: dict[str, Any], verdicts: dict[str, str]) -> str:
    """How many of the programs that search believes are spurious, by hand and by altered tables."""
    questions = programs["questions"]
    lines = [
        "## Spurious programs",
        "",
        f"{len(questions)} training questions, the program that search puts first at the end of MAVER's training. Judged by hand without knowing the parser: a program is right if it says what the question asks, so that "
        "it would still answer it if the rest of the table were another; it is spurious if it gives the answer by accident (the answer's own value as a condition, a number of a column that the question does not "
        "speak of, a row by its rank), if it is right only for this table, or if the language cannot say what is asked. Beside it, by machine: the share whose answer stays right on all of "
        f"{programs['altered']} altered tables (rows shuffled, columns that the question does not speak of dealt anew). `python -m denota.reports.spurious` draws the questions and makes the judge's sheet.",
        "",
        "How far to trust it: one judge, a developer, and one pass. The sheet names no parser, but the guideline above was written down with the verdicts and not before them, and three of four questions were judged from question, column names and "
        "program without looking at the rows. A difference of a few programs between the two columns means nothing.",
        "",
        "| | spurious, paper | spurious, ours, by hand | answer lost on an altered table |",
        "| --- | --- | --- | --- |",
    ]
    for name, said, paper in (("unshaped", "without shaping", 53), ("shaped", "with shaping", 23)):
        spurious = sum(verdicts[q[name]["item"]] == "spurious" for q in questions)
        lost = sum(q[name]["kept"] < 1 for q in questions)
        lines.append(f"| {said} | {paper} | {spurious} | {lost} |")
    items = {q[n]["item"]: q[n]["kept"] < 1 for q in questions for n in ("unshaped", "shaped")}
    agree = sum((verdicts[item] == "spurious") == lost for item, lost in items.items())
    both = sum(verdicts[item] == "spurious" for item, lost in items.items() if lost)
    missed = sum(verdicts[item] == "spurious" for item, lost in items.items() if not lost)
    lines += [
        "",
        f"Hand and machine agree on {agree} of {len(items)} programs. Of the {sum(items.values())} whose answer is lost, {both} were judged spurious; of those judged spurious, {missed} keep their answer, "
        "for a condition that names the answer's own value holds on any of these tables.",
        "",
        "Programs that shaping corrected (Table 4):",
        "",
        "| question | without shaping | with shaping |",
        "| --- | --- | --- |",
    ]
    for q in questions:
        before, after = (verdicts[q[name]["item"]] for name in ("unshaped", "shaped"))
        if (before, after) == ("spurious", "right"):
            one, other = (q[name]["program"].replace("|", "\\|") for name in ("unshaped", "shaped"))
            lines.append(f"| {q['question']} | `{one}` | `{other}` |")
    return "\n".join(lines)


def _cost(found: Found) -> str:
    results = [result for runs in found.values() for result in runs]
    hours = sum(result["train_seconds"] for result in results) / 3600
    return (
        f"## Cost\n\n{len(results)} cells, {hours:.1f} core hours for their 30 epochs (training on train and dev together and answering the test questions come on "
        "top), one thread each on a machine with two cores."
    )


def read_judged(results: Path) -> Judged | None:
    """Return the judged programs, if there are any."""
    paths = [results / f"spurious{part}.json" for part in ("", ".verdicts")]
    if not all(path.exists() for path in paths):
        return None
    one, other = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return one, other


def draw_curves(found: Found, path: Path) -> None:
    """Draw dev accuracy over epochs, one panel without and one with shaping."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    for axes, shaped in zip(figure.subplots(1, 2, sharey=True), (False, True), strict=True):
        for row, (name, _, _) in PUBLISHED.items():
            for result in found.get((row, shaped), [])[:1]:
                epochs = [line["epoch"] for line in result["epochs"]]
                dev = [line["dev_answer_accuracy"] for line in result["epochs"]]
                axes.plot(epochs, dev, label=name)
        axes.set_title("with shaping" if shaped else "without shaping")
        axes.set_xlabel("epoch")
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(fontsize=7)
    figure.axes[0].set_ylabel("dev answer accuracy")
    with rc_context({"svg.hashsalt": "denota"}):  # the same file for the same results
        figure.savefig(path, metadata={"Date": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page and its plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args(arguments)
    found = read_results(Path("results"))
    sequences = None
    if given.data:
        dev = load_examples(given.data, "random-split-1-dev").examples
        sequences = ["/".join(example.question.sequence) for example in dev]
    page = reproduction_page(found, sequences, read_judged(Path("results")))
    Path("docs/reproduction.md").write_text(page + "\n", "utf-8")
    draw_curves(found, Path("docs/table2.svg"))


if __name__ == "__main__":
    main()
