"""Where the data of a command lies, and which part of it is meant.

DATA is a directory with NAME.tsv (SQA) or NAME.jsonl (ours) a split, or one .jsonl file, a tenth of whose tables becomes `dev`.
Splitting by table, not by question, keeps a dev question from being about a table seen in training.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from denota.data.disk import unreadable
from denota.data.example import Example, Question
from denota.data.jsonl import read_jsonl
from denota.data.loaded import Loaded
from denota.data.sqa import read_examples, read_questions
from denota.errors import DataError


def resolve_data(explicit: str | Path | None, environ: Mapping[str, str]) -> Path:
    """Return where the data lies: what was asked for, else what `DENOTA_DATA` says.

    Raises:
        DataError: neither says, or there is nothing there.
    """
    said = str(explicit or "") or environ.get(ENVIRONMENT, "").strip()
    if not said:
        raise DataError(
            f"there is no data to read; pass --data with a directory or a .jsonl file, or set {ENVIRONMENT} to one"
        )
    path = Path(said).expanduser()
    if not path.exists():
        source = "--data" if explicit else ENVIRONMENT
        raise DataError(f"there is nothing at {path}, which {source} names; check the path")
    return path


def load_questions(data: str | Path, split: str) -> Loaded:
    """Load the questions of a split and no answers.

    The problems are those of the whole file, whichever split the line would belong to.

    Raises:
        DataError: there is no such split, or its file cannot be read.
    """
    file = _file_of(Path(data), split)
    if file.suffix == ".tsv":
        return Loaded(read_questions(file))
    loaded = _read_part(Path(data), file, split)
    return Loaded(loaded.questions, (), loaded.problems)


def load_examples(data: str | Path, split: str) -> Loaded:
    """Load a split with its answers; questions without one are among its `questions` only.

    Raises:
        DataError: there is no such split, its file cannot be read, or it has no answers.
    """
    file = _file_of(Path(data), split)
    if file.suffix == ".tsv":
        examples = read_examples(file)
        return Loaded(tuple(example.question for example in examples), examples)
    loaded = _read_part(Path(data), file, split)
    if not loaded.examples and not loaded.problems:
        raise DataError(
            f'{file} has no answers in {split}; give turns an "answer" or "cells", or predict instead'
        )
    return loaded


def split_names(data: str | Path) -> tuple[str, ...]:
    """Return the names of the splits there are, sorted.

    Raises:
        DataError: there is no data at the path.
    """
    data = Path(data)
    if data.is_dir():
        return tuple(sorted({file.stem for file in _files(data)}))
    return (EVERYTHING, *_parts(read_jsonl(_checked_file(data)).questions))


ENVIRONMENT: Final = "DENOTA_DATA"
EVERYTHING: Final = "all"


def _files(directory: Path) -> list[Path]:
    try:
        return [
            f for f in sorted(directory.iterdir()) if f.suffix in (".tsv", ".jsonl") and f.is_file()
        ]
    except OSError as error:
        raise unreadable(directory, error) from error


def _checked_file(data: Path) -> Path:
    if not data.exists():
        raise DataError(f"there is nothing at {data}; check the path")
    if data.suffix == ".tsv":
        raise DataError(
            f"{data} is one split; name its directory {data.parent} as the data and {data.stem} as the split"
        )
    if data.suffix != ".jsonl":
        raise DataError(
            f"{data} is not data; name a directory with NAME.tsv or NAME.jsonl files, or one .jsonl file"
        )
    return data


def _file_of(data: Path, split: str) -> Path:
    """Return the file a split is in or part of."""
    if not data.is_dir():
        return _checked_file(data)
    files = _files(data)
    if not files:
        raise DataError(
            f"{data} holds no NAME.tsv or NAME.jsonl; name a directory that does, or one .jsonl file"
        )
    found = [file for file in files if file.stem == split]
    if not found:
        raise _unknown(data, split, sorted({file.stem for file in files}))
    if len(found) > 1:
        raise DataError(
            f"{data} holds both {found[0].name} and {found[1].name}; remove or rename one"
        )
    return found[0]


def _read_part(data: Path, file: Path, split: str) -> Loaded:
    loaded = read_jsonl(file)
    if file != data or split == EVERYTHING:
        return loaded
    parts = _parts(loaded.questions)
    if split not in parts:
        raise _unknown(data, split, [EVERYTHING, *parts])
    tables = parts[split]

    def belongs(question: Question) -> bool:
        return _table_key(question) in tables

    examples: tuple[Example, ...] = tuple(e for e in loaded.examples if belongs(e.question))
    return Loaded(tuple(filter(belongs, loaded.questions)), examples, loaded.problems)


def _parts(questions: Iterable[Question]) -> dict[str, frozenset[str]]:
    """Divide the tables: the tenth with the smallest hashes is dev, so a table added later moves at most one other."""
    tables = sorted({_table_key(question) for question in questions}, key=_hash)
    if len(tables) < 2:
        return {"train": frozenset(tables)}
    tenth = max(1, round(len(tables) / 10))
    return {"dev": frozenset(tables[:tenth]), "train": frozenset(tables[tenth:])}


def _table_key(question: Question) -> str:
    return posixpath.normpath(question.table_file)  # ./a.csv and a.csv are one table


def _hash(table: str) -> bytes:
    return hashlib.sha256(table.encode()).digest()


def _unknown(data: Path, split: str, known: list[str]) -> DataError:
    return DataError(f"{data} has no split {split!r}; it has {', '.join(known)}")
