"""Column names as people wrote them made into names a program can use: none empty, no two alike."""

from __future__ import annotations

from collections.abc import Sequence


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
