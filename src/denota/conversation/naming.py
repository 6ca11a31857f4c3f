"""Which column names the rows of a table: what a person would call a row by."""

from __future__ import annotations

import re
from typing import Final

from denota.kept import Kept
from denota.tables.column import Column
from denota.tables.column_names import says_codes, words_of
from denota.tables.table import Table

OFTEN: Final = 0.5
"""The share of different values from which on texts can be names."""
ALWAYS: Final = 0.95
"""The share from which on dates and numbers can stand for names."""
LOOKED_AT: Final = 1_000
"""Values of a column that are looked at."""
LONGEST_NAME: Final = 60
"""Letters of a name on average; longer texts are descriptions."""
_NO_NAMES: Final = frozenset("number numbers no nr num rank place pos position index key #".split())
"""Last words of a column's name that promise a number for each row, and no name."""


def name_column(table: Table) -> int | None:
    """Return the place of the column that names rows; None if no column tells them apart.

    Such a column has different texts, few digits, and stands far left. Dates and seasons come next,
    ids and numbers last.

    >>> rows = [["1", "Oslo", "Norway"], ["2", "Moss", "Norway"], ["3", "Turku", "Finland"]]
    >>> name_column(Table.from_rows(["id", "City", "Country"], rows))
    1
    """
    found = _FOUND.get(table)
    if found is None:
        found = _FOUND.put(table, None, (_name_column(table),))
    return found[0]


_FOUND: Final[Kept[tuple[int | None]]] = Kept(256)


def _name_column(table: Table) -> int | None:
    found = [(fit, -place) for place, column in enumerate(table.columns) if (fit := _fit(column))]
    ranked = [(fit - min(0.05 * -place, 0.4), place) for fit, place in found]
    return -max(ranked)[1] if ranked else None


def _fit(column: Column) -> float:
    """How well a column names rows, by its values alone; 0 if it does not."""
    known = len(column) - int(column.missing.sum())
    share = len(column.values) / len(column) if len(column) else 0.0
    if known < len(column) / 2 or share < OFTEN:
        return 0.0
    if says_numbers(column.name):
        return share - 0.5
    if column.kind == "text":
        return share if _are_names(column) else share - 0.4
    if share < ALWAYS:
        return 0.0
    return share - (0.15 if column.kind == "date" or column.unit == "year" else 0.6)


def says_numbers(name: str) -> bool:
    """Say whether a column's name promises ids, codes, ranks or running numbers.

    >>> [says_numbers(name) for name in ("orderId", "#", "Rank", "Part no.", "Leader")]
    [True, True, True, True, False]
    """
    words = _WORD.findall(words_of(name))
    return says_codes(name) or (bool(words) and words[-1] in _NO_NAMES)


def _are_names(column: Column) -> bool:
    """Whether texts have few digits and are not too long."""
    texts = column.values[:LOOKED_AT]
    letters = sum(map(len, texts))
    digits = sum(letter.isdigit() for text in texts for letter in text[: 4 * LONGEST_NAME])
    return digits < 0.3 * letters and letters <= LONGEST_NAME * len(texts)


_WORD: Final = re.compile(r"[^\W_]+|#")
