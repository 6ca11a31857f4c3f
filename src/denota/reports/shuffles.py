"""What the order of rows and columns does to a parser: nothing, unless the question is about it.

Usage: python -m denota.reports.shuffles RUN_OR_FILE --data SQA --split dev
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from denota.data import Cells, Example, load_examples
from denota.evaluation.metrics import Key, score
from denota.evaluation.predict import gold_of, in_form_of, key_of, predict
from denota.model.checkpoint import load_parser
from denota.model.parser import Parser
from denota.programs.denotation import Denotation
from denota.programs.order_dependence import depends_on_row_order
from denota.search.prepare import Prepared
from denota.search.preparer import Preparer
from denota.tables.table import Cell, Table


@dataclass(frozen=True)
class Shuffles:
    """What was measured, in percent."""

    questions: int
    answer_accuracy: float
    columns_shuffled: float
    """Answer accuracy."""
    rows_shuffled: float
    """Answer accuracy, questions that speak of the order of rows among them."""
    rows_compared: int
    """Questions where neither the program nor those before it in the conversation speak of the
    order of rows."""
    rows_same: float
    """The share of these that have the same cells."""
    any_history_compared: int
    """Questions whose own program does not speak of it; those before it, whose answers are their
    context, may."""
    any_history_same: float


@dataclass(frozen=True, eq=False)
class Moved:
    """A table with rows and columns in another order."""

    table: Table
    rows: dict[int, int]
    """Where each row went."""
    columns: dict[int, int]

    def cells(self, cells: frozenset[Cell]) -> frozenset[Cell]:
        """Return cells of the old table as cells of the new one."""
        return frozenset((self.rows[row], self.columns[column]) for row, column in cells)


def moved(table: Table, rows: Sequence[int], columns: Sequence[int]) -> Moved:
    """Return a table whose row i is row `rows[i]` of another, columns likewise."""
    kept = [table.columns[column] for column in columns]
    texts = (replace(c, text=tuple(c.text[row] for row in rows)) for c in kept)
    return Moved(
        Table(tuple(texts), table.name),
        {old: new for new, old in enumerate(rows)},
        {old: new for new, old in enumerate(columns)},
    )


def measure_shuffles(parser: Parser, examples: Sequence[Example], seed: int = 0) -> Shuffles:
    """Ask the same questions of tables as they are, with columns and with rows shuffled."""
    rng = np.random.default_rng(seed)
    tables = {id(e.question.table): e.question.table for e in examples}
    by_columns, by_rows = {}, {}
    for key, table in tables.items():
        across, down = range(len(table.columns)), range(len(table))
        by_columns[key] = moved(table, down, rng.permutation(len(across)).tolist())
        by_rows[key] = moved(table, rng.permutation(len(down)).tolist(), across)
    plain, speaks = _answers(parser, examples, programs=True)
    gold = gold_of(examples)
    figures = {}
    answers = {}
    for name, places in (("columns", by_columns), ("rows", by_rows)):
        others = [
            Example(
                replace(e.question, table=places[id(e.question.table)].table),
                Cells(places[id(e.question.table)].cells(e.cells)),
            )
            for e in examples
        ]
        answers[name], _ = _answers(parser, others)
        there = gold_of(others)
        figures[name] = score(there, in_form_of(there, answers[name])).answer_accuracy
    same = {
        key_of(e.question): by_rows[id(e.question.table)].cells(plain[key_of(e.question)].cells)
        == answers["rows"][key_of(e.question)].cells
        for e in examples
    }
    alone = [same[key] for key, own in speaks.items() if not own]
    along = [same[key] for key in speaks if not _so_far(key, speaks)]
    return Shuffles(
        len(examples),
        score(gold, in_form_of(gold, plain)).answer_accuracy,
        figures["columns"],
        figures["rows"],
        len(along),
        100 * sum(along) / max(1, len(along)),
        len(alone),
        100 * sum(alone) / max(1, len(alone)),
    )


def _so_far(key: Key, speaks: dict[Key, bool]) -> bool:
    """Whether a program, or one before it in the conversation, speaks of the order of rows."""
    name, annotator, position = key
    return any(speaks.get((name, annotator, turn), False) for turn in range(position + 1))


def _answers(
    parser: Parser, examples: Sequence[Example], programs: bool = False
) -> tuple[dict[Key, Denotation], dict[Key, bool]]:
    """The parser's answers and, if asked for, whether each program speaks of the order of rows."""
    preparer = Preparer.of(parser.config, operators=parser.language)
    preparer.ahead(examples)
    speaking: list[bool] = []

    def best(ready: Sequence[Prepared]) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        found = parser.best(ready)
        if programs:
            chosen = zip(ready, found, strict=True)
            speaking.extend(
                depends_on_row_order(one.space.program(int(ids[0])), one.table)
                for one, ids in chosen
            )
        return found

    answers = predict([e.question for e in examples], best, preparer)
    return answers, dict(zip(answers, speaking, strict=False))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what was measured as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="folder of a run, or a model's file")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    given = parser.parse_args(arguments)
    path = given.run if given.run.is_file() else given.run / "best.safetensors"
    found = load_parser(path)[0]
    loaded = load_examples(given.data, given.split)
    print(json.dumps(asdict(measure_shuffles(found, loaded.examples)), indent=1))


if __name__ == "__main__":
    main()
