"""Trains and measures many parsers side by side on one machine, from questions prepared once.

    PYTHONPATH=src python benchmarks/side_by_side.py PLAN.toml --data SQA --out RUNS [--at-once 6]

A plan names an experiment for all (`base`) and its runs, in the order in which to begin them:

    base = "../mixed.toml"
    [[run]]
    name = "teacher"
    set = ["model.encoder=mpnet"]   # on top of the base
    data = ["sqa", "wtq"]           # of the base's data sets; all if not said
    made_up = 20000                 # so many of the made-up questions; all if not said
    about = "invented"              # of those about invented tables alone, or "data": about others
    everything = true               # learn from dev as well, for parsers that answer test;
                                    # what they answer of it says only that nothing broke
    [[run]]
    name = "student"
    teachers = ["teacher"]          # runs to wait for, which teach together; one that failed is
                                    # left out
    after = ["teacher"]             # runs to wait for, for no other reason than time
    nice = 10                       # gives way to the others, by so much
    least = 55.0                    # of dev, in percent; with less nothing that waits for it begins
    least_first = 40.0              # likewise after the made-up questions; with less it begins anew
                                    # from another seed
    [[run]]
    name = "of_one"
    init = "teacher"                # a run to wait for, whose parser it begins with
    [[answers]]
    name = "student"
    parsers = ["student"]           # runs that answer together
    splits = ["sqa:random-split-1-dev", "wtq:random-split-1-dev"]

The questions of the base, and those made up for it, are prepared by all cores and inherited by a
process a run, so settings that change what is prepared (language, lexicon) are the base's alone.
RUNS/NAME has best.safetensors (the last epoch: nothing is chosen by dev here), small.safetensors
(weights in 8 bits, after each epoch) and metrics.jsonl; RUNS/answers/NAME.SPLIT.tsv predictions in
the form of their data set, RUNS/answers/NAME.json their scores. Answers about cells are the best
programs that give cells. `--few` keeps a few questions of everything, to try a plan.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
import tomllib
import traceback
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from denota.config import Config
from denota.data.answer import Answer
from denota.data.datasets import dataset_of
from denota.data.example import Example, Question, conversations
from denota.data.mixed import load_mixed, load_tables, read_specs
from denota.errors import TrainingError
from denota.evaluation.metrics import Key, score
from denota.evaluation.predict import (
    as_cells,
    as_values,
    best_that_gives_cells,
    gold_of,
    key_of,
    predict,
)
from denota.generate.sources import INVENTED, TRAIN, Manner, make_up, read_sources
from denota.learning.presets import load_experiment
from denota.learning.run import reachable, unanswerable_of
from denota.search.prepare import Prepared as PreparedQuestion
from denota.search.preparer import Preparer

if TYPE_CHECKING:
    from denota.learning.trainer import Epoch
    from denota.model.torch_parser import TorchParser

SHARDS: Final = 6
"""Processes that answer together."""
UNSAID_OF: Final = 12_000
"""From at most about so many questions unanswerable ones are made."""
GIVE_WAY: Final = 2
"""So many runs that give way to others are trained at once, beside those."""
TRIES: Final = 3
ANOTHER_SEED: Final = 100
BEST: Final = "best.safetensors"
SMALL: Final = "small.safetensors"


@dataclass(frozen=True)
class Run:
    """A parser to train."""

    name: str
    set: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    made_up: int | None = None
    about: str = ""
    """`invented` or `data`: which tables its made-up questions are about; all if empty."""
    everything: bool = False
    teachers: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    nice: int = 0
    """How far it gives way to the others on the machine's cores."""
    least: float = 0.0
    """With less of dev answered right in the end it has failed, and what waits for it is not
    done."""
    least_first: float = 0.0
    """With less after the first epoch it begins anew, from another seed, at most twice."""
    init: str = ""
    """The run whose parser it begins with."""

    @property
    def waits_for(self) -> list[str]:
        """What must be done before."""
        return [*self.teachers, *self.after, *filter(None, [self.init])]


@dataclass(frozen=True)
class Answers:
    """Questions to answer by some parsers together."""

    name: str
    parsers: list[str]
    splits: list[str]
    language: str = ""
    """To answer in a smaller language than the parsers'."""
    after: list[str] = field(default_factory=list)

    @property
    def waits_for(self) -> list[str]:
        """What must be done before."""
        return [*self.parsers, *self.after]


