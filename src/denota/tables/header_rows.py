"""Where the header of a table is: below titles, over one row or several, above a row of units.

A first row that names every column is the header, and nothing else is asked. The steps below are
for files whose first row does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from denota.errors import TableError
from denota.tables.grid import (
    Grid,
    Row,
    cell_at,
    commonest,
    filled,
    is_value,
    is_year,
    value_columns,
)
from denota.tables.unit_row import are_units


@dataclass(frozen=True)
class HeaderRows:
    """The positions of a header's first and last row of names, and of its units."""

    top: int
    bottom: int
    units: int | None = None

    @property
    def end(self) -> int:
        """The position of the first row below."""
        return (self.bottom if self.units is None else self.units) + 1


def find_header(grid: Grid, name: str, number: int | None = None) -> HeaderRows:
    """Return the rows of the header.

    Args:
        grid: rows of which none is blank.
        name: of the file, for messages.
        number: the header's first row, where it should not be found out.
    """
    if number is not None:
        if number not in grid.numbers:
            raise TableError(
                f"row {number} of {name} is blank or not there; say the row that has the names"
            )
        top = base = list(grid.numbers).index(number)
    else:
        base = below_titles(grid)
        top = base
        while top > 0 and base - top < _LEVELS and is_level_above(grid, top):
            top -= 1
    bottom = base
    while bottom - top < _LEVELS and is_level_below(grid, bottom):
        bottom += 1
    units = bottom + 1 if are_units(grid, bottom + 1) else None
    return HeaderRows(top, bottom, units)


