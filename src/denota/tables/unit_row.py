"""A row of units between the header and the table: `km²` below `Area`."""

from __future__ import annotations

import re
from typing import Final

from denota.tables.cell_text import is_missing
from denota.tables.grid import Grid, cell_at, filled, is_value, value_columns
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
    clear = len(rest) > 2 or all(_BRACKETED.fullmatch(text) or "/" in text for text in rest)
    if rest and places[0] not in values and all(map(is_unit, rest)) and clear:
        places, cells = places[1:], rest  # the first says what the labels are
    known = sum(map(is_unit, cells))
    if not cells or not all(place in values for place in places):
        return False
    if any(len(text) > _LONG_UNIT for text in cells):
        return False
    if _stands_in_for_units(grid, position, places):
        return True
    plain = all("=" in text or not is_value(text) for text in cells)
    return plain and known > 0 and 2 * known >= len(cells)


def _stands_in_for_units(grid: Grid, position: int, places: list[int]) -> bool:
    """Say whether a row without a label has short texts above numbers that no row below repeats.

    So units that nobody listed (`NTU`) are told from codes among the numbers (`DNF`).
    """
    row, below = grid.rows[position], grid.rows[position + 1 : position + 1 + _LOOK]
    labels = [column for column in range(len(below[0])) if not cell_at(row, column)]
    if len(below) < 2 or not any(all(cell_at(r, c) for r in below) for c in labels):
        return False
    for place in places:
        text = cell_at(row, place)
        if not (is_unit(text) or _SHORT.fullmatch(text) or _SCALED.fullmatch(text)):
            return False
        others = [cell_at(other, place) for other in below]
        if text in others or sum(map(is_value, filter(None, others))) < 2:
            return False
    alone = len(value_columns(below, len(row)) - {labels[0]}) == 1
    return len(places) > 1 or alone or is_unit(cell_at(row, places[0]))


def is_unit(text: str) -> bool:
    """Say whether a text is a unit that is known or composed of such, or anything in brackets.

    >>> [is_unit(text) for text in ("km²", "(persons)", "%", "million", "µg/L", "Oslo")]
    [True, True, True, True, True, False]
    """
    if _BRACKETED.fullmatch(text):
        return True
    if _is_composed(text):
        return True
    plain = text.lower().rstrip(".")
    known = {plain, plain.removesuffix("s"), *plain.split(" ")[:1]}
    return not known.isdisjoint(KNOWN_UNITS | SCALE_WORDS | _MORE_UNITS) and len(plain) > 0


def _is_composed(text: str) -> bool:
    """Say whether a text is units with prefixes and powers, one per another: `PJ`, `W/m²`."""
    parts = _BETWEEN.split(text.translate(_ONE_MICRO))
    return len(text) > 1 and all(map(_PREFIXED.fullmatch, parts))


_LONG_UNIT: Final = 20
_LOOK: Final = 12
_SHORT: Final = re.compile(
    r"[^\W\d_][\w%°²³/.·\-]{0,9}(?: [\w%°²³/.·\-]{1,10})?|[%‰$£€¥#°][\w/]{0,4}"
)
_SCALED: Final = re.compile(r"(?:10{1,6}|1[ ,.']000(?:[ ,.']000)?|'?0{3}s?|10\^\d)(?: \S{1,12})?")
"""`1000 t`, `'000`."""
_ONE_MICRO: Final = str.maketrans("μ", "µ")
_BETWEEN: Final = re.compile(r" per |[/·*]|(?<=\w) (?=\w)")
_PREFIXED: Final = re.compile(
    r"(?:[munpkMGTPhcdµ]|da)?(?:m|g|s|A|K|mol|J|W|Wh|VA|V|Pa|Hz|L|l|t|bar|eV|N|F|Ω|S|cal|Bq|Gy|Sv|lm|lx|eq)"
    r"(?:\^?-?[1-4]|[²³⁴]|⁻[¹²³])?|ha|h|d|a|yr|min|°[CF]|100|1000|capita|person"
)
_BRACKETED: Final = re.compile(r"\([^()]{1,18}\)|\[[^\[\]]{1,18}\]")
_MORE_UNITS: Final = frozenset(
    "°c °f c° kwh mwh gwh usd gbp eur million billion thousand persons people number count ratio"
    " s sec l litre liter kg/m3 m3 m³ tonnes tons hectares pcs pieces index degrees deg pa kpa hpa"
    " v w a hz kb mb gb tb ppm mg ml dollars euros pounds no nos n #".split()
)