@dataclass(frozen=True)
class Prepared:
    """What all runs inherit."""

    plan: Path
    base: str
    data: Path
    out: Path
    preparer: Preparer
    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    dev_questions: tuple[Question, ...]
    made_up: tuple[Example, ...]
    of_data: frozenset[str]
    """The names of the tables of data sets that made-up questions are about."""
    unsaid: tuple[PreparedQuestion, ...]
    """Questions that their tables do not answer."""
    lengths: dict[int, int]
    """How long the text of each question is, by the id of the object."""
    few: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--at-once", type=int, default=6)
    parser.add_argument("--few", action="store_true", help="a few questions, to try the plan")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "answers").mkdir(exist_ok=True)
    plan = tomllib.loads(given.plan.read_text())
    jobs: list[Run | Answers] = [  # answers take little time
        *(Answers(**one) for one in plan.get("answers", ())),
        *(Run(**one) for one in plan.get("run", ())),
    ]
    ready = prepare(given.plan, plan["base"], given.data, given.out, given.few)
    carry_out(jobs, ready, given.at_once)


@dataclass(frozen=True)
class Gathered:
    """All questions of a plan."""

    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    dev_questions: tuple[Question, ...]
    made_up: tuple[Example, ...]
    of_data: frozenset[str]


def gather(config: Config, data: Path, few: bool) -> Gathered:
    """Load the questions of the data sets and make up others."""
    cfg = config.data
    loaded = load_mixed(cfg.dev, data).loaded
    train = load_mixed(cfg.train, data, apart_from=cfg.dev, seed=config.seed).loaded.examples
    sources = read_sources(cfg.made_up_tables)
    tables = {
        one.name: load_tables(one.name, data, apart_from=cfg.dev)
        for one in sources
        if one.name not in (TRAIN, INVENTED)
    }
    manner = Manner(
        language="full" if cfg.language.startswith("full") else "extended",
        loose=cfg.made_up_loose,
        programs=cfg.made_up_programs,
        rows=cfg.made_up_rows,
    )
    count = 200 if few else cfg.made_up
    made_up = make_up(sources, tables, count, config.seed, manner).examples
    of_data = frozenset(table.name for own in tables.values() for table in own)
    if not few:
        return Gathered(train, loaded.examples, tuple(loaded.questions), made_up, of_data)
    dev = _some(loaded.examples, 80)
    return Gathered(_some(train, 200), dev, tuple(e.question for e in dev), made_up, of_data)


def prepare(plan: Path, base: str, data: Path, out: Path, few: bool) -> Prepared:
    """Gather all questions and prepare them once."""
    start = time.perf_counter()

    def say(what: str) -> None:
        print(f"{time.perf_counter() - start:6.0f} s  {what}", flush=True)

    config = load_experiment(plan.parent / base)
    found = gather(config, data, few)
    say(f"{len(found.train):,} questions to learn from, {len(found.dev):,} of dev")
    say(f"{len(found.made_up):,} questions made up")
    preparer = Preparer.of(config)
    for split in (found.train, found.dev, found.made_up):
        preparer.ahead(split)
        say(f"{len(split):,} prepared")
    answered = {id(example.question) for example in found.dev}
    for question in found.dev_questions:
        if id(question) not in answered:
            preparer(question, None)
    made_up, lost = reachable(found.made_up, preparer)
    say(f"{lost:,} made-up questions have no program and are left out")
    unsaid = tuple(unanswerable_of(config, _some((*found.train, *made_up), UNSAID_OF), preparer))
    say(f"{len(unsaid):,} unanswerable questions prepared")
    every = [example.question for example in (*found.train, *found.dev, *made_up)]
    lengths = _lengths(every, preparer, config)
    say(f"{len(lengths):,} texts of {np.mean([*lengths.values()]):.0f} pieces")
    asked = found.dev_questions
    return Prepared(
        plan,
        base,
        data,
        out,
        preparer,
        found.train,
        found.dev,
        asked,
        made_up,
        found.of_data,
        unsaid,
        lengths,
        few,
    )


def _lengths(questions: Sequence[Question], preparer: Preparer, config: Config) -> dict[int, int]:
    """How long the text of each question is; all pretrained encoders here have the same pieces."""
    from denota.learning.packing import text_lengths
    from denota.model.torch_parser import TorchParser

    scorer = TorchParser.new(config, ()).scorer
    ready = [preparer.known(question) or preparer(question, None) for question in questions]
    lengths = text_lengths(ready, scorer, jobs=os.cpu_count() or 1)
    return {id(q): int(length) for q, length in zip(questions, lengths, strict=True)}


def _some(examples: tuple[Example, ...], count: int) -> tuple[Example, ...]:
    """About so many questions, of whole conversations from all over."""
    talks = conversations(examples)
    share = min(1.0, count / max(1, len(examples)))
    kept = (talk for n, talk in enumerate(talks) if int((n + 1) * share) > int(n * share))
    return tuple(example for talk in kept for example in talk)


