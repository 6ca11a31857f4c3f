"""What a question names and a program leaves out: values of the table, numbers and dates.

A parser may pass over a word that matters ("... in Seattle") and be sure all the same. People see
that at once, if they are told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from denota.conversation.words import LONGEST_VALUE, words_of
from denota.programs.codes import codes_of_names, stands_for_any
from denota.programs.constants import constants_in
from denota.programs.index import index_of
from denota.programs.tree import Date, Number, Program, Value, Word
from denota.tables.table import Table
from denota.tokens import FUNCTION_WORDS, tokenise


def named_in(question: str, table: Table) -> tuple[str, ...]:
    """Return the values, numbers and dates of a question as words; of two that overlap the longer.

    A value that is a code is named by what it stands for.

    >>> table = Table.from_rows(["City", "State"], [["New York", "NY"], ["York", "PA"]])
    >>> named_in("how many people live in New York since 1990?", table)
    ('new york', '1990')
    >>> named_in("which cities are in Pennsylvania or Texas?", table)
    ('pennsylvania',)
    """
    words = tokenise(question)
    values, codes = words_of(table).values, index_of(table).codes
    found: list[str] = []
    place = 0
    while place < len(words):
        for end in range(min(len(words), place + LONGEST_VALUE), place, -1):
            text = " ".join(words[place:end])
            named = text in values or (codes and _is_coded(words[place:end], codes))
            if named and not set(words[place:end]) <= FUNCTION_WORDS:
                found.append(text)
                place = end - 1
                break
        place += 1
    constants = constants_in(question)
    for written in (*(n.written for n in constants.numbers), *(d.written for d in constants.dates)):
        written = " ".join(tokenise(written))
        if written and not any(written in text or text in written for text in found):
            found.append(written)
    return tuple(found)


def unused(named: Iterable[str], program: Program) -> tuple[str, ...]:
    """Return what a question names and a program does not speak of.

    >>> from denota.programs.text import parse_program
    >>> unused(("new york", "1990"), parse_program("SELECT City WHERE City = 'New York'"))
    ('1990',)
    """
    said = f" {' '.join(_words_of(program))} "
    codes = [t.argument.text.lower() for t in program.tests if isinstance(t.argument, Value)]
    return tuple(
        text for text in named if not _is_said(text, said) and not _is_coded(text.split(), codes)
    )


def _is_coded(words: Sequence[str], codes: Collection[str]) -> bool:
    """Whether one of some codes stands for just these words."""
    asked = frozenset(words)
    if len(words) <= 1:
        return any(stands_for_any(code, asked) for code in codes)
    found = codes_of_names(asked).intersection(codes) if len(words) <= LONGEST_NAME else ()
    return any(all(code not in codes_of_names(asked - {one}) for one in asked) for code in found)


def _is_said(text: str, said: str) -> bool:
    if f" {text} " in said:
        return True
    words = text.split()
    return all(f" {word} " in said for word in words)


def _words_of(program: Program) -> list[str]:
    words = [word for name in program.columns for word in tokenise(name)]
    for test in program.tests:
        words += tokenise(test.column or "")
        argument = test.argument
        if isinstance(argument, Value | Word):
            words += tokenise(argument.text)
        elif isinstance(argument, Number):
            words += [*tokenise(argument.written), f"{argument.value:g}"]
        elif isinstance(argument, Date):
            words += [*tokenise(argument.written), *re.findall(r"\d+", str(argument.year))]
        elif test.operator in _ONE:
            words += _ONE[test.operator]
    return words


LONGEST_NAME: Final = 4
"""Words of a name that a code stands for, at most."""
_ONE: Final = {"first": ["1", "one", "first"], "last": ["1", "one", "last"]}
