"""Decimal commas of a whole file: where one column shows them, `1.234` in another is a thousand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from denota.tables.cell_text import normalise
from denota.tables.column import Column
from denota.tables.numbers import decimal_mark, read_number


def with_decimal_commas(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns that take a comma as decimal where some show it, and none a decimal point.

    >>> share, people = Column("Share", ("12,5", "7,25")), Column("People", ("1.234", "5.678"))
    >>> [c.numbers.tolist() for c in with_decimal_commas([share, people])]
    [[12.5, 7.25], [1234.0, 5678.0]]
    >>> people.numbers.tolist()
    [1.234, 5.678]
    """
    # a mark that does not depend on what is usual is one that the column tells
    told = {decimal_mark(_numbers(column), usual="?") for column in columns}
    if "," not in told or "." in told:
        return tuple(columns)
    return tuple(replace(column, decimal=",") for column in columns)


def _numbers(column: Column) -> list[str]:
    """Return the first texts that read as numbers and have a mark in them."""
    texts = [normalise(text) for text in column.text[:_LOOK] if "," in text or "." in text]
    return [text for text in texts if read_number(text) or read_number(text, ",")]


_LOOK: Final = 1_000
