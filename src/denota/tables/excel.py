"""Excel workbooks (.xlsx) to rows, cells as a reader of the sheet sees them."""

from __future__ import annotations

import datetime
import io
import zipfile
from typing import Any

from denota.errors import TableError
from denota.tables.limits import Limits


def read_excel(
    data: bytes, name: str, sheet: str | None, limits: Limits
) -> tuple[list[str], list[list[str]], list[str]]:
    """Return header, rows and notes of one sheet (the first unless named)."""
    _check_size(data, name, limits.bytes)
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except Exception as error:  # openpyxl raises whatever its XML and zip readers do
        raise TableError(f"{name} is not a readable Excel file: {type(error).__name__}") from None
    titles = book.sheetnames
    if sheet is not None and sheet not in titles:
        raise TableError(f"{name} has no sheet {sheet!r}; it has {', '.join(map(repr, titles))}")
    notes = []
    if sheet is None and len(titles) > 1:
        others = ", ".join(map(repr, titles[1:]))
        notes.append(f"the sheet {titles[0]!r} was read; others are {others}")
    rows: list[list[str]] = []
    cells = 0
    try:
        chosen = book[sheet or titles[0]]
        chosen.reset_dimensions()  # what a sheet says of its size need not be so
        for number, row in enumerate(chosen.iter_rows()):
            texts = [_text(cell) for cell in row[: limits.columns + 1]]
            while texts and not texts[-1]:
                texts.pop()
            cells += len(texts)
            limits.check(name, 1, max(len(texts), 1))
            limits.check(name, max(cells, number), 1)
            if texts:
                rows.append(texts)
    except TableError:
        raise
    except Exception as error:
        raise TableError(f"{name} is not a readable Excel file: {type(error).__name__}") from None
    if not rows:
        raise TableError(f"{name} is empty")
    width = max(map(len, rows))
    limits.check(name, len(rows), width)
    filled = [row + [""] * (width - len(row)) for row in rows]
    return filled[0], filled[1:], notes


def _check_size(data: bytes, name: str, max_bytes: int) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(item.file_size for item in archive.infolist())
            if "xl/workbook.xml" not in archive.namelist():
                raise TableError(f"{name} is a zip file, not a table; unpack it first")
    except zipfile.BadZipFile:
        raise TableError(f"{name} is a damaged zip or Excel file") from None
    if size > max_bytes:
        raise TableError(f"{name} unpacks to {size:,} bytes and at most {max_bytes:,} are read")


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        percent = "%" in (cell.number_format or "")
        shown = f"{value * 100:.10g}" if percent else f"{value:.15g}"
        return shown + "%" * percent
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
