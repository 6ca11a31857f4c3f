"""The plots of docs/reproduction.md: the same file for the same results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from denota.reports.results import Found, accuracies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_table2(
    found: Found, published: Mapping[str, tuple[str, float, float]], path: Path
) -> None:
    """Draw every cell of Table 2: the paper's figure, and ours a seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for place, (row, (_, plain, shaped)) in enumerate(published.items()):
        for with_, paper in ((False, plain), (True, shaped)):
            height = place + (0.15 if with_ else -0.15)
            colour = "tab:blue" if with_ else "tab:gray"
            axes.plot(paper, height, "|", color=colour, markersize=14, markeredgewidth=2)
            ours = accuracies(found.get(("table2", row, with_), []))
            axes.plot(ours, [height] * len(ours), "o", color=colour, alpha=0.7)
    axes.set_yticks(range(len(published)), [name for name, _, _ in published.values()])
    axes.invert_yaxis()
    axes.set_xlabel("dev answer accuracy, split 1")
    axes.grid(alpha=0.3)
    for label, style, colour in (
        ("the paper", "|", "black"),
        ("ours, a seed each", "o", "black"),
        ("without shaping", "s", "tab:gray"),
        ("with shaping", "s", "tab:blue"),
    ):
        axes.plot([], [], style, color=colour, label=label, linestyle="none")
    axes.legend(fontsize=8)
    save(figure, path)


def draw_cell_curves(found: Found, names: Mapping[str, str], path: Path) -> None:
    """Draw dev accuracy over epochs, seed 0, one panel without and one with shaping."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.2), layout="constrained")
    for axes, shaped in zip(figure.subplots(1, 2, sharey=True), (False, True), strict=True):
        for row, name in names.items():
            for result in found.get(("table2", row, shaped), [])[:1]:
                epochs = [line["epoch"] for line in result["epochs"]]
                dev = [line["dev_answer_accuracy"] for line in result["epochs"]]
                axes.plot(epochs, dev, label=name)
        axes.set_title("with shaping" if shaped else "without shaping")
        axes.set_xlabel("epoch")
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("dev answer accuracy")
    if figure.axes[1].lines:
        figure.legend(
            *figure.axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=4
        )
    save(figure, path)


def draw_differences(told: Sequence[tuple[str, float, tuple[float, float]]], path: Path) -> None:
    """Draw named differences, in points, with their intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.6 + 0.26 * len(told)), layout="constrained")
    axes = figure.subplots()
    for place, (_, points, (low, high)) in enumerate(told):
        sure = low > 0 or high < 0
        axes.plot([low, high], [place, place], color="tab:blue" if sure else "tab:gray")
        axes.plot(points, place, "o", color="tab:blue" if sure else "tab:gray")
    _name_lines(
        axes,
        [name for name, _, _ in told],
        "points of dev answer accuracy, 95% interval (blue: excludes 0)",
    )
    save(figure, path)


def draw_gains(told: Sequence[tuple[str, float, tuple[float, float] | None]], path: Path) -> None:
    """Draw what shaping gains each parser, with an interval where there are seeds for one."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.8 + 0.32 * len(told)), layout="constrained")
    axes = figure.subplots()
    for place, (name, points, interval) in enumerate(told):
        colour = "tab:blue" if "blank" in name or "random" in name else "tab:gray"
        axes.barh(place, points, color=colour, alpha=0.6)
        if interval is not None:
            axes.plot(interval, [place, place], color="black", linewidth=1)
    _name_lines(
        axes,
        [name for name, _, _ in told],
        "points that shaping gains (blue: a start without words; line: 95% interval)",
    )
    save(figure, path)


def _name_lines(axes: Axes, names: Sequence[str], measured: str) -> None:
    """Name the lines of a plot from top to bottom, and what is measured from left to right."""
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(measured)
    axes.grid(alpha=0.3, axis="x")


def save(figure: Figure, path: Path) -> None:
    """Write a figure, the same file for the same results."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "denota"}):
        figure.savefig(path, metadata={"Date": None})
