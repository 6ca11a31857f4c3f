"""The SQA release: tab-separated questions beside a directory of tables.

    id  annotator  position  question  table_file  answer_coordinates  answer_text

Row 0 of a coordinate is the first row after the header. `table_file` is relative to the file that
names it. In all of the release the cells' text is letter for letter the answer text; reading lets
white space and order differ and nothing else.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from denota.data.answer import Cells, is_right
from denota.data.coordinates import parse_cells
from denota.data.dataset import BY_CELLS, DataSet, Release
from denota.data.disk import listed
from denota.data.example import Example, Question
from denota.data.loaded import Loaded
from denota.data.predictions import read_cell_answers, write_cell_answers
from denota.data.tsv import Record, read_header, read_records
from denota.errors import DataError, TableError
from denota.tables.io import read_table
from denota.tables.table import Cell, Table


def read_questions(path: str | Path) -> tuple[Question, ...]:
    """Read the questions of an SQA file, which may or may not have answers, in the file's order.

    Raises:
        DataError: the file or a table it names cannot be read; says the line.
    """
    return _questions(list(read_records(Path(path), _QUESTION_COLUMNS)))


def read_examples(path: str | Path) -> tuple[Example, ...]:
    """Read an SQA file with answers, and check every answer against its table and its own text.

    Raises:
        DataError: a file cannot be read, has no answers, or an answer does not fit its table; says
            the line.
    """
    path = Path(path)
    header = read_header(path)
    if set(_QUESTION_COLUMNS) <= set(header) and not set(_ANSWER_COLUMNS) <= set(header):
        raise DataError(f"{path} has no answers; use a split that has them, or predict instead")
    records = list(read_records(path, _QUESTION_COLUMNS + _ANSWER_COLUMNS))
    return tuple(
        Example(question, Cells(_answer(record, question.table)))
        for record, question in zip(records, _questions(records), strict=True)
    )


_QUESTION_COLUMNS: Final = ("id", "annotator", "position", "question", "table_file")
_ANSWER_COLUMNS: Final = ("answer_coordinates", "answer_text")


def _questions(records: Sequence[Record]) -> tuple[Question, ...]:
    """Turn records into questions: tables are read once, histories gathered by conversation."""
    tables: dict[str, Table] = {}
    asked: dict[tuple[str, str], dict[int, Record]] = {}
    for record in records:
        file = record.fields["table_file"]
        if file not in tables:
            tables[file] = _read_table(record, file)
        turns = asked.setdefault(record.sequence, {})
        _check_turn(record, turns)
        turns[record.position] = record
    return tuple(
        Question(
            *record.sequence,
            record.position,
            record.fields["question"],
            tables[record.fields["table_file"]],
            record.fields["table_file"],
            _history(asked[record.sequence], record.position),
        )
        for record in records
    )


def _read_table(record: Record, file: str) -> Table:
    # A data file comes from elsewhere: it may name tables of its own release and nothing else on
    # the disk.
    directory = record.path.parent
    parts = PurePosixPath(file).parts
    if not parts or file.startswith("/") or ".." in parts or any(c in file for c in "\\:\0"):
        raise DataError(
            f"{record.place} names the table {file!r}, which is not a path inside {directory};"
            " mend the row"
        )
    try:
        path = os.path.join(directory, file)
        return read_table(path, format="csv", encoding="utf-8", delimiter=",", tidy=False)
    except TableError as error:
        raise DataError(f"{record.place} names a table that cannot be read: {error}") from error


def _check_turn(record: Record, earlier: dict[int, Record]) -> None:
    """Check that a question is one, and goes with the rows of its conversation seen so far."""
    if not record.fields["question"].strip():
        raise DataError(f"{record.place} has an empty question; mend or remove the row")
    if record.position in earlier:
        raise DataError(
            f"{record.place} repeats position {record.position} of the conversation"
            f" {' '.join(record.sequence)},"
            f" which line {earlier[record.position].line} has; remove one of the two"
        )
    first = next(iter(earlier.values()), record)
    if first.fields["table_file"] != record.fields["table_file"]:
        raise DataError(
            f"{record.place} asks about {record.fields['table_file']} in a conversation about"
            f" {first.fields['table_file']} (line {first.line}); a conversation has one table"
        )


def _history(turns: dict[int, Record], position: int) -> tuple[str, ...]:
    return tuple(turns[p].fields["question"] for p in sorted(turns) if p < position)


def _answer(record: Record, table: Table) -> frozenset[Cell]:
    printed = record.fields["answer_coordinates"]
    cells = parse_cells(printed)
    if cells is None:
        raise DataError(
            f"{record.place} has the answer coordinates {_shorten(printed)};"
            " they must be a list like ['(0, 1)']"
        )
    rows, columns = table.shape
    for row, column in cells:
        if row >= rows or column >= columns:
            raise DataError(
                f"{record.place} has the answer cell ({row}, {column})"
                f" outside {record.fields['table_file']} ({rows} rows, {columns} columns);"
                " check that the tables are those of this release"
            )
    _check_text(record, [table.cell(row, column) for row, column in cells])
    return frozenset(cells)


def _check_text(record: Record, found: Sequence[str]) -> None:
    printed = record.fields["answer_text"]
    if printed == repr(found):  # the release prints its lists this way: nearly every row ends here
        return
    try:
        texts = ast.literal_eval(printed)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        texts = None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DataError(
            f"{record.place} has the answer text {_shorten(printed)};"
            " it must be a list like ['text']"
        )
    stated, there = _bag(texts), _bag(found)
    if stated != there:
        odd = next(iter((stated - there) or (there - stated)))
        raise DataError(
            f"{record.place} and {record.fields['table_file']} disagree about the answer"
            f" {_shorten(odd)};"
            " check that the tables are those of this release"
        )


def _bag(texts: Iterable[str]) -> Counter[str]:
    return Counter(" ".join(text.split()) for text in texts)


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _files(path: Path) -> dict[str, Path]:
    if not path.is_dir():
        return {}
    return {file.stem: file for file in listed(path) if file.suffix == ".tsv" and _is_split(file)}


def _is_split(file: Path) -> bool:
    """Tell a split from other tab-separated files.

    One that cannot be read counts, so that reading it says why.
    """
    try:
        header = read_header(file)
    except DataError:
        return True
    return not header or "table_file" in header


def _splits(path: Path) -> tuple[str, ...]:
    return tuple(sorted(_files(path)))


def _split_questions(path: Path, split: str) -> Loaded:
    return Loaded(read_questions(_files(path)[split]))


def _split_examples(path: Path, split: str) -> Loaded:
    examples = read_examples(_files(path)[split])
    return Loaded(tuple(example.question for example in examples), examples)


SQA: Final = DataSet(
    "sqa",
    _files,
    _splits,
    _split_questions,
    _split_examples,
    read_cell_answers,
    write_cell_answers,
    "cells",
    BY_CELLS,
    is_right,
    Release(
        "SQA",
        "https://download.microsoft.com/download/1/D/C/1DC270D2-1B53-4A61-A2E3-88AB3E4E6E1F/SQA%20Release%201.0.zip",
        "train.tsv",
        "table_csv",
        ("train.tsv", "test.tsv"),
        read_questions,
    ),
)
