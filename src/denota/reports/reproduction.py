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
from denota.reports.findings import FINDINGS, Finding, gain, known, verdict
from denota.reports.judged import Judged, judged_section, read_judged
from denota.reports.plots import draw_curves, draw_differences, draw_table2
from denota.reports.results import (
    Difference,
    Found,
    Key,
    Result,
    accuracies,
    read_results,
    unsteadiness,
)

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
MIXES: Final = {
    "mmr_w_mml_q": ("MMR", "MML", 41.9),
    "off_policy_w_mmr_q": ("off-policy", "MMR", 37.0),
    "mmr_w_mmr_q": ("MMR", "MMR", 40.7),
    "mml_w_maver_q": ("MML", "MAVER", None),
    "mml_w_mmr_q": ("MML", "MMR", None),
    "meritocratic_inf_w_maver_q": ("meritocratic (β = ∞)", "MAVER", None),
    "off_policy_w_maver_q": ("off-policy", "MAVER", None),
}
"""Table 3: w, q and the paper's dev figure; those without one are mixes of our own."""
MODEL_SHAPING: Final = 37.1
STABILITY: Final = {"mmr": 0.9, "maver": 0.57}
EXPLAINED: Final = {
    "maver_model": ("MAVER, the critique in the score (model shaping)", "table2", "maver"),
    "maver_score": ("MAVER, y* by score alone", "table2", "maver"),
    "maver_batch1": ("MAVER, one question an update", "table2", "maver"),
    "maver_all": ("MAVER, K = all programs", "table2", "maver"),
    "mmr_all": ("MMR, K = all programs", "table2", "mmr"),
    "mml_all": ("MML, K = all programs", "table2", "mml"),
    "meritocratic_inf_all": (
        "Meritocratic (β = ∞), K = all programs",
        "table2",
        "meritocratic_inf",
    ),
    "mml_explore": ("MML, K = EXPLORE alone", "table2", "mml"),
    "reinforce_rivals": ("REINFORCE, K = RIVALS alone", "table2", "reinforce"),
    "off_policy_w_mmr_q_batch8": (
        "Off-policy w with MMR q, eight questions an update",
        "table3",
        "off_policy_w_mmr_q",
    ),
}
"""What each cell that explains another is, and the one it is compared with."""
ABLATED: Final = {
    "maver_no_surface": "no surface features",
    "maver_no_bias": "no bias of actions without an argument",
    "maver_dynsp": "DynSP's language: no OR, no FOLLOW-UP CELL",
    "maver_plain_numbers": "only bare numbers read in cells",
    "maver_eta1": "η = 1 in place of 5: less confidence in the critique",
    "maver_beam": "a beam of 15 in place of exact search",
    "maver_bare": "no surface features, no bias, bare numbers, a beam",
}


def reproduction_page(
    found: Found, sequences: Sequence[str] | None, judged: Judged | None = None
) -> str:
    """Return the page; with the sequence each dev question belongs to, differences have intervals; with judged programs, they are counted."""
    parts = [_TOP, _table2(found), _PICTURES, _stability(found), _table3(found)]
    if sequences is not None:
        parts += [_findings(found, sequences), _explained(found, sequences)]
        parts += [_ablated(found, sequences), _why(found, judged)]
    parts.append(_splits(found))
    if judged is not None:
        parts.append(judged_section(judged))
    return "\n\n".join([*parts, _cost(found)])


_TOP: Final = """# Reproduction

Made from `results/` by `python -m denota.reports.reproduction --data SQA`. One cell is rerun by one line, e.g. `denota reproduce table2.maver.shaped.seed0 --again`: the same seed gives the same figure on the same
kind of CPU with the same version of torch (a result file names both). `denota reproduce table2` runs the cells that `results/` lacks, side by side, and goes on where it was stopped; so do `table3`, `explain` and `ablate`.
Settings: `experiments/`, a file a row. Test predictions of every cell of Table 2, from a parser trained on train and dev together up to the best epoch, are in `results/predictions/`; who has the official
`test.tsv` scores them with `denota score`.

## Table 2: dev answer accuracy on split 1

30 epochs, the best one, chosen on dev as in the paper; the mean where there are several seeds, and their range."""
_PICTURES: Final = """![every cell of Table 2, the paper's and ours](table2.svg)

![dev accuracy over epochs](curves.svg)"""


