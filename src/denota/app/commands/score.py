"""`denota score`: predictions in a file judged by the official metrics."""

from __future__ import annotations

from pathlib import Path

from denota.app.terminal.figures import show_score
from denota.data.datasets import dataset_of_file
from denota.evaluation.metrics import score
from denota.evaluation.predict import gold_of


def score_files(gold: Path, predictions: Path, as_json: bool) -> None:
    """Print the metrics of predictions; the gold file tells the data set."""
    kind, where, split = dataset_of_file(gold)
    answers = kind.read_predictions(predictions)
    found = score(gold_of(kind.examples(where, split).examples), answers, kind.is_right)
    show_score({name: getattr(found, name) for name in kind.figures}, as_json)
