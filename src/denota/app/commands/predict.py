"""`denota predict`: a parser's answers to a split, in the official format of its data set."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from denota.app.commands.answering import answer_all
from denota.app.many.answer import Where, answer_on
from denota.app.many.work import Work
from denota.app.paths import data_path
from denota.app.terminal.problems import checked
from denota.app.terminal.progress import count_progress
from denota.data.datasets import dataset_of
from denota.evaluation.predict import as_cells, as_values, key_of


@dataclass(frozen=True, slots=True)
class Workers:
    """Who answers, and the folder where chunks of answers are kept."""

    on: Where | None = None
    """None for processes of this machine; without `chunks` these keep nothing on the way."""
    count: int = 0  #: 0 for one a core
    cluster: str | None = None
    chunks: Path | None = None
    """None for a folder beside the predictions, which is removed when they are written."""


def predict_run(
    run: str | Path,
    data: str | None,
    split: str,
    out: Path,
    without: Sequence[str] = (),
    only_model: bool = False,
    workers: Workers = Workers(),  # noqa: B008 - frozen
) -> int:
    """Write a run's answers to a split and return how many there are.

    Given who answers or a folder for chunks, a call that was stopped can be given again: it answers
    only what is missing.
    """
    where = data_path(data)
    kind = dataset_of(where, split)
    questions = checked(kind.questions(where, split), answers=False).questions
    cells = kind.answers == "cells"
    kept = workers.on or workers.cluster or workers.chunks
    folder = workers.chunks or out.with_name(f"{out.name}.chunks")
    with count_progress("answering", len(questions)) as advance:
        if kept:
            work = Work.of(run, folder, without, only_model, cells)
            who = (workers.on or "processes", workers.count, workers.cluster)
            answers = answer_on(work, questions, *who, progress=advance)
        else:
            answers = answer_all(
                run,
                questions,
                without=without,
                only_model=only_model,
                cells=cells,
                jobs=workers.count,
                progress=advance,
            )
    found = [(question, answers[key_of(question)]) for question in questions]
    if cells:
        kind.write_predictions(out, ((question, as_cells(answer)) for question, answer in found))
    else:
        kind.write_predictions(out, ((q, as_values(answer, q.table)) for q, answer in found))
    if kept and not workers.chunks:
        shutil.rmtree(folder, ignore_errors=True)
    return len(questions)
