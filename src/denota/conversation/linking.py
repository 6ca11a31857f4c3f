"""The rows of a large table that a question leads to, added to its sketch.

A word of the question leads to the values of long columns that hold it, a number or a date to the
cells that state it.
"""

from __future__ import annotations

import datetime
from collections import Counter
from typing import TYPE_CHECKING, Final

from denota.programs.constants import constants_in
from denota.tables.large import Large, Rows, grown
from denota.tables.table import Table
from denota.tokens import content

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
    found: Rows = []
    for place in sorted(large.long):
        kind = large.stored.columns[place].kind
        if kind == "text":
            words = _telling(table, place, question)
            found += _with_words(large, place, words) if words else []
        else:
            stated = _stated(kind, question)
            if stated:
                among = large.column(place).isin(*stated)
                found += large.one_of_each(place, among, VALUES)
    return grown(table, found)


def _telling(table: Table, place: int, question: str) -> list[str]:
    """The words of a question that tell values of a column apart, the longest first."""
    values = table.columns[place].values
    held = Counter(word for text in values for word in content(text))
    words = [word.text for word in constants_in(question).words if len(word.text) > 1]
    words = [word for word in words if held[word] <= COMMON * len(values)]
    return sorted(words, key=len, reverse=True)[:WORDS]


def _with_words(large: Large, place: int, words: list[str]) -> Rows:
    """A row for each of the values that hold most of some words."""
    from sqlglot import exp

    lower = exp.Lower(this=large.column(place))
    tests = [exp.Like(this=lower.copy(), expression=_holding(word)) for word in words]
    hits = [
        exp.case().when(test.copy(), exp.Literal.number(1)).else_(exp.Literal.number(0))
        for test in tests
    ]
    total: exp.Expr = hits[0]
    for hit in hits[1:]:
        total = exp.Add(this=total, expression=hit)
    values = large.select(large.column(place)).where(exp.or_(*tests)).group_by(large.column(place))
    # the shortest of those with equally many words is the nearest to them
    order = [
        exp.Ordered(this=exp.Max(this=total), desc=True),
        exp.Ordered(this=exp.Length(this=large.column(place))),
    ]
    texts = [str(row[0]) for row in large.values(values.order_by(*order).limit(VALUES))]
    if not texts:
        return []
    among = large.column(place).isin(*map(exp.Literal.string, texts))
    return large.one_of_each(place, among, VALUES)


def _holding(word: str) -> exp.Expr:
    from sqlglot import exp

    plain = word.replace("\\", "").replace("%", "").replace("_", "")
    return exp.Literal.string(f"%{plain}%")


def _stated(kind: str, question: str) -> list[exp.Expr]:
    """The numbers or whole dates of a question, as a column of that kind has them."""
    from sqlglot import exp

    constants = constants_in(question)
    if kind == "number":
        return [exp.Literal.number(f"{one.value:.15g}") for one in constants.numbers]
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