def carry_out(jobs: Sequence[Run | Answers], ready: Prepared, at_once: int) -> None:
    """Begin each job when what it waits for is done and there is room."""
    fork = multiprocessing.get_context("fork")
    waiting, done = [*jobs], set[str]()
    working: dict[str, tuple[Run | Answers, Any]] = {}
    failed = set[str]()
    start = time.perf_counter()
    while waiting or working:
        for name, (_, process) in [*working.items()]:
            if not process.is_alive():
                del working[name]
                (done if process.exitcode == 0 else failed).add(name)
                what = "done" if process.exitcode == 0 else "FAILED"
                print(f"{time.perf_counter() - start:6.0f} s  {name} {what}", flush=True)
        for job in [*waiting]:
            if failed & {*job.waits_for}:
                others = without(job, failed)
                if others is not None:
                    waiting[waiting.index(job)] = others
                    continue
                waiting.remove(job)
                failed.add(_title(job))
            elif {*job.waits_for} <= done and _room(job, working, at_once):
                waiting.remove(job)
                process = fork.Process(target=_work, args=(job, ready))
                process.start()
                working[_title(job)] = job, process
                print(f"{time.perf_counter() - start:6.0f} s  {_title(job)} begins", flush=True)
        time.sleep(0.2)
    print("all done", flush=True)


def _room(job: Run | Answers, working: Mapping[str, tuple[Run | Answers, Any]], most: int) -> bool:
    """Whether a job can begin; those that give way to others take no place from them."""
    gives_way = _gives_way(job)
    alike = sum(_gives_way(other) == gives_way for other, _ in working.values())
    return alike < (GIVE_WAY if gives_way else most)


def _gives_way(job: Run | Answers) -> bool:
    return isinstance(job, Run) and job.nice > 0


def without(job: Run | Answers, failed: set[str]) -> Run | Answers | None:
    """A job without the teachers or parsers that failed, None if it needs what failed."""
    names = job.teachers if isinstance(job, Run) else job.parsers
    left = [name for name in names if name not in failed]
    own = replace(job, teachers=left) if isinstance(job, Run) else replace(job, parsers=left)
    return None if not left or failed & {*own.waits_for} else own


def _title(job: Run | Answers) -> str:
    return job.name if isinstance(job, Run) else f"answers of {job.name}"


def _work(job: Run | Answers, ready: Prepared) -> None:
    import torch

    torch.set_num_threads(1)
    try:
        if isinstance(job, Run):
            os.nice(job.nice)
            run(job, ready)
        else:
            answer(job, ready)
    except BaseException:
        place = ready.out / f"{_title(job).replace(' ', '-')}.error"
        place.write_text(traceback.format_exc())
        traceback.print_exc()
        raise


def run(job: Run, ready: Prepared) -> None:
    """Train a parser and save that of the last epoch."""
    from denota.model.saved import save_parser

    out = ready.out / job.name
    out.mkdir(parents=True, exist_ok=True)
    taught = [f"train.teacher={','.join(str(ready.out / one) for one in job.teachers)}"]
    config = load_experiment(
        ready.plan.parent / ready.base, [*job.set, *(taught if job.teachers else [])]
    )
    for attempt in range(TRIES):
        again = replace(config, seed=config.seed + ANOTHER_SEED * attempt)
        done, best = _trained(job, again, ready, out, attempt == TRIES - 1)
        if done is not None:
            break
        print(f"{job.name} begins anew", flush=True)
    assert done is not None
    save_parser(out / BEST, best, facts={"epoch": str(done.epoch)})
    if (done.dev_accuracy or 0.0) < job.least:
        raise TrainingError(
            f"{job.name} answers {done.dev_accuracy:.1f}% of dev, less than {job.least}%"
        )


