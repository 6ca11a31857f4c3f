"""A table's missing cells run side by side, one process each.

Finished ones are kept at once, and a stopped one goes on where it was.

python -m denota.reports.reproduce CELL --data DATA     runs one cell
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from denota.cache import cache_folder, cache_in
from denota.reports.cells import (
    ResultCell,
    cell_named,
    owes_predictions,
    predictions_path,
    result_path,
    run_cell,
    vectors_of,
)


def missing(cells: Sequence[ResultCell], results: Path, data: Path) -> list[ResultCell]:
    """Return the cells that have no result yet, or owe test predictions."""
    return [
        cell
        for cell in cells
        if not result_path(cell, results).exists()
        or (owes_predictions(cell, data) and not predictions_path(cell, results).exists())
    ]


def check_cells(cells: Sequence[ResultCell], experiments: Path, vectors: str | None) -> None:
    """Find what cannot be run before anything is.

    Raises:
        ConfigError: a cell has no settings, or its word vectors are not there.
    """
    for cell in cells:
        vectors_of(cell.config(experiments), vectors)


def reproduce(
    cells: Sequence[ResultCell],
    data: Path,
    *,
    jobs: int,
    again: bool = False,
    device: str | None = None,
    vectors: str | None = None,
    environ: Mapping[str, str] | None = None,
    experiments: Path = Path("experiments"),
    results: Path = Path("results"),
    runs: Path = Path("runs"),
    say: Callable[[str], None] = print,
) -> list[ResultCell]:
    """Run cells, `jobs` at a time, each in a process of one thread; return those that failed.

    Args:
        cells: what to run.
        data: the SQA release.
        jobs: how many at a time.
        again: whether to run what results/ has already.
        device: `cpu` or `cuda`, if not what a cell's settings say.
        vectors: the file of word vectors.
        environ: the environment of the processes; this one's if None.
        experiments: where the settings are.
        results: where finished cells go.
        runs: where unfinished ones are kept.
        say: told what happens, a line each.
    """
    check_cells(cells, experiments, vectors)
    runs.mkdir(parents=True, exist_ok=True)
    before = signal.signal(signal.SIGTERM, _stop)  # so that the cells are stopped as well
    waiting: list[ResultCell] = list(cells)
    failed: list[ResultCell] = []
    running: dict[subprocess.Popen[bytes], ResultCell] = {}
    told: dict[ResultCell, int] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                cell = waiting.pop(0)
                folders = {
                    "data": data,
                    "experiments": experiments,
                    "results": results,
                    "runs": runs,
                    "cache": cache_folder(),
                }
                named = [
                    part for name, path in folders.items() for part in (f"--{name}", str(path))
                ]
                named += ["--again"] if again else []
                named += ["--device", device] if device else []
                named += ["--vectors", vectors] if vectors else []
                command = [sys.executable, "-m", __spec__.name, cell.name, *named]
                with (runs / f"{cell.name}.log").open("a", encoding="utf-8") as log:
                    running[subprocess.Popen(command, stdout=log, stderr=log, env=environ)] = cell
                say(f"{cell.name}: started, log in {runs / cell.name}.log")
            time.sleep(0.5)
            for cell in running.values():
                _tell_epochs(cell, runs / cell.name / "metrics.jsonl", told, say)
            for process in [p for p in running if p.poll() is not None]:
                cell = running.pop(process)
                failed += [cell] if process.returncode else []
                say(f"{cell.name}: {'done' if process.returncode == 0 else 'failed; see its log'}")
    finally:
        signal.signal(signal.SIGTERM, before)
        for process in running:
            process.terminate()
    return failed


def _tell_epochs(
    cell: ResultCell, metrics: Path, told: dict[ResultCell, int], say: Callable[[str], None]
) -> None:
    """Say the epochs of a running cell that were not said yet."""
    if not metrics.exists():
        return
    lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = [line for line in lines if line.endswith("\n")]
    for line in whole[told.get(cell, 0) :]:
        epoch = json.loads(line)
        say(f"{cell.name}: epoch {epoch['epoch']}, dev {epoch['dev_answer_accuracy']:.1f}")
    told[cell] = len(whole)


def same_figures(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Say whether two runs of a cell agree in every epoch's figures and every dev outcome."""
    return all(one.get(part) == other.get(part) for part in ("epochs", "dev_right"))


def _stop(*_: object) -> None:
    raise SystemExit(143)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cell")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--device")
    parser.add_argument("--vectors")
    parser.add_argument("--cache", type=Path, default=cache_folder())
    for name in ("experiments", "results", "runs"):
        parser.add_argument(f"--{name}", type=Path, default=Path(name))
    given = parser.parse_args(arguments)
    with cache_in(given.cache):
        path = run_cell(
            cell_named(given.cell),
            given.data,
            given.experiments,
            given.results,
            given.runs,
            again=given.again,
            device=given.device,
            vectors=given.vectors,
            epoch_done=lambda epoch: print(epoch, flush=True),
        )
    print(path)


if __name__ == "__main__":
    main()
