"""Predictions by value, as the scorer of WikiTableQuestions reads them.

A line is a question: its id and the items of the answer, separated by tabs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path

from denota.data.answer import Answer, Item, Values, item_key, items_of
from denota.data.dataset import Key
from denota.data.disk import replacing
from denota.data.escaped import read_lines
from denota.data.example import Question
from denota.errors import DataError


def write_items(path: Path, predictions: Iterable[tuple[Question, Answer]]) -> None:
    """Write the items predicted for each question, in the order given.

    Tabs and line breaks in them become spaces.

    Raises:
        DataError: the file cannot be written; what stood there before is then untouched.
    """
    with replacing(path) as stream:
        for question, answer in predictions:
            items = items_of(answer, question.table)
            fields = (question.id, *(print_item(item) for item in items))
            stream.write("\t".join(map(_on_one_line, fields)) + "\n")


def write_distinct_items(path: Path, predictions: Iterable[tuple[Question, Answer]]) -> None:
    """Write predictions with each value once: of items that match, the first is written."""
    write_items(path, ((question, _distinct(answer, question)) for question, answer in predictions))


def read_items(path: Path) -> dict[Key, Answer]:
    """Read a file of predictions by value, written here or by another system.

    Raises:
        DataError: the file cannot be read, or a question is answered twice; says the line.
    """
    predictions: dict[Key, Answer] = {}
    for number, line in enumerate(read_lines(path), start=1):
        name, *items = line.split("\t")
        if not line.strip():
            continue
        if (name, "0", 0) in predictions:
            raise DataError(
                f"{path}:{number} answers the question {name} again; keep one of the two"
            )
        predictions[name, "0", 0] = Values(tuple(items))
    return predictions


def print_item(item: Item) -> str:
    """Return an item as text: a whole number without decimals, yes or no for what is true or false.

    >>> print_item(3.0), print_item(0.25), print_item(True), print_item("Oslo")
    ('3', '0.25', 'yes', 'Oslo')
    """
    if isinstance(item, str):
        return item
    if isinstance(item, bool):
        return "yes" if item else "no"
    return str(int(item)) if float(item).is_integer() and abs(item) < 1e15 else repr(float(item))


def _distinct(answer: Answer, question: Question) -> Values:
    first: dict[Hashable, Item] = {}
    for item in items_of(answer, question.table):
        first.setdefault(item_key(item), item)
    return Values(tuple(first.values()))


def _on_one_line(text: str) -> str:
    return text.replace("\t", " ").replace("\r", " ").replace("\n", " ")
