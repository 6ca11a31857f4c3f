"""`denota evaluate`: the metrics of a parser on a split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from denota.app.commands.answering import answer_all
from denota.app.paths import data_path, load_run
from denota.app.terminal.figures import show_score
from denota.app.terminal.problems import checked
from denota.app.terminal.progress import count_progress
from denota.data import load_questions, read_as
from denota.data.datasets import dataset_of
from denota.evaluation.metrics import score
from denota.evaluation.predict import gold_of, in_form_of


def show_evaluation(
    run: str,
    data: str | None,
    split: str,
    gold_history: bool,
    apart_from: str | None,
    as_json: bool,
) -> None:
    """Print the metrics of a run's best parser on a split."""
    show_score(evaluate_run(run, data, split, gold_history, apart_from), as_json)


def evaluate_run(
    run: str | Path, data: str | None, split: str, gold_history: bool, apart_from: str | None = None
) -> dict[str, Any]:
    """Return the metrics of a run's best parser on a split.

    Args:
        run: its folder, a saved parser, or `default`.
        data: where the data lies.
        split: the part of it.
        gold_history: whether each question gets the right previous answer, not the parser's own.
        apart_from: another split, whose tables are left out.
    """
    numbers = load_run(run).config.data.numbers
    where = data_path(data)
    kind = dataset_of(where, split)
    loaded = read_as(checked(kind.examples(where, split)), numbers)
    if apart_from is not None:
        known = {q.table_file for q in load_questions(where, apart_from).questions}
        loaded = checked(loaded.without_tables(known))
    gold = gold_of(loaded.examples)
    with count_progress("answering", len(loaded.questions)) as advance:
        answers = answer_all(
            run, loaded.questions, gold if gold_history else None, progress=advance
        )
    found = score(gold, in_form_of(gold, answers), kind.is_right)
    return {name: getattr(found, name) for name in kind.figures}
