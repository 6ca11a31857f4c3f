"""What the property tests draw: texts, rectangles of text, written numbers and written dates."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Final

from hypothesis import strategies as st

#: Characters that readers of delimited text stumble over, drawn more often than chance would.
AWKWARD: Final = "\"',;|\t\n\r \u00a0\u2028\u0085\x0b\x0c\ufeff\\#-[]{}"

texts: Final = st.text(
    st.one_of(
        st.sampled_from(AWKWARD),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=12,
)
"""Any text without NUL and lone surrogates."""


@st.composite
def rectangles(
    draw: st.DrawFn, cells: st.SearchStrategy[str] = texts, max_columns: int = 4, max_rows: int = 6
) -> list[list[str]]:
    """Rows of equal length, at least one of each."""
    width = draw(st.integers(1, max_columns))
    row = st.lists(cells, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=max_rows))


#: Cells of the kinds that meet in one column of a real table, for columns that are hard to decide.
PLAUSIBLE: Final = """
12 | 7 | 1,234 | 1.234 | 1.234,56 | 0.5 | 2,5 | (2) | -3 | −3 | +3 | E | 007 | 3rd | 14* | 12[a]
12% | $5.2 million | $640,000 | €12 | 12 km | 5'11" | 6 ft 2 in | 1:23.45 | 2h 35m | 45m | 30s
10-15 | 18 to 24 | 3-1 | 1993 | 1993-94 | 2225 | 1993-05 | 1999-2000 | 1990s
May 17, 1993 | 17 May | 1993-05-17 | 3/4/1993 | 13/4/1993 | 4/13/1993
31 April 1993 | May | June 1994
1993-05-17T13:45:00 | 03.04.1993 | Monday 3 June 2002 | - | n/a | ? | unknown
Oslo | Apollo 11 | 49ers | yes | DNF | inf | nan | 1_000 | 0x1F
"""

plausible_cells: Final = st.sampled_from(
    ["", *(cell for line in PLAUSIBLE.strip().splitlines() for cell in line.split(" | "))]
)

plausible_columns: Final = st.lists(plausible_cells, min_size=1, max_size=12)

odd_columns: Final = st.lists(
    st.one_of(
        texts,
        plausible_cells,
        st.text(st.sampled_from("0123456789.,-−–/:' \u00a0$€%()[]*+eE½²٣\uff13年"), max_size=14),
        st.text(max_size=8),
    ),
    max_size=8,
)
"""Columns of any Unicode text (lone surrogates too), and near misses of numbers and dates."""


def swapped(text: str) -> str:
    """Write points for commas and commas for points."""
    return text.translate(str.maketrans(",.", ".,"))


#: How a number with two decimals may be written; each is the only reading of a column written so
#: throughout.
NUMBER_STYLES: Final[dict[str, Callable[[float], str]]] = {
    "plain": lambda value: f"{value:.2f}",
    "thousands": lambda value: f"{value:,.2f}",
    "decimal comma": lambda value: swapped(f"{value:,.2f}"),
    "decimal comma, spaces": lambda value: f"{value:,.2f}".replace(",", " ").replace(".", ","),
    "no-break spaces": lambda value: f"{value:,.2f}".replace(",", "\u00a0"),
    "thin spaces": lambda value: f"{value:,.2f}".replace(",", "\u2009"),
    "real minus": lambda value: f"{value:,.2f}".replace("-", "−"),
    "always a sign": lambda value: f"{value:+,.2f}",
    "percent": lambda value: f"{value:,.2f}%",
    "dollars": lambda value: f"{'-' * (value < 0)}${abs(value):,.2f}",
    "euros after": lambda value: f"{swapped(f'{value:,.2f}')} €",
    "brackets for minus": lambda value: f"({-value:,.2f})" if value < 0 else f"{value:,.2f}",
    "with a unit": lambda value: f"{value:,.2f} km",
    "footnotes": lambda value: f"{value:,.2f}[a]",
    "fullwidth": lambda value: f"{value:.2f}".translate({48 + d: 0xFF10 + d for d in range(10)}),
}

two_decimals: Final = st.integers(-(10**11), 10**11).map(lambda cents: cents / 100)
whole_numbers: Final = st.integers(-(10**9) + 1, 10**9 - 1)

dates: Final = st.dates(datetime.date(1700, 1, 1), datetime.date(2099, 12, 31))

#: How a date may be written, with cells that leave no doubt about the order of day and month.
DATE_STYLES: Final[dict[str, tuple[str, list[str]]]] = {
    "ISO": ("%Y-%m-%d", []),
    "American": ("%B %-d, %Y", []),
    "British": ("%-d %B %Y", []),
    "abbreviated": ("%d-%b-%Y", []),
    "weekday": ("%A, %-d %B %Y", []),
    "weekday, American": ("%a %b %-d, %Y", []),
    "month first": ("%-m/%-d/%Y", ["12/25/1901"]),
    "day first": ("%d/%m/%Y", ["25/12/1901"]),
    "points": ("%d.%m.%Y", ["25.12.1901"]),
    "year first": ("%Y/%m/%d", []),
}
