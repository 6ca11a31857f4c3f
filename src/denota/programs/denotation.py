"""Denotations: the meaning of a program on a table, which is cells, values or (group, value)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from denota.tables.table import Cell

Value = str | float | bool
"""A text, a number, or yes or no."""


@dataclass(frozen=True, slots=True)
class Denotation:
    """Some rows of some columns, in table order, and the values computed from them, if any."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    values: tuple[Value, ...] | None = None
    """None where the cells are the answer; empty where nothing can be computed from them."""
    groups: tuple[str, ...] = ()
    """The group of each value, where values are by group."""

    @property
    def cells(self) -> frozenset[Cell]:
        """The cells, `(row, column)`."""
        return frozenset((row, column) for row in self.rows for column in self.columns)

    @property
    def value(self) -> float | None:
        """The number, where the answer is a single one."""
        if self.values is None or len(self.values) != 1 or self.groups:
            return None
        (value,) = self.values
        return value if isinstance(value, float) else None

    def same_as(self, other: Denotation) -> bool:
        """Say whether two denotations answer the same: equal values, or equal cells if none."""
        if (self.values, self.groups) != (other.values, other.groups):
            return False
        if self.rows == other.rows and self.columns == other.columns:
            return True
        if len(self.rows) * len(self.columns) != len(other.rows) * len(other.columns):
            return False  # rows and columns are all different, so cells can be counted
        return self.cells == other.cells

    @staticmethod
    def of_cells(cells: Iterable[Cell]) -> Denotation:
        """Return the smallest denotation that covers the cells: their rows and their columns.

        An answer that a person gave need not be a rectangle (0.5% of SQA's are not); as context it
        is taken as one.
        """
        cells = list(cells)
        rows, columns = {row for row, _ in cells}, {column for _, column in cells}
        return Denotation(tuple(sorted(rows)), tuple(sorted(columns)))


def jaccard(predicted: frozenset[Cell], gold: frozenset[Cell]) -> float:
    """R(y, z) = |A ∩ Z| / |A ∪ Z|, 1 for equal sets (two empty ones too).

    >>> jaccard(frozenset({(0, 0), (1, 0)}), frozenset({(1, 0)}))
    0.5
    """
    union = len(predicted | gold)
    return len(predicted & gold) / union if union else 1.0


def value_text(value: Value | tuple[str, Value | None]) -> str:
    """Return a value as text, a number with 12 digits at most unless it is a whole one.

    >>> [value_text(value) for value in (0.1 + 0.2, 4.0, True, ("Oslo", 2.5), ("Moss", None))]
    ['0.3', '4', 'yes', 'Oslo: 2.5', 'Moss: none']
    """
    if isinstance(value, tuple):
        return f"{value[0]}: {'none' if value[1] is None else value_text(value[1])}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    whole = plain_number(value)
    return str(whole) if isinstance(whole, int) else f"{value:.12g}"


def plain_number(value: Value | None) -> str | int | float | bool | None:
    """Return a value for JSON: a whole number as such.

    >>> plain_number(4.0), plain_number(0.5), plain_number(True), plain_number(1e300)
    (4, 0.5, True, 1e+300)
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value
