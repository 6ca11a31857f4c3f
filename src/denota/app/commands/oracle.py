"""`denota oracle`: coverage of a language on a split, for people and as JSON."""

from __future__ import annotations

import os
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from denota.app.paths import data_path
from denota.app.terminal.problems import report_problems
from denota.app.terminal.progress import count_progress
from denota.app.terminal.text import console, to_json
from denota.data.example import conversations
from denota.data.splits import load_examples
from denota.errors import DataError
from denota.evaluation.oracle import (
    Reach,
    coverage,
    oracle,
    with_other_answers,
    with_other_rows,
)
from denota.programs.operators import language_of


def show_oracle(
    data: str | None, split: str, language: str, jobs: int | None, sample: int, as_json: bool
) -> None:
    """Print the coverage of a language on a split."""
    found = measure(data, split, language, jobs or os.cpu_count() or 1, sample)
    print(to_json(found)) if as_json else show_coverage(found, console())


def measure(
    data: str | None, split: str, language: str, jobs: int, sample: int = 0
) -> dict[str, Any]:
    """Return the coverage of a language on a split as plain data; figures in percent.

    Args:
        data: where the data lies.
        split: the part of it.
        language: the name of a language, with changes.
        jobs: how many processes to use.
        sample: how many conversations to draw with a seed, all if 0.
    """
    operators = language_of(language)
    loaded = load_examples(data_path(data), split)
    report_problems(loaded)
    if not loaded.examples:
        raise DataError(f"{split} has no examples to measure")
    examples = list(loaded.examples)
    if sample:
        talks = conversations(examples)
        chosen = Random(0).sample(talks, min(sample, len(talks)))
        examples = [turn for talk in chosen for turn in talk]
    others = with_other_answers(loaded.examples)
    known = {id(example.question) for example in examples}
    others = [other for other in others if id(other.question) in known]
    rows = with_other_rows(examples)
    count = len(examples) + len(others) + len(rows)
    with count_progress(f"oracle {language}", count) as progress:
        reached = oracle(examples, operators, jobs=jobs, progress=progress)
        by_luck = oracle(others, operators, jobs=jobs, progress=progress)
        of_rows = oracle(rows, operators, jobs=jobs, progress=progress)
    positions = sorted({r.position for r in reached})
    by_position = {str(p): _shares([r for r in reached if r.position == p]) for p in positions}
    whole = coverage(reached)
    return {
        "split": split,
        "language": language,
        **_shares(reached),
        "by_position": by_position,
        "programs_per_question": round(whole.programs_per_question, 1),
        "consistent_per_question": round(whole.consistent_per_question, 2),
        "bounded": round(whole.bounded, 2),
        "other_answer": _shares(by_luck) if by_luck else None,
        "other_row": _shares(of_rows) if of_rows else None,
    }


def _shares(reached: list[Reach]) -> dict[str, float]:
    found = coverage(reached)
    return {
        "questions": found.questions,
        "coverage": round(found.coverage, 2),
        "grounded_coverage": round(found.grounded_coverage, 2),
    }


def show_coverage(found: dict[str, Any], out: Console) -> None:
    """Print the figures as a small table."""
    grid = Grid(box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("position", "questions", "coverage %", "grounded %"):
        grid.add_column(name, justify="right")
    for name, row in [*found["by_position"].items(), ("all", found)]:
        grid.add_row(
            name,
            f"{row['questions']:,}",
            f"{row['coverage']:.2f}",
            f"{row['grounded_coverage']:.2f}",
        )
    out.print(f"{found['split']}, language {found['language']}")
    out.print(grid)
    out.print(
        f"{found['programs_per_question']:,} programs a question, "
        f"{found['consistent_per_question']} of them give the gold answer"
    )
    if found["bounded"]:
        out.print(f"{found['bounded']}% of questions would have more programs than are looked at")
    for name, said in (
        ("other_answer", "the answer of another question about the same table"),
        ("other_row", "the cell of another row"),
    ):
        other = found[name]
        if other:
            out.print(
                f"by luck, with {said}: {other['coverage']:.2f}% and "
                f"{other['grounded_coverage']:.2f}% of {other['questions']:,} questions"
            )
