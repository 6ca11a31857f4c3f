"""`denota bench`: what `learning.speed` measures, for people."""

from __future__ import annotations

from typing import Any

from rich.table import Table as Grid

from denota.app.paths import data_path, vectors_path
from denota.app.terminal.text import console, to_json
from denota.app.torchrun import together
from denota.learning.speed import measure_speed


def show_bench(data: str | None, device: str, batch: int, workers: int, as_json: bool) -> None:
    """Measure the speed on a data set and print it, together with what torchrun started."""
    with together(device) as group:
        found = measure_speed(data_path(data), device, batch, vectors_path(), workers, group)
        if group.is_first:
            print(to_json(found)) if as_json else show_speed(found)


def show_speed(found: dict[str, Any]) -> None:
    """Print what was measured as a small table."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    for name in ("train", "inference", "prepare"):
        grid.add_row(name, f"{found[f'{name}_questions_per_s']:,.0f} questions/s")
    grid.add_row("peak memory", f"{found['peak_memory_mb']:,.0f} MB")
    for name, seconds in found["stages"].items():
        grid.add_row(f"  {name}", f"{seconds:.2f} s", style="dim")
    console().print(grid)
