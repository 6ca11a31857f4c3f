"""How fast questions are prepared, learnt from and answered, and the memory it takes.

The settings are those of the paper's best system: `dynsp++`, 15 + 15 candidates, MAVER with policy
shaping. Preparing starts from the files and writes a fresh store; training is one epoch after a
short warm-up; answering gives every question the parser's own previous answer, its preparation
included. With workers, `wait` is how long the trainer waits for a batch, and `move` how long it
takes to copy it to where it is learnt from. Several processes share the batches, and the
conversations that are answered; only the first prepares.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import torch

from denota.cache import cache_in
from denota.config import Config
from denota.data import Example, load_examples, split_names
from denota.errors import DataError
from denota.learning.group import ALONE, Group
from denota.learning.start import new_parser
from denota.learning.trainer import Training
from denota.learning.workers import workers_of
from denota.search.preparer import Preparer
from denota.settings import config_of

WARM: Final = 640
"""Questions trained on before the clock starts."""


def measure_speed(
    data: Path,
    device: str = "cpu",
    batch: int = 64,
    vectors: str | None = None,
    workers: int = -1,
    group: Group = ALONE,
) -> dict[str, Any]:
    """Return speeds in questions a second, the peak of memory in MB, and seconds by stage.

    Args:
        data: a folder with split 1 of SQA, or with train and dev.
        device: `cpu`, `cuda` or `auto`.
        batch: questions an update.
        vectors: where word vectors come from, random ones if None.
        workers: processes that make batches, as `train.workers` has it.
        group: the processes of this machine that learn together, each of which calls this.
    """
    names = split_names(data)
    train_name, dev_name = ("random-split-1-train", "random-split-1-dev")
    if train_name not in names:
        train_name, dev_name = "train", "dev"
    config = _config(train_name, dev_name, device, batch, workers)
    stages: dict[str, float] = defaultdict(float)
    with (
        tempfile.TemporaryDirectory(prefix="denota-bench-") as own,
        cache_in(Path(group.from_first(lambda: own))),
    ):
        start = time.perf_counter()
        examples = load_examples(data, train_name).examples
        dev = load_examples(data, dev_name).examples
        if not examples or not dev:
            raise DataError("there are no questions with an answer to measure with")
        stages["read"] = time.perf_counter() - start
        prepared_from = time.perf_counter()
        preparer = Preparer(config.data.language)
        with group.first_here():
            ready = [one for split in (examples, dev) for one in preparer.ahead(split)]
        stages["prepare"] = time.perf_counter() - prepared_from
        preparing = time.perf_counter() - start
        parser = new_parser(config, ready, None, vectors)
        asked = [example.question for example in dev]
        training = Training(
            config, parser, examples, (), preparer, dev_questions=asked, group=group
        )
        with closing(training):
            train_speed = _train(training, examples, stages)
            answer_speed = _answer(training, dev, stages)
    return {
        "split": train_name,
        "train_questions_per_s": round(train_speed, 1),
        "inference_questions_per_s": round(answer_speed, 1),
        "prepare_questions_per_s": round(len(ready) / preparing, 1),
        "peak_memory_mb": round(_peak_mb(), 1),
        "stages": {name: round(seconds, 3) for name, seconds in stages.items()},
        "questions": {"train": len(examples), "inference": len(dev), "prepare": len(ready)},
        "batch": batch,
        "workers": workers_of(workers, parser.device),
        "device": _device(training),
        "processes": group.count,
        "threads": torch.get_num_threads(),
        "cores": os.cpu_count(),
    }


def _config(train: str, dev: str, device: str, batch: int, workers: int) -> Config:
    return config_of(
        {
            "data": {"train": train, "dev": dev, "language": "dynsp++"},
            "search": {"shaping": "policy"},
            "train": {"batch": batch, "device": device, "workers": workers},
        }
    )


def _train(training: Training, examples: tuple[Example, ...], stages: dict[str, float]) -> float:
    """Train one epoch and return its speed."""
    everything, training.train = training.train, examples[:WARM]
    training.run_epoch()
    training.train = everything
    training.lap = Laps(stages)
    return training.run_epoch().questions_per_s


def _answer(training: Training, dev: tuple[Example, ...], stages: dict[str, float]) -> float:
    """Answer dev with the parser's own history and return the speed."""
    training.evaluate(dev[:64])
    start = time.perf_counter()
    training.evaluate(dev)
    stages["answer"] = time.perf_counter() - start
    return len(dev) / stages["answer"]


class Laps:
    """Adds the time since the last lap to a stage."""

    def __init__(self, stages: dict[str, float]) -> None:
        self.stages, self.last = stages, time.perf_counter()

    def __call__(self, stage: str) -> None:
        """End a stage."""
        now = time.perf_counter()
        self.stages[stage] += now - self.last
        self.last = now


def _peak_mb() -> float:
    """The peak memory of this process or of its largest preparing child, whichever is larger."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(own, child) / unit


def _device(training: Training) -> str:
    device = training.parser.device
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
