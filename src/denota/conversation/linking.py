"""The rows of a large table that a question leads to, added to its sketch.

A word of the question leads to the values of long columns that hold it, a number or a date to the
cells that state it.
"""

from __future__ import annotations

import datetime
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from denota.programs.constants import constants_in
from denota.programs.lexicon import trigger_words
from denota.tables.large import FEW, Large, grown
from denota.tables.table import Table
from denota.tokens import content, tokenise

if TYPE_CHECKING:
    from sqlglot import exp

WORDS: Final = 10
"""The most words of a question that are looked for, the longest first."""
VALUES: Final = 40
"""The most values of a column that words lead to, those with most of the words first."""
COMMON: Final = 0.1
"""A word that more of a column's values hold leads to none of them."""


def linked(table: Table, question: str) -> Table:
    """Return a table with the rows that a question leads to, if it is a sketch."""
    large = table.large
    if large is None:
        return table
    wanted: dict[int, list[exp.Expr]] = {}
    for place in sorted(large.long):
        kind = large.stored.columns[place].kind
        if kind == "text":
            wanted[place] = _with_words(large, place, _telling(table, place, question))
        else:
            wanted[place] = _stated(table, place, kind, question)
    return grown(table, large.rows_with(wanted))


def _telling(table: Table, place: int, question: str) -> list[str]:
    """The words of a question that tell values of a column apart, the longest first."""
    values = table.columns[place].values
    held = Counter(word for text in values for word in content(text))
    words = [word.text for word in constants_in(question).words if len(word.text) > 1]
    said = _said_elsewhere(table)
    words = [w for w in words if held[w] <= COMMON * len(values) and w not in said]
    return sorted(words, key=len, reverse=True)[:WORDS]


def _said_elsewhere(table: Table) -> frozenset[str]:
    """Words that speak of columns, of values of columns with few, or of operators."""
    assert table.large is not None
    few = (c for place, c in enumerate(table.columns) if place not in table.large.long)
    values = (text for column in few for text in column.values[:FEW])
    words = {word for text in (*table.names, *values) for word in tokenise(text)}
    return frozenset(words | {f"{word}s" for word in words}) | trigger_words()


def _with_words(large: Large, place: int, words: list[str]) -> list[exp.Expr]:
    """The values that hold most of some words."""
    from sqlglot import exp

    if not words:
        return []
    values = large.dictionary(place)
    if values is not None:
        return [exp.Literal.string(text) for text in values.with_words(words, VALUES)]
    lower = exp.Lower(this=large.column(place))
    tests = [exp.Like(this=lower.copy(), expression=_holding(word)) for word in words]
    hits = [
        exp.case().when(test.copy(), exp.Literal.number(1)).else_(exp.Literal.number(0))
        for test in tests
    ]
    total: exp.Expr = hits[0]
    for hit in hits[1:]:
        total = exp.Add(this=total, expression=hit)
    holding = large.select(large.column(place)).where(exp.or_(*tests)).group_by(large.column(place))
    # the shortest of those with equally many words is the nearest to them
    order = [
        exp.Ordered(this=exp.Max(this=total), desc=True),
        exp.Ordered(this=exp.Length(this=large.column(place))),
    ]
    found = large.values(holding.order_by(*order).limit(VALUES))
    return [exp.Literal.string(str(row[0])) for row in found]


def _holding(word: str) -> exp.Expr:
    from sqlglot import exp

    plain = word.replace("\\", "").replace("%", "").replace("_", "")
    return exp.Literal.string(f"%{plain}%")


def _stated(table: Table, place: int, kind: str, question: str) -> list[exp.Expr]:
    """The numbers or whole dates of a question that a column can have."""
    from sqlglot import exp

    constants, column = constants_in(question), table.columns[place]
    if kind == "number":
        low, high = np.nanmin(column.numbers), np.nanmax(column.numbers)  # its ends are there
        there = [one.value for one in constants.numbers if low <= one.value <= high]
        return [exp.Literal.number(f"{value:.15g}") for value in there]
    if kind not in ("date", "timestamp"):
        return []
    whole: list[exp.Expr] = []
    for one in constants.dates:
        try:
            day = datetime.date(one.year, one.month, one.day)
        except ValueError:  # a part of a date
            continue
        whole.append(exp.cast(exp.Literal.string(day.isoformat()), kind))
    return whole
