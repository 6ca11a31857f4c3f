"""docs/reproduction.md and its plots, made from results/: every published figure beside ours.

Usage: python -m denota.reports.reproduction --data SQA [--results DIR] [--docs DIR]
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from denota.data import load_examples
from denota.reports.explain import why
from denota.reports.findings import FINDINGS, Finding, known, verdict
from denota.reports.judged import Judged, judged_section, read_judged
from denota.reports.plots import draw_cell_curves, draw_differences, draw_table2
from denota.reports.published import ABLATED, EXPLAINED, MIXES, MODEL_SHAPING, PUBLISHED, STABILITY
from denota.reports.results import (
    CellKey,
    Difference,
    Found,
    Result,
    accuracies,
    at_most,
    dev_curve,
    read_results,
    told,
    unsteadiness,
)


def reproduction_page(
    found: Found, sequences: Sequence[str] | None, judged: Judged | None = None
) -> str:
    """Return the page.

    Differences have intervals where the sequence of each dev question is given; judged programs
    are counted where they are given.
    """
    parts = [_TOP, _table2(found), _PICTURES, _stability(found), _table3(found)]
    if sequences is not None:
        parts += [_findings(found, sequences), _explained(found, sequences)]
        parts += [_ablated(found, sequences), *why(found, sequences, judged)]
    parts.append(_splits(found))
    if judged is not None:
        parts.append(judged_section(judged))
    return "\n\n".join([*parts, _cost(found)])


_TOP: Final = """# Reproduction

Made from `results/` by `python -m denota.reports.reproduction --data SQA`. A cell is a row of a \
table, with or without shaping, with a seed; its settings are `experiments/TABLE.ROW.toml`. One \
is rerun by one line, e.g.
`denota reproduce table2.maver.shaped.seed0 --again --data SQA`, which writes over its result and \
says whether every epoch is the same as before. It is where kind of CPU, version of torch and \
word vectors are the same. `denota reproduce table2` runs the cells
that `results/` lacks, side by side, and goes on where it was stopped; so do `table3`, `explain` \
and `ablate`. Logs and checkpoints are in `runs/`.

The paper's settings: SGD at 0.1, gradients clipped at norm 5, dropout 0.5 on the question's \
words, 30 epochs. Ours: batches of 64 questions, their losses summed. `DENOTA_VECTORS` names the \
word vectors: GloVe 6B in 100 dimensions, here a file
cut to SQA's vocabulary that lacks the tokens with digits (results have its sha256). Test \
predictions of every cell of Table 2, seed 0, from a parser trained on train and dev together up \
to the best epoch, are in `results/predictions/`; who has the
official `test.tsv` scores them with `denota score`.

## Table 2: dev answer accuracy on split 1

