"""The rows of a file or sheet as they stand, before it is known which of them is the header."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from denota.tables.cell_text import normalise
from denota.tables.dates import is_bare_year, read_date
from denota.tables.numbers import read_number

Row = list[str]


@dataclass(frozen=True)
class Grid:
    """Rows of text, each with its place in the source."""

    rows: Sequence[Row]
    numbers: Sequence[int]
    """Where each row stands: the line it begins on, or its row in the sheet, counted from 1."""
    gaps: frozenset[int] = frozenset()
    """Positions of the rows that a blank row stands before."""
    merged: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """Row number -> first and last column of each run of cells merged in that row."""
    counted: bool = True
    """Whether a row's length says something: False for sheets, whose rows just end."""

    blank: int = 0
    """Blank rows that are not among the rows, each next to one that is."""

    def from_row(self, position: int) -> Grid:
        """Return the rows from a position on."""
        gaps = frozenset(gap - position for gap in self.gaps if gap >= position)
        return Grid(self.rows[position:], self.numbers[position:], gaps, self.merged, self.counted)


def without_blank_rows(grid: Grid) -> tuple[Grid, int]:
    """Return the grid without its blank rows, whose places are kept as gaps, and their count.

    >>> grid, count = without_blank_rows(Grid([["a"], [], ["b"], ["", " "]], [1, 2, 3, 4]))
    >>> grid.rows, sorted(grid.gaps), count
    ([['a'], ['b']], [1], 2)
    """
    rows: list[Row] = []
    numbers: list[int] = []
    gaps: set[int] = set()
    before = False
    for row, number in zip(grid.rows, grid.numbers, strict=True):
        if is_blank(row):
            before = True
            continue
        if before:
            gaps.add(len(rows))
        before = False
        rows.append(row)
        numbers.append(number)
    count = len(grid.rows) - len(rows) + grid.blank
    return Grid(rows, numbers, frozenset(gaps), grid.merged, grid.counted), count


def is_blank(row: Iterable[str]) -> bool:
    """Say whether all cells are empty or white space."""
    return not any(cell and not cell.isspace() for cell in row)


def filled(row: Iterable[str]) -> list[int]:
    """Return the positions of the cells that are not blank."""
    return [position for position, cell in enumerate(row) if cell and not cell.isspace()]


def cell_at(row: Row, position: int) -> str:
    """Return the cell without outer space, or nothing where the row has ended."""
    return row[position].strip() if position < len(row) else ""


@lru_cache(maxsize=1 << 12)
def is_value(text: str) -> bool:
    """Say whether a text reads as a number or date, years too.

    >>> [is_value(text) for text in ("12 km", "2019", "Area", "Area 51 (north)")]
    [True, True, False, False]
    """
    plain = normalise(text)
    if not any(character.isdecimal() for character in plain):
        return False
    number = read_number(plain) or ("," in plain and read_number(plain, ","))
    return bool(number) or read_date(plain) is not None


def is_year(text: str) -> bool:
    """Say whether a text is a bare year."""
    return is_bare_year(normalise(text))


def value_columns(rows: Sequence[Row], width: int) -> frozenset[int]:
    """Return the columns of which most cells, in the first rows, are values.

    >>> sorted(value_columns([["Oslo", "1", "x"], ["Bergen", "2", "3"], ["Moss", "", "4"]], 3))
    [1, 2]
    """
    found = set()
    for column in range(width):
        cells = [text for row in rows[:_LOOK] if (text := cell_at(row, column))]
        if sum(map(is_value, cells)) * 2 > len(cells):
            found.add(column)
    return frozenset(found)


def commonest(counts: Iterable[int]) -> int:
    """Return the commonest of some counts, the largest of those as common; 0 if there is none."""
    times = [(len(list(group)), count) for count, group in itertools.groupby(sorted(counts))]
    return max(times)[1] if times else 0


_LOOK = 12
