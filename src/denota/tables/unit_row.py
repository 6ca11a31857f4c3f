"""A row of units between the header and the table: `km²` below `Area`."""

from __future__ import annotations

import re
from typing import Final

from denota.tables.cell_text import is_missing
from denota.tables.grid import Grid, filled, is_value, value_columns
from denota.tables.numbers import KNOWN_UNITS, SCALE_WORDS


def are_units(grid: Grid, position: int) -> bool:
    """Say whether a row gives the units of the columns above it, and is no row of the table.

    >>> are_units(Grid([["Town", "Area"], ["", "km2"], ["Oslo", "454"]], [1, 2, 3]), 1)
    True
    """
    if position + 1 >= len(grid.rows) or position in grid.gaps:
        return False
    row = grid.rows[position]
    values = value_columns(grid.rows[position + 1 :], len(row))
    places = [place for place in filled(row) if not is_missing(row[place].strip())]
    if places and row[places[0]].strip().lower().rstrip(":") in ("unit", "units"):
        places = places[1:]
    cells = [row[place].strip() for place in places]
    rest = cells[1:]
    clear = len(rest) > 2 or all(map(_BRACKETED.fullmatch, rest))
    if rest and places[0] not in values and all(map(is_unit, rest)) and clear:
        places, cells = places[1:], rest  # the first says what the labels are
    known = sum(map(is_unit, cells))
    return (
        known > 0
        and 2 * known >= len(cells)
        and all(place in values for place in places)
        and all(len(text) <= _LONG_UNIT and ("=" in text or not is_value(text)) for text in cells)
    )


def is_unit(text: str) -> bool:
    """Say whether a text is a unit that is known, or anything in brackets.

    >>> [is_unit(text) for text in ("km²", "(persons)", "%", "million", "Oslo")]
    [True, True, True, True, False]
    """
    if _BRACKETED.fullmatch(text):
        return True
    plain = text.lower().rstrip(".")
    known = {plain, plain.removesuffix("s"), *plain.split(" ")[:1]}
    return not known.isdisjoint(KNOWN_UNITS | SCALE_WORDS | _MORE_UNITS) and len(plain) > 0


_LONG_UNIT: Final = 20
_BRACKETED: Final = re.compile(r"\([^()]{1,18}\)|\[[^\[\]]{1,18}\]")
_MORE_UNITS: Final = frozenset(
    "°c °f c° kwh mwh gwh usd gbp eur million billion thousand persons people number count ratio"
    " s sec l litre liter kg/m3 m3 m³ tonnes tons hectares pcs pieces index degrees deg pa kpa hpa"
    " v w a hz kb mb gb tb ppm mg ml dollars euros pounds no nos n #".split()
)
