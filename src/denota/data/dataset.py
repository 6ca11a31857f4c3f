"""A data set: where its splits lie, how they are read, how predictions are written and judged.

Each kind is declared once, in the file that reads it, and listed in `datasets`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from denota.data.answer import Answer, Item, Values
from denota.data.example import Question
from denota.data.loaded import Loaded

Key = tuple[str, str, int]
"""The key of a question: id, annotator, position."""
BY_CELLS: Final = (
    "answer_accuracy",
    "sequence_accuracy",
    "position_accuracy",
    "denotation_accuracy",
    "questions",
    "sequences",
)
BY_VALUES: Final = ("denotation_accuracy", "questions")


@dataclass(frozen=True, slots=True)
class Release:
    """An official release that can be fetched."""

    title: str
    url: str
    last: str  #: the file whose being there says that all is
    tables: str  #: the folder of its tables
    counted: tuple[str, ...]  #: the files of its questions, where they are there
    read_questions: Callable[[Path], tuple[Question, ...]]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A kind of data set; `path` is a directory, or a file where one file holds it all."""

    name: str
    files: Callable[[Path], Mapping[str, Path]]
    """The splits that may be at a path, each with the file it is in or part of.

    Empty where the path is no such data set.
    """
    splits: Callable[[Path], tuple[str, ...]]
    """The names of the splits that are at a path, sorted."""
    questions: Callable[[Path, str], Loaded]
    """The questions of a split, without answers."""
    examples: Callable[[Path, str], Loaded]
    """A split with its answers."""
    read_predictions: Callable[[Path], dict[Key, Answer]]
    write_predictions: Callable[[Path, Iterable[tuple[Question, Answer]]], None]
    answers: Literal["cells", "values"]
    """The form of a prediction."""
    figures: tuple[str, ...]
    """The figures that its official metrics give."""
    is_right: Callable[[Sequence[Item], Values], bool]
    """Whether items are the gold values, by its official rule."""
    release: Release | None = None

    def fits(self, path: Path) -> bool:
        """Say whether a path holds such a data set."""
        return bool(self.files(path))
