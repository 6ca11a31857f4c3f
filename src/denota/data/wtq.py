r"""WikiTableQuestions (Pasupat and Liang 2015): `data/NAME.tsv` beside a folder `csv` of tables.

    id  utterance  context  targetValue

The items of an answer are separated by `|`. A context names a .csv; the .tsv beside it says the
same without quoting and is read where it is there. Every question is a conversation of its own.
"""

from __future__ import annotations

import csv
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from denota.data.answer import Values, is_right
from denota.data.dataset import BY_VALUES, DataSet, Release
from denota.data.disk import listed
from denota.data.escaped import read_lines, unescape
from denota.data.example import Example, Question
from denota.data.items import read_items, write_distinct_items
from denota.data.loaded import Loaded
from denota.errors import DataError
from denota.tables.table import Table


def read_wtq_questions(path: Path) -> tuple[Question, ...]:
    """Read the questions of a file `data/NAME.tsv`, with or without answers, in the file's order.

    Raises:
        DataError: the file or a table it names cannot be read; says the line.
    """
    return tuple(question for _, question in _read(path, _QUESTION_COLUMNS))


def read_wtq_examples(path: Path) -> tuple[Example, ...]:
    """Read a file `data/NAME.tsv` with answers.

    Raises:
        DataError: the file or a table it names cannot be read, or it has no answers; says the line.
    """
    if _ANSWER not in _header(path):
        raise DataError(f"{path} has no answers; use a split that has them, or predict instead")
    return tuple(
        Example(question, Values(tuple(map(unescape, record.fields[_ANSWER].split("|")))))
        for record, question in _read(path, (*_QUESTION_COLUMNS, _ANSWER))
    )


_QUESTION_COLUMNS: Final = ("id", "utterance", "context")
_ANSWER: Final = "targetValue"


class _Record(NamedTuple):
    place: str
    fields: dict[str, str]


def _read(path: Path, wanted: tuple[str, ...]) -> list[tuple[_Record, Question]]:
    """Read the records of a file as questions; tables are read once and shared."""
    root = path.parent.parent
    tables: dict[str, Table] = {}
    taken: dict[str, str] = {}
    read = []
    for record in _records(path, wanted):
        name, text, context = (unescape(record.fields[column]) for column in _QUESTION_COLUMNS)
        if not text.strip():
            raise DataError(f"{record.place} has an empty question; mend or remove the row")
        if name in taken:
            raise DataError(
                f"{record.place} has the id {name!r}, which {taken[name]} has;"
                " remove one of the two"
            )
        taken[name] = record.place
        if context not in tables:
            tables[context] = _read_table(record.place, root, context)
        read.append((record, Question(name, "0", 0, text, tables[context], context)))
    return read


def _records(path: Path, wanted: tuple[str, ...]) -> list[_Record]:
    header = _header(path)
    missing = [name for name in wanted if name not in header]
    if missing:
        raise DataError(
            f"the first line of {path} lacks {', '.join(map(repr, missing))};"
            " it should name the columns"
            f" {' '.join(wanted)}, separated by tabs"
        )
    records = []
    for number, line in enumerate(read_lines(path)[1:], start=2):
        if line:
            fields = line.split("\t")
            if len(fields) != len(header):
                raise DataError(
                    f"{path}:{number} has {len(fields)} fields where the header has {len(header)};"
                    " mend or remove the row"
                )
            records.append(_Record(f"{path}:{number}", dict(zip(header, fields, strict=True))))
    return records


def _header(path: Path) -> tuple[str, ...]:
    return tuple(next(iter(read_lines(path)), "").split("\t"))


def _read_table(place: str, root: Path, context: str) -> Table:
    # A data file comes from elsewhere: it may name tables of its own release and nothing else on
    # the disk.
    parts = PurePosixPath(context).parts
    if not parts or context.startswith("/") or ".." in parts or any(c in context for c in "\\:\0"):
        raise DataError(
            f"{place} names the table {context!r}, which is not a path inside {root}; mend the row"
        )
    plain = (root / context).with_suffix(".tsv")
    try:
        if plain.is_file():
            rows = [[unescape(c) for c in line.split("\t")] for line in read_lines(plain)]
        else:
            lines = (line + "\n" for line in read_lines(root / context))
            rows = list(csv.reader(lines, doublequote=False, escapechar="\\"))
    except (DataError, csv.Error) as error:
        raise DataError(f"{place} names a table that cannot be read: {error}") from error
    if len(rows) < 2:
        raise DataError(f"{place} names the table {context}, which has no rows; check the release")
    if any(len(row) != len(rows[0]) for row in rows):
        raise DataError(
            f"{place} names the table {context}, whose rows differ in length; check the release"
        )
    return Table.from_rows(rows[0], rows[1:], PurePosixPath(context).name)


def _files(path: Path) -> dict[str, Path]:
    if not (path / "csv").is_dir() or not (path / "data").is_dir():
        return {}
    files = (file for file in listed(path / "data") if file.suffix == ".tsv")
    return {file.stem: file for file in files if "utterance" in _first_line(file)}


def _first_line(file: Path) -> list[str]:
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as stream:
            return stream.readline().rstrip("\r\n").split("\t")
    except OSError:
        return []


def _splits(path: Path) -> tuple[str, ...]:
    return tuple(sorted(_files(path)))


def _questions(path: Path, split: str) -> Loaded:
    return Loaded(read_wtq_questions(_files(path)[split]))


def _examples(path: Path, split: str) -> Loaded:
    examples = read_wtq_examples(_files(path)[split])
    return Loaded(tuple(example.question for example in examples), examples)


WTQ: Final = DataSet(
    "wtq",
    _files,
    _splits,
    _questions,
    _examples,
    read_items,
    write_distinct_items,
    "values",
    BY_VALUES,
    is_right,
    Release(
        "WikiTableQuestions",
        "https://github.com/ppasupat/WikiTableQuestions/releases/download/v1.0.2/WikiTableQuestions-1.0.2-compact.zip",
        "data/training.tsv",
        "csv",
        ("data/training.tsv", "data/pristine-unseen-tables.tsv"),
        read_wtq_questions,
    ),
)
