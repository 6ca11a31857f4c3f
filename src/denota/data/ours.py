"""The project's own data as splits: a directory of NAME.jsonl files, or one .jsonl file.

A tenth of the tables of a single file become `dev`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from denota.data.answer import is_right
from denota.data.dataset import BY_CELLS, DataSet
from denota.data.disk import listed
from denota.data.jsonl import read_jsonl
from denota.data.loaded import Loaded
from denota.data.parts import EVERYTHING, part_of, parts_by_table, tables_of
from denota.data.predictions import read_cell_answers, write_cell_answers
from denota.errors import DataError


def _files(path: Path) -> dict[str, Path]:
    if path.is_dir():
        files = listed(path)
        if any(file.name.startswith("tables.") and ".jsonl" in file.suffixes for file in files):
            return {}  # the tables of WikiSQL: its questions are JSON lines of another kind
        return {file.stem: file for file in files if file.suffix == ".jsonl"}
    return dict.fromkeys((EVERYTHING, "train", "dev"), path) if path.suffix == ".jsonl" else {}


def _splits(path: Path) -> tuple[str, ...]:
    if path.is_dir():
        return tuple(sorted(_files(path)))
    return (EVERYTHING, *parts_by_table(tables_of(read_jsonl(path).questions)))


def _questions(path: Path, split: str) -> Loaded:
    loaded = _part(path, split)
    return Loaded(loaded.questions, (), loaded.problems)


def _examples(path: Path, split: str) -> Loaded:
    loaded = _part(path, split)
    if not loaded.examples and not loaded.problems:
        raise DataError(
            f"{_files(path)[split]} has no answers in {split};"
            ' give turns an "answer" or "cells", or predict instead'
        )
    return loaded


def _part(path: Path, split: str) -> Loaded:
    loaded = read_jsonl(_files(path)[split])
    if path.is_dir() or split == EVERYTHING:
        return loaded
    parts = parts_by_table(tables_of(loaded.questions))
    if split not in parts:
        raise DataError(f"{path} has no split {split!r}; it has {', '.join([EVERYTHING, *parts])}")
    return part_of(loaded, parts[split])


OURS: Final = DataSet(
    "ours",
    _files,
    _splits,
    _questions,
    _examples,
    read_cell_answers,
    write_cell_answers,
    "cells",
    BY_CELLS,
    is_right,
)
