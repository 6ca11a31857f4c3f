"""Answers as people give them: values in Python and over REST, and what is typed on a line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

from denota.data.answer import Item, item_key
from denota.errors import DataError
from denota.tables.table import Cell, Table

Given = str | float | bool | Sequence[str | float | bool | None]
"""A value, or a group with its value."""


def items_in(values: Iterable[Given]) -> tuple[Item, ...]:
    """Return values as an answer has them: numbers as such, a group before its value.

    >>> items_in([4, "Oslo", True]), items_in([["Oslo", 2], ["Moss", 1]])
    ((4.0, 'Oslo', True), ('Oslo', 2.0, 'Moss', 1.0))

    Raises:
        DataError: something is neither a text nor a number nor true or false.
    """
    if isinstance(values, str):
        raise DataError("give the values as a list, such as ['Oslo', 12]")
    return tuple(item for value in values for item in _items(value))


def _items(value: Given) -> Iterable[Item]:
    parts = value if isinstance(value, list | tuple) else (value,)
    if len(parts) > 2:
        raise DataError("a group and its value are two things, such as ['Norway', 4]")
    for part in parts:
        if isinstance(part, str | bool):
            yield part
        elif part is None and len(parts) == 2:
            yield math.nan  # a group of which nothing can be computed
        else:
            yield _number(part)


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # numbers of numpy too
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{str(value)[:60]} is neither a text nor a number") from None


def typed_items(text: str, table: Table) -> tuple[Item, ...]:
    """Return the values that a line names, with semicolons or else commas between them.

    A text of the table or a number may have commas of its own.

    >>> table = Table.from_rows(["City"], [["Oslo, Norway"], ["Moss"]])
    >>> lines = ("oslo, norway", "Moss, Bergen", "1,200")
    >>> tuple(typed_items(line, table) for line in lines)
    (('oslo, norway',), ('Moss', 'Bergen'), (1200.0,))

    Raises:
        DataError: the line is empty.
    """
    parts = [text]
    if ";" in text:
        parts = text.split(";")
    elif "," in text and not _is_whole(text, table):
        parts = text.split(",")
    parts = [part.strip() for part in parts if part.strip()]
    if not parts:
        raise DataError("name the right answer: `:teach Oslo, Bergen`, or `:teach 0:1, 2:1`")
    return tuple(map(typed_item, parts))


def typed_item(text: str) -> Item:
    """Return what was typed as a number if it is one, else as the text it is.

    >>> typed_item("12"), typed_item("-1,234.5"), typed_item("12 km"), typed_item("007")
    (12.0, -1234.5, '12 km', '007')
    """
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else text


def typed_cells(text: str) -> frozenset[Cell] | None:
    """Return the cells that a line names as `row:column`, None if it names none.

    >>> sorted(typed_cells("0:1, 2:1")), typed_cells("Oslo")
    ([(0, 1), (2, 1)], None)
    """
    places = [re.fullmatch(r"(\d{1,9}):(\d{1,9})", part.strip()) for part in text.split(",")]
    if not all(places):
        return None
    return frozenset((int(found[1]), int(found[2])) for found in places if found)


def _is_whole(text: str, table: Table) -> bool:
    """Whether a line with commas is one number, or the text of one cell."""
    key = item_key(text)
    if isinstance(key, float):
        return True
    return any(item_key(value) == key for column in table.columns for value in column.values)


_NUMBER: Final = re.compile(
    r"[+-]?(?:(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]{0,14})(?:\.[0-9]+)?|\.[0-9]+)"
)
