"""Follow-ups that change one constant of the last program: "and in 1907?", "what about Norway?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from denota.conversation.mentions import named_in
from denota.programs.constants import Constants, constants_in
from denota.programs.operators import SCOPES
from denota.programs.tree import And, Argument, Date, Number, Or, Program, Test, Value, leaves_of
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise


def with_another_constant(question: str, last: Program, table: Table) -> Program | None:
    """Return the last program with the one constant that a short question names in its place.

    None if the question says more than a constant, or if it fits no test or several.

    >>> from denota.programs.text import parse_program, print_program
    >>> table = Table.from_rows(["City", "Land"], [["Oslo", "Norway"], ["Lund", "Sweden"]])
    >>> last = parse_program("COUNT (ROWS WHERE Land = 'Norway')")
    >>> print_program(with_another_constant("and in Sweden?", last, table))
    "COUNT (ROWS WHERE Land = 'Sweden')"
    >>> with_another_constant("which of them is in Sweden?", last, table) is None
    True
    """
    named = named_in(question, table)
    if not _OPENS.match(question) or len(named) != 1 or SCOPES[last.scope].follows:
        return None
    rest = set(tokenise(question)) - set(named[0].split()) - FUNCTION_WORDS - _FILLING
    constants = constants_in(question)
    found = []
    for number, test in enumerate(leaves_of(last.where)):
        argument = _argument(test, named[0], constants, table)
        says_no_more = rest <= set(tokenise(test.column or ""))
        if argument is not None and argument != test.argument and says_no_more:
            found.append(_replaced(last, number, replace(test, argument=argument)))
    return found[0] if len(found) == 1 else None


def _argument(test: Test, named: str, constants: Constants, table: Table) -> Argument | None:
    """The constant that a question names, as the argument of a test."""
    if isinstance(test.argument, Number):
        return _only(constants.numbers)
    if isinstance(test.argument, Date):
        return _only(constants.dates)
    if isinstance(test.argument, Value) and test.column is not None:
        texts = [text for text in table[test.column].values if " ".join(tokenise(text)) == named]
        return Value(texts[0]) if len(texts) == 1 else None
    return None


def _only(constants: Sequence[Number] | Sequence[Date]) -> Number | Date | None:
    return constants[0] if len(constants) == 1 else None


def _replaced(program: Program, number: int, test: Test) -> Program:
    where = program.where
    if isinstance(where, And | Or):
        parts = (*where.parts[:number], test, *where.parts[number + 1 :])
        return replace(program, where=replace(where, parts=parts))
    return replace(program, where=test)


_OPENS: Final = re.compile(
    r"\W*(?:(?:and|or|but|so|ok|okay)\b|(?:what|how) about\b)", re.IGNORECASE
)
_FILLING: Final = frozenset(("ok", "okay", "please", "then", "instead", "only", "ones", "one"))
