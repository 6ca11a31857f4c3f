"""`denota predict`: a parser's answers to a split, in the official format of its data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from denota.app.commands.answering import answer_all
from denota.app.paths import data_path
from denota.app.terminal.problems import checked
from denota.app.terminal.progress import count_progress
from denota.data.datasets import dataset_of
from denota.evaluation.predict import as_cells, as_values, key_of


def predict_run(
    run: str | Path,
    data: str | None,
    split: str,
    out: Path,
    without: Sequence[str] = (),
    only_model: bool = False,
) -> int:
    """Write a run's answers to a split and return how many there are."""
    where = data_path(data)
    kind = dataset_of(where, split)
    questions = checked(kind.questions(where, split), answers=False).questions
    cells = kind.answers == "cells"
    with count_progress("answering", len(questions)) as advance:
        answers = answer_all(
            run, questions, without=without, only_model=only_model, cells=cells, progress=advance
        )
    found = [(question, answers[key_of(question)]) for question in questions]
    if cells:
        kind.write_predictions(out, ((question, as_cells(answer)) for question, answer in found))
    else:
        kind.write_predictions(out, ((q, as_values(answer, q.table)) for q, answer in found))
    return len(questions)
