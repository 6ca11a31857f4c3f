"""Excel workbooks (.xlsx) to rows, cells as a reader of the sheet sees them."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from typing import Any, Final, NamedTuple

from denota.errors import TableError
from denota.tables.grid import Grid, filled, value_columns, without_blank_rows
from denota.tables.limits import Limits, Tally
from denota.tables.workbook import Sheet, open_sheets


class ReadSheet(NamedTuple):
    """One sheet of a workbook."""

    grid: Grid
    notes: list[str]
    """On the others."""
    title: str
    titles: list[str]
    """Of all sheets."""


def read_excel(data: bytes, name: str, sheet: str | None, limits: Limits) -> ReadSheet:
    """Return the rows of one sheet, and notes on the others.

    Args:
        data: the workbook.
        name: what to call it in messages.
        sheet: its title, or None for the first that holds a table.
        limits: refuse larger sheets.
    """
    _check_size(data, name, limits)
    try:
        sheets = open_sheets(data, name, limits)
    except TableError:
        raise
    except Exception as error:  # openpyxl raises whatever its XML and zip readers do
        raise TableError(f"{name} is not a readable Excel file: {type(error).__name__}") from None
    titles = [content.title for content in sheets]
    if sheet is not None:
        if sheet not in titles:
            known = ", ".join(map(repr, titles))
            raise TableError(f"{name} has no sheet {sheet!r}; it has {known}")
        grid = _rows(sheets[titles.index(sheet)], name, limits)
        return ReadSheet(grid, [], sheet, titles)  # whoever names it knows of others
    shown = [content for content in sheets if content.is_visible]
    first: ReadSheet | None = None
    for content in shown or sheets:
        grid = _rows(content, name, limits)
        said = _said_of_sheets(titles, content.title)
        found = ReadSheet(grid, said, content.title, titles)
        if holds_table(grid, content.title):
            return found
        if first is None and any(grid.rows):
            first = found
    if first is None:
        raise TableError(f"{name} is empty")
    return first


def holds_table(grid: Grid, title: str) -> bool:
    """Say whether a sheet is a table, and not a cover, a list of contents or a page of text.

    >>> holds_table(Grid([["Towns of Norway"], [], ["See the next sheet."]], [1, 2, 3]), "Sheet1")
    False
    """
    whole, _ = without_blank_rows(grid)
    wide = [row for row in whole.rows if len(filled(row)) > 1]
    if _COVER.search(title):
        return False
    if _BESIDE.search(title):
        width = max(map(len, wide), default=0)
        return width > 2 and len(wide) > 2 and bool(value_columns(wide[1:], width))
    if len(wide) > 1:
        return True
    texts = ["".join(row) for row in whole.rows]
    return len(texts) > 1 and not whole.gaps and all(len(text.split()) < 4 for text in texts)


def _rows(content: Sheet, name: str, limits: Limits) -> Grid:
    rows: list[list[str]] = []
    blank: list[str] = []
    filled_rows = width = 1
    tally = Tally(name, limits)
    try:
        for number, cells in content.rows():
            if number <= len(rows):  # a row that comes too late
                continue
            texts = {cell.column: text for cell in cells if (text := _text(cell))}
            width = max(width, *texts) if texts else width
            filled_rows += bool(texts)
            limits.check(name, filled_rows - 1, width)
            limits.check(name, number, 1)
            tally.add(texts.values())
            rows.extend([blank] * (number - 1 - len(rows)))
            rows.append([texts.get(place, "") for place in range(1, max(texts, default=0) + 1)])
        merged = _merged(content)
    except TableError:
        raise
    except Exception as error:
        raise TableError(f"{name} is not a readable Excel file: {type(error).__name__}") from None
    down = [min(bottom, len(rows)) - top for left, top, right, bottom in merged if left == right]
    limits.check(name, sum(max(count, 0) for count in down), 1)
    across: dict[int, list[tuple[int, int]]] = {}
    for left, top, right, bottom in merged:
        if left == right:  # one cell over several rows says the same of each
            tally.add(_fill_down(rows, left, top, bottom))
        elif top == bottom:
            across.setdefault(top, []).append((left, right))
    return Grid(rows, range(1, len(rows) + 1), merged=across, counted=False)


def _merged(content: Sheet) -> list[tuple[int, int, int, int]]:
    """Return left column, first row, right column and last row of a sheet's merged cells.

    Columns are counted from 0, rows from 1. A workbook that is opened for reading alone does not
    have them, so they are taken from the end of the sheet's XML, below its cells.
    """
    from openpyxl.utils.cell import range_boundaries

    if content.parts.getinfo(content.path).file_size > _MOST_XML:
        return []
    xml = content.parts.read(content.path)
    found = _MERGED.findall(xml, max(xml.rfind(b"</sheetData>"), 0))
    bounds = [range_boundaries(place.decode()) for place in found[:_MOST_MERGED]]
    return [
        (left - 1, top, right - 1, bottom)
        for left, top, right, bottom in bounds
        if None not in (left, top, right, bottom)
    ]


def _fill_down(rows: list[list[str]], column: int, top: int, bottom: int) -> list[str]:
    """Say a cell again in the rows below it, and return the cells that are new."""
    if top > len(rows) or column >= len(rows[top - 1]):
        return []
    text = rows[top - 1][column]
    new = []
    for row in rows[top : min(bottom, len(rows))]:
        if any(row):  # no row comes into being
            row.extend([""] * (column + 1 - len(row)))
            if not row[column]:
                row[column] = text
                new.append(text)
    return new


def _said_of_sheets(titles: list[str], read: str) -> list[str]:
    if len(titles) < 2:
        return []
    others = ", ".join(repr(title) for title in titles if title != read)
    return [f"sheet {titles.index(read) + 1} of {len(titles)}, {read!r}; the others are {others}"]


def _check_size(data: bytes, name: str, limits: Limits) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(item.file_size for item in archive.infolist())
            if "xl/workbook.xml" not in archive.namelist():
                raise TableError(f"{name} is a zip file, not a table; unpack it first")
    except zipfile.BadZipFile:
        raise TableError(f"{name} is a damaged zip or Excel file") from None
    limits.check_bytes(name, size, "unpacks to more than")


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        format = cell.number_format or ""
        if _CODE_FORMAT.fullmatch(format) and isinstance(value, int) and value >= 0:
            return f"{value:0{len(format)}d}"
        percent = "%" in format
        shown = f"{value * 100:.10g}" if percent else f"{value:.15g}"
        return shown + "%" * percent
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


_CODE_FORMAT: Final = re.compile("0{2,40}")
"""`00000` shows 501 as 00501: a code, not a number."""
_COVER: Final = re.compile(
    r"\b(?:read ?me|cover|about|contents|toc|instructions|change ?log|title|disclaimer|license)\b",
    re.IGNORECASE,
)
"""Titles of sheets that are no tables."""
_BESIDE: Final = re.compile(
    r"\b(?:index|notes?|info|information|legend|guide|metadata|versions?|help|intro(?:duction)?)\b",
    re.IGNORECASE,
)
"""Titles of sheets that are tables only if they have columns of figures."""
_MERGED: Final = re.compile(
    rb'<mergeCell[^>]{0,40}?\bref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"'
)
_MOST_XML: Final = 1 << 26
_MOST_MERGED: Final = 100_000
