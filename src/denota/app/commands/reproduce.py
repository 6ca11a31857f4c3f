"""`denota reproduce`: run the cells of a table, compare cells run again, and remake the page."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from denota.app.paths import data_path, vectors_path
from denota.reports.cells import ResultCell, cell_named, cells_of
from denota.reports.reproduce import check_cells, missing, reproduce, same_figures
from denota.reports.reproduction import write_page

ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The environment in which a cell's process uses one core."""


def reproduce_table(
    table: str, data: str | None, jobs: int | None, again: bool, device: str | None
) -> int:
    """Run the cells of a table, or the one cell that is named; return how many failed."""
    cells = [cell_named(table)] if "." in table else cells_of(table)
    return reproduce_cells(cells, data_path(data), jobs or os.cpu_count() or 1, again, device)


def reproduce_cells(
    cells: Sequence[ResultCell], data: Path, jobs: int, again: bool, device: str | None
) -> int:
    """Run the cells that results/ lacks, or all of them again; return how many failed."""
    experiments, results, docs = Path("experiments"), Path("results"), Path("docs")
    todo = list(cells) if again else missing(cells, results, data)
    check_cells(todo, experiments, vectors_path())
    paths = {cell: results / f"{cell.name}.json" for cell in todo}
    before = {cell: path.read_text("utf-8") for cell, path in paths.items() if path.exists()}
    for cell in todo if again else ():
        shutil.rmtree(Path("runs") / cell.name, ignore_errors=True)
    print(f"{len(cells) - len(todo)} of {len(cells)} cells are in results/ already")
    failed = reproduce(
        todo,
        data,
        jobs=jobs,
        again=again,
        device=device,
        vectors=vectors_path(),
        environ={**os.environ, **ONE_THREAD},
        experiments=experiments,
    )
    for cell, text in before.items():
        if cell not in failed:
            one, other = json.loads(text), json.loads(paths[cell].read_text("utf-8"))
            told = f"dev {other['dev_answer_accuracy']:.1f}, was {one['dev_answer_accuracy']:.1f}"
            same = "the same in every epoch" if same_figures(one, other) else "not the same run"
            print(f"{cell.name}: {told}: {same}")
    if len(failed) < len(todo) and (docs / "reproduction.md").exists():
        write_page(data, results, docs)
        print(f"{docs / 'reproduction.md'} and its plots were made from {results}/")
    return len(failed)
