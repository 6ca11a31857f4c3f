"""Rows that sum up others, told from rows that are just called `Total` or `Overall`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from denota.kept import Kept
from denota.programs.index.sum_rows import can_be_summed, sum_rows
from denota.tables.cell_text import normalise
from denota.tables.column import Column
from denota.tables.table import Table

Mask = NDArray[np.bool_]
_TOTALS_OF: Final = Kept[Mask](64)
"""Of the tables asked about last: each question asks for them several times."""


def totals(table: Table) -> Mask:
    """(R,) True for the rows that sum up others.

    >>> towns = [["Oslo", "12"], ["Moss", "5"], ["Total", "17"]]
    >>> totals(Table.from_rows(["Town", "Area"], towns)).tolist()
    [False, False, True]
    >>> towns[2][1] = "7"  # a town of that name
    >>> totals(Table.from_rows(["Town", "Area"], towns)).tolist()
    [False, False, False]
    """
    known = _TOTALS_OF.get(table)
    if known is None:
        known = np.zeros(len(table), dtype=bool)
        for name, texts in total_marks(table).items():
            known |= _rows_with(table[name], texts)
        known.setflags(write=False)
        _TOTALS_OF.put(table, None, known)
    return known


def total_marks(table: Table) -> dict[str, tuple[str, ...]]:
    """Return the texts that mark a row as a total, by the name of their column.

    Such a text says `Total` and nothing else, and its rows can be sums of the others; or it says
    of what (`Total North`), and all its numbers are. Where the numbers show a row to be a sum
    (`sum_rows`), whatever it is called, a text that no other row has marks it.
    """
    summed = sum_rows(table)
    found: dict[str, list[str]] = {}
    for column in table.columns:
        for text in column.values:
            if (
                says_total(text)
                and _sums_up(table, column, text)
                and not _is_also_a_name(table, column, text, summed)
            ) or (_names_total(text) and _is_shown_to_sum(table, column, text)):
                found.setdefault(column.name, []).append(text)
    marked = np.zeros(len(table), dtype=bool)
    for name, texts in found.items():
        marked |= _rows_with(table[name], texts)
    for row in np.flatnonzero(summed & ~marked).tolist():
        for column in sorted(table.columns, key=lambda column: column.kind != "text"):
            text = column.text[row]
            if text.strip() and not np.any(_rows_with(column, [text]) & ~(summed | marked)):
                found.setdefault(column.name, []).append(text)
                marked |= _rows_with(column, [text])
                break
    return {name: tuple(dict.fromkeys(texts)) for name, texts in found.items()}


def says_total(text: str) -> bool:
    """Say whether a text says `Total` and nothing else.

    >>> says_total("Total:"), says_total("Total eclipse")
    (True, False)
    """
    return len(text) < 16 and normalise(text).lower() in _TOTALS


def _names_total(text: str) -> bool:
    """Say whether a text says of what it is the total, or with a word that is often a name."""
    if len(text) >= _LONGEST:
        return False
    words = [word.strip(".,:;()") for word in normalise(text).lower().replace("-", "").split()]
    if len(words) < 2:
        return bool(words) and words[0] in _MAY_SAY_TOTAL
    return not {words[0], words[-1]}.isdisjoint(_TOTAL_OF)


def _is_shown_to_sum(table: Table, column: Column, text: str) -> bool:
    """Say whether one row has a text, and its numbers, two or more, are sums of rows next to it."""
    rows = column.codes == column.values.index(text)
    row = int(np.argmax(rows))
    if rows.sum() > 1:
        return False
    marked = _total_rows(column)
    amounts = [c.numbers for c in table.columns if can_be_summed(c) and c.name != column.name]
    stated = [numbers for numbers in amounts if np.nan_to_num(numbers[row])]
    shown = sum(_is_sum(numbers, marked, row) for numbers in stated)
    return shown == len(stated) > 0 and (shown > 1 or len(table) > 3)


def _sums_up(table: Table, column: Column, text: str) -> bool:
    """Say whether the rows with a text can be sums or means, as far as their numbers tell.

    Among numbers or dates the word is no name. Else the row is one like others if more of its
    numbers are far below the sum of the others than not (in the first and last row, below the
    largest of them), and they are not all means.
    """
    if column.kind != "text":
        return True
    rows = column.codes == column.values.index(text)
    marked = _total_rows(column)
    ends = (0, len(table) - 1)  # where some of the rows may be parts of others, a total stands
    below = above = means = 0
    for other in table.columns:
        if other.kind != "number" or other.unit in ("year", "%"):
            continue
        numbers = other.numbers
        amounts = numbers[~marked & ~np.isnan(numbers)]
        if len(amounts) < 2 or amounts.min() < 0:
            continue
        for row in np.flatnonzero(rows & (np.nan_to_num(numbers) != 0)).tolist():
            least = amounts.max() if row in ends else _LEAST * amounts.sum()
            fits = numbers[row] >= least or _is_sum(numbers, marked, row)
            above, below = above + fits, below + (not fits)
            means += _is_near(float(amounts.mean()), float(numbers[row]))
    return below <= above or means == below + above


def _is_also_a_name(table: Table, column: Column, text: str, summed: Mask) -> bool:
    """Say whether, of rows with one text, some are shown to be sums and the others cannot be."""
    rows = _rows_with(column, [text])
    others = rows & ~summed
    if column.kind != "text" or not np.any(rows & summed) or not np.any(others):
        return False
    amounts = [c.numbers for c in table.columns if can_be_summed(c)]
    return all(
        any(np.any(numbers[~rows] > numbers[row]) for numbers in amounts)
        and not any(_is_sum(numbers, rows, row) for numbers in amounts)
        for row in np.flatnonzero(others).tolist()
    )


def _rows_with(column: Column, texts: Collection[str]) -> Mask:
    """(R,) True where a column has one of some texts."""
    return np.array([text in texts for text in column.values], dtype=bool)[column.codes]


def _total_rows(column: Column) -> Mask:
    """(R,) True where a text says that it is a total."""
    said = [says_total(text) or _names_total(text) for text in column.values]
    return np.array(said, dtype=bool)[column.codes]


def _is_sum(numbers: NDArray[np.float64], marked: Mask, row: int) -> bool:
    """Say whether a number is the sum of all that are not marked, or of those next to it."""
    others = np.where(marked | np.isnan(numbers), 0.0, numbers)
    marks = np.flatnonzero(marked)
    at = int(np.searchsorted(marks, row))
    end = int(marks[at + 1]) if at + 1 < len(marks) else len(numbers)
    # a total of totals goes back over several of them
    starts = [0, *(int(mark) + 1 for mark in marks[max(0, at - _BACK) : at])]
    parts = (others, *(others[start:row] for start in starts), others[row + 1 : end])
    added = [float(part.sum()) for part in parts if np.count_nonzero(part) > 1]
    return any(_is_near(total, float(numbers[row])) for total in added)


def _is_near(total: float, number: float) -> bool:
    return abs(total - number) <= _ROUNDING * abs(total)


_ROUNDING: Final = 0.005
_LEAST: Final = 0.9
"""The share of the sum that a total has at least; it may have more, of rows that are not there."""
_BACK: Final = 12
_LONGEST: Final = 40
_TOTALS: Final = frozenset(
    "total|totals|total:|subtotal|sub-total|sub total|grand total|overall|sum|career total"
    "|career totals|gesamt|gesamt:|insgesamt|gesamtsumme|gesamtergebnis|summe|summe:|zwischensumme"
    "|totaux|total général|sous-total|totaal|totaal:|subtotaal|eindtotaal|totaal-generaal|totales"
    "|total general|totale|totali|subtotale|total geral|totalt".split("|")
)
"""English, German, French, Dutch, Spanish, Italian, Portuguese and Scandinavian."""
_MAY_SAY_TOTAL: Final = frozenset(
    "ensemble zusammen ergebnis endsumme teilsumme somme suma conjunto som samen summa soma".split()
)
"""Words that are names as well, so their numbers must be sums."""
_TOTAL_OF: Final = frozenset(
    "total totals subtotal totaux soustotal ensemble gesamt insgesamt summe zwischensumme"
    " ergebnis gesamtergebnis gesamtsumme totaal subtotaal eindtotaal totales totale"
    " subtotale totalt".split()
)
"""The first or last word of what says of what it is the total."""
