"""Answer coordinates as SQA prints them: a Python list of strings, `['(0, 4)', '(1, 4)']`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from denota.tables.table import Cell


def parse_cells(text: str) -> tuple[Cell, ...] | None:
    """Return the cells of a printed list in the order they are listed, or None where it is not one.

    >>> parse_cells("['(0, 4)', '(1, 4)']")
    ((0, 4), (1, 4))
    >>> parse_cells("__import__('os')") is None
    True
    """
    if _LIST.fullmatch(text.strip()) is None:
        return None
    return tuple((int(row), int(column)) for row, column in _CELL.findall(text))


def print_cells(cells: Iterable[Cell]) -> str:
    """Print cells sorted by row, then column.

    >>> print_cells({(1, 0), (0, 2)})
    "['(0, 2)', '(1, 0)']"
    """
    return "[" + ", ".join(f"'({row}, {column})'" for row, column in sorted(cells)) + "]"


# Nine digits are more than any table has, and keep int() from being handed a megabyte of them.
_CELL: Final = re.compile(r"\(\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*\)")
_ITEM: Final = rf"(?:'{_CELL.pattern}'|\"{_CELL.pattern}\")"
_LIST: Final = re.compile(rf"\[\s*(?:{_ITEM}(?:\s*,\s*{_ITEM})*)?\s*\]")
