"""The words of a table: one index for spelling, mentions, requests and declining."""

from __future__ import annotations

import unicodedata
import weakref
from collections import defaultdict
from functools import cached_property
from typing import Final

from denota.inflect import singular
from denota.programs.operators import SCOPES
from denota.tables.column import Column
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

LONGEST_VALUE: Final = 6
"""Words of a value that a question may name."""
_LONG_FORMS: Final = (("avg", "average"), ("ave", "average"), ("tot", "total"))


def words_of(table: Table) -> TableWords:
    """Return the index of a table's words, made at the first call and kept as long as the table."""
    key = id(table)
    entry = _KNOWN.get(key)
    if entry is None or entry[0]() is not table:
        known = _KNOWN
        reference = weakref.ref(table, lambda _: known.pop(key, None))
        entry = known[key] = (reference, TableWords(table))
    return entry[1]


class TableWords:
    """What a table's names and cells say, by word and by value."""

    def __init__(self, table: Table) -> None:
        self._columns = table.columns
        self.has_totals = len(SCOPES["without_totals"].meaning(table, ())) < len(table)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of the column names, short forms written out; `total` if a row says so."""
        found = {word for column in self._columns for word in words_of_name(column)}
        return frozenset(found | {"total"} if self.has_totals else found)

    @cached_property
    def all(self) -> frozenset[str]:
        """The words of names and texts, in the singular as well."""
        found = set()
        for column in self._columns:
            for text in _texts(column):
                for word in tokenise(text):
                    found |= {word, singular(word)}
        return frozenset(found)

    @cached_property
    def values(self) -> frozenset[str]:
        """The texts of cells as words; a number is told by what the question says instead."""
        found = set()
        for column in self._columns:
            for text in column.values if column.kind != "number" else ():
                words = tokenise(text) if len(text) <= 80 else ()
                if 0 < len(words) <= LONGEST_VALUE and any(len(word) > 2 for word in words):
                    found.add(" ".join(words))
        return frozenset(found)

    @cached_property
    def by_letter(self) -> dict[str, dict[str, str]]:
        """The longer words by their first letter, each under its form without accents."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for column in self._columns:
            for text in _texts(column):
                for word in tokenise(text[:200]):
                    if len(word) > 3 and word not in FUNCTION_WORDS:
                        folded = fold(word)
                        found[folded[:1]].setdefault(folded, word)
        return dict(found)


def words_of_name(column: Column) -> set[str]:
    """Return the words of a column's name, short forms written out.

    >>> sorted(words_of_name(Column("Avg. fat %", ("1", "2"))))
    ['average', 'avg', 'fat', 'percent', 'percentage', 'proportion', 'share']
    """
    words = set(tokenise(column.name))
    if "%" in column.name or column.unit == "%":
        words |= {"percent", "percentage", "proportion", "share"}
    return words | {long for short, long in _LONG_FORMS if short in words}


def fold(word: str) -> str:
    """Return a word without accents.

    >>> fold("Besançon")
    'Besancon'
    """
    apart = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _texts(column: Column) -> tuple[str, ...]:
    return (column.name,) if column.kind == "number" else (column.name, *column.values)


_KNOWN: dict[int, tuple[weakref.ref[Table], TableWords]] = {}
