"""The rows of a large table that a question leads to, added to its sketch.

A word of the question leads to the values of long columns that hold it, a number or a date to the
cells that state it.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from denota.programs.constants import constants_in
from denota.programs.lexicon import trigger_words
from denota.tables.large import FEW, Large, Rows
from denota.tables.sketch import grown
from denota.tables.table import Table
from denota.tokens import content, tokenise

if TYPE_CHECKING:
    from sqlglot import exp

WORDS: Final = 10
"""The most words of a question that are looked for, the longest first."""
VALUES: Final = 40
"""The most values of a column that words lead to, those with most of the words first."""
NAMED: Final = 4
"""The most values of a column with few that are looked for together with others."""
TESTS: Final = 6
"""The most tests whose combinations are looked for."""
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
    return grown(table, [*large.rows_with(wanted), *_together(table, wanted, question)])


def _together(table: Table, wanted: Mapping[int, list[exp.Expr]], question: str) -> Rows:
    """Rows that meet several of the conditions that a question can mean, and not others."""
    from sqlglot import exp

    large = table.large
    assert large is not None
    named = {place: values for place, values in wanted.items() if values}
    asked = set(tokenise(question))
    for place in range(len(table.columns)):
        if place not in large.long:
            values = [v for v in table.columns[place].values if v and content(v)]
            there = [v for v in values if content(v) <= asked]
            literal = _literal_of(large.stored.columns[place].kind)
            if there and literal is not None:
                named[place] = [literal(value) for value in there[:NAMED]]
    tests: list[exp.Expr] = [large.column(place).isin(*own) for place, own in named.items()]
    if not tests:
        return []
    compared = [
        test for place in range(len(table.columns)) for test in _compared(table, place, question)
    ]
    every = [*tests, *compared][:TESTS]
    return large.combinations(every, exp.or_(*tests)) if len(every) > 1 else []


def _literal_of(kind: str) -> Callable[[str], exp.Expr] | None:
    from sqlglot import exp

    return {"text": exp.Literal.string, "number": exp.Literal.number}.get(kind)


def _compared(table: Table, place: int, question: str) -> list[exp.Expr]:
    """Whether a column is above a number or date of a question that lies between its ends."""
    from sqlglot import exp

    large, column = table.large, table.columns[place]
    assert large is not None
    kind, constants = large.stored.columns[place].kind, constants_in(question)
    if kind == "number" and column.kind == "number":
        low, high = np.nanmin(column.numbers), np.nanmax(column.numbers)
        found = [one.value for one in constants.numbers if low < one.value < high]
        own: list[exp.Expr] = [exp.Literal.number(f"{value:.15g}") for value in found]
    elif kind in ("date", "timestamp"):
        days = [(one.year, one.month or 1, one.day or 1) for one in constants.dates if one.year]
        texts = [f"{year:04}-{month:02}-{day:02}" for year, month, day in days]
        own = [exp.cast(exp.Literal.string(text), kind) for text in texts]
    else:
        return []
    return [exp.GT(this=large.column(place), expression=one) for one in own[:2]]


def _telling(table: Table, place: int, question: str) -> list[str]:
    """The words of a question that tell values of a column apart, the longest first."""
    values = table.columns[place].values
    held = Counter(word for text in values for word in content(text))
    words = [word.text for word in constants_in(question).words if len(word.text) > 1]
    said = _said_elsewhere(table)
    words = [w for w in words if held[w] <= COMMON * len(values)]
    words = [w for w in words if w not in said or w[0] <= "9"]  # a number may be anybody's
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
    hits = [  # long words are rare
        exp.case().when(test.copy(), exp.Literal.number(len(word))).else_(exp.Literal.number(0))
        for test, word in zip(tests, words, strict=True)
    ]
    total: exp.Expr = hits[0]
    for hit in hits[1:]:
        total = exp.Add(this=total, expression=hit)
    holding = large.select(large.column(place)).where(exp.or_(*tests)).group_by(large.column(place))
    # the shortest of those that hold as much is the nearest to it
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
    if kind == "number" and column.kind == "number":
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
