"""`denota train`, `evaluate`, `predict` and `score`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from denota.app.data import data_path
from denota.app.progress import count_progress
from denota.config import load_config
from denota.data import (
    load_examples,
    load_questions,
    read_predictions,
    write_predictions,
)
from denota.data.loaded import Loaded
from denota.data.sqa import read_examples
from denota.errors import DataError
from denota.evaluation.metrics import score
from denota.evaluation.predict import gold_of, key_of, predict
from denota.learning.run import train
from denota.learning.trainer import Epoch
from denota.model.checkpoint import load_parser
from denota.model.parser import Parser
from denota.search.preparer import Preparer


def train_run(
    path: Path,
    out: Path,
    data: str | None,
    settings: Sequence[str],
    resume: bool,
    init: Path | None,
) -> None:
    """Train as a config says and tell of each epoch."""
    config = load_config(path, settings)
    where = data_path(data)
    examples = _told(load_examples(where, config.data.train))
    dev = _told(load_examples(where, config.data.dev)) if config.data.dev else None
    start = load_run(init) if init else None
    vectors = os.environ.get("DENOTA_VECTORS") if config.model.vectors == "random" else None
    print(
        f"{len(examples.examples):,} questions to learn from, {len(dev.examples) if dev else 0:,} for dev",
        file=sys.stderr,
    )
    last = [0]
    with count_progress("training", config.train.epochs * len(examples.examples)) as advance:

        def progress(done: int, loss: float) -> None:
            advance(done - last[0] if done > last[0] else done)
            last[0] = done

        best = train(
            config,
            examples.examples,
            dev.examples if dev else (),
            out,
            resume=resume,
            start_from=start,
            vectors=vectors,
            say=lambda message: print(f"denota: {message}", file=sys.stderr),
            epoch_done=_tell,
            progress=progress,
        )
    print(f"the best parser is {best}")


def evaluate_run(run: Path, data: str | None, split: str, gold_history: bool) -> dict[str, Any]:
    """Return the metrics of a run's best parser on a split."""
    loaded = _told(load_examples(data_path(data), split))
    gold = gold_of(loaded.examples)
    parser = load_run(run)
    preparer = Preparer(parser.config.data.language, parser.config.search.lexicon)
    questions = [example.question for example in loaded.examples]
    answers = predict(questions, parser.best, preparer, gold=gold if gold_history else None)
    return asdict(score(gold, {key: answer.cells for key, answer in answers.items()}))


def predict_run(run: Path, data: str | None, split: str, out: Path) -> int:
    """Write a run's answers to a split and return how many."""
    questions = _told(load_questions(data_path(data), split)).questions
    parser = load_run(run)
    preparer = Preparer(parser.config.data.language, parser.config.search.lexicon)
    answers = predict(questions, parser.best, preparer)
    write_predictions(out, [(question, answers[key_of(question)].cells) for question in questions])
    return len(questions)


def score_files(gold: Path, predictions: Path) -> dict[str, Any]:
    """Return the official metrics of a file of predictions."""
    found = read_predictions(predictions)
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


def load_run(run: Path) -> Parser:
    """Return the best parser of a run."""
    return load_parser(run / "best.safetensors" if run.is_dir() else run)[0]


def _tell(epoch: Epoch) -> None:
    dev = "" if epoch.dev_accuracy is None else f", dev {epoch.dev_accuracy:.2f}"
    print(
        f"epoch {epoch.epoch}: loss {epoch.loss:.4f}{dev}, {epoch.questions_per_s:,.0f} questions/s",
        flush=True,
    )


def _told(loaded: Loaded) -> Loaded:
    for problem in loaded.problems:
        print(f"denota: {problem}", file=sys.stderr)
    if not loaded.questions:
        raise DataError("there are no questions in this split")
    return loaded
