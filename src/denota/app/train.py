"""`denota train`, `evaluate`, `predict` and `score`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table as Grid

from denota.app.answering import answer_all
from denota.app.data import data_path
from denota.app.models import load_run
from denota.app.progress import count_progress, training_progress
from denota.config import Config, load_config
from denota.data import (
    Cells,
    Example,
    load_examples,
    load_questions,
    read_as,
    read_predictions,
    write_predictions,
)
from denota.data.loaded import Loaded
from denota.data.sqa import read_examples
from denota.errors import DataError
from denota.evaluation.metrics import score
from denota.evaluation.predict import gold_of, in_form_of, key_of
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
    config = load_config(path, settings)
    where = data_path(data)
    numbers = config.data.numbers
    examples = read_as(_told(load_examples(where, config.data.train)), numbers).examples
    asked = Loaded(())
    if config.data.dev:
        asked = read_as(_told(load_examples(where, config.data.dev)), numbers)
    dev = asked.examples
    best = _train(config, examples, asked, out, resume, init)
    print(f"the best parser is {best}")
    if final:
        epochs = real_epochs(config, int(load_parser(best)[2]["epoch"]))
        longer = replace(
            config,
            data=replace(config.data, dev=""),
            train=replace(config.train, epochs=epochs),
        )
        best = _train(longer, (*examples, *dev), Loaded(()), out / "final", resume, init)
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
    trained = config.train.epochs * len(examples) + config.first_epochs * config.data.made_up
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
    numbers = load_run(run).config.data.numbers
    loaded = read_as(_told(load_examples(data_path(data), split)), numbers)
    if apart_from is not None:
        known = {q.table_file for q in load_questions(data_path(data), apart_from).questions}
        loaded = _told(loaded.without_tables(known))
    gold = gold_of(loaded.examples)
    with count_progress("answering", len(loaded.questions)) as advance:
        answers = answer_all(
            run, loaded.questions, gold if gold_history else None, progress=advance
        )
    return asdict(score(gold, in_form_of(gold, answers)))


def predict_run(run: str | Path, data: str | None, split: str, out: Path) -> int:
    """Write a run's answers to a split and return how many."""
    numbers = load_run(run).config.data.numbers
    loaded = _told(load_questions(data_path(data), split), answers=False)
    questions = read_as(loaded, numbers).questions
    with count_progress("answering", len(questions)) as advance:
        answers = answer_all(run, questions, progress=advance)
    write_predictions(out, [(question, answers[key_of(question)].cells) for question in questions])
    return len(questions)


def score_files(gold: Path, predictions: Path) -> dict[str, Any]:
    """Return the official metrics of a file of predictions."""
    found = {key: Cells(cells) for key, cells in read_predictions(predictions).items()}
    return asdict(score(gold_of(read_examples(gold)), found))


def show_score(found: dict[str, Any], console: Console) -> None:
    """Print metrics as a small table."""
    grid = Grid(box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
    positions = found["position_accuracy"]
    for name in ("answers", "sequences", *(f"position {p}" for p in positions)):
        grid.add_column(name, justify="right")
    values = (found["answer_accuracy"], found["sequence_accuracy"], *positions.values())
    grid.add_row(*(f"{value:.2f}" for value in values))
    console.print(grid)
    console.print(
        f"percent right, of {found['questions']:,} questions in {found['sequences']:,} sequences"
    )


def _told(loaded: Loaded, answers: bool = True) -> Loaded:
    """Tell of what could not be read, and refuse a split with nothing left."""
    for problem in loaded.problems:
        print(f"denota: {problem}", file=sys.stderr)
    if not (loaded.examples if answers else loaded.questions):
        what = "questions with an answer" if answers else "questions"
        raise DataError(f"there are no {what} in this split")
    return loaded
