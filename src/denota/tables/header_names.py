"""The rows of a header to one name a column: levels joined, units in brackets, no marks."""

from __future__ import annotations

import re
from typing import Final

from denota.tables.cell_text import is_missing, normalise
from denota.tables.grid import Grid, Row, cell_at, filled, value_columns
from denota.tables.header_rows import HeaderRows


def header_names(grid: Grid, header: HeaderRows, width: int) -> list[str]:
    """Return a name for each column, empty where the header has none.

    >>> rows = [["", "2019", ""], ["Town", "Male", "Female[a]"], ["", "n", "n"], ["Oslo", "1", "2"]]
    >>> header_names(Grid(rows, [1, 2, 3, 4]), HeaderRows(0, 1, 2), 3)
    ['Town', '2019 Male (n)', '2019 Female (n)']
    """
    levels = [_level(grid, p, header.bottom, width) for p in range(header.top, header.bottom + 1)]
    names = [_joined(parts) for parts in zip(*levels, strict=True)]
    if header.units is None:
        return names
    stated = [cell_at(grid.rows[header.units], column) for column in range(width)]
    values = value_columns(grid.rows[header.end :], width)
    return [
        _with_unit(name, unit) if column in values else name or unit
        for column, (name, unit) in enumerate(zip(names, stated, strict=True))
    ]


def without_marks(name: str) -> str:
    r"""Return a column's name on one line without the marks of its footnotes.

    >>> [without_marks(name) for name in ("Area\n(km²)[1]", "People *", "GDP†", "Rate³", "*")]
    ['Area (km²)', 'People', 'GDP', 'Rate', '*']
    """
    plain = " ".join(_INVISIBLE.sub("", name).split())
    short = _FOOTNOTE.sub("", plain)
    short = _RAISED.sub("", short.rstrip(_MARKS)).rstrip()
    return short or plain


def _level(grid: Grid, position: int, bottom: int, width: int) -> list[str]:
    """Return the cells of one level, each of an upper one spread over the columns it spans."""
    row = grid.rows[position]
    cells = [cell_at(row, column) for column in range(width)]
    if position == bottom:
        return cells
    merged = grid.merged.get(grid.numbers[position], ())
    spans = [(start, end + 1) for start, end in merged] if merged else _groups(row, width)
    lower = grid.rows[position + 1]
    for start, end in spans:
        if start < width and cell_at(lower, start):  # a name above no other stands alone
            cells[start:end] = [cells[start]] * (min(end, width) - start)
    return cells


def _groups(row: Row, width: int) -> list[tuple[int, int]]:
    """Return first column and end of each name of a row; the last is no wider than the others."""
    places = [place for place in filled(row) if place < width]
    groups = list(zip(places, [*places[1:], width], strict=True))
    widest = max((end - start for start, end in groups[:-1]), default=width)
    start, end = groups[-1]
    return [*groups[:-1], (start, min(end, start + max(widest, 1)))]


def _joined(parts: tuple[str, ...]) -> str:
    named: list[str] = []
    for part in map(without_marks, parts):
        if part and (not named or part.casefold() != named[-1].casefold()):
            named.append(part)
    return " ".join(named)


def _with_unit(name: str, unit: str) -> str:
    bare = without_marks(unit)
    if bare[:1] + bare[-1:] in ("()", "[]"):
        bare = bare[1:-1].strip()
    if not name or not bare or is_missing(normalise(bare)) or name.endswith(f"({bare})"):
        return name
    return f"{name} ({bare})"


_MARKS: Final = " *†‡§"
_FOOTNOTE: Final = re.compile(r" ?\[(?:[0-9]{1,3}|[a-fi-kn-rux-z]|(?:[Nn]ote|nb) [0-9]{1,3})\]")
"""A number or a letter that is no unit."""
_RAISED: Final = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[\s)]))[¹²³⁰⁴-⁹ᵃ-ᶻ]{1,3}$")
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
