"""Resuming: all that a run needs to go on to the same numbers, saved after every epoch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from denota.config import Config
from denota.data.answer import Cells
from denota.data.example import Example
from denota.errors import TrainingError
from denota.evaluation.predict import key_of
from denota.learning.start import device_of
from denota.learning.trainer import Training
from denota.model.checkpoint import load_parser
from denota.model.saved import save_parser
from denota.model.scorer import Scorer, arrays_of
from denota.model.torch_parser import TorchParser
from denota.programs.denotation import Denotation
from denota.search.preparer import Preparer

PREVIOUS: Final = "previous.safetensors"
"""What older versions called the checkpoint before the last."""


def save_last(out: Path, training: Training, best: float) -> None:
    """Save the state after an epoch in place of the one before, once it is wholly written."""
    data = data_digest(training.train)
    facts = {"epoch": str(training.epoch), "best": repr(best), "data": data}
    state = arrays_of({**_answers_saved(training), **training.optimiser.state()})
    save_parser(out / "last.safetensors", training.parser, state, facts)
    (out / PREVIOUS).unlink(missing_ok=True)  # older versions kept the epoch before as well


def bytes_needed(training: Training) -> int:
    """Return how much room the checkpoints of a run take: `best` and `last`, each old and new."""
    cfg = training.config.train
    weights = training.parser.scorer.state_dict().values()
    moving = [w for w in training.parser.scorer.parameters() if w.requires_grad]
    best = sum(int(weight.nbytes) for weight in weights)
    moments = 2 * sum(int(weight.nbytes) for weight in moving) if cfg.optimiser == "adam" else 0
    last = best + moments + (best if cfg.average else 0)
    return 2 * (best + last)


def _answers_saved(training: Training) -> dict[str, Tensor]:
    """The remembered answers as tensors, in the order of the training examples."""
    lines: list[list[int]] = []
    for place, example in enumerate(training.train):
        answer = training.reference_answers.get(key_of(example.question))
        if answer is not None:
            lines.append([place, len(answer.rows), *answer.rows, *answer.columns])
    lengths = torch.tensor([len(line) for line in lines], dtype=torch.int32)
    flat = torch.tensor([number for line in lines for number in line], dtype=torch.int32)
    return {"lengths": lengths, "answers": flat}


SavedRun = tuple[TorchParser, dict[str, Tensor], Mapping[str, str]]


def last_saved(
    config: Config, examples: Sequence[Example], out: Path, say: Callable[[str], None]
) -> SavedRun | None:
    """The last checkpoint of a run, or None.

    A run of an older version has the one before as well, which is used if the last is damaged.
    """
    there = [path for path in (out / "last.safetensors", out / PREVIOUS) if path.exists()]
    for path in there:
        try:
            parser, state, facts = load_parser(path)
        except TrainingError as error:
            if path == there[-1]:
                raise
            say(f"{error}; the checkpoint before it is used")
            continue
        if _lasting_settings(parser.config) != _lasting_settings(config):
            raise TrainingError(
                f"the run in {out} has other settings; resume it with the same ones"
            )
        if facts.get("data", data_digest(examples)) != data_digest(examples):
            raise TrainingError(f"the run in {out} learns from other data; resume it with the same")
        parser.config = config
        return parser, state, facts
    return None


def resumed(
    config: Config,
    saved: SavedRun,
    examples: Sequence[Example],
    dev: Sequence[Example],
    preparer: Preparer,
    made_up: Sequence[Example],
    teacher: Scorer | None = None,
) -> tuple[Training, float]:
    """A run as it was after its last epoch, and the best accuracy so far."""
    parser, state, facts = saved
    parser.scorer.to(device_of(config.train.device))
    training = Training(
        config,
        parser,
        examples,
        dev,
        preparer,
        int(facts["epoch"]),
        made_up=made_up,
        teacher=teacher,
    )
    training.optimiser.restore(state)
    training.reference_answers = _answers_restored(state, examples)
    return training, float(facts["best"])


def _lasting_settings(config: Config) -> Config:
    """The settings that must not change when a run is resumed.

    A run may go on for longer, unless its rate was to reach 0 at the end.
    """
    epochs = (
        1
        if config.train.schedule == "constant" and not config.train.warmup
        else config.train.epochs
    )
    return replace(config, train=replace(config.train, epochs=epochs, device="auto", workers=0))


def _answers_restored(
    state: dict[str, Tensor], examples: Sequence[Example]
) -> dict[Any, Denotation]:
    found = {}
    lines = np.split(state["answers"].numpy(), np.cumsum(state["lengths"].numpy())[:-1])
    for line in lines if len(state["lengths"]) else []:
        place, rows = int(line[0]), int(line[1])
        numbers = [int(number) for number in line[2:]]
        found[key_of(examples[place].question)] = Denotation(
            tuple(numbers[:rows]), tuple(numbers[rows:])
        )
    return found


def data_digest(examples: Sequence[Example]) -> str:
    """Return what the remembered answers of a run belong to."""
    digest = hashlib.sha256()
    for example in examples:
        line = (*key_of(example.question), example.question.text, _answered(example))
        digest.update(repr(line).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _answered(example: Example) -> object:
    answer = example.answer
    return sorted(answer.cells) if isinstance(answer, Cells) else (answer.items, answer.repeats)
