"""Which of several tables a question is about, told by its words.

A word speaks for a table if the table's name, a column's name or a cell says it. The table with
most said of it is taken. If what is left then is said by another table alone, the question needs
both, and tables are not joined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from denota.inflect import singular
from denota.tokens import FUNCTION_WORDS, tokenise

Kind = Literal["name", "column", "value", "part"]


@dataclass(frozen=True)
class Offer:
    """A table that can be asked."""

    name: str
    columns: tuple[str, ...]
    values: frozenset[str] = frozenset()
    """Texts of some cells, as words."""


@dataclass(frozen=True)
class Choice:
    """The table of a question; it can be answered if there is no other."""

    table: str | None = None
    """The one with most said of it, None if that cannot be told."""
    other: str | None = None
    """A table that has what the first lacks, so that both would be needed."""
    lacking: str = ""
    """What only the other has: the name of a column, a value, or the table's own name."""


@dataclass(frozen=True)
class _Mention:
    kind: Kind
    words: frozenset[str]
    said: str


def choose_table(question: str, offers: Sequence[Offer], current: str | None = None) -> Choice:
    """Return the table that a question speaks of.

    Args:
        question: as it was asked.
        offers: the tables there are.
        current: the table of the question before; it stays the one unless another is named.

    >>> orders = Offer("orders", ("id", "customer_id", "amount"))
    >>> customers = Offer("customers", ("id", "name", "city"), frozenset({"oslo"}))
    >>> choose_table("how many orders are there?", [orders, customers]).table
    'orders'
    >>> choose_table("which amount did people in Oslo spend?", [orders, customers])
    Choice(table='orders', other='customers', lacking='oslo')
    """
    words = _words(_IN_ORDER.sub(" ", question.lower()))
    said = {offer.name: _mentions(words, offer) for offer in offers}
    scores = {name: sum(map(_weight, found)) for name, found in said.items()}
    if not scores:
        return Choice()
    most = max(scores.values())
    best = [name for name, score in scores.items() if score == most]
    if current in scores and (current in best or most < 1 or _BACK.search(question.lower())):
        best = [current]
    if most < 1 and current is None:
        return Choice()
    table = best[0]
    covered = frozenset(word for one in said[table] for word in one.words)
    for name, found in sorted(said.items(), key=lambda item: -scores[item[0]]):
        for one in found if name != table else ():
            if one.kind != "part" and not one.words & covered:
                return Choice(table, name, one.said)
    return Choice(table if len(best) == 1 else None)


def _weight(mention: _Mention) -> float:
    """How much a mention says; of `orders` and `order items`, the longer name if all is said."""
    return _WEIGHTS[mention.kind] + len(mention.words) - 1


def _mentions(words: tuple[str, ...], offer: Offer) -> list[_Mention]:
    """What of a table a question says; a column that is only partly said comes last."""
    asked = frozenset(words) - FUNCTION_WORDS
    found: list[_Mention] = []
    name = _content(offer.name.rpartition(".")[2])
    if name and name <= asked:
        found.append(_Mention("name", name, offer.name))
    parts: set[str] = set()
    for column in offer.columns:
        own = _content(column)
        if own and own <= asked:
            found.append(_Mention("column", own, column))
        elif own & asked:
            parts |= own & asked
    found += [_Mention("value", frozenset(v.split()), v) for v in _values(words, offer)]
    left = parts - {word for one in found for word in one.words}
    return found + [_Mention("part", frozenset({word}), word) for word in sorted(left)]


def _values(words: tuple[str, ...], offer: Offer) -> list[str]:
    """The values of a table that a question names; of those that overlap the longest."""
    found: list[str] = []
    place = 0
    while place < len(words):
        for end in range(min(len(words), place + _LONGEST), place, -1):
            text = " ".join(words[place:end])
            if text in offer.values and not set(words[place:end]) <= FUNCTION_WORDS:
                found.append(text)
                place = end - 1
                break
        place += 1
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(map(singular, tokenise(text)))


def _content(name: str) -> frozenset[str]:
    """The words of a name: `customerName` and `customer_name` have two."""
    apart = _CAMEL.sub(" ", name)
    words = frozenset(_words(apart)) - FUNCTION_WORDS
    return words - {"id", "tbl", "table"} or words


def words_of_value(text: str) -> str:
    """Return a value as `Offer.values` has it; empty if no question would name it."""
    words = _words(text) if len(text) <= 80 else ()
    named = 0 < len(words) <= _LONGEST and any(len(w) > 2 and w.isalpha() for w in words)
    return " ".join(words) if named else ""


_WEIGHTS: Final[dict[Kind, float]] = {"name": 3, "value": 2, "column": 2, "part": 0.5}
_LONGEST: Final = 6
"""Words of a value that a question may name."""
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_IN_ORDER: Final = re.compile(r"\bin order\b|\border(?:ed)? by\b")
"""Words that say how an answer is to be sorted, and no table of orders."""
_BACK: Final = re.compile(r"\b(?:those|them|these|it|that one|the same|they|their|of which)\b")
"""Words that look back at the last answer."""
