"""The kinds of data sets, each told by what lies at a path."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from denota.data.dataset import DataSet
from denota.data.ours import OURS
from denota.data.parts import EVERYTHING
from denota.data.sqa import SQA
from denota.data.wikisql import WIKISQL
from denota.data.wtq import WTQ
from denota.errors import DataError

DATA_SETS: Final = (SQA, WTQ, WIKISQL, OURS)


def dataset_of(path: Path, split: str) -> DataSet:
    """Return the kind of data set a split at a path is of.

    Raises:
        DataError: there is no data at the path, or it has no such split, or two.
    """
    found = {kind.name: kind.files(path) for kind in datasets_at(path)}
    having = [kind for kind in DATA_SETS if split in found.get(kind.name, {})]
    if not having:
        known = sorted({name for files in found.values() for name in files})
        raise DataError(f"{path} has no split {split!r}; it has {', '.join(known)}")
    if len(having) > 1:
        names = sorted(found[kind.name][split].name for kind in having)
        raise DataError(f"{path} holds both {names[0]} and {names[1]}; remove or rename one")
    return having[0]


def dataset_of_file(file: Path) -> tuple[DataSet, Path, str]:
    """Return what a file of gold answers is: its kind, the path of its data set and the split.

    Raises:
        DataError: it is not a split of any data set.
    """
    if not file.is_file():
        raise DataError(f"there is no file {file}; check the path")
    for path in (file.parent, file.parent.parent, file):
        for kind in DATA_SETS:
            splits = [split for split, other in kind.files(path).items() if other == file]
            if splits:
                return kind, path, EVERYTHING if EVERYTHING in splits else splits[0]
    raise DataError(
        f"{file} is not a split of a data set: its first line is not SQA's or WTQ's,"
        " or its tables are not where they should be"
    )


def datasets_at(path: Path) -> tuple[DataSet, ...]:
    """Return the kinds of data sets at a path; a directory may mix SQA's layout with ours.

    Raises:
        DataError: there is none.
    """
    if not path.exists():
        raise DataError(f"there is nothing at {path}; check the path")
    found = tuple(kind for kind in DATA_SETS if kind.fits(path))
    if found:
        return found
    if path.is_dir():
        raise DataError(
            f"{path} holds no NAME.tsv or NAME.jsonl, no data/NAME.tsv beside csv/,"
            " and no NAME.jsonl.gz beside"
            " tables.NAME.jsonl.gz; name a directory that does, or one .jsonl file"
        )
    if path.suffix == ".tsv":
        raise DataError(
            f"{path} is one split; name its directory {path.parent} as the data and {path.stem} as"
            " the split"
        )
    raise DataError(
        f"{path} is not data; name a directory with NAME.tsv or NAME.jsonl files,"
        " or one .jsonl file"
    )
