"""docs/experiments.md, from results/encoder/: each idea tried, what was expected, what came of it.

Usage: python -m denota.reports.experiments [--results DIR] [--docs DIR]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure

from denota.reports.markdown import table

Run = dict[str, Any]


def read_runs(results: Path) -> list[Run]:
    """Return the runs in the order in which they were made."""
    found = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (results / "encoder").glob("*.json")
    ]
    return sorted(found, key=lambda run: run["order"])


def experiments_page(runs: Sequence[Run]) -> str:
    """Return the page."""
    by_name = {run["name"]: run for run in runs}
    parts = [_TOP]
    for number in sorted({run["round"] for run in runs}):
        lines: list[Sequence[str]] = [
            ("run", "idea", "expected", "dev", "sequences", "beside", "what came of it")
        ]
        for run in runs:
            if run["round"] == number:
                lines.append(_line(run, by_name.get(run["control"])))
        parts += [f"## Round {number}", _ROUNDS.get(number, ""), table(*lines)]
    parts += [_brings(runs, by_name), _settings(runs), _cost(runs)]
    return "\n\n".join(part for part in parts if part) + "\n"


_TOP: Final = """# Experiments with the encoder

Made from `results/encoder/` by `python -m denota.reports.experiments`. Every run learns from \
split 1's training part with `experiments/encoder.toml`, changed as the last table says, and is \
measured on its dev part with its own previous answers: answer accuracy in the best
epoch, the sequence accuracy of that epoch, and the difference to the run it is compared with. \
Where a run says that code was different, it cannot be repeated by settings alone.
`search.anneal` (η of shaping falls to 0 over a share of the epochs) and `train.history` (whose \
previous answers are trained with) were settings up to revision 82b17d7; since then η stays and \
half of the previous answers are gold, the others those of y*.

![dev accuracy over epochs](experiments.svg)"""
_ROUNDS: Final[dict[int, str]] = {
    1: "The rate falls to nothing over 10 epochs, and η of shaping over the first 5.",
    2: "Shaping stays; 8 epochs.",
    3: (
        "The scores of the first search learn too, not only what a second look makes of them; 7 "
        "epochs."
    ),
    4: "What single parts bring, told by one epoch of 8 on a CPU core.",
}


def _line(run: Run, control: Run | None) -> tuple[str, ...]:
    gain = run["dev_answer_accuracy"] - control["dev_answer_accuracy"] if control else None
    beside = f"{gain:+.1f} to {control['name']}" if control and gain is not None else ""
    return (
        run["name"],
        run["idea"],
        run["expected"],
        f"{run['dev_answer_accuracy']:.1f} (epoch {run['best_epoch']} of {len(run['epochs'])})",
        f"{run['dev_sequence_accuracy']:.1f}",
        beside,
        run["verdict"],
    )


def _brings(runs: Sequence[Run], by_name: dict[str, Run]) -> str:
    """What single parts bring: runs with and without, everything else alike."""
    lines: list[Sequence[str]] = [("part", "with", "without", "brings", "epochs", "runs")]
    for run in runs:
        if "part" in run:
            control = by_name[run["control"]]
            added = run["round"] == 3  # there the part was added, elsewhere taken away
            one, other = (run, control) if added else (control, run)
            with_, without = one["dev_answer_accuracy"], other["dev_answer_accuracy"]
            figures = (f"{with_:.1f}", f"{without:.1f}", f"{with_ - without:+.1f}")
            names = f"{one['name']}, {other['name']}"
            lines.append((run["part"], *figures, str(len(run["epochs"])), names))
    return (
        "## What each part brings\n\nDev answer accuracy. The parser on word vectors instead of "
        "an encoder is in [reproduction.md](reproduction.md): MAVER with shaping.\n\n"
    ) + table(*lines)


def _settings(runs: Sequence[Run]) -> str:
    lines: list[Sequence[str]] = [("run", "settings", "code")]
    for run in runs:
        settings = " ".join(f"`{one}`" for one in run["settings"])
        lines.append((run["name"], settings, run["code"]))
    return "## Settings\n\n" + table(*lines)


def _cost(runs: Sequence[Run]) -> str:
    machines: dict[str, list[float]] = {}
    for run in runs:
        seconds = sum(epoch["seconds"] for epoch in run["epochs"])
        machines.setdefault(run["machine"]["device"], []).append(seconds)
    told = "; ".join(
        f"{len(all_)} runs on {name}, {sum(all_) / 3600:.1f} hours of runs"
        for name, all_ in sorted(machines.items())
    )
    return (
        f"## What it cost\n\n{told}. On the GPU eight to ten ran side by side, so a run alone "
        "takes less."
    )


def draw_experiments(runs: Sequence[Run], path: Path) -> None:
    """Draw dev accuracy over epochs, a line a run."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for run in runs:
        curve = [epoch["dev_answer_accuracy"] for epoch in run["epochs"]]
        style = "-" if not run["control"] or run["verdict"].startswith("kept") else ":"
        axes.plot(range(1, len(curve) + 1), curve, style, linewidth=1, label=run["name"])
    axes.set_xlabel("epoch")
    axes.set_ylabel("dev answer accuracy")
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Write the page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--results", type=Path, default=Path("results"))
    arguments.add_argument("--docs", type=Path, default=Path("docs"))
    given = arguments.parse_args()
    runs = read_runs(given.results)
    (given.docs / "experiments.md").write_text(experiments_page(runs), encoding="utf-8")
    draw_experiments(runs, given.docs / "experiments.svg")


if __name__ == "__main__":
    main()
