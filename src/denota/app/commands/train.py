"""`denota train`, `evaluate`, `predict` and `score`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table as Grid

from denota.app.commands.answering import answer_all
from denota.app.data import data_path
from denota.app.paths import load_run
from denota.app.terminal.progress import count_progress, training_progress
from denota.config import Config
from denota.data import Example, load_questions
from denota.data.dataset import DataSet
from denota.data.datasets import dataset_of, dataset_of_file
from denota.data.loaded import Loaded
from denota.data.mixed import load_mixed
from denota.errors import DataError
from denota.evaluation.metrics import Score, score
from denota.evaluation.predict import as_cells, as_values, gold_of, in_form_of, key_of
from denota.learning.presets import load_experiment
from denota.learning.run import real_epochs, train
from denota.model.checkpoint import load_parser
from denota.reports.curves import draw_curves


def train_run(
    path: Path,
    out: Path,
    data: str | None,
    settings: Sequence[str],
    resume: bool,
    init: Path | None,
    final: bool,
) -> None:
    """Train as a config says and tell of each epoch; then, if asked for, on train and dev together up to the best one."""
    config = load_experiment(path, settings)
    where = data_path(data)
    asked = Loaded(())
    if config.data.dev:
        asked = _told(load_mixed(config.data.dev, where).loaded)
    mixed = load_mixed(config.data.train, where, apart_from=config.data.dev, seed=config.seed)
    for part in mixed.parts:
        if part.left_out:
            print(
                f"denota: {part.left_out:,} questions of {part.spec.name or part.kind} are left out: their tables are in a dev set",
                file=sys.stderr,
            )
    examples = _told(mixed.loaded).examples
    best = _train(config, examples, asked, out, resume, init)
    print(f"the best parser is {best}")
    if final:
        epochs = real_epochs(config, int(load_parser(best)[2]["epoch"]))
        longer = replace(
            config,
            data=replace(config.data, dev=""),
            train=replace(config.train, epochs=epochs),
        )
        both = (*examples, *asked.examples)
        best = _train(longer, both, Loaded(()), out / "final", resume, init)
        print(f"the parser trained on all of it for {epochs} epochs is {best}")


def _train(
    config: Config,
    examples: tuple[Example, ...],
    dev: Loaded,
    out: Path,
    resume: bool,
    init: Path | None,
) -> Path:
    vectors = os.environ.get("DENOTA_VECTORS") if config.model.vectors == "random" else None
    counts = f"{len(examples):,} questions to learn from, {len(dev.examples):,} for dev"
    print(counts, file=sys.stderr)
    start = load_run(init) if init else None
    if config.model.scorer != "encoder":
        # its steps are too small to share: threads would wait for each other
        torch.set_num_threads(1)
    prepared = len(examples) + len(dev.examples) + config.data.made_up
    trained = config.train.epochs * len(examples) + config.made_up_epochs * config.data.made_up
    with training_progress(prepared, trained) as shown:
        best = train(
            config,
            examples,
            dev.examples,
            out,
            resume=resume,
            start_from=start,
            vectors=vectors,
            say=lambda message: print(f"denota: {message}", file=sys.stderr),
            epoch_done=shown.epoch,
            progress=shown.step,
            prepared=shown.prepared,
            dev_questions=dev.questions,
        )
    try:
        print(f"its curves are {draw_curves(out)}")
    except ImportError:
        print("denota: no curves are drawn: matplotlib is not installed", file=sys.stderr)
    return best


def evaluate_run(
    run: str | Path, data: str | None, split: str, gold_history: bool, apart_from: str | None = None
) -> dict[str, Any]:
    """Return the metrics of a run's best parser on a split, or on the part of it about tables that another split does not have."""
    where = data_path(data)
    kind = dataset_of(where, split)
    loaded = _told(kind.examples(where, split))
    if apart_from is not None:
        known = {q.table_file for q in load_questions(where, apart_from).questions}
        loaded = _told(loaded.without_tables(known))
    gold = gold_of(loaded.examples)
    with count_progress("answering", len(loaded.questions)) as advance:
        answers = answer_all(
            run, loaded.questions, gold if gold_history else None, progress=advance
        )
    return _figures(kind, score(gold, in_form_of(gold, answers), kind.is_right))


def predict_run(run: str | Path, data: str | None, split: str, out: Path) -> int:
    """Write a run's answers to a split in its data set's official format and return how many."""
    where = data_path(data)
    kind = dataset_of(where, split)
    questions = _told(kind.questions(where, split), answers=False).questions
    with count_progress("answering", len(questions)) as advance:
        answers = answer_all(run, questions, progress=advance)
    found = [(question, answers[key_of(question)]) for question in questions]
    if kind.answers == "cells":
        kind.write_predictions(out, ((question, as_cells(answer)) for question, answer in found))
    else:
        kind.write_predictions(out, ((q, as_values(answer, q.table)) for q, answer in found))
    return len(questions)


def score_files(gold: Path, predictions: Path) -> dict[str, Any]:
    """Return the official metrics of a file of predictions; the data set is the one the gold file is a split of."""
    kind, where, split = dataset_of_file(gold)
    found = kind.read_predictions(predictions)
    return _figures(
        kind, score(gold_of(kind.examples(where, split).examples), found, kind.is_right)
    )


def _figures(kind: DataSet, found: Score) -> dict[str, Any]:
    return {name: getattr(found, name) for name in kind.figures}


def show_score(found: dict[str, Any], console: Console) -> None:
    """Print metrics as a small table."""
    grid = Grid(box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
    values = {
        "answers": found.get("answer_accuracy"),
        "sequences": found.get("sequence_accuracy"),
        **{f"position {p}": share for p, share in found.get("position_accuracy", {}).items()},
        "by text": found["denotation_accuracy"],
    }
    shown = {name: value for name, value in values.items() if value is not None}
    for name in shown:
        grid.add_column(name, justify="right")
    grid.add_row(*(f"{value:.2f}" for value in shown.values()))
    console.print(grid)
    sequences = f" in {found['sequences']:,} sequences" if "sequences" in found else ""
    console.print(f"percent right, of {found['questions']:,} questions{sequences}")


def _told(loaded: Loaded, answers: bool = True) -> Loaded:
    """Tell of what could not be read, and refuse a split with nothing left."""
    for problem in loaded.problems:
        print(f"denota: {problem}", file=sys.stderr)
    if not (loaded.examples if answers else loaded.questions):
        what = "questions with an answer" if answers else "questions"
        raise DataError(f"there are no {what} in this split")
    return loaded
