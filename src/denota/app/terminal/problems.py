"""What could not be read of a split, told on stderr."""

from __future__ import annotations

import sys

from denota.data.loaded import Loaded
from denota.errors import DataError


def report_problems(loaded: Loaded) -> None:
    """Print a line for each part of a split that could not be read."""
    for problem in loaded.problems:
        print(f"denota: {problem}", file=sys.stderr)


def checked(loaded: Loaded, answers: bool = True) -> Loaded:
    """Report problems and return the split.

    Raises:
        DataError: it has no questions, or, if answers are needed, none with an answer.
    """
    report_problems(loaded)
    if not (loaded.examples if answers else loaded.questions):
        what = "questions with an answer" if answers else "questions"
        raise DataError(f"there are no {what} in this split")
    return loaded
