"""Texts that make a bad regular expression slow: what it repeats, repeated, and an odd ending.

A hostile text is a start, a unit that is repeated, and an end. Some suit any pattern. The others
come from the pattern itself: for each of its open repeats, a text that leads up to it is the start
and what it repeats is the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from re import _constants as codes  # type: ignore[attr-defined]  # the parse tree has no public name
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple


class Hostile(NamedTuple):
    """How a family of texts is written."""

    start: str
    unit: str
    end: str

    def of_length(self, length: int) -> str:
        """Return the text whose repeated part has a length."""
        return self.start + (self.unit * (length // len(self.unit) + 1))[:length] + self.end


UNITS: Final = (
    *("1", "1.", "1,", "1 000 ", "1,000", "1.000.", "0", "11/", "1:", "1-", "1e1"),
    *(" ", " 1", "a", "a ", "Aa", "am", "A", "-", "(", ")", "()", "[", "]", "[a]", "'", '"', "''"),
    *("=", ";", "\t", "\n", "\u00a0", "$", "%", "may ", "é", "²", "_", "\\", '\\"'),
)
"""What cells repeat."""
ENDS: Final = ("", "!", "a", ".", "\n!")


def hostile_texts(pattern: re.Pattern[Any]) -> list[Hostile]:
    """Return families of texts for a pattern, each of them once."""
    written = pattern.pattern if isinstance(pattern.pattern, str) else _latin(pattern.pattern)
    flags = pattern.flags & ~(re.UNICODE | re.LOCALE)
    found = list(_pumped(list(parser.parse(written, flags)), ""))
    own = [(start, unit) for start, unit in found if unit]
    own += [("", start + unit) for start, unit in own]  # each of them could be the beginning
    anywhere = [("", unit) for unit in UNITS]
    every = [*product(own, ENDS), *product(anywhere, ENDS[:2])]
    return list(dict.fromkeys(Hostile(*one, end) for one, end in every))


def _latin(written: bytes) -> str:
    return written.decode("latin-1")


def _pumped(tree: list[Any], start: str) -> Iterator[tuple[str, str]]:
    """Yield start and unit for each open repeat of a parse tree."""
    for code, value in tree:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            _, most, inner = value
            yield from _pumped(list(inner), start)
            if most is codes.MAXREPEAT:
                yield from ((start, unit) for unit in _units(list(inner)))
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _pumped(list(branch), start)
        elif code is codes.SUBPATTERN:
            yield from _pumped(list(value[3]), start)
        elif code is codes.ATOMIC_GROUP:
            yield from _pumped(list(value), start)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _pumped(list(value[1]), start)
        elif code is codes.GROUPREF_EXISTS:
            for branch in value[1:]:
                yield from _pumped(list(branch or ()), start)
        start += _example([(code, value)])


def _units(tree: list[Any]) -> list[str]:
    """Return texts that a repeated part matches: each character of a class, and all in a row."""
    if len(tree) == 1 and tree[0][0] is codes.IN:
        each = _members(tree[0][1])
        return [*each[:_MOST], "".join(each)]
    if len(tree) == 1 and tree[0][0] is codes.BRANCH:
        each = [_example(list(branch)) for branch in tree[0][1][1]]
        return [*each[:_MOST], "".join(each)]
    if len(tree) == 1 and tree[0][0] is codes.SUBPATTERN:
        return _units(list(tree[0][1][3]))
    if len(tree) == 1 and tree[0][0] is codes.ANY:
        return ["a", " ", ")", "a )"]
    return [_example(tree)]


def _example(tree: list[Any]) -> str:
    """Return a text that a parse tree matches, but for what it looks ahead and back at."""
    text = ""
    for code, value in tree:
        if code is codes.LITERAL:
            text += chr(value)
        elif code is codes.NOT_LITERAL:
            text += "b" if chr(value) == "a" else "a"
        elif code is codes.ANY:
            text += "a"
        elif code is codes.IN:
            text += _members(value)[0]
        elif code is codes.BRANCH:
            text += _example(list(value[1][0]))
        elif code is codes.SUBPATTERN:
            text += _example(list(value[3]))
        elif code is codes.ATOMIC_GROUP:
            text += _example(list(value))
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            text += _example(list(value[2])) * value[0]
    return text


def _members(items: list[Any]) -> list[str]:
    """Return some characters of a class."""
    if items[0][0] is codes.NEGATE:
        others = set(_members(items[1:])) if len(items) > 1 else set()
        return [c for c in "a1 -b" if c not in others] or ["é"]
    found = []
    for code, value in items:
        if code is codes.LITERAL:
            found.append(chr(value))
        elif code is codes.RANGE:
            found.append(chr(value[0]))
        elif code is codes.CATEGORY:
            found.append(_OF_CATEGORY[value])
    return found or ["a"]


_MOST: Final = 4
_OF_CATEGORY: Final = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}
