"""A table as the generator sees it: names in words, spoken values, rows by value and order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from denota.generate.called import many, names, telling_word
from denota.generate.concepts import is_yes_no
from denota.generate.naming_loose import name_loosely
from denota.generate.nouns import Naming, Noun, name_column, noun_of_table
from denota.generate.spoken import say_value, shorten, surname
from denota.inflect import plural
from denota.programs.index import ColumnIndex, index_of
from denota.tables.cell_text import is_missing
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise

MOST_VALUES: Final = 400
"""The most values of a column that are asked about: the first ones."""

Rows = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """One column; R rows, V value classes (see `denota.programs.index`)."""

    position: int
    index: ColumnIndex
    naming: Naming
    loose: bool = False
    """Whether its values may be called by a word that no other value has."""

    @property
    def name(self) -> str:
        """The column's name in the table."""
        return self.index.column.name

    @property
    def is_time(self) -> bool:
        """Whether it holds dates or years."""
        return self.naming.role == "time"

    @cached_property
    def kind(self) -> str:
        """`text`, `number` or `date`."""
        return self.index.column.kind

    @cached_property
    def unit(self) -> str:
        """The unit of its numbers."""
        return self.index.column.unit

    @cached_property
    def classes(self) -> list[int]:
        """(R,) the value class of each row."""
        classes: list[int] = self.index.classes.tolist()
        return classes

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """(V,) the text that names each class in a program."""
        return self.index.texts

    @cached_property
    def said(self) -> list[tuple[str, ...]]:
        """(V,) the ways to say each class, the fullest first; none where it is not to be said."""
        if self.loose and self.is_yes_no:  # no is a word of grammar, but here it is a value
            return [() if is_missing(text) else (text,) for text in self.texts]
        full = [say_value(text) for text in self.texts[:MOST_VALUES]]
        short = [shorten(said) for said in full]
        last = [surname(said) if self.naming.role == "person" else "" for said in full]
        kinds = [full, short, last]
        if self.loose and self.kind == "text":
            of_code, told = names(self.texts[: len(full)]), [*last]
            if self.naming.role != "person":
                told = [telling_word(said, self.index) for said in full]
            several = [many(said) for said in told] if self.naming.role == "kind" else last
            kinds = [of_code, full, short, told, several]
        counts = Counter(said for ways in zip(*kinds, strict=True) for said in {*ways})
        return [
            tuple(dict.fromkeys(said for said in ways if said and counts[said] == 1))
            for ways in zip(*kinds, strict=True)
        ] + [()] * (len(self.texts) - len(full))

    @cached_property
    def has_codes(self) -> bool:
        """Whether its values are codes of names, or names of places and people of a kind."""
        concept = self.naming.concept
        told = concept is not None and concept.name in _CALLED_OTHERWISE
        return self.kind == "text" and (told or any(names(self.texts[:MOST_VALUES])))

    @cached_property
    def is_yes_no(self) -> bool:
        """Whether its values are yes and no."""
        stated = tuple(text for text in self.texts[:4] if not is_missing(text))
        return self.kind != "date" and len(self.texts) <= 3 and is_yes_no(stated)

    @cached_property
    def order(self) -> list[float | None]:
        """(R,) what superlatives go by: numbers, or dates in days; None where there is none."""
        if self.index.order is None:
            return [None] * len(self.classes)
        return [None if math.isnan(value) else value for value in self.index.order.tolist()]

    @cached_property
    def has_commas(self) -> bool:
        """Whether its numbers are written with commas."""
        return any("," in text for text in self.texts[:MOST_VALUES])

    @cached_property
    def dates(self) -> list[tuple[int, int, int] | None]:
        """(R,) year, month and day as stated, 0 where not; None where there is no date."""
        dates = self.index.column.dates
        parts = zip(dates.year.tolist(), dates.month.tolist(), dates.day.tolist(), strict=True)
        return [
            part if known else None for part, known in zip(parts, dates.known.tolist(), strict=True)
        ]

    @cached_property
    def missing(self) -> list[bool]:
        """(R,) True where the cell has no value."""
        missing: list[bool] = self.index.column.missing.tolist()
        return missing

    @cached_property
    def words(self) -> list[tuple[str, Rows]]:
        """Words of cells of several words, each with the rows that have it.

        Shared ones where there are any.
        """
        if self.kind != "text":
            return []
        several = {
            i
            for i, text in enumerate(self.texts[:MOST_VALUES])
            if " " in text and text.isprintable()
        }
        found = []
        for word, classes in sorted(self.index.by_word.items()):
            usable = (
                len(word) > 2 and word.isalpha() and word.isascii() and word not in FUNCTION_WORDS
            )
            if usable and several.issuperset(classes):
                rows = np.flatnonzero(np.isin(self.index.classes, classes)).tolist()
                found.append((word, tuple(rows), len(classes)))
        shared = [entry for entry in found if entry[2] > 1] or found
        return [(word, rows) for word, rows, _ in shared if len(rows) < len(self.classes)]

    def say_word(self, word: str) -> str:
        """Return a word as the cells write it."""
        text = self.texts[self.index.by_word[word][0]]
        return next((part for part in text.split() if tokenise(part) == (word,)), word)