def _why(found: Found, judged: Judged | None) -> str:
    """Where our figures differ from the paper's, and which experiment says why."""

    def dev(table: str, row: str, shaped: bool = True) -> str:
        seeds = found.get((table, row, shaped), [])
        return f"{accuracies(seeds)[0]:.1f}" if seeds else "not run"

    grounded = ""
    if judged is not None:
        before, after = judged.facts["untrained"], judged.facts["by_machine"]
        shares = [
            f"{100 * counts['grounded'] / counts['right_answer']:.0f}%"
            for measured in (before, after)
            for counts in (measured["unshaped"], measured["shaped"])
        ]
        grounded = f" Before training, {shares[0]} of the programs that search believes are grounded without shaping and {shares[1]} with it; after training {shares[2]} and {shares[3]}"
    return f"""## Where ours differ, and why

**Every cell is above the paper's.** What does it is in the table above. The largest part is the bias of actions without an argument ({dev("ablate", "maver_no_bias")} without it, {dev("table2", "maver")} with it): the largest dot product with a
word of the question is hardly ever below 0, which is what not to take an action scores, so without a bias the parser joins a second value by OR nearly everywhere. Surface features ({dev("ablate", "maver_no_surface")} without them),
the language ({dev("ablate", "maver_dynsp")} with DynSP's) and reading numbers with units, dates and ranges ({dev("ablate", "maver_plain_numbers")} with bare numbers alone) are worth less each; exact search is worth next to nothing over a beam ({dev("ablate", "maver_beam")}).
With surface features, bias, exact search and number reading taken away together MAVER comes to {dev("ablate", "maver_bare", False)} without shaping; the paper has 39.6.

**Shaping adds nothing to the best epoch.** It does what it is for at the beginning.{grounded}: learning from the unshaped search leaves the spurious programs by itself, and does not diverge to them. What the critique still changes at the end it
does not change for the better (the last table below): a comparison that is true of every row but repeats a number of the question scores better than no condition, and a column is not counted as named when the question has it in the plural. Neither a beam nor
the parser without surface features and bias makes shaping matter (the row with everything taken away: {dev("ablate", "maver_bare", False)} and {dev("ablate", "maver_bare")}). What is left is not tested: one question an update without shaping, the authors' lexicon, which
was not published, and their search, which made one list where K here is made of two.

**Off-policy w with MMR q fails** in batches of 64 ({dev("table3", "off_policy_w_mmr_q")}; the paper has 37.0), as MML w with MMR q does ({dev("table3", "mml_w_mmr_q")}), while the same w with MAVER's q, which spreads over all violations, learns well
({dev("table3", "off_policy_w_maver_q")} and {dev("table3", "mml_w_maver_q")}). With eight questions an update it comes to {dev("explain", "off_policy_w_mmr_q_batch8")} after 12 epochs.

**MML profits most from more programs**: with K = all it comes to {dev("explain", "mml_all")} after 8 epochs, with two lists of 15 to {dev("table2", "mml")} after 30; MAVER comes to {dev("explain", "maver_all")} with all. EXPLORE alone, where no wrong program stands
against the right ones, is no way to learn ({dev("explain", "mml_explore")}), and REINFORCE without EXPLORE's help learns nothing ({dev("explain", "reinforce_rivals")}; the paper's 2.4 on test suggests that it was run so)."""


def _lines(*cells: Sequence[str]) -> str:
    """A Markdown table, the first line its header."""
    rule = ["---"] * len(cells[0])
    return "\n".join(f"| {' | '.join(line)} |" for line in (cells[0], rule, *cells[1:]))


def _figure(results: Sequence[Result]) -> str:
    values = accuracies(results)
    if not values:
        return "not run"
    spread = f" ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{spread}"


