"""Tables that two data sets share, found by their rows, for names and spelling differ."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from denota.tables.table import Table


def shared_tables(tables: Mapping[str, Table], others: Iterable[Table]) -> set[str]:
    """Return the ids of the tables that share two different whole rows with one of the others.

    Rows are equal if they say the same from left to right, after lower-casing and dropping
    everything but letters and digits. A table of one row shares it if that row is all the other
    has too. Rows with less than two cells that are not empty do not count.

    >>> mine = Table.from_rows(["a", "b"], [["Oslo", "709,037"], ["Moss", "47 000"], ["Sum", ""]])
    >>> other = Table.from_rows(["x", "y"], [["MOSS", "47000"], ["oslo", "709037"]])
    >>> shared_tables({"mine": mine, "other one": Table.from_rows(["a"], [["Oslo"]])}, [other])
    {'mine'}
    """
    holders: defaultdict[str, list[int]] = defaultdict(list)
    sizes: list[int] = []
    for number, other in enumerate(others):
        rows = _rows(other)
        sizes.append(len(rows))
        for row in rows:
            holders[row].append(number)
    found = set()
    for name, table in tables.items():
        rows = _rows(table)
        common = Counter(number for row in rows for number in holders.get(row, ()))
        if any(count > 1 or len(rows) == sizes[number] == 1 for number, count in common.items()):
            found.add(name)
    return found


def _rows(table: Table) -> set[str]:
    """Return the different rows of a table as they are compared."""
    rows = zip(*(column.text for column in table.columns), strict=True)
    return {_plain(" ".join(row)) for row in rows if sum(map(bool, row)) > 1} - {""}


def _plain(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)  # SQA's copies of tables are without accents
    return _MARKS.sub("", text.lower())


_MARKS: Final = re.compile(r"[\W_]+")
