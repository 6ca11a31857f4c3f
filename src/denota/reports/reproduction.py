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
from denota.reports.judged import Judged, judged_section, read_judged
from denota.reports.markdown import table
from denota.reports.plots import draw_cell_curves, draw_differences, draw_gains, draw_table2
from denota.reports.published import ABLATED, EXPLAINED, MIXES, MODEL_SHAPING, PUBLISHED, STABILITY
from denota.reports.results import (
    CellKey,
    Difference,
    Found,
    Result,
    accuracies,
    accuracy,
    read_results,
    told,
    unsteadiness,
)
from denota.reports.shaping import (
    Gain,
    encoder_gains,
    gains,
    headline_epochs,
    put_right_section,
    shaping_section,
)
from denota.reports.stated import judged_statements, statements_section, summary
from denota.reports.statements import STATEMENTS, steadier


def reproduction_page(
    found: Found,
    sequences: Sequence[str] | None,
    judged: Judged | None = None,
    encoders: Sequence[Gain] = (),
) -> str:
    """Return the page.

    Differences have intervals where the sequence of each dev question is given; judged programs
    are counted where they are given.
    """
    parts = [_TOP]
    if sequences is not None:
        measured = [*gains(found, sequences), *encoders]
        verdicts = judged_statements(found, sequences)
        parts.append(summary(found, sequences, verdicts, measured, judged))
    parts += [_RERUN, _TABLE2, _table2(found), _PICTURES]
    if sequences is not None:
        parts.append(statements_section(found, sequences, verdicts))
    parts += [_table3(found), _stability(found)]
    if sequences is not None:
        parts.append(shaping_section(measured, headline_epochs(found)) if measured else "")
        parts += [put_right_section(found, sequences), _explained(found, sequences)]
        parts.append(_ablated(found, sequences))
    parts += [_splits(found), _WITHDRAWN]
    if judged is not None:
        parts.append(judged_section(judged))
    return "\n\n".join(part for part in [*parts, _cost(found)] if part)


_TOP: Final = """# Reproduction

Misra, Chang, He and Yih (2018) on SQA: their tables beside ours, their statements one by one. \
Made from `results/` by `python -m denota.reports.reproduction --data SQA`; no figure is typed by \
hand."""
_RERUN: Final = """## Rerun a cell

A cell is a row of a table, with or without shaping, with a seed; its settings are \
`experiments/TABLE.ROW.toml`. With `DENOTA_VECTORS` naming GloVe 6B in 100 dimensions, one line \
runs it again, writes over its result and says whether every epoch is the same as before:

```text
denota reproduce table2.maver.shaped.seed0 --again --data SQA
denota reproduce table3.off_policy_w_mmr_q.shaped.seed0 --again --data SQA
denota reproduce headline.maver_blank.shaped.seed0 --again --data SQA
```

It is the same where code, model of CPU, version of torch and word vectors are the same; every \
result says on which machine it was had. Two CPUs that both call themselves AMD EPYC gave other \
digits, as two seeds would. The code is that of revision `55e67f7`: since then a few of SQA's \
columns are read otherwise (a code is a name, and no number), so that today's code gives other \
digits too. `git checkout 55e67f7 -- src experiments` brings it back, before the lines above. \
`denota reproduce table2` runs the cells that `results/` lacks, \
side by side, and goes on where it was stopped; so do `table3`, `headline`, `put_right`, \
`explain` and `ablate`. Logs and checkpoints are in `runs/`.

The paper's settings: SGD at 0.1, gradients clipped at norm 5, dropout 0.5 on the question's \
words, 30 epochs. Ours: batches of 64 questions, their losses summed. The word vectors here are a \
file cut to SQA's vocabulary that lacks the tokens with digits (results have its sha256). Test \
predictions, from a parser trained on train and dev together up to the best epoch, are in \
`results/predictions/`; who has the official `test.tsv` scores them with `denota score`."""
_TABLE2: Final = """## Table 2: dev answer accuracy on split 1

The best of 30 epochs, chosen on dev as in the paper, and beside it the mean of the last 10 \
epochs, which no choice has gone into: the mean over seeds, and their range."""
_PICTURES: Final = """![every cell of Table 2, the paper's and ours](table2.svg)

![dev accuracy over epochs](curves.svg)"""
_WITHDRAWN: Final = """## Withdrawn

Earlier versions of this page said that shaping helps no algorithm, and that REINFORCE and \
meritocratic (β = ∞) lose by it. They compared the best of 30 epochs of one or two seeds. \
REINFORCE's curve swings by many points from epoch to epoch, so its best epoch says nothing; the \
intervals saw questions alone, and no seeds; and the parser's >= and <= started from words that \
are nearer to "more than" than those of >. They are withdrawn, in either direction: the statements \
above, with their intervals, take their place."""


