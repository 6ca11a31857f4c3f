"""The rows below a header: what is no row of the table left out, and all made of one length."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from denota.errors import TableError
from denota.tables.cell_text import is_missing, normalise
from denota.tables.grid import Grid, Row, cell_at, filled, is_blank, is_value, value_columns

Ragged = Literal["error", "fill"]


def notes_below(grid: Grid, width: int) -> int:
    """Return how many rows at the end are notes on the table: `Source: ...`, `* provisional`.

    They have one cell where the table has more, and begin like a note or stand apart.

    >>> rows = [["Oslo", "1"], ["Moss", "2"], ["Source: the census"]]
    >>> notes_below(Grid(rows, [1, 2, 3]), 2)
    1
    """
    start = len(grid.rows)
    for position in range(len(grid.rows) - 1, -1, -1):
        row = grid.rows[position]
        if width < 2 or not _can_be_note(row, width, grid.counted):
            break
        if _is_note(row, width, apart=position in grid.gaps, counted=grid.counted):
            start = position
    return len(grid.rows) - start


def repeated_headers(rows: Sequence[Row], header: Sequence[Row]) -> list[int]:
    """Return the positions of rows that say the header again.

    >>> repeated_headers([["Oslo", "1"], ["Town", "Area"], ["Moss", "2"]], [["Town", "Area"]])
    [1]
    """
    known = {tuple(map(str.strip, row)) for row in header if len(filled(row)) > 1}
    firsts = {row[0] for row in known}
    return [
        position
        for position, row in enumerate(rows)
        if row and row[0].strip() in firsts and tuple(map(str.strip, row)) in known
    ]


def page_lines(rows: Sequence[Row], again: Sequence[int], titles: Sequence[Row]) -> list[int]:
    """Return the positions of lines that a break between pages leaves: `Page 2`, the title again.

    Args:
        rows: those below the header.
        again: the positions of repeated headers.
        titles: the rows above the header.

    >>> page_lines([["Oslo", "1"], ["Towns, page 2"], ["Town", "Area"]], [2], [["Towns, page 1"]])
    [1]
    """
    known = {_without_digits(row) for row in titles}
    found = {p for p, row in enumerate(rows) if len(filled(row)) == 1 and _is_page(row)}
    for header in again:
        above = header - 1
        while above >= 0 and (above in found or _without_digits(rows[above]) in known):
            found.add(above)
            above -= 1
    return sorted(found)


def fit(
    grid: Grid, names: list[str], file: str, ragged: Ragged, strict: bool = False
) -> tuple[list[str], list[Row], list[str]]:
    """Return names and rows of one length, and notes on the rows that had another.

    A row may end early or have empty cells behind; all rows may have a cell before the first name,
    as R writes them. Others, with `strict` these too, are refused, or with `fill` filled and cut.

    >>> fit(Grid([["1", "2"], ["3", "4", ""]], [2, 3]), ["a", "b", "c"], "x.csv", "error")[1]
    [['1', '2', ''], ['3', '4', '']]
    """
    width = len(names)
    if all(len(row) == width for row in grid.rows):
        return names, list(grid.rows), []
    labelled = not strict and grid.counted and width > 1 and len(grid.rows) > 1
    if labelled and all(len(row) == width + 1 for row in grid.rows) and not _end_blank(grid):
        return ["", *names], list(grid.rows), ["the rows have a cell before the first name"]
    values = value_columns([row for row in grid.rows if len(row) == width], width)
    rows: list[Row] = []
    notes: list[str] = []
    for row, number in zip(grid.rows, grid.numbers, strict=True):
        length = len(row)
        rows.append(row if length == width else (row + [""] * width)[:width])
        cut = not strict and length > width and is_blank(row[width:])
        if length == width or not grid.counted or cut:
            continue
        if ragged == "error" and (strict or not _ends_early(row, width, values)):
            raise TableError(
                f"line {number} of {file} has {_cells(length)} where the header has {width}; "
                "mend the line or pass --ragged fill"
            )
        if len(notes) < _MOST_NOTES:
            notes.append(f"line {number} has {_cells(length)} where the header has {width}")
    return names, rows, notes


def _is_page(row: Row) -> bool:
    return _PAGE.fullmatch(" ".join(row).strip()) is not None


def _without_digits(row: Row) -> str:
    """Return a row's text with every number alike, for titles count pages and tell the time."""
    return _DIGITS.sub("0", " ".join(" ".join(row).split()))


def _end_blank(grid: Grid) -> bool:
    """Say whether the last cell of every row is blank."""
    return all(is_blank(row[-1:]) for row in grid.rows)


def _ends_early(row: Row, width: int, values: frozenset[int]) -> bool:
    """Say whether a row just lacks its last cells: those it has are in the right columns."""
    cells = ((column, cell_at(row, column)) for column in values)
    return 1 < len(row) < width and all(
        not text or is_value(text) or is_missing(normalise(text)) for _, text in cells
    )


def _can_be_note(row: Row, width: int, counted: bool) -> bool:
    places = filled(row)
    if not places:
        return False
    text = row[places[0]]
    if len(places) == 1:
        if _COUNT.match(text.strip()):
            return True
        return not is_value(text) and normalise(text).lower() not in ("total", "totals")
    noted = _NOTE.match(text.strip()) is not None
    spilled = counted and len(row) > 1 and row[1][:1] == " "  # a comma in a sentence
    return (spilled and (noted or len(row) != width)) or (noted and len(places) < max(3, width / 2))


def _is_note(row: Row, width: int, apart: bool, counted: bool) -> bool:
    places = filled(row)
    text = row[places[0]].strip()
    if _NOTE.match(text) or _COUNT.match(text):
        return True
    alone = counted and len(row) == 1
    return apart and (alone or (width > 2 and len(text.split()) > 1))


def _cells(count: int) -> str:
    return f"{count:,} cell{'' if count == 1 else 's'}"


_COUNT: Final = re.compile(r"\A\(?\d[\d,]* (?:rows?|records?) ?(?:in set\b|selected\b|\))")
"""`(2 rows)`, as the shells of databases end a table."""
_MOST_NOTES: Final = 20
_DIGITS: Final = re.compile(r"\d+")
_PAGE: Final = re.compile(
    r"\A[-– ]*(?:page|seite|pagina|página|side|sida|strona|p\.)[ :]*\d+"
    r"(?: ?(?:of|von|sur|de|van|di|af|av|/) ?\d+)?[-– ]*",
    re.IGNORECASE,
)
_NOTE: Final = re.compile(
    r"(?:sources?|notes?|nb|n\.b|footnotes?|legend|key|remarks?|data|contact|disclaimer|copyright"
    r"|warning|caution|explanations?)\s?[:.]"
    r"|(?:last )?updated\b|(?:generated|exported|downloaded|retrieved|accessed|compiled|prepared"
    r"|extracted|printed) (?:on|by|from|at)\b|data (?:from|by|provided)\b|see (?:also|note)\b"
    r"|©|\(c\) |[*†‡§]{1,3}\s?\S|\[?\(?[a-z0-9]{1,2}[)\]]\s|[¹²³]\s?\w|[a-z*]{1,2} ?= ?\S|end of\b",
    re.IGNORECASE,
)