def _trained(
    job: Run, config: Config, ready: Prepared, out: Path, is_last: bool
) -> tuple[Epoch | None, TorchParser]:
    """The last epoch, None if the first was too bad to go on, and the parser."""
    from denota.learning.start import new_parser, teacher_of
    from denota.learning.trainer import Training
    from denota.model.checkpoint import load_parser
    from denota.model.saved import save_parser

    examples = (*ready.train, *ready.dev) if job.everything else ready.train
    if job.data:
        examples = tuple(e for e in examples if e.question.id.startswith(tuple(job.data)))
    made_up = _about(job.about, ready)
    if job.made_up is not None:
        made_up = _some(made_up, job.made_up)
    if not made_up:
        config = replace(config, data=replace(config.data, made_up=0, made_up_kept=0.0))
    begins_with = load_parser(ready.out / job.init / BEST)[0] if job.init else None
    parser = new_parser(config, (), begins_with, None)
    teacher, last = teacher_of(config, ()), config.made_up_epochs + config.train.epochs
    training = Training(
        config, parser, examples, ready.dev, ready.preparer, made_up=made_up, teacher=teacher
    )
    training.lengths = np.array([ready.lengths[id(e.question)] for e in (*examples, *made_up)])
    training.dev_questions, training.unsaid = ready.dev_questions, ready.unsaid
    training.is_measured = lambda epoch: epoch in (1, last)  # one that goes wrong shows early
    with closing(training), (out / "metrics.jsonl").open("a") as file:
        while training.epoch < last:
            done = training.run_epoch()
            line = {
                "epoch": done.epoch,
                "seed": config.seed,
                "loss": round(done.loss, 4),
                "dev_answer_accuracy": done.dev_accuracy,
                "by_data_set": _by_data_set(ready.dev, done.dev_right),
                "questions_per_s": round(done.questions_per_s, 1),
                "seconds": round(done.seconds, 1),
                "questions": len(examples),
                "made_up": len(made_up),
                "has_learnt_dev": job.everything,
            }
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(job.name, json.dumps(line), flush=True)
            save_parser(out / SMALL, training.best_parser, facts={"epoch": str(done.epoch)}, bits=8)
            if done.epoch == 1 and (done.dev_accuracy or 0.0) < job.least_first and not is_last:
                return None, training.best_parser
    return done, training.best_parser


def _about(which: str, ready: Prepared) -> tuple[Example, ...]:
    """The made-up questions about invented tables, or those about tables of data sets, or all."""
    if not which:
        return ready.made_up
    invented = which == "invented"
    return tuple(e for e in ready.made_up if (e.question.table.name in ready.of_data) != invented)


def _by_data_set(dev: Sequence[Example], right: str) -> dict[str, float]:
    """The share of each data set's questions that are answered right, in percent."""
    found: dict[str, list[int]] = {}
    for example, one in zip(dev, right, strict=False):
        found.setdefault(example.question.id.partition(":")[0], []).append(int(one))
    return {name: round(100 * sum(own) / len(own), 2) for name, own in found.items()}


def answer(job: Answers, ready: Prepared) -> None:
    """Answer splits by some parsers together, in processes that each take some conversations."""
    fork = multiprocessing.get_context("fork")
    scores: dict[str, Any] = {}
    for spec in (read_specs(split)[0] for split in job.splits):
        place = spec.path(ready.data)
        kind = dataset_of(place, spec.split)
        questions = kind.questions(place, spec.split).questions
        if ready.few:
            keep = {one[0].sequence for one in conversations(questions)[:6]}
            questions = tuple(q for q in questions if q.sequence in keep)
        talks = conversations(questions)
        shards = [[q for talk in talks[n::SHARDS] for q in talk] for n in range(SHARDS)]
        answers: dict[Key, Answer] = {}
        with fork.Pool(SHARDS, _ready_to_answer, (job, ready)) as pool:
            given = [(shard, kind.answers == "cells") for shard in shards if shard]
            for found in pool.imap_unordered(_answer_some, given):
                answers |= found
        out = ready.out / "answers" / f"{job.name}.{spec.name}.{spec.split}.tsv"
        kind.write_predictions(out, ((q, answers[key_of(q)]) for q in questions))
        gold = {} if "test" in spec.split else gold_of(kind.examples(place, spec.split).examples)
        gold = {key: one for key, one in gold.items() if key in answers}
        if gold:
            found = score(gold, {key: answers[key] for key in gold}, kind.is_right)
            scores[f"{spec.name}:{spec.split}"] = {
                name: getattr(found, name) for name in kind.figures
            }
            print(job.name, json.dumps(scores), flush=True)
    (ready.out / "answers" / f"{job.name}.json").write_text(json.dumps(scores, indent=1) + "\n")


_answering: tuple[Any, Preparer]


def _ready_to_answer(job: Answers, ready: Prepared) -> None:
    global _answering
    import torch

    from denota.learning.start import device_of
    from denota.model.checkpoint import load_parser
    from denota.model.ensemble import together
    from denota.programs.operators import language_of

    torch.set_num_threads(1)
    parsers = [load_parser(ready.out / name / BEST)[0] for name in job.parsers]
    parser = together(parsers)
    parser.scorer.eval().to(device_of("auto"))
    operators = parser.language & language_of(job.language) if job.language else parser.language
    _answering = parser, Preparer.of(parser.config, kept=256, operators=operators)


def _answer_some(given: tuple[list[Question], bool]) -> dict[Key, Answer]:
    (questions, cells), (parser, preparer) = given, _answering
    best = best_that_gives_cells(parser.best) if cells else parser.best
    found = predict(questions, best, preparer, batch=32)
    return {
        key_of(q): as_cells(found[key_of(q)]) if cells else as_values(found[key_of(q)], q.table)
        for q in questions
    }


if __name__ == "__main__":
    main()