def _figure(results: Sequence[Result]) -> str:
    values = accuracies(results)
    if not values:
        return "not run"
    spread = f" ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{spread}"


def _late(results: Sequence[Result]) -> str:
    values = accuracies(results, "late")
    if not values:
        return ""
    spread = f" ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{spread}"


def _table2(found: Found) -> str:
    lines: list[Sequence[str]] = [
        (
            *("algorithm", "paper", "ours, best epoch", "last 10"),
            *("paper, shaped", "ours, shaped, best epoch", "last 10", "seeds"),
        )
    ]
    for row, (name, plain, shaped) in PUBLISHED.items():
        ours = [found.get(("table2", row, with_), []) for with_ in (False, True)]
        without, with_ = ((_figure(seeds), _late(seeds)) for seeds in ours)
        count = ", ".join(str(len(seeds)) for seeds in ours)
        lines.append((name, str(plain), *without, str(shaped), *with_, count))
    return table(*lines)


def _stability(found: Found) -> str:
    lines: list[Sequence[str]] = [
        ("shaping", "MMR, all epochs", "MAVER, all epochs", "", "MMR, from epoch 10", "MAVER", "")
    ]
    for shaped in (False, True):
        cells: list[str] = []
        for first in (1, 10):
            for row in ("mmr", "maver"):
                changes = unsteadiness(found.get(("table2", row, shaped), []), first)
                cells.append(", ".join(f"{value:.2f}" for value in changes))
            cells.append(f"**{steadier(found, shaped, first)}**")
        lines.append(("yes" if shaped else "no", *cells))
    paper = ", ".join(f"{value} for {PUBLISHED[row][0]}" for row, value in STABILITY.items())
    return (
        "## Stability\n\nThe mean absolute difference of dev accuracy between successive epochs, "
        f"a figure a seed. The paper has {paper}; it does not say with which shaping. That MAVER "
        "is more stable stands where every seed of MAVER is steadier than every seed of MMR, "
        "falls where it is the other way round, and is undecided otherwise.\n\n"
    ) + table(*lines)


def _table3(found: Found) -> str:
    lines: list[Sequence[str]] = [("w", "q", "paper", "ours, best epoch", "last 10", "seeds")]
    for row, (w, q, paper) in MIXES.items():
        seeds = found.get(("table3", row, True), [])
        published = "" if paper is None else str(paper)
        lines.append((w, q, published, _figure(seeds), _late(seeds), str(len(seeds))))
    mmr = found.get(("table2", "mmr", True), [])
    lines.append(("MMR", "MMR", "40.7", _figure(mmr), _late(mmr), str(len(mmr))))
    return (
        "## Table 3: mixes\n\nDev answer accuracy with shaping. Those without a figure of the "
        "paper are mixes of our own.\n\n"
    ) + table(*lines)


