"""`denota reproduce`: a table's cells are run, what was run again is held against what was there, and the page is made anew."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from denota.reports.cells import ResultCell
from denota.reports.reproduce import check_cells, missing, reproduce, same_figures
from denota.reports.reproduction import write_page


def reproduce_cells(
    cells: Sequence[ResultCell], data: Path, jobs: int, again: bool, device: str | None
) -> int:
    """Run the cells that results/ lacks, or all of them again; return how many failed."""
    experiments, results, docs = Path("experiments"), Path("results"), Path("docs")
    todo = list(cells) if again else missing(cells, results)
    check_cells(todo, experiments)
    paths = {cell: results / f"{cell.name}.json" for cell in todo}
    before = {cell: path.read_text("utf-8") for cell, path in paths.items() if path.exists()}
    for cell in todo if again else ():
        shutil.rmtree(Path("runs") / cell.name, ignore_errors=True)
    print(f"{len(cells) - len(todo)} of {len(cells)} cells are in results/ already")
    failed = reproduce(todo, data, jobs=jobs, device=device, experiments=experiments)
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
