"""How much two rows differ: "how much more did Oslo cost than Rome?".

The question names two values of one column. The parser is asked about the first of them alone, for
the column of numbers; the second takes its place in the same program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from denota.conversation.requests import AggregateRequest, request_in
from denota.conversation.words import LONGEST_VALUE
from denota.programs.tree import Test, Value
from denota.tables.column import Column
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise


def difference_request(question: str, table: Table) -> AggregateRequest | None:
    """Return the two values whose rows a question wants the difference of, None if it does not.

    >>> table = Table.from_rows(["City", "Cost"], [["Oslo", "120"], ["Rome", "80"]])
    >>> found = difference_request("how much more did Oslo cost than Rome?", table)
    >>> found.question, [test.argument.text for test in found.versus]
    ('how much did Oslo cost', ['Oslo', 'Rome'])
    """
    for first, second, plain in _sides(question):
        versus = _two_values(first, second, table)
        if versus is None:
            continue
        inner = request_in(plain, table)
        kind: Literal["count", "sum", "average"] = inner.kind if inner is not None else "sum"
        asked = inner.question if inner is not None and kind == "average" else plain
        noun = inner.noun if inner is not None else ()
        return replace(AggregateRequest(kind, asked, noun), versus=versus)
    return None


def _sides(question: str) -> Iterator[tuple[str, str, str]]:
    """What may be the first side, the second, and the question about the first alone."""
    more = _HOW_MUCH_MORE.search(question)
    than = _THAN.search(question)
    if more is not None and than is not None and more.end() <= than.start():
        asked = _PLAIN.get(more[2].lower(), "")
        how = f"how {asked}" if asked else f"how {more[1].lower()}"
        first = question[more.end() : than.start()]
        before = question[: more.start()]
        yield first, question[than.end() :], f"{before}{how}{first.rstrip(' ,')}"
    by = _BY_HOW_MUCH.search(question)
    if by is not None:
        yield by["first"], question[by.end() :], f"how {_PLAIN[by[2].lower()]} is {by['first']}"
    of = _DIFFERENCE.search(question)
    if of is not None:
        what, rest = of["what"] or "", question[of.end() :].rstrip(" ?.!")
        for joint in re.finditer(r",? (?:and|versus|vs\.?) ", rest):
            first, second = rest[: joint.start()], rest[joint.end() :]
            named = f"the {what} of {first}" if what else first
            yield first, second, f"what is {named}"


def _two_values(first: str, second: str, table: Table) -> tuple[Test, Test] | None:
    """Tests for a value that each side names, of one column: rather of one that names rows."""
    found = []
    for column in table.columns:
        known = {" ".join(tokenise(text)): text for text in column.values if len(text) <= 80}
        own, other = _named(first, known), _named(second, known)
        if own and other and own != other:
            found.append((_is_name(column), len(own) + len(other), column.name, own, other))
    if not found:
        return None
    *_, name, own, other = max(found, key=lambda one: one[:2])
    return Test("equal", name, Value(own)), Test("equal", name, Value(other))


def _is_name(column: Column) -> bool:
    return len(column.values) == len(column) and column.kind != "number"


def _named(side: str, known: dict[str, str]) -> str:
    """The longest value that a text names."""
    words = tokenise(side)
    for length in range(min(len(words), LONGEST_VALUE), 0, -1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if " ".join(run) in known and not set(run) <= FUNCTION_WORDS:
                return known[" ".join(run)]
    return ""


_PLAIN: Final = {
    "longer": "long",
    "shorter": "long",
    "higher": "high",
    "lower": "high",
    "bigger": "large",
    "larger": "large",
    "smaller": "large",
    "taller": "tall",
    "heavier": "heavy",
    "lighter": "heavy",
    "older": "old",
    "younger": "old",
    "faster": "fast",
    "slower": "fast",
    "deeper": "deep",
    "wider": "wide",
    "warmer": "warm",
    "colder": "warm",
}
"""What is asked of one row, where two are compared."""
_HOW_MUCH_MORE: Final = re.compile(
    rf"\bhow (much|many) (more|less|fewer|better|worse|{'|'.join(_PLAIN)})\b", re.IGNORECASE
)
_BY_HOW_MUCH: Final = re.compile(
    r"\bby how (?:much|many [\w ]+?) (?:is|are|was|were) (?P<first>.+?)"
    rf" ({'|'.join(_PLAIN)}) than\b",
    re.IGNORECASE,
)
_THAN: Final = re.compile(r"\bthan\b", re.IGNORECASE)
_DIFFERENCE: Final = re.compile(
    r"\bdifferences?\s+(?:(?:in|of)\s+(?:the\s+)?(?P<what>[\w ()%-]+?)\s+)?between\s+",
    re.IGNORECASE,
)