def _explained(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        (
            *("cell, with shaping", "epochs", "seeds", "last 10"),
            *("the table's, as many epochs", "difference", "95% interval"),
        )
    ]
    for row, (name, of, base) in EXPLAINED.items():
        key: CellKey = ("explain", row, True)
        if Difference("", (key,), ((of, base, True),)).known(found):
            lines.append((name, *compared_with(key, (of, base, True), found, sequences)))
    if len(lines) == 1:
        return ""
    return (
        "## Search and update, taken apart\n\nThe paper's figure for model shaping is "
        f"{MODEL_SHAPING}. Each is compared with its row of Table 2 or 3 as far as that had come "
        "in as many epochs.\n\n"
    ) + table(*lines)


def compared_with(
    key: CellKey, other: CellKey, found: Found, sequences: Sequence[str]
) -> tuple[str, str, str, str, str, str]:
    """Return a cell beside another at as many epochs.

    Epochs, seeds, both figures as the mean of the last ten epochs, difference and interval.
    """
    one = Difference("", (key,), (other,))
    seeds, epochs = one.seeds(found), one.epochs(found)
    mine, base = (
        statistics.mean(
            accuracy(result, "late", epochs)
            for result in found[cell]
            if result["cell"]["seed"] in seeds
        )
        for cell in (key, other)
    )
    figures = (f"{mine:.1f}", f"{base:.1f}", *told(one, found, sequences))
    return str(epochs), str(len(seeds)), *figures


def _ablated(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        (
            *("MAVER with", "epochs", "seeds", "with shaping", "Table 2's, as many epochs"),
            *("difference", "95% interval", "shaping adds", "95% interval"),
        ),
    ]
    whole: CellKey = ("table2", "maver", True)
    for row, name in ABLATED.items():
        plain, shaped = (("ablate", row, with_) for with_ in (False, True))
        if not Difference("", (shaped,), (whole,)).known(found):
            continue
        both = Difference(name, (shaped,), (plain,))
        adds = told(both, found, sequences) if both.known(found) else ("", "")
        lines.append((name, *compared_with(shaped, whole, found, sequences), *adds))
    if len(lines) == 1:
        return ""
    return (
        "## What the parser owes to what\n\nMAVER with parts of it taken away, beside Table 2's "
        "MAVER as far as that had come in as many epochs; the mean of the last ten of these.\n\n"
    ) + table(*lines)


def _splits(found: Found) -> str:
    keys: list[CellKey] = [("explain", f"maver_split{number}", True) for number in range(2, 6)]
    runs = [found[key][0] for key in keys if key in found]
    if not runs or ("table2", "maver", True) not in found:
        return ""
    epochs = min(len(run["epochs"]) for run in runs)
    first = found["table2", "maver", True][0]
    figures = [
        f"{accuracy(run, 'best', epochs):.1f} ({accuracy(run, 'late', epochs):.1f})"
        for run in (first, *runs)
    ]
    return (
        f"## The five splits\n\nMAVER with shaping, seed 0, the best of the first {epochs} "
        "epochs on each split's dev, and the mean of the last ten of them. Batch size, dropout "
        "and the bias were settled while looking at split 1's; the others were not looked at.\n\n"
    ) + table([f"split {n}" for n in range(1, 2 + len(runs))], figures)


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
    encoders = encoder_gains(results)
    page = reproduction_page(found, sequences, read_judged(results), encoders)
    (docs / "reproduction.md").write_text(page + "\n", "utf-8")
    names = {row: name for row, (name, _, _) in PUBLISHED.items()}
    draw_table2(found, PUBLISHED, docs / "table2.svg")
    draw_cell_curves(found, names, docs / "curves.svg")
    differences = [d for s in STATEMENTS if s.known(found) for d in s.differences]
    drawn = [
        (d.name, d.points(found), d.interval(found, sequences)) for d in dict.fromkeys(differences)
    ]
    draw_differences(drawn, docs / "differences.svg")
    measured = [*gains(found, sequences), *encoders]
    draw_gains([(g.name, g.points, g.interval) for g in measured], docs / "shaping.svg")


if __name__ == "__main__":
    main()
