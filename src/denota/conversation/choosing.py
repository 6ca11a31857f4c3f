"""Which of a question's best programs is taken: the parser's order, put right by what a person would notice.

A parser learnt from one set of tables and questions. Its second guess is often better where the first passes over a value that the question names, drops rows because others are like them,
or leaves out some of several equal ones. Each rule was measured on SQA's dev questions, where it does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from denota.conversation.mentions import unused
from denota.conversation.rating import RatedProgram
from denota.conversation.requests import Wish
from denota.programs.denotation import Denotation
from denota.programs.lexicon import follow_up_phrases
from denota.programs.operators import SCOPES, TESTS
from denota.programs.tree import Number, Program, Test
from denota.tables.table import Table
from denota.tokens import tokenise

LIKELY: Final = 0.3
"""A program with this share of the best one's probability may be taken for what it says of the question."""
POSSIBLE: Final = 0.02
"""The same where a value is computed: nobody notices rows too many or too few in a sum."""


def in_order(
    rated: Sequence[RatedProgram], question: str, named: Sequence[str], wish: Wish | None
) -> list[RatedProgram]:
    """Return a question's best programs, the one to take first.

    Args:
        rated: by the parser, best first.
        question: as the parser was asked.
        named: the values and numbers that it names.
        wish: what is to be computed, if anything.
    """
    ways = [way for way in rated if not _is_half_a_number(way.program, question)] or list(rated)
    if wish is not None:
        return _for_a_value(ways, question, named, wish)
    once = _EACH_ONCE.search(question) is not None

    def rank(way: RatedProgram) -> tuple[bool, int]:
        likely = way.probability >= LIKELY * ways[0].probability
        drops = not once and _has(way.program, ("distinct",))
        return drops, len(unused(named, way.program)) if likely else len(named) + 1

    return sorted(ways, key=rank)


def _for_a_value(
    ways: list[RatedProgram], question: str, named: Sequence[str], wish: Wish
) -> list[RatedProgram]:
    """First those that the question bears out, those that single out a row by rank last: a column may be called "First ascent".

    Of these first those that go on with the last answer, where the question says "of those". All rows are taken only if no possible program says more of the question, for
    parsers learn that first questions often ask for whole columns.
    """
    asked = f" {' '.join(tokenise(question))} "
    those = any(f" {words} " in asked for words in follow_up_phrases("conversation"))
    best = ways[0].probability

    def rank(way: RatedProgram) -> tuple[bool, int, bool]:
        possible = way.probability >= POSSIBLE * best
        follows = SCOPES[way.program.scope].follows
        ranks = wish.kind != "count" and len(way.answer.rows) == 1 and _has(way.program, _BY_RANK)
        left_out = len(unused(named, way.program)) if possible else len(named) + 1
        return those and not follows, left_out, not (possible and way.grounded and not ranks)

    order = sorted(ways, key=rank)
    first = order[0]
    if first.program.where is not None:
        return order
    possible = [way for way in order if way.probability >= POSSIBLE * first.probability]
    chosen = min(possible, key=lambda way: (rank(way), way.missed))
    return [chosen, *(way for way in order if way is not chosen)]


def with_ties(way: RatedProgram, table: Table, previous: Denotation | None) -> RatedProgram:
    """Return a program that takes the largest or smallest with all that are as large or small, where it left some out."""
    test = way.program.where
    if not isinstance(test, Test) or test.operator not in _TIES or len(way.answer.rows) != 1:
        return way
    if way.program.scope == "previous" and previous is not None:
        scope = np.array(previous.rows)
    elif way.program.scope == "table":
        scope = np.arange(len(table))
    else:
        return way
    column = table[test.column or ""]
    values = column.numbers if column.kind == "number" else column.dates.order
    rows = scope[values[scope] == values[way.answer.rows[0]]]
    if len(rows) < 2:
        return way
    program = replace(way.program, where=replace(test, operator=_TIES[test.operator]))
    answer = Denotation(tuple(sorted(rows.tolist())), way.answer.columns)
    return replace(way, program=program, answer=answer)


def alike(one: Denotation, other: Denotation) -> bool:
    """Say whether two readings tell a person the same: the same value, or the same cells."""
    if one.values is not None and (one.values, one.groups) == (other.values, other.groups):
        return True
    return one.same_as(other)


def _is_half_a_number(program: Program, question: str) -> bool:
    """Whether a program takes the `million` of `100 million` for a number of its own."""
    words = [
        test.argument.written.lower()
        for test in program.tests
        if isinstance(test.argument, Number) and test.argument.written.lower() in _SCALES
    ]
    return any(re.search(rf"\d[\d.,]*\s*{word}\b", question, re.IGNORECASE) for word in words)


def _has(program: Program, operators: Sequence[str]) -> bool:
    return any(test.operator in operators for test in program.tests)


_TIES: Final = {name: test.ties for name, test in TESTS.items() if test.ties}
_BY_RANK: Final = tuple(name for name, test in TESTS.items() if test.one_row)
_SCALES: Final = ("hundred", "thousand", "million", "billion", "trillion")
_EACH_ONCE: Final = re.compile(r"\b(?:different|distinct|unique|each|once|kinds?|types?|all the)\b")
