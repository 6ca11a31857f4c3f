"""Column names as people wrote them made into names a program can use: none empty, no two alike."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final


def unique_names(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return distinct, non-empty names and a note for each name that had to change.

    >>> unique_names(["Year", "", "Year"])[0]
    ('Year', 'column 2', 'Year (2)')
    """
    taken = {name.strip() for name in names}
    result: list[str] = []
    notes: list[str] = []
    used: set[str] = set()
    for position, name in enumerate(names, start=1):
        wanted = " ".join(name.replace("\0", " ").split()) or f"column {position}"
        unique, count = wanted, 1
        while unique in used or (count > 1 and unique in taken):
            count += 1
            unique = f"{wanted} ({count})"
        used.add(unique)
        result.append(unique)
        if not name.strip():
            notes.append(f"column {position} has no name and is called {unique!r}")
        elif unique != wanted:
            notes.append(
                f"the name {wanted!r} occurs again as column {position}, called {unique!r}"
            )
    return tuple(result), tuple(notes)


def header_note(note: str) -> tuple[int, str]:
    """Return the column that a note of `unique_names` is about, from 1, and its name in the file.

    0 for another note; no name for a column that has none.

    >>> [header_note(note) for note in unique_names(["Year", "", "Year"])[1]]
    [(2, ''), (3, 'Year')]
    """
    unnamed, again = _UNNAMED.match(note), _AGAIN.match(note)
    if unnamed:
        return int(unnamed[1]), ""
    return (int(again[2]), str(ast.literal_eval(again[1]))) if again else (0, "")


_UNNAMED: Final = re.compile(r"column (\d+) has no name")
_AGAIN: Final = re.compile(r"\Athe name (.+) occurs again as column (\d+), called ")
