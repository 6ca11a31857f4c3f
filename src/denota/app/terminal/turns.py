"""Turns on a terminal: how a question was understood, the answer at a glance, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from denota.app.terminal.text import visible
from denota.conversation.plot import Plot, text
from denota.conversation.plotted import RANKED
from denota.conversation.turn import Pair, Turn
from denota.conversation.view import IN_HEADLINE, View, view_of
from denota.programs.denotation import Value, value_text

WIDEST: Final = 24
"""Letters of a cell that are shown in a row."""
LONGEST: Final = 400
"""Letters of a program or sentence that are shown."""
LONGEST_HEADLINE: Final = 2_000
LONGEST_SQL: Final = 20_000
"""Letters of SQL that are shown: all of it, for it is there to be pasted."""
COUNTED: Final = 6
"""Repeated values whose counts are shown."""
PLOTTED: Final = 12
"""Bars of a plot that are shown."""
WIDEST_PLOT: Final = 72
"""Letters of a line of a plot."""


def show_turn(turn: Turn, console: Console, echo: bool = True) -> None:
    """Print a turn: how it was understood, the answer with the rows it stands in, and why.

    Args:
        turn: what to show.
        console: where to show it.
        echo: whether to print the question, which on a terminal stands there already.
    """
    if echo:
        console.print(Text(f"› {visible(turn.question)}", "bold"))
    if turn.declined:
        console.print(Text(visible(turn.explanation) + "\n", "yellow"))
        return
    if turn.asks_back:
        console.print(Text(visible(turn.explanation, LONGEST), "yellow"))
        return
    said = Text(visible(turn.explanation, LONGEST), "italic")
    written = turn.program == turn.question
    if not written:  # of a written program there is no doubt
        sure = (
            f" {turn.confidence:.0%} sure." if turn.sure else f" Not sure ({turn.confidence:.0%})."
        )
        said.append(sure, "not italic dim" if turn.sure else "not italic yellow")
    console.print(said)
    for part in _answer(turn, view_of(turn), console.width):
        console.print(part)
    if not written and turn.program:
        console.print(Text(visible(turn.program, LONGEST), "cyan"))
    if turn.sql:
        console.print(Text(visible(turn.sql, LONGEST_SQL), "dim"), soft_wrap=True)
    console.print()


def _answer(turn: Turn, view: View, width: int) -> Iterable[Text | Grid]:
    """The headline, and below it what is needed to believe it."""
    few = 0 < len(view.counts) <= IN_HEADLINE and view.total == sum(n for _, n in view.counts)
    headline = _counted(view) if few else visible(view.headline, LONGEST_HEADLINE)
    yield Text(headline, "bold green" if turn.answer else "yellow")
    if view.counts and not few:
        yield Text(_counted(view), "green")
    if turn.shape == "groups" and view.plot is not None:
        yield from _plotted(view.plot, view.total, width)
        return
    if view.rows:
        yield _rows(view, width)
        more = view.total - len(view.rows)
        if more > 0:
            yield Text(f"and {more:,} more", "dim")
    if view.note:
        yield Text(view.note, "yellow")
    step = turn.tree.then if turn.tree is not None else None
    if view.plot is not None and (turn.computed or (step is not None and step.operator in RANKED)):
        yield from _plotted(view.plot, len(view.plot.labels), width)


def _counted(view: View) -> str:
    """Repeated values with how often they occur."""
    shown = ", ".join(
        visible(text, LONGEST) + (f" ×{count:,}" if count > 1 else "")
        for text, count in view.counts[:COUNTED]
    )
    more = len(view.counts) - COUNTED
    return shown + (" …" if more > 0 else "")


def _plotted(plot: Plot, total: int, width: int) -> Iterable[Text]:
    most = PLOTTED if plot.kind != "line" else len(plot.labels)
    labels = tuple(visible(label, WIDEST) for label in plot.labels[:most])
    drawn = replace(plot, labels=labels, values=plot.values[:most])
    yield Text(visible(plot.title, LONGEST), "bold cyan")
    yield Text(text(drawn, min(width, WIDEST_PLOT)))
    if total > most:
        yield Text(f"and {total - most:,} more", "dim")


def _rows(view: View, width: int) -> Grid:
    """The first rows, with the cells of the answer in brackets; as many columns as fit."""
    grid = Grid(box=None, header_style="bold cyan", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("row", justify="right", style="dim", no_wrap=True)
    shown = _that_fit(view, width)
    for place in shown:
        grid.add_column(Text(visible(view.columns[place], WIDEST)), no_wrap=True)
    for row in view.rows:
        cells = (
            Text(
                f"[{visible(row.cells[place], WIDEST - 2)}]"
                if row.marked[place]
                else visible(row.cells[place], WIDEST),
                "bold green" if row.marked[place] else "",
            )
            for place in shown
        )
        grid.add_row("" if row.row is None else str(row.row), *cells)
    return grid


def _that_fit(view: View, width: int) -> list[int]:
    """The places of columns that fit, the answer's first, in the order of the view."""
    answered = {place for row in view.rows for place, own in enumerate(row.marked) if own}
    order = [*sorted(answered), *(p for p in range(len(view.columns)) if p not in answered)]
    left = width - 2 - max(3, *(len(str(row.row)) for row in view.rows))
    shown: list[int] = []
    for place in order:
        texts = [view.columns[place], *(row.cells[place] for row in view.rows)]
        needed = min(WIDEST, max(len(text[:WIDEST]) for text in texts)) + 4
        if needed <= left or not shown:
            shown.append(place)
            left -= needed
    return sorted(shown)


def shown_answer(turn: Turn) -> tuple[str, ...]:
    """Return an answer as people read it: computed numbers with commas and few decimals.

    >>> program, total = "SUM (SELECT Cost)", 1234567.891234
    >>> shown_answer(Turn("", (str(total),), (), program, "", "", values=(total,)))
    ('1,234,567.8912',)
    """
    return tuple(map(_shown, turn.values)) if turn.values else turn.answer


def _shown(value: Value | Pair) -> str:
    if isinstance(value, tuple):
        return f"{value[0]}: {'none' if value[1] is None else _shown(value[1])}"
    if isinstance(value, bool | str):
        return value_text(value)
    if abs(value) >= 1e15 or 0 < abs(value) < 0.01:
        return f"{value:.6g}"
    return f"{value:,.4f}".rstrip("0").rstrip(".")
