"""Predictions in the official SQA format, which the release's own scorer reads too.

id  annotator  position  answer_coordinates
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from denota.data.answer import Answer, Cells
from denota.data.coordinates import parse_cells, print_cells
from denota.data.dataset import Key
from denota.data.disk import replacing
from denota.data.example import Question
from denota.data.tsv import read_records
from denota.errors import DataError
from denota.tables.table import Cell


def write_predictions(
    path: str | Path, predictions: Iterable[tuple[Question, Collection[Cell]]]
) -> None:
    """Write the cells predicted for each question, in the order given.

    Raises:
        DataError: the file cannot be written; what stood there before is then untouched.
    """
    with replacing(Path(path)) as stream:
        rows = csv.writer(stream, delimiter="\t", lineterminator="\n")
        quoted = csv.writer(stream, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_ALL)
        rows.writerow(_HEADER)
        for question, cells in predictions:
            # The csv module leaves a carriage return bare where lines end without one.
            fit = quoted if "\r" in question.id + question.annotator else rows
            fit.writerow((question.id, question.annotator, question.position, print_cells(cells)))


def read_predictions(path: str | Path) -> dict[Key, frozenset[Cell]]:
    """Read a prediction file, written here or by another system.

    More columns than the four are passed over.

    Raises:
        DataError: the file cannot be read, or a row is no prediction or repeats one; says the line.
    """
    predictions: dict[Key, frozenset[Cell]] = {}
    for record in read_records(Path(path), _HEADER):
        key = (*record.sequence, record.position)
        cells = parse_cells(record.fields["answer_coordinates"])
        if cells is None:
            raise DataError(
                f"{record.place} has no list of coordinates like ['(0, 1)']; write [] for no answer"
            )
        if key in predictions:
            raise DataError(
                f"{record.place} answers the question {' '.join(map(str, key))} again;"
                " keep one of the two"
            )
        predictions[key] = frozenset(cells)
    return predictions


def write_cell_answers(path: Path, predictions: Iterable[tuple[Question, Answer]]) -> None:
    """Write predictions that are answers; values are no cells."""
    write_predictions(
        path,
        (
            (question, answer.cells if isinstance(answer, Cells) else ())
            for question, answer in predictions
        ),
    )


def read_cell_answers(path: Path) -> dict[Key, Answer]:
    """Read predictions as answers."""
    return {key: Cells(cells) for key, cells in read_predictions(path).items()}


_HEADER: Final = ("id", "annotator", "position", "answer_coordinates")
