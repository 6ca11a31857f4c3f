"""The layout of a file or sheet: which rows are the header, which are the table, which are neither.

`lay_out` takes a grid through named steps and says in notes what each of them assumed. A grid whose
first row names every column, and whose other rows are all of its length, comes out as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from denota.errors import TableError
from denota.tables.body_rows import Ragged, fit, notes_below, page_lines, repeated_headers
from denota.tables.grid import Grid, Row, is_blank, without_blank_rows
from denota.tables.header_names import header_names
from denota.tables.header_rows import HeaderRows, find_header


@dataclass(frozen=True)
class Layout:
    """A table as found in a grid."""

    names: list[str]
    rows: list[Row]
    notes: list[str]
    """What was assumed, a sentence each."""
    header: int = 0
    """The row that the names begin in, counted from 1."""


def lay_out(grid: Grid, file: str, header: int | None = None, ragged: Ragged = "error") -> Layout:
    """Return the table of a grid.

    Args:
        grid: all rows, blank ones too.
        file: what to call the file in messages.
        header: the row that has the names, where it should not be found out.
        ragged: what to do with rows of another length than the header.

    >>> rows = [["Norway"], [], ["Town", "Area"], ["", "km2"], ["Oslo", "454"], ["Source: me"]]
    >>> found = lay_out(Grid(rows, [1, 2, 3, 4, 5, 6]), "towns.csv")
    >>> found.names, found.rows
    (['Town', 'Area (km2)'], [['Oslo', '454']])
    >>> for note in found.notes:
    ...     print(note)
    header in row 3, 1 title line left out
    units in row 4 joined to the names
    1 blank line was skipped
    1 line below the table left out: Source: me
    """
    whole, blank = without_blank_rows(grid)
    if not whole.rows:
        raise TableError(f"{file} is empty")
    rows = find_header(whole, file, header)
    width = _width(whole, rows)
    names = header_names(whole, rows, width)
    body = whole.from_row(rows.end)
    footers = notes_below(body, width)
    body, foot = _without_last(body, footers)
    if not body.rows:  # all rows are blank, or look like notes: they are what there is
        return as_it_stands(grid, file, ragged)
    headers = repeated_headers(body.rows, whole.rows[rows.top : rows.end])
    pages = page_lines(body.rows, headers, whole.rows[: rows.top]) if width > 1 else []
    again, paged = ([body.numbers[p] for p in places] for places in (headers, pages))
    body = _without(body, [*headers, *pages])
    named = _without_trailing_names(names, body.rows)
    fitted, cells, ragged_notes = fit(body, named, file, ragged)
    kept, cells, dropped = _without_blank_columns(fitted, cells)
    dropped += len(names) - len(named)
    notes = [
        *_said_of_header(whole, rows, header),
        *([f"{_lines(blank, 'blank')} skipped"] if blank else ()),
        *ragged_notes,
        *([f"{dropped} blank column{'s' * (dropped > 1)} left out"] if dropped else ()),
        *([f"the header is repeated in {_listed(again)}, left out"] if again else ()),
        *([f"page lines in {_listed(paged)}, left out"] if paged else ()),
        *_said_of_footers(foot),
    ]
    return Layout(kept, cells, notes, whole.numbers[rows.top])


def as_it_stands(grid: Grid, file: str, ragged: Ragged = "error") -> Layout:
    """Return the first row as the header and every other as a row, without empty lines."""
    kept = [position for position, row in enumerate(grid.rows) if row]
    rows = [grid.rows[position] for position in kept]
    if not rows:
        raise TableError(f"{file} is empty")
    body = Grid(rows[1:], [grid.numbers[p] for p in kept[1:]], counted=grid.counted)
    width = len(rows[0]) if grid.counted else max(map(len, rows))
    header = rows[0] + [""] * (width - len(rows[0]))
    names, cells, notes = fit(body, header, file, ragged, strict=True)
    blank = len(grid.rows) - len(rows) + grid.blank
    skipped = [f"{_lines(blank, 'blank')} skipped"] if blank else []
    return Layout(names, cells, [*notes, *skipped], grid.numbers[kept[0]])


def _width(grid: Grid, header: HeaderRows) -> int:
    """Return the number of columns: of names, or in a sheet of the longest row."""
    if grid.counted:
        return max(len(row) for row in grid.rows[header.top : header.bottom + 1])
    return max(len(row) for row in grid.rows[header.top :])


def _without_last(grid: Grid, count: int) -> tuple[Grid, Sequence[Row]]:
    end = len(grid.rows) - count
    kept = Grid(grid.rows[:end], grid.numbers[:end], grid.gaps, grid.merged, grid.counted)
    return kept, grid.rows[end:]


def _without(grid: Grid, positions: list[int]) -> Grid:
    """Return the grid without some rows."""
    if not positions:
        return grid
    gone = set(positions)
    kept = [position for position in range(len(grid.rows)) if position not in gone]
    rows, numbers = [grid.rows[p] for p in kept], [grid.numbers[p] for p in kept]
    return Grid(rows, numbers, counted=grid.counted)


def _without_trailing_names(names: list[str], rows: Sequence[Row]) -> list[str]:
    """Leave out empty names at the end below which no row has a cell: a delimiter too many."""
    end = len(names)
    while end > 1 and not names[end - 1] and is_blank(r[end - 1] for r in rows if len(r) >= end):
        end -= 1
    return names[:end]


def _without_blank_columns(names: list[str], rows: list[Row]) -> tuple[list[str], list[Row], int]:
    """Leave out the columns that have neither a name nor a cell."""
    nameless = (column for column, name in enumerate(names) if not name.strip())
    gone = {column for column in nameless if is_blank(row[column] for row in rows)}
    if not gone or len(gone) == len(names):
        return names, rows, 0
    kept = [column for column in range(len(names)) if column not in gone]
    return [names[c] for c in kept], [[row[c] for c in kept] for row in rows], len(gone)


def _said_of_header(grid: Grid, header: HeaderRows, given: int | None) -> list[str]:
    notes = []
    numbers = grid.numbers[header.top : header.bottom + 1]
    if header.top and given is None:
        above = f"{header.top} title line{'s' * (header.top > 1)} left out"
        notes.append(f"header in {_listed(numbers)}, {above}")
    elif len(numbers) > 1:
        notes.append(f"header in {_listed(numbers)}, joined from top to bottom")
    if header.units is not None:
        notes.append(f"units in row {grid.numbers[header.units]} joined to the names")
    return notes


def _said_of_footers(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    first = " ".join(cell.strip() for cell in rows[0] if cell.strip())
    first = first if len(first) <= _SHOWN else first[: _SHOWN - 1] + "…"
    below = f"{len(rows)} line{'s' * (len(rows) > 1)} below the table left out"
    return [f"{below}, the first: {first}" if len(rows) > 1 else f"{below}: {first}"]


def _lines(count: int, what: str) -> str:
    return f"{count} {what} line{'s were' if count > 1 else ' was'}"


def _listed(numbers: Sequence[int]) -> str:
    shown = [str(number) for number in numbers[:_LISTED]]
    if len(numbers) > _LISTED:
        return f"rows {', '.join(shown)} and {len(numbers) - _LISTED} more"
    return f"row {shown[0]}" if len(shown) == 1 else f"rows {', '.join(shown)}"


_SHOWN: Final = 60
_LISTED: Final = 5
