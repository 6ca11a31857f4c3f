"""How fast an experiment trains on a GPU, for several settings, on a bounded number of questions.

    PYTHONPATH=src python benchmarks/device_speed.py DATA EXPERIMENT.toml \
        --set model.encoder=FOLDER --workers 0,6,12 --batch 64,256 --precision float32,bfloat16

For each setting a parser is trained three epochs: the first warms up, the second is timed as it
runs, the third with a wait for the GPU after every stage, so that its time is that of the stage.
Dev is answered once more after that, with the answers of the epochs before at hand. The last lines
are a table; --json FILE keeps it, --profile shows the operators of the last setting by time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from denota.config import Config
from denota.data.example import Example, conversations
from denota.data.mixed import load_mixed
from denota.learning.presets import load_experiment
from denota.learning.speed import Laps
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.learning.workers import workers_of
from denota.search.preparer import Preparer


def main() -> None:
    given = arguments()
    config = load_experiment(given.experiment, [*given.set, "data.made_up=0"])
    examples = some(load_mixed(config.data.train, given.data).loaded.examples, given.questions)
    dev = some(load_mixed(config.data.dev, given.data).loaded.examples, given.dev)
    preparer = Preparer.of(config)
    start = time.perf_counter()
    ready = [one for split in (examples, dev) for one in preparer.ahead(split)]
    taken = time.perf_counter() - start
    print(f"{len(examples)} questions and {len(dev)} of dev prepared in {taken:.0f} s", flush=True)
    rows = []
    for batch, precision, pack, workers in itertools.product(
        given.batch, given.precision, given.pack, given.workers
    ):
        changed = replace(
            config.train, batch=batch, precision=precision, pack=pack, workers=workers
        )
        own = replace(config, train=changed)
        try:
            row = measure(own, examples, dev, preparer, ready)
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            row = {"batch": batch, "precision": precision, "pack": pack, "workers": workers}
        rows.append(row)
        print(json.dumps(row), flush=True)
        if given.json:
            given.json.write_text(json.dumps(rows, indent=1) + "\n")
    if given.profile:
        profile(own, examples, preparer, ready)
    show(rows)


def measure(
    config: Config,
    examples: tuple[Example, ...],
    dev: tuple[Example, ...],
    preparer: Preparer,
    ready: list[Any],
) -> dict[str, Any]:
    """The speed of one setting."""
    parser = new_parser(config, ready)
    asked = [example.question for example in dev]
    cuda = parser.device.type == "cuda"
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    with closing(Training(config, parser, examples, (), preparer, dev_questions=asked)) as training:
        training.run_epoch()
        training.evaluate(dev)
        with utilisation() as used:
            epoch = training.run_epoch()
            finish(cuda)
        stages: dict[str, float] = defaultdict(float)
        laps = Laps(stages)

        def lap(stage: str) -> None:
            finish(cuda)
            laps(stage)

        training.lap = lap
        training.run_epoch()
        training.lap = lambda stage: None
        start = time.perf_counter()
        training.evaluate(dev)
        seconds = time.perf_counter() - start
    steps = -(-len(examples) // config.train.batch)
    return {
        "batch": config.train.batch,
        "precision": config.train.precision,
        "pack": config.train.pack,
        "workers": workers_of(config.train.workers, parser.device),
        "questions_per_s": round(epoch.questions_per_s, 1),
        "loss": round(epoch.loss, 4),
        "dev_s": round(seconds, 2),
        "dev_questions_per_s": round(len(dev) / seconds, 1),
        "gpu_percent": round(sum(used) / len(used), 1) if used else None,
        "gpu_gb": round(torch.cuda.max_memory_allocated() / 1e9, 1) if cuda else None,
        "stage_ms": {name: round(1e3 * taken / steps, 2) for name, taken in stages.items()},
    }


def finish(cuda: bool) -> None:
    if cuda:
        torch.cuda.synchronize()


@contextmanager
def utilisation() -> Iterator[list[float]]:
    """The GPU's use in percent, as nvidia-smi tells it every fifth of a second."""
    found: list[float] = []
    command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
    try:
        process = subprocess.Popen([*command, "-lms", "200"], stdout=subprocess.PIPE, text=True)
    except OSError:
        yield found
        return

    def read() -> None:
        for line in process.stdout or ():
            if line.strip().isdecimal():
                found.append(float(line))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield found
    finally:
        process.terminate()
        process.wait()
        reader.join(1)


def profile(
    config: Config, examples: tuple[Example, ...], preparer: Preparer, ready: list[Any]
) -> None:
    """Print the operators of an epoch on few questions, by the time they take."""
    from torch.profiler import ProfilerActivity

    parser = new_parser(config, ready)
    few = some(examples, 8 * config.train.batch)
    with closing(Training(config, parser, few, (), preparer)) as training:
        training.run_epoch()
        with torch.profiler.profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]
        ) as found:
            training.run_epoch()
    for order in ("self_cuda_time_total", "self_cpu_time_total"):
        print(found.key_averages().table(sort_by=order, row_limit=25, max_name_column_width=60))


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table."""
    stages = list(dict.fromkeys(name for row in rows for name in row.get("stage_ms", ())))
    head = ["batch", "precision", "pack", "workers", "q/s", "dev s", "gpu %", "GB"]
    print("\nmilliseconds a step by stage, each with a wait for the GPU\n")
    print(" ".join(f"{name:>9}" for name in [*head, *stages]))
    names = ("batch", "precision", "pack", "workers", "questions_per_s", "dev_s", "gpu_percent")
    for row in rows:
        cells = [row.get(name) for name in (*names, "gpu_gb")]
        cells += [row.get("stage_ms", {}).get(name) for name in stages]
        print(" ".join(f"{'' if cell is None else str(cell):>9}" for cell in cells))


def some(examples: tuple[Example, ...], most: int) -> tuple[Example, ...]:
    """The first whole conversations, about as many questions as wanted; all if 0."""
    found: list[Example] = []
    for turns in conversations(examples):
        if most and len(found) >= most:
            break
        found += turns
    return tuple(found)


def arguments() -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(",")]

    def words(text: str) -> list[str]:
        return text.split(",")

    def truths(text: str) -> list[bool]:
        return [part == "on" for part in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with the data sets")
    parser.add_argument("experiment", type=Path, help="an experiment file")
    parser.add_argument("--set", nargs="*", default=[], help="a.b=c settings on top")
    parser.add_argument("--questions", type=int, default=2048, help="to learn from; 0 for all")
    parser.add_argument("--dev", type=int, default=512, help="to answer; 0 for all")
    parser.add_argument("--workers", type=numbers, default=[0, 6, 12])
    parser.add_argument("--batch", type=numbers, default=[64])
    parser.add_argument("--precision", type=words, default=["float32", "bfloat16"])
    parser.add_argument("--pack", type=truths, default=[False], help="off, on or off,on")
    parser.add_argument("--json", type=Path, help="where to keep the table")
    parser.add_argument("--profile", action="store_true", help="operators of the last setting")
    return parser.parse_args()


if __name__ == "__main__":
    main()