def _table2(found: Found) -> str:
    lines = [("algorithm", "paper", "ours", "paper, shaped", "ours, shaped", "best epochs")]
    for row, (name, plain, shaped) in PUBLISHED.items():
        ours = [found.get(("table2", row, with_), []) for with_ in (False, True)]
        epochs = "; ".join(", ".join(str(r["best_epoch"]) for r in seeds) for seeds in ours)
        figures = (str(plain), _figure(ours[0]), str(shaped), _figure(ours[1]))
        lines.append((name, *figures, epochs))
    return _lines(*lines)


def _stability(found: Found) -> str:
    lines: list[Sequence[str]] = [
        ("algorithm", "shaped", "all epochs", "from epoch 10", "the paper's")
    ]
    means = {}
    for row in ("mmr", "maver"):
        for shaped in (False, True):
            seeds = found.get(("table2", row, shaped), [])
            if seeds:
                figures = [unsteadiness(seeds, first) for first in (1, 10)]
                means[row, shaped] = figures
                told = [", ".join(f"{value:.2f}" for value in values) for values in figures]
                paper = f"{STABILITY[row]}" if shaped else ""
                lines.append((PUBLISHED[row][0], "yes" if shaped else "no", *told, paper))
    said = []
    for place, name in enumerate(("over all epochs", "from epoch 10 on")):
        for shaped in (False, True):
            if ("mmr", shaped) in means and ("maver", shaped) in means:
                mmr, maver = means["mmr", shaped][place], means["maver", shaped][place]
                steadier = (
                    "MAVER is steadier with every seed"
                    if max(maver) < min(mmr)
                    else "MMR is steadier with every seed"
                    if max(mmr) < min(maver)
                    else "neither is steadier with every seed"
                )
                with_ = "with" if shaped else "without"
                said.append(
                    f"{name}, {with_} shaping: {steadier} (means {statistics.mean(maver):.2f} and {statistics.mean(mmr):.2f})"
                )
    return (
        "## Stability\n\nThe mean absolute difference of dev accuracy between successive epochs, over 30 epochs and from epoch 10 on, a figure a seed.\n\n"
        + _lines(*lines)
        + "\n\nMAVER beside MMR, "
        + "; ".join(said)
        + "."
    )


def _table3(found: Found) -> str:
    lines = [("w", "q", "paper", "ours", "best epoch")]
    for row, (w, q, paper) in MIXES.items():
        seeds = found.get(("table3", row, True), [])
        epochs = ", ".join(str(r["best_epoch"]) for r in seeds)
        lines.append((w, q, "—" if paper is None else str(paper), _figure(seeds), epochs))
    return (
        "## Table 3: mixes\n\nDev answer accuracy with shaping; the last four are mixes of our own.\n\n"
        + _lines(*lines)
    )


def _told(difference: Difference, found: Found, sequences: Sequence[str]) -> tuple[str, str]:
    low, high = difference.interval(found, sequences)
    return f"{difference.points(found):+.1f}", f"{low:+.1f} to {high:+.1f}"


def _findings(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        ("the paper's finding", "difference", "points", "95% interval", "here")
    ]
    for finding in FINDINGS:
        if known(finding, found):
            lines += _finding(finding, found, sequences)
    return (
        "## The paper's findings, one by one\n\nDifferences on the same dev questions, seeds averaged where there are several; 95% intervals by a paired bootstrap over sequences, which say how far the questions bear a difference out and "
        "not how far other seeds would. A finding holds where every interval lies above 0.\n\n"
        + _lines(*lines)
        + "\n\n![the differences with their intervals](differences.svg)"
    )


def _finding(finding: Finding, found: Found, sequences: Sequence[str]) -> list[tuple[str, ...]]:
    intervals = [d.interval(found, sequences) for d in finding.differences]
    judged = verdict(finding, intervals)
    return [
        (
            finding.claim if first else "",
            d.name,
            *_told(d, found, sequences),
            f"**{judged}**" * first,
        )
        for d, first in ((d, d is finding.differences[0]) for d in finding.differences)
    ]


