"""How fast one process and several train and answer, side by side on the cores of one machine.

    PYTHONPATH=src torchrun --nproc-per-node 2 benchmarks/processes.py DATA OUT.json \
        experiments/table2.maver.toml --set train.batch=64 --name "GloVe, batches of 64"

Round after round, the same questions are learnt from and answered by one process on one thread,
with --threads by one on as many as there are processes, and by all on one thread each; the
processes that have nothing to do meanwhile wait and take no time of a core. Medians go into
OUT.json, beside what other runs left there. `cpu_ms` is what a question takes of the busiest
process's own time, which depends less on what else the machine is at.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from denota.app.paths import vectors_path
from denota.app.torchrun import together
from denota.data.example import Example, conversations
from denota.data.mixed import load_mixed
from denota.learning.group import ALONE, Group
from denota.learning.presets import load_experiment
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.search.preparer import Preparer


def main() -> None:
    given = arguments()
    with together("cpu") as group:
        rows = measure(given, group)
        if group.is_first:
            known = json.loads(given.out.read_text()) if given.out.exists() else []
            kept = [row for row in known if row["name"] != given.name]
            given.out.write_text(json.dumps(kept + rows, indent=1) + "\n")
            for row in rows:
                print(json.dumps(row))


def measure(given: argparse.Namespace, group: Group) -> list[dict[str, Any]]:
    """A row for each way to use the cores."""
    settings = [*given.set, "data.made_up=0", "train.device=cpu"]
    config = load_experiment(given.experiment, settings)
    examples = some(load_mixed(config.data.train, given.data).loaded.examples, given.questions)
    dev = some(load_mixed(config.data.dev, given.data).loaded.examples, given.dev)
    preparer = Preparer.of(config, kept=0)  # what a round prepares the next prepares again
    with group.first_here():
        ready = [one for split in (examples, dev) for one in preparer.ahead(split)]
    vectors = vectors_path() if config.model.vectors == "random" else None
    parser = new_parser(config, ready, None, vectors)
    asked = [example.question for example in dev]
    training = Training(config, parser, examples, (), preparer, dev_questions=asked)
    start = {name: weight.clone() for name, weight in parser.scorer.state_dict().items()}
    ways = [(ALONE, 1), (group, 1)]
    if given.threads:
        ways.insert(1, (ALONE, group.count))
    found: list[list[dict[str, float]]] = [[] for _ in ways]
    with closing(training):
        for number in range(given.rounds + 1):
            for way, (who, threads) in enumerate(ways):
                group.gathered(None)
                if who.count == 1 and not group.is_first:
                    continue
                torch.set_num_threads(threads)
                training.group, training.epoch, training.reference_answers = who, 0, {}
                parser.scorer.load_state_dict(start)
                timed = once(training, dev)
                if number:  # the first round warms up
                    found[way].append(timed)
    return [
        {
            "name": given.name,
            "processes": who.count,
            "threads": threads,
            **{key: round(statistics.median(one[key] for one in each), 2) for key in each[0]},
            "rounds": len(each),
            "questions": {"train": len(examples), "inference": len(dev)},
            "cores": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1),
        }
        for (who, threads), each in zip(ways, found, strict=True)
        if each
    ]


def once(training: Training, dev: tuple[Example, ...]) -> dict[str, float]:
    """Train an epoch and answer dev."""
    gathered, start = training.group.gathered, time.process_time()
    epoch = training.run_epoch()
    learnt = time.process_time()
    began = time.perf_counter()
    training.evaluate(dev)
    seconds, answered = time.perf_counter() - began, time.process_time()
    return {
        "train_questions_per_s": epoch.questions_per_s,
        "inference_questions_per_s": len(dev) / seconds,
        "train_cpu_ms": 1000 * max(gathered(learnt - start)) / len(training.train),
        "inference_cpu_ms": 1000 * max(gathered(answered - learnt)) / len(dev),
    }


def some(examples: tuple[Example, ...], most: int) -> tuple[Example, ...]:
    """The first whole conversations, about as many questions as wanted."""
    found: list[Example] = []
    for turns in conversations(examples):
        if len(found) >= most:
            break
        found += turns
    return tuple(found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with the data sets")
    parser.add_argument("out", type=Path, help="where the rows are kept")
    parser.add_argument("experiment", type=Path, help="an experiment file")
    parser.add_argument("--name", required=True, help="what the rows are called")
    parser.add_argument("--set", nargs="*", default=[], help="a.b=c settings on top")
    parser.add_argument("--questions", type=int, default=2048, help="to learn from")
    parser.add_argument("--dev", type=int, default=1024, help="to answer")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", action="store_true", help="one process on all cores too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
