"""What an engine takes a column to be: the type it is stored with, or that of a file's texts.

DuckDB's `read_csv` decides the types of a file by its cells; the same is decided here.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Final

from denota.tables.column import Column
from denota.tables.stored import StoredKind
from denota.tables.table import Table


def kinds_of(table: Table) -> tuple[StoredKind, ...]:
    """Return what the engine that has a table takes each of its columns to be."""
    if table.stored is not None:
        return tuple(column.kind for column in table.stored.columns)
    if table.kinds:
        return table.kinds
    return _sniffed([_cells(column) for column in table.columns])


def _sniffed(columns: Sequence[Sequence[str]]) -> tuple[StoredKind, ...]:
    """What DuckDB's `read_csv` makes of columns: the first of dates decides how a file writes them.

    It then takes others for dates if they are written alike, for timestamps if they are ISO's.
    """
    found: list[StoredKind] = []
    written = ""
    for texts in columns:
        kind = _kind(texts)
        forms = ["iso"] if kind == "date" else _date_forms(texts) if kind == "text" else []
        if forms and not written:
            written = forms[0]
        if kind == "date" and written != "iso":
            kind = "timestamp"
        elif forms and written in forms:
            kind = "date"
        found.append(kind)
    return tuple(found)


def _cells(column: Column) -> list[str]:
    return [text for text in column.values if text]


def _kind(texts: Sequence[str]) -> StoredKind:
    if not texts:
        return "text"
    if all(text.casefold() in _TRUTH for text in texts):
        return "boolean"
    first = texts[0].strip()
    if not first or not (first[0] in "-.+nN" or first[0].isdigit()):
        return "text"
    if all(map(_NUMBER.fullmatch, texts)):
        return "number"
    if all(map(_TIME.fullmatch, texts)):
        return "time"
    if all(map(_is_date, texts)):
        return "date"
    return "timestamp" if all(map(_is_moment, texts)) else "text"


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text.strip())
    return found is not None and _exists(found[1], found[3], found[4])


def _is_moment(text: str) -> bool:
    found = _MOMENT.fullmatch(text.strip())
    return found is not None and _exists(found[1], found[2], found[3])


def _exists(year: str, month: str, day: str) -> bool:
    try:
        datetime.date(int(year), int(month), int(day))
    except ValueError:
        return False
    return True


def _date_forms(texts: Sequence[str]) -> list[str]:
    """Return the forms that all texts have as dates such as 17/05/1993, the day first if it can."""
    found = [_NUMERIC_DATE.fullmatch(text) for text in texts]
    parts = [one.groups() for one in found if one is not None]
    if not parts or len(parts) < len(texts) or len({mark for _, mark, _, _ in parts}) > 1:
        return []
    if len({len(year) for *_, year in parts}) > 1:
        return []
    forms = []
    for first in ("day", "month"):
        if all(_exists(y, *((b, a) if first == "day" else (a, b))) for a, _, b, y in parts):
            forms.append(f"{first}{parts[0][1]}{len(parts[0][3])}")
    return forms


_TRUTH: Final = frozenset(("true", "false", "t", "f", "yes", "no"))
_NUMBER: Final = re.compile(
    r"\A\s*(?:-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan)\s*",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?")
_DATE: Final = re.compile(r"([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})")
_MOMENT: Final = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})[T ](?:[01]?[0-9]|2[0-3]):[0-5][0-9]"
    r"(?::[0-5][0-9](?:\.[0-9]+)?)?"
)
_NUMERIC_DATE: Final = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