def _explained(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        ("cell, with shaping", "epochs", "dev", "beside the table's", "95% interval")
    ]
    for row, (name, table, base) in EXPLAINED.items():
        key: Key = ("explain", row, True)
        other: Key = (table, base, True)
        if key in found and other in found:
            seed0 = {**found, other: found[other][:1]}
            told = _told(Difference(row, (key,), (other,)), seed0, sequences)
            epochs = str(len(found[key][0]["epochs"]))
            lines.append((name, epochs, _figure(found[key]), *told))
    return (
        f"## Search and update, taken apart\n\nThe paper's figure for model shaping is {MODEL_SHAPING}. Each is compared with its row of Table 2 or 3, seed 0, at the best epoch of both.\n\n"
        + _lines(*lines)
    )


def _ablated(found: Found, sequences: Sequence[str]) -> str:
    lines: list[Sequence[str]] = [
        (
            *("MAVER with", "epochs", "without shaping", "with shaping"),
            *("lost, with shaping", "95% interval", "shaping adds", "95% interval"),
        ),
    ]
    whole: list[Key] = [("table2", "maver", shaped) for shaped in (False, True)]
    rows = [("everything, as in Table 2", "table2", "maver")]
    rows += [(name, "ablate", row) for row, name in ABLATED.items()]
    for name, table, row in rows:
        keys: list[Key] = [(table, row, shaped) for shaped in (False, True)]
        if keys[1] not in found:
            continue
        seed0 = {key: found.get(key, [])[:1] for key in (*keys, *whole)}
        lost = _told(Difference(name, (keys[1],), (whole[1],)), seed0, sequences)
        adds = ("", "")
        if seed0[keys[0]]:
            adds = _told(Difference(name, (keys[1],), (keys[0],)), seed0, sequences)
        figures = [_figure(seed0[key]) if seed0[key] else "" for key in keys]
        epochs = str(len(seed0[keys[1]][0]["epochs"]))
        own = lost if table != "table2" else ("", "")
        lines.append((name, epochs, *figures, *own, *adds))
    return (
        "## What the parser owes to what\n\nMAVER with parts of it taken away, seed 0, at the best epoch of each.\n\n"
        + _lines(*lines)
    )


def _splits(found: Found) -> str:
    keys: list[Key] = [("table2", "maver", True)]
    keys += [("explain", f"maver_split{number}", True) for number in range(2, 6)]
    figures = [_figure(found.get(key, [])[:1]) for key in keys]
    return "## The five splits\n\nMAVER with shaping, seed 0, dev answer accuracy.\n\n" + _lines(
        [f"split {n}" for n in range(1, 6)], figures
    )


def _cost(found: Found) -> str:
    results = [result for seeds in found.values() for result in seeds]
    epochs = sum(result["train_seconds"] for result in results) / 3600
    finals = sum(result.get("final_seconds", 0.0) for result in results) / 3600
    machines: dict[str, int] = {}
    for result in results:
        machine = result["machine"]
        said = f"{machine['cores']} cores, torch {result['versions']['torch']}"
        machines[said] = machines.get(said, 0) + 1
    where = "; ".join(f"{count} on a machine with {said}" for said, count in machines.items())
    questions = sum(len(result["epochs"]) for result in results)
    return (
        f"## Cost\n\n{len(results)} cells, {questions:,} epochs: {epochs:.1f} core hours for their epochs with dev after each, {finals:.1f} more for training on train and dev together; "
        f"one thread a cell ({where})."
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
    draw_curves(found, names, docs / "curves.svg")
    differences = [d for f in FINDINGS if known(f, found) for d in f.differences]
    differences += [gain(row) for row in PUBLISHED if known(Finding("", (gain(row),)), found)]
    told = [
        (d.name, d.points(found), d.interval(found, sequences)) for d in dict.fromkeys(differences)
    ]
    draw_differences(told, docs / "differences.svg")


if __name__ == "__main__":
    main()
