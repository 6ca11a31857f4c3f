"""Measured figures on a terminal, as small tables, or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from denota.app.terminal.text import console, to_json


def show_score(found: dict[str, Any], as_json: bool) -> None:
    """Print the metrics of a split."""
    if as_json:
        print(to_json(found))
        return
    grid = Grid(box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
    values = {
        "answers": found.get("answer_accuracy"),
        "sequences": found.get("sequence_accuracy"),
        **{f"position {p}": share for p, share in found.get("position_accuracy", {}).items()},
        "by text": found["denotation_accuracy"],
    }
    shown = {name: value for name, value in values.items() if value is not None}
    for name in shown:
        grid.add_column(name, justify="right")
    grid.add_row(*(f"{value:.2f}" for value in shown.values()))
    out = console()
    out.print(grid)
    sequences = f" in {found['sequences']:,} sequences" if "sequences" in found else ""
    out.print(f"percent right, of {found['questions']:,} questions{sequences}")


def show_calibration(found: dict[str, Any], picture: Path, as_json: bool) -> None:
    """Print how far a parser's confidence can be trusted, and where its picture is."""
    if as_json:
        print(to_json(found))
        return
    print(
        f"{found['questions']:,} questions, {found['answer_accuracy']:.1f}% right; "
        f"calibration error {found['calibration_error']:.1f}%"
    )
    if found["sure_accuracy"] is not None:
        print(
            f"sure of {found['sure_share']:.0f}% of the answers, "
            f"{found['sure_accuracy']:.0f}% of them right; its reliability is {picture}"
        )
