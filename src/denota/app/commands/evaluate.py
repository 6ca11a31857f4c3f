"""`denota evaluate`: the metrics of a parser on a split."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from denota.app.commands.answering import answer_all
from denota.app.commands.steps import judge_by, measure_steps
from denota.app.paths import data_path
from denota.app.terminal.figures import show_score
from denota.app.terminal.problems import checked
from denota.app.terminal.progress import count_progress
from denota.data import Loaded, load_questions
from denota.data.dataset import DataSet
from denota.data.datasets import dataset_of
from denota.data.mixed import load_tables
from denota.data.shared import shared_tables
from denota.errors import ConfigError
from denota.evaluation.metrics import score
from denota.evaluation.predict import gold_of, in_form_of


@dataclass(frozen=True)
class Measured:
    """A parser, and the questions that it is measured on."""

    run: str | Path
    """Its folder, a saved parser, or `default`."""
    data: str | None
    split: str
    gold_history: bool = False
    """Whether each question gets the right previous answer, not the parser's own."""
    apart_from: str | None = None
    """Another split, or NAME:SPLIT of another data set, whose tables are left out."""
    without: Sequence[str] = ()
    """Steps of understanding to leave out."""
    only_model: bool = False
    """Whether the parser's best program is taken, without any step."""

    def examples(self) -> tuple[DataSet, Loaded]:
        """Return the kind of data, and the questions with their answers."""
        where = data_path(self.data)
        kind = dataset_of(where, self.split)
        loaded = checked(kind.examples(where, self.split))
        if self.apart_from is not None:
            loaded = checked(loaded.without_tables(_known(self.apart_from, where, loaded)))
        return kind, loaded


def _known(apart_from: str, where: Path, loaded: Loaded) -> set[str]:
    """The tables that another split has: by name, or by their rows where it is another set's."""
    if ":" not in apart_from:
        return {q.table_file for q in load_questions(where, apart_from).questions}
    own = {q.table_file: q.table for q in loaded.questions}
    return shared_tables(own, load_tables(apart_from, where))


def show_evaluation(measured: Measured, as_json: bool) -> None:
    """Print the metrics of a run's best parser on a split."""
    show_score(evaluate_run(measured), as_json)


def evaluate_run(measured: Measured) -> dict[str, Any]:
    """Return the metrics of a run's best parser on a split.

    Raises:
        ConfigError: steps are to be left out of the model alone, which has none.
    """
    if measured.only_model and measured.without:
        raise ConfigError("the model alone has no steps; give --only-model or --without")
    kind, loaded = measured.examples()
    gold = gold_of(loaded.examples)
    with count_progress("answering", len(loaded.questions)) as advance:
        answers = answer_all(
            measured.run,
            loaded.questions,
            gold if measured.gold_history else None,
            without=measured.without,
            only_model=measured.only_model,
            cells=kind.answers == "cells",
            progress=advance,
        )
    found = score(gold, in_form_of(gold, answers), kind.is_right)
    return {name: getattr(found, name) for name in kind.figures}


def show_steps(measured: Measured, as_json: bool) -> None:
    """Print what each step of understanding brings on a split.

    Raises:
        ConfigError: another option says which steps to take.
    """
    if measured.only_model or measured.without or measured.gold_history:
        raise ConfigError(
            "--each-step leaves out one step after the other, with the parser's own history;"
            " give it without --without, --only-model and --gold-history"
        )
    _, loaded = measured.examples()
    gold = gold_of(loaded.examples)
    with count_progress("answering", len(loaded.questions)) as advance:
        lines = measure_steps(measured.run, loaded.questions, judge_by(gold), advance)
    if as_json:
        print(json.dumps({"model": str(measured.run), "split": measured.split, "lines": lines}))
        return
    grid = Grid(box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
    for name in lines[0]:
        grid.add_column(name, justify="left" if name == "variant" else "right")
    for line in lines:
        grid.add_row(*(str(value) for value in line.values()))
    Console(highlight=False).print(grid)
