"""A picture of numbers as data, to be drawn as SVG or in a terminal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from denota.conversation.plot_svg import svg
from denota.conversation.plot_text import text

MOST_BARS: Final = 30
"""Bars of a plot, at most."""
MOST_POINTS: Final = 400
"""Points of a line, at most."""


@dataclass(frozen=True)
class Plot:
    """What is drawn: a value for each label."""

    kind: Literal["bar", "line", "share"]
    """Bars side by side; a line over time; parts of a whole, in percent."""
    title: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    """NaN where there is none."""
    unit: str = ""
    """Of the values: a currency sign, `%`, `time` (seconds), a word; empty for none."""
    marked: frozenset[int] = frozenset()
    """The places that the answer is among those that are drawn; all of them if empty."""

    def __post_init__(self) -> None:
        """Check that each label has a value, and make what is not finite NaN."""
        if len(self.labels) != len(self.values):
            raise ValueError("a plot has a value for each label")
        known = tuple(value if math.isfinite(value) else math.nan for value in self.values)
        object.__setattr__(self, "values", known)


__all__ = ["MOST_BARS", "MOST_POINTS", "Plot", "svg", "text"]