The best of 30 epochs, chosen on dev as in the paper, and beside it the mean of the last 10 \
epochs, which no choice has gone into; the mean where there are several seeds, and their range."""
_PICTURES: Final = """![every cell of Table 2, the paper's and ours](table2.svg)

![dev accuracy over epochs](curves.svg)"""


def table(*cells: Sequence[str]) -> str:
    """Return a Markdown table, the first line its header."""
    rule = ["---"] * len(cells[0])
    return "\n".join(f"| {' | '.join(line)} |" for line in (cells[0], rule, *cells[1:]))


def _figure(results: Sequence[Result]) -> str:
    values = accuracies(results)
    if not values:
        return "not run"
    spread = f" ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{spread}"


def _late(results: Sequence[Result]) -> str:
    means = [statistics.mean(dev_curve(result)[-10:]) for result in results]
    return f"{statistics.mean(means):.1f}" if means else ""


def _table2(found: Found) -> str:
    lines: list[Sequence[str]] = [
        (
            *("algorithm", "paper", "ours", "last 10"),
            *("paper, shaped", "ours, shaped", "last 10", "best epochs"),
        )
    ]
    for row, (name, plain, shaped) in PUBLISHED.items():
        ours = [found.get(("table2", row, with_), []) for with_ in (False, True)]
        epochs = "; ".join(", ".join(str(r["best_epoch"]) for r in seeds) for seeds in ours)
        without, with_ = ((_figure(seeds), _late(seeds)) for seeds in ours)
        lines.append((name, str(plain), *without, str(shaped), *with_, epochs))
    return table(*lines)


def _stability(found: Found) -> str:
    lines: list[Sequence[str]] = [("algorithm", "shaped", "all epochs", "from epoch 10")]
    for row in ("mmr", "maver"):
        for shaped in (False, True):
            seeds = found.get(("table2", row, shaped), [])
            told = [
                ", ".join(f"{value:.2f}" for value in unsteadiness(seeds, first))
                for first in (1, 10)
            ]
            if seeds:
                lines.append((PUBLISHED[row][0], "yes" if shaped else "no", *told))
    said = [
        f"{when}, {'with' if shaped else 'without'} shaping, {steadier(found, shaped, first)}"
        for first, when in ((1, "over all epochs"), (10, "from epoch 10 on"))
        for shaped in (False, True)
    ]
    paper = ", ".join(f"{value} for {PUBLISHED[row][0]}" for row, value in STABILITY.items())
    return (
        (
            "## Stability\n\nThe mean absolute difference of dev accuracy between successive "
            f"epochs, a figure a seed. The paper has {paper}; it does not say with which "
            "shaping.\n\n"
        )
        + table(*lines)
        + "\n\n"
        + f"MAVER beside MMR: {'; '.join(said)}."
    )


def steadier(found: Found, shaped: bool, first: int) -> str:
    """Return which of MMR and MAVER is steadier.

    It is said only where there are several seeds and every seed of one is steadier than every seed
    of the other.
    """
    mmr, maver = (
        unsteadiness(found.get(("table2", row, shaped), []), first) for row in ("mmr", "maver")
    )
    if min(len(mmr), len(maver)) < 2:
        return "one seed says nothing"
    if max(maver) < min(mmr):
        return "every seed of MAVER is steadier than every seed of MMR"
    if max(mmr) < min(maver):
        return "every seed of MMR is steadier than every seed of MAVER"
    return "the seeds of MMR and MAVER overlap"


def _table3(found: Found) -> str:
    lines: list[Sequence[str]] = [("w", "q", "paper", "ours", "last 10", "best epoch")]
    for row, (w, q, paper) in MIXES.items():
        seeds = found.get(("table3", row, True), [])
        epochs = ", ".join(str(r["best_epoch"]) for r in seeds)
        published = "" if paper is None else str(paper)
        lines.append((w, q, published, _figure(seeds), _late(seeds), epochs))
    return (
        "## Table 3: mixes\n\nDev answer accuracy with shaping; the last four are mixes of our "
        "own. MMR with MMR is Table 2's MMR run once more, on another machine with another "
        "version of torch: how far the two lie apart says what such a change alone does.\n\n"
    ) + table(*lines)


def _findings(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        ("the paper's finding", "difference", "seeds", "points", "95% interval", "here")
    ]
    for finding in FINDINGS:
        if known(finding, found):
            lines += _finding(finding, found, sequences)
    return (
        "## The paper's findings, one by one\n\nDifferences on the same dev questions, over the "
        "seeds that both have; 95% intervals by a paired bootstrap over sequences. They say how "
        "far the questions bear a difference out, and leave out what other seeds would do "
        "and that each run's best epoch was chosen on these same questions. A finding holds "
        "where every interval lies above 0. Stability is above.\n\n"
        + table(*lines)
        + "\n\n![the differences with their intervals](differences.svg)"
    )


def _finding(finding: Finding, found: Found, sequences: Sequence[str]) -> list[Sequence[str]]:
    judged = verdict([d.interval(found, sequences) for d in finding.differences])
    lines: list[Sequence[str]] = []
    for place, d in enumerate(finding.differences):
        claim = f"{finding.claim} ({finding.said})" if place == 0 else ""
        here = f"**{judged}**" if place == 0 else ""
        seeds = str(len(d.seeds(found)))
        lines.append((claim, d.name, seeds, *told(d, found, sequences), here))
    return lines


def _explained(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        (
            *("cell, with shaping", "epochs", "dev"),
            *("the table's, as many epochs", "difference", "95% interval"),
        )
    ]
    for row, (name, of, base) in EXPLAINED.items():
        key: CellKey = ("explain", row, True)
        if key in found and (of, base, True) in found:
            lines.append((name, *compared_with(key, (of, base, True), found, sequences)))
    return (
        "## Search and update, taken apart\n\nThe paper's figure for model shaping is "
        f"{MODEL_SHAPING}. Each is compared with its row of Table 2 or 3, seed 0, as far as that "
        "had come in as many epochs; there is no interval where that row's best epoch came "
        "later.\n\n"
    ) + table(*lines)


def compared_with(
    key: CellKey, other: CellKey, found: Found, sequences: Sequence[str]
) -> tuple[str, str, str, str, str]:
    """Return a cell beside another at as many epochs: epochs, figures, difference, interval."""
    own, base = found[key][0], found[other][0]
    epochs = len(own["epochs"])
    best = max(dev_curve(base)[:epochs])
    mine = own["dev_answer_accuracy"]
    cut = at_most(base, epochs)
    points, interval = f"{mine - best:+.1f}", ""
    if cut is not None:
        both = {key: [own], other: [cut]}
        points, interval = told(Difference("", (key,), (other,)), both, sequences)
    return str(epochs), f"{mine:.1f}", f"{best:.1f}", points, interval


def _ablated(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        (
            *("MAVER with", "epochs", "without shaping", "with shaping"),
            *("beside Table 2's, shaped", "95% interval", "shaping adds", "95% interval"),
        ),
    ]
    whole: CellKey = ("table2", "maver", True)
    rows = [("everything, as in Table 2", "table2", "maver")]
    rows += [(name, "ablate", row) for row, name in ABLATED.items()]
    rows.append(("one question an update", "explain", "maver_batch1"))
    for name, of, row in rows:
        plain, shaped = ((of, row, with_) for with_ in (False, True))
        if shaped not in found:
            continue
        epochs, figure, _, *lost = compared_with(shaped, whole, found, sequences)
        adds, without = ("", ""), ""
        if plain in found:
            seed0 = {key: found[key][:1] for key in (plain, shaped)}
            adds = told(Difference(name, (shaped,), (plain,)), seed0, sequences)
            without = f"{accuracies(found[plain])[0]:.1f}"
        own = lost if of != "table2" else ("", "")
        lines.append((name, epochs, without, figure, *own, *adds))
    return (
        "## What the parser owes to what\n\nMAVER with parts of it taken away, seed 0, beside "
        "Table 2's MAVER as far as that had come in as many epochs.\n\n"
    ) + table(*lines)


def _splits(found: Found) -> str:
    keys: list[CellKey] = [("table2", "maver", True)]
    keys += [("explain", f"maver_split{number}", True) for number in range(2, 6)]
    runs = [found[key][0] for key in keys if key in found]
    epochs = min(len(run["epochs"]) for run in runs)
    figures = [
        f"{max(dev_curve(found[key][0])[:epochs]):.1f}" if key in found else "not run"
        for key in keys
    ]
    return (
        f"## The five splits\n\nMAVER with shaping, seed 0, the best of the first {epochs} "
        "epochs on each split's dev. Batch size, dropout and the bias were settled while "
        "looking at split 1's; the others were not looked at.\n\n"
    ) + table([f"split {n}" for n in range(1, 6)], figures)


def _cost(found: Found) -> str:
    results = [result for seeds in found.values() for result in seeds]
    hours = sum(result["train_seconds"] for result in results) / 3600
    finals = sum(result.get("final_seconds", 0.0) for result in results) / 3600
    machines: dict[str, int] = {}
    for result in results:
        said = f"{result['machine']['cores']} cores, torch {result['versions']['torch']}"
        machines[said] = machines.get(said, 0) + 1
    where = "; ".join(f"{count} on a machine with {said}" for said, count in machines.items())
    epochs = sum(len(result["epochs"]) for result in results)
    return (
        f"## Cost\n\n{len(results)} cells, {epochs:,} epochs: {hours:.1f} core hours for them "
        f"with dev after each, {finals:.1f} more for training on train and dev together; "
        f"one thread a cell, often beside other work ({where})."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write them from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    given = parser.parse_args(arguments)
    write_page(given.data, given.results, given.docs)


def write_page(data: Path, results: Path, docs: Path) -> None:
    """Write the page and its plots."""
    found = read_results(results)
    dev = load_examples(data, "random-split-1-dev").examples
    sequences = ["/".join(example.question.sequence) for example in dev]
    page = reproduction_page(found, sequences, read_judged(results))
    (docs / "reproduction.md").write_text(page + "\n", "utf-8")
    names = {row: name for row, (name, _, _) in PUBLISHED.items()}
    draw_table2(found, PUBLISHED, docs / "table2.svg")
    draw_cell_curves(found, names, docs / "curves.svg")
    differences = [d for f in FINDINGS if known(f, found) for d in f.differences]
    drawn = [
        (d.name, d.points(found), d.interval(found, sequences)) for d in dict.fromkeys(differences)
    ]
    draw_differences(drawn, docs / "differences.svg")


if __name__ == "__main__":
    main()