@dataclass(frozen=True, eq=False)
class TableProfile:
    """A table and its columns."""

    table: Table
    columns: tuple[ColumnProfile, ...]
    subject: ColumnProfile | None
    """The column that names what a row is about."""
    subject_nouns: tuple[Noun, ...]
    totals: frozenset[int]
    """The rows that sum up others."""

    @cached_property
    def rows(self) -> Rows:
        """All rows."""
        return tuple(range(len(self.table)))

    @cached_property
    def without_totals(self) -> Rows:
        """The rows that do not sum up others."""
        return tuple(row for row in self.rows if row not in self.totals)

    @cached_property
    def named(self) -> Rows:
        """The rows that a question can call by name: no other row has their subject's value."""
        if self.subject is None:
            return ()
        classes, said = self.subject.classes, self.subject.said
        times = Counter(classes)
        return tuple(row for row in self.rows if times[classes[row]] == 1 and said[classes[row]])

    @cached_property
    def of_people(self) -> bool:
        """Whether its rows are people, called by their names or by a code."""
        if self.subject is None or not self.subject.naming.is_id:
            return self.subject is not None and self.subject.naming.role == "person"
        told = {c.naming.concept.name for c in self.columns if c.naming.concept is not None}
        return not told.isdisjoint(("pay", "hired", "job", "gender", "born"))

    @cached_property
    def times(self) -> int:
        """The number of columns of dates or years."""
        return sum(column.is_time for column in self.columns)

    @cached_property
    def families(self) -> Counter[str]:
        """The number of columns of each family of adjectives."""
        return Counter(c.naming.family.name for c in self.columns if c.naming.family is not None)

    def asked_for(self, column: ColumnProfile) -> tuple[Noun, ...]:
        """Return the noun for the things a column names: its name, or a more telling noun."""
        of_subject = column is self.subject and self.subject_nouns != _ONES
        return self.subject_nouns if of_subject else column.naming.nouns


def profile(table: Table, plain: bool = False, loose: bool = False) -> TableProfile:
    """Make the profile of a table.

    Args:
        table: the table.
        plain: call columns by their own names alone.
        loose: call columns and values as people do in loose wording.
    """
    index = index_of(table)
    owns = [own.column for own in index.columns]
    namings = name_loosely(owns) if loose else tuple(map(name_column, owns))
    columns = tuple(
        ColumnProfile(position, own, naming, loose)
        for position, (own, naming) in enumerate(zip(index.columns, namings, strict=True))
    )
    told = {column.naming.concept.name for column in columns if column.naming.concept is not None}
    if told & _OF_PEOPLE or any(c.naming.nouns[0].one in _OF_PEOPLE for c in columns):
        columns = tuple(
            _as_person(column) if column.naming.generic else column for column in columns
        )
    if plain:
        columns = tuple(replace(column, naming=column.naming.plain()) for column in columns)
    subject = _subject(columns)
    totals = frozenset(np.flatnonzero(index.totals).tolist()) if len(table) else frozenset[int]()
    return TableProfile(table, columns, subject, _subject_nouns(table, subject), totals)


def _as_person(column: ColumnProfile) -> ColumnProfile:
    return (
        replace(column, naming=replace(column.naming, role="person"))
        if column.kind == "text"
        else column
    )


def _subject(columns: Iterable[ColumnProfile]) -> ColumnProfile | None:
    """The first column of names, places or years that are nearly all different."""
    usable: list[tuple[int, int, ColumnProfile]] = []
    for column in columns:
        rows = min(len(column.classes), MOST_VALUES)
        rank = _SUBJECT_ROLES.get(column.naming.role)
        if rank is not None and column.naming.is_id and " " not in column.naming.own.one:
            rank = max(_SUBJECT_ROLES.values()) + 1  # a bare `code` tells less than a name
        if rank is not None and rows and sum(map(bool, column.said)) >= 0.8 * rows:
            usable.append((rank, column.position, column))
    return min(usable)[2] if usable else None


def _subject_nouns(table: Table, subject: ColumnProfile | None) -> tuple[Noun, ...]:
    of_table = noun_of_table(table.name)
    if subject is None:
        return (of_table,) if of_table else ()
    if subject.naming.is_id:
        return (of_table,) if of_table else _numbered(subject.naming.own.one)
    if subject.naming.generic and subject.loose and subject.naming.role == "person":
        return (of_table,) if of_table else _PEOPLE
    if subject.naming.generic:
        return (of_table,) if of_table else _ONES
    titled = subject.naming.nouns[0].one == "title"
    return (of_table,) if titled and of_table else subject.naming.nouns


def _numbered(name: str) -> tuple[Noun, ...]:
    """What a column of codes gives codes to: orders, for an order number."""
    words = name.split()
    one = " ".join(words[:-1]) if words[-1].lower() in _OF_IDS else name
    return (Noun(one, plural(one)),) if one else (Noun("record", "records"),)


_OF_IDS: Final = ("id", "number", "code", "reference")
_CALLED_OTHERWISE: Final = frozenset(["country", "gender"])
"""Concepts of columns whose values are called otherwise: `Canadian`, `women`."""
_PEOPLE: Final = (Noun("person", "people"),)
_ONES: Final = (Noun("one", "ones"),)
_SUBJECT_ROLES: Final = {"person": 0, "thing": 0, "place": 1, "time": 2}
_OF_PEOPLE: Final = frozenset(
    [
        *("job", "pay", "boss", "experience", "born", "hired", "mail", "phone"),
        "age",
        "date of birth",
        "birth date",
        "nationality",
        "hometown",
        "occupation",
        "gender",
        "party",
    ]
)
"""Columns, and in loose wording their concepts, that tell that a table's names are people's."""