def below_titles(grid: Grid) -> int:
    """Return the position of the first row that can name the columns; 0 where that is not clear.

    >>> below_titles(Grid([["Towns of Norway"], ["Town", "Area"], ["Oslo", "454"]], [1, 2, 3]))
    1
    """
    rows = grid.rows[:_SAMPLE]
    sizes = [len(filled(row)) for row in rows]
    width = _usual_length(rows)
    usual = commonest(size for size in sizes if size > 1)
    if usual < 2 or len(rows) < 2 or sizes[0] >= (width if grid.counted else usual):
        return 0
    if grid.counted and sizes[0] == len(rows[0]) == width - 1 > 1:
        first = next((p for p, row in enumerate(rows) if len(row) == width), 0)
        if not _differs_below(grid, first):
            return 0  # the rows have a label more than the header, or end with a delimiter
    for position, row in enumerate(rows[:_DEEPEST]):
        whole = not grid.counted or len(row) == width
        large = sizes[position] >= max(2, -(-usual // 2))
        if whole and large and not _is_setting(grid, position, usual):
            return position if _are_names(grid, position, width) else 0
    return 0


def is_level_above(grid: Grid, base: int) -> bool:
    """Say whether the row above one of names spans several of them: `2019` over `Male`, `Female`.

    >>> rows = [["", "2019", "", "2020", ""], ["Town", "Male", "Female", "Male", "Female"]]
    >>> is_level_above(Grid(rows, [1, 2]), 1)
    True
    """
    if base in grid.gaps:
        return False
    above, names = grid.rows[base - 1], grid.rows[base]
    places, width = filled(above), len(names)
    if _spans(grid, base - 1, width):
        return True
    left = min(filled(names), default=0)
    if len(places) == 1:  # a title, but for one over a run of years
        spanned = [cell_at(names, column) for column in range(places[0], width)]
        return places[0] == left + 1 and len(spanned) > 1 and all(map(is_value, spanned))
    groups = list(zip(places, [*places[1:], width], strict=True))
    return (
        any(end - start > 1 for start, end in groups)
        and (
            not cell_at(above, left) or not cell_at(names, left) or groups[0][1] - groups[0][0] > 1
        )
        and all(cell_at(names, c) for c in range(places[0], width) if not cell_at(above, c))
        and all(len(cell_at(above, place)) <= _LONG_NAME for place in places)
    )


def is_level_below(grid: Grid, base: int) -> bool:
    """Say whether the row below one of names divides them further.

    It must name every column that the upper row leaves open, and look unlike the rows below it.
    """
    below = base + 1
    if below + 1 >= len(grid.rows) or below in grid.gaps:
        return False
    upper, lower = grid.rows[base], grid.rows[below]
    width = max(len(upper), len(lower))
    shared = _open_columns(upper, lower, width)
    merged = [c for start, end in _spans(grid, base, width) for c in range(start, end + 1)]
    if not all(cell_at(lower, column) for column in merged or shared) or not (shared or merged):
        return False
    if any(is_value(text) and not is_year(text) for text in map(str.strip, lower) if text):
        return False
    if merged:
        return True
    body = grid.rows[below + 1 :]
    values = value_columns(body, width)
    unlike = {c for c in values if _is_unlike(cell_at(lower, c), body, c)}
    return bool(unlike & shared) and all(c in unlike for c in values if cell_at(lower, c))


def _are_names(grid: Grid, position: int, width: int) -> bool:
    """Say whether a row below what may be titles has names and no values, and looks like it."""
    row = grid.rows[position]
    texts = [text for text in map(str.strip, row) if text]
    if sum(is_value(text) and not is_year(text) for text in texts) * 2 >= len(texts):
        return False
    if position == 0 or position in grid.gaps or len(filled(grid.rows[0])) > 1:
        return True
    if grid.counted and all(len(above) != width for above in grid.rows[:position]):
        return True
    if _differs_below(grid, position):
        return True
    return len("".join(grid.rows[0]).split()) > 1


def _differs_below(grid: Grid, position: int) -> bool:
    """Say whether a row has a name in a column of values."""
    row, body = grid.rows[position], grid.rows[position + 1 :]
    return any(_is_unlike(cell_at(row, c), body, c) for c in value_columns(body, len(row)))


def _usual_length(rows: Sequence[Row]) -> int:
    """Return the commonest length of rows; that of rows of several cells, if a third are such.

    A comma and a space are those of a sentence. Where rows end early, it is that of the names above
    them, which no row exceeds.
    """
    several = [row for row in rows if len(row) > 1 and row[1][:1] != " "]
    enough = 3 * len(several) >= len(rows)
    usual = commonest(map(len, several if enough else rows))
    first = next((row for row in several if len(row) >= usual), [])
    longest = len(first) == max(map(len, rows), default=0)
    if enough and longest and len(filled(first)) == len(first) < 2 * usual:
        return len(first) if not any(map(is_value, first)) else usual
    return usual


def _is_setting(grid: Grid, position: int, usual: int) -> bool:
    """Say whether a row is a setting above a table: `Date: | 1 May 2020`, or one of several."""
    row = grid.rows[position]
    places = filled(row)
    if usual < 3 or len(places) != 2:
        return False
    around = [*grid.rows[max(position - 1, 0) : position], *grid.rows[position + 1 : position + 2]]
    several = any(filled(other) == places for other in around)
    return several or row[places[0]].strip().endswith(":") or is_value(row[places[1]])


def _is_unlike(text: str, body: Sequence[Row], column: int) -> bool:
    """Say whether a text in a column of values is no value itself, or a year and they are not."""
    if not text:
        return False
    if not is_value(text):
        return True
    below = [cell for row in body[:_SAMPLE] if (cell := cell_at(row, column))]
    return is_year(text) and sum(map(is_year, below)) * 2 < len(below)


def _open_columns(upper: Row, lower: Row, width: int) -> set[int]:
    """Return the columns without a name, and those in a run of one name that is divided below."""
    names = [cell_at(upper, column) for column in range(width)]
    runs = {
        c
        for c in range(1, width)
        if names[c] == names[c - 1] != "" and cell_at(lower, c) != cell_at(lower, c - 1)
    }
    return {c for c in range(width) if not names[c]} | runs | {c - 1 for c in runs}


def _spans(grid: Grid, position: int, width: int) -> list[tuple[int, int]]:
    """Return the merged cells of a row, unless one of them goes over the whole table."""
    merged = list(grid.merged.get(grid.numbers[position], ()))
    return [] if any(end - start + 1 >= width for start, end in merged) else merged


_SAMPLE: Final = 60
_DEEPEST: Final = 25
"""The header is looked for in this many rows."""
_LEVELS: Final = 3
_LONG_NAME: Final = 40
