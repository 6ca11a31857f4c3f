"""Plots as SVG: one element that stands for itself, on light and on dark ground.

Text has the colour of its surroundings, and bars that of the CSS variable `--plot` if it is set.
There is no script and no style sheet, so that a page may forbid both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from rich.cells import cell_len, set_cell_size

from denota.conversation.numerals import amount

if TYPE_CHECKING:
    from denota.conversation.plot import Plot

WIDTH: Final = 360
BAR: Final = 16
"""The height of a bar."""
STEP: Final = 22
"""From one bar to the next."""
TOP: Final = 28
"""What the title takes."""
LETTER: Final = 6.6
"""The width that a letter is given."""
LONGEST_LABEL: Final = 24
NARROWEST: Final = 80
"""The room that bars have at least, while labels can be cut."""
COLOUR: Final = "var(--plot, #3b7ddd)"


def svg(plot: Plot) -> str:
    """Return a plot as an SVG element."""
    height, drawn = _DRAWN[plot.kind](plot)
    title = _plain(plot.title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot plot-{plot.kind}" role="img"'
        f" aria-label={quoteattr(title)}"
        f' viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="12" fill="currentColor">',
        f"<title>{escape(title)}</title>",
        _text(0, 14, plot.title, most=int(WIDTH / LETTER) - 2, more='font-weight="600"'),
        *drawn,
        "</svg>",
    ]
    return "".join(parts)


def _bars(plot: Plot) -> tuple[int, Iterable[str]]:
    """Bars that lie, one below the other, from a common zero."""
    known = [value for value in plot.values if not math.isnan(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    shown = [amount(value, plot.unit) for value in plot.values]
    below, above = _figures_beside(plot.values, shown)
    longest = min(max(map(cell_len, plot.labels), default=0), LONGEST_LABEL)
    longest = max(min(longest, int((WIDTH - below - above - NARROWEST) / LETTER)), 6)
    left = LETTER * longest + 8 + below
    room = max(WIDTH - left - above, 20.0)
    drawn = []
    for place, (label, value, figure) in enumerate(
        zip(plot.labels, plot.values, shown, strict=True)
    ):
        top = TOP + place * STEP
        middle = top + BAR / 2 + 4
        drawn.append(_text(0, middle, label, most=longest))
        start, end = (_along(one, low, high, left, room) for one in (0.0, value))
        if not math.isnan(value):
            drawn.append(_bar(plot, place, min(start, end), top, abs(end - start), figure))
        else:
            end = start
        negative = value < 0
        anchor = 'text-anchor="end" opacity="0.8"' if negative else 'opacity="0.8"'
        drawn.append(_text(end - 5 if negative else end + 5, middle, figure, more=anchor))
    zero = _along(0.0, low, high, left, room)
    bottom = TOP + len(plot.labels) * STEP - (STEP - BAR)
    drawn.append(
        f'<path d="M{zero:.1f} {TOP - 2}V{bottom + 2}" stroke="currentColor" opacity="0.4"/>'
    )
    return bottom + 6, drawn


def _figures_beside(values: Sequence[float], shown: Sequence[str]) -> tuple[float, float]:
    """The room that the figures of negative bars take on the left, and others on the right."""
    widths = [LETTER * len(figure) + 10 for figure in shown]
    below = [width for value, width in zip(values, widths, strict=True) if value < 0]
    above = [width for value, width in zip(values, widths, strict=True) if not value < 0]
    return max(below, default=0.0), max(above, default=0.0)


def _bar(plot: Plot, place: int, x: float, y: float, width: float, figure: str) -> str:
    faint = bool(plot.marked) and place not in plot.marked
    said = escape(_plain(f"{plot.labels[place]}: {figure}"))
    opacity = ' opacity="0.45"' if faint else ""
    return (
        f'<rect class="plot-bar" x="{x:.2f}" y="{y}" width="{width:.2f}" height="{BAR}" rx="2"'
        f' fill="{COLOUR}"{opacity}><title>{said}</title></rect>'
    )


def _line(plot: Plot) -> tuple[int, Iterable[str]]:
    """A line over the labels, which stand in order; it breaks where a value is missing."""
    known = [value for value in plot.values if not math.isnan(value)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if low > 0 and low < high / 2:
        low = 0.0
    if high < 0 and high > low / 2:
        high = 0.0
    if low == high:
        low, high = low - 1, high + 1
    tall = 150
    marks = [amount(value, plot.unit) for value in (high, low)]
    left = LETTER * max(map(len, marks)) + 10
    room = WIDTH - left - 12
    places = [
        (
            left + room * (number / max(len(plot.values) - 1, 1)),
            TOP + tall - _along(value, low, high, 0.0, tall),
        )
        for number, value in enumerate(plot.values)
    ]
    drawn = []
    for value, figure in zip((high, low), marks, strict=True):
        y = TOP + tall - _along(value, low, high, 0.0, tall)
        drawn.append(f'<path d="M{left:.1f} {y:.1f}H{WIDTH}" stroke="currentColor" opacity="0.2"/>')
        drawn.append(_text(left - 6, y + 4, figure, more='text-anchor="end" opacity="0.8"'))
    path = " ".join(_runs(places))
    drawn.append(
        f'<path class="plot-line" d="{path}" fill="none" stroke="{COLOUR}" stroke-width="2"'
        ' stroke-linejoin="round"/>'
    )
    size = 3 if len(plot.values) <= 60 else 1.5
    for (x, y), label, value in zip(places, plot.labels, plot.values, strict=True):
        if not math.isnan(y):
            said = escape(_plain(f"{label}: {amount(value, plot.unit)}"))
            drawn.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{COLOUR}">'
                f"<title>{said}</title></circle>"
            )
    drawn += _ticks(plot.labels, places, TOP + tall + 18)
    return TOP + tall + 26, drawn


def _runs(places: Sequence[tuple[float, float]]) -> Iterable[str]:
    """The path's steps: to the first of each run of known points, and along it."""
    going = False
    for x, y in places:
        if math.isnan(y):
            going = False
            continue
        yield f"{'L' if going else 'M'}{x:.1f} {y:.1f}"
        going = True


