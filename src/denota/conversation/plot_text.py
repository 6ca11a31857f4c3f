"""Plots in a terminal: a bar of block letters for each label, or a line of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size

from denota.conversation.numerals import amount

if TYPE_CHECKING:
    from denota.conversation.plot import Plot

MOST_LINES: Final = 30
"""A line over more labels than that is drawn in one row."""


def text(plot: Plot, width: int) -> str:
    """Return a plot as lines of at most so many columns: a label, a bar, its value.

    >>> from denota.conversation.plot import Plot
    >>> print(text(Plot("bar", "Crew", ("Oslo", "Moss"), (4.0, 2.0)), 16))
    Oslo ████████  4
    Moss ████      2
    """
    width = max(width, 12)
    if plot.kind == "line" and len(plot.labels) > MOST_LINES:
        return _spark(plot, width)
    figures = [amount(value, plot.unit) for value in plot.values]
    labels = [" ".join(label.split()) for label in plot.labels]
    named = min(max(map(cell_len, labels), default=0), width // 3)
    figured = min(max(map(len, figures), default=0), width // 3)
    room = width - named - figured - 3
    known = [value for value in plot.values if not math.isnan(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    largest = max(-low, high) or 1.0  # the scale, so that no difference overflows
    low, high = low / largest, high / largest
    minus = round(room * -low / (high - low)) if low < 0 else 0
    lines = []
    for label, value, figure in zip(labels, plot.values, figures, strict=True):
        bar = _bar(value / largest, low, high, minus, room - minus)
        shown = _cut(figure, figured)
        lines.append(f"{_padded(label, named)} {bar}  {' ' * (figured - cell_len(shown))}{shown}")
    return "\n".join(lines)


def _bar(value: float, low: float, high: float, minus: int, plus: int) -> str:
    """A bar from the zero between the columns for negative values and the others."""
    if math.isnan(value) or value == 0:
        return " " * (minus + plus)
    if value < 0:
        length = max(1, round(minus * value / low)) if minus else 0
        return ("█" * length).rjust(minus) + " " * plus
    eighths = max(1, round(8 * plus * value / high)) if plus else 0
    whole, part = divmod(eighths, 8)
    return " " * minus + ("█" * whole + _PARTS[part]).ljust(plus)


def _spark(plot: Plot, width: int) -> str:
    """A row of blocks as high as the values, several values to a block where there are many."""
    values = _gathered(plot.values, width)
    known = [value for value in values if not math.isnan(value)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if low > 0 and low < high / 2:
        low = 0.0
    row = "".join(_level(value, low, high) for value in values)
    half = (width - 3) // 2
    ends = f"{_cut(plot.labels[0], half)} – {_cut(plot.labels[-1], half)}"
    bounds = f"{amount(low, plot.unit)} to {amount(high, plot.unit)}"
    return "\n".join((row, ends, _cut(bounds, width)))


def _gathered(values: Sequence[float], most: int) -> list[float]:
    """Means of neighbours, at most so many."""
    if len(values) <= most:
        return list(values)
    found = []
    for place in range(most):
        part = values[place * len(values) // most : (place + 1) * len(values) // most]
        known = [value for value in part if not math.isnan(value)]
        found.append(math.fsum(known) / len(known) if known else math.nan)
    return found


def _level(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return " "
    return _LEVELS[round((len(_LEVELS) - 1) * (value - low) / (high - low)) if high > low else 0]


def _padded(label: str, width: int) -> str:
    return set_cell_size(_cut(label, width), width)


def _cut(label: str, width: int) -> str:
    label = " ".join(label.split())
    return label if cell_len(label) <= width else set_cell_size(label, max(width - 1, 0)) + "…"


_PARTS: Final = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_LEVELS: Final = "▁▂▃▄▅▆▇█"