def _ticks(labels: Sequence[str], places: Sequence[tuple[float, float]], y: float) -> Iterable[str]:
    """As many labels as fit below a line, the first and the last among them."""
    wide = LETTER * min(max(map(cell_len, labels), default=1), 14) + 12
    last = len(labels) - 1
    wide *= 1.5  # the first and the last stand beside their points, not below them
    fit = 1 + max(1, int((places[-1][0] - places[0][0]) / wide))
    every = max(1, math.ceil(last / max(fit - 1, 1)))
    for place in range(0, last + 1, every):
        if last - place < every and place != last:
            place = last
        anchor = "start" if place == 0 and last else "end" if place == last and last else "middle"
        yield _text(
            places[place][0],
            y,
            labels[place],
            most=14,
            more=f'text-anchor="{anchor}" opacity="0.8"',
        )


def _shares(plot: Plot) -> tuple[int, Iterable[str]]:
    """Parts of a whole: one bar cut into pieces, and a line of text for each."""
    known = [0.0 if math.isnan(value) else max(value, 0.0) for value in plot.values]
    whole = math.fsum(known) or 1.0
    drawn, x = [], 0.0
    for place, (label, value) in enumerate(zip(plot.labels, known, strict=True)):
        width = WIDTH * value / whole
        strength = 1.0 - 0.75 * place / max(len(known) - 1, 1)
        figure = amount(value, plot.unit)
        said = escape(_plain(f"{label}: {figure}"))
        shade = f'fill="{COLOUR}" opacity="{strength:.2f}"'
        drawn.append(
            f'<rect class="plot-bar" x="{x:.2f}" y="{TOP}" width="{width:.2f}" height="{BAR}"'
            f" {shade}><title>{said}</title></rect>"
        )
        x += width
        y = TOP + BAR + 22 + place * 18
        drawn.append(f'<rect x="0" y="{y - 9}" width="10" height="10" {shade}/>')
        drawn.append(_text(16, y, f"{figure}  {label}", most=int(WIDTH / LETTER) - 4))
    return TOP + BAR + 22 + len(known) * 18 - 8, drawn


def _along(value: float, low: float, high: float, start: float, room: float) -> float:
    """Where a value lies between two others, on a scale that does not overflow."""
    span = high / 2 - low / 2
    return start + (room * ((value / 2 - low / 2) / span) if span else 0.0)


def _text(x: float, y: float, text: str, most: int = 100, more: str = "") -> str:
    shown = _plain(text)
    if cell_len(shown) > most:
        shown = set_cell_size(shown, most - 1).rstrip() + "…"
    return f'<text x="{x:.1f}" y="{y:.1f}"{more and f" {more}"}>{escape(shown)}</text>'


def _plain(text: str) -> str:
    """One line of letters that XML allows."""
    return _NOT_ALLOWED.sub("\ufffd", " ".join(text[:_LONGEST].split()))


_LONGEST: Final = 300
_NOT_ALLOWED: Final = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
"""What XML forbids, and marks that turn the direction of a line."""
_DRAWN: Final = {"bar": _bars, "line": _line, "share": _shares}
