"""Turns on a terminal: the rows around an answer with its cells marked, values, groups, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from denota.app.terminal.text import visible
from denota.conversation.turn import Pair, Turn
from denota.programs.denotation import Value, value_text
from denota.programs.operators import AGGREGATES
from denota.tables.table import Table

WIDEST: Final = 24
"""Letters of a cell that are shown in a row."""
LONGEST: Final = 400
"""Letters of a program or sentence that are shown."""
LONGEST_SQL: Final = 20_000
"""Letters of SQL that are shown: all of it, for it is there to be pasted."""


def show_turn(
    table: Table, turn: Turn, console: Console, rows: int = 12, echo: bool = True
) -> None:
    """Print a turn: the question, the rows of the answer with its cells marked, and why.

    Args:
        table: what the turn is about.
        turn: what to show.
        console: where to show it.
        rows: how many rows at most.
        echo: whether to print the question, which on a terminal stands there already.
    """
    if echo:
        console.print(Text(f"› {visible(turn.question)}", "bold"))
    if turn.declined:
        console.print(Text(visible(turn.explanation) + "\n", "yellow"))
        return
    if turn.cells:
        console.print(_marked(table, turn, console.width, rows))
    if 0 < len(turn.answer) <= 3 and not turn.computed:
        for text in turn.answer:
            if len(text) > WIDEST - 2:  # was cut in its row
                console.print(Text(visible(text, 2000), "green"))
    if not turn.answer:
        console.print(Text("nothing", "yellow"))
    elif turn.kind == "groups":
        console.print(_by_group(turn, rows))
    elif turn.computed:
        shown = ", ".join(visible(text, LONGEST) for text in shown_answer(turn)[:rows])
        more = len(turn.values) - rows
        console.print(Text(shown + (f" and {more:,} more" if more > 0 else ""), "bold green"))
    said = Text(visible(turn.explanation, LONGEST), "italic")
    if turn.program != turn.question:  # of a written program there is no more to say
        said.append(f" {turn.confidence:.0%} sure." if turn.sure else "", "not italic dim")
        said.append(f"\n{visible(turn.program, LONGEST)}", "not italic cyan")
    console.print(said)
    if turn.sql:
        console.print(Text(visible(turn.sql, LONGEST_SQL), "dim"), soft_wrap=True)
    console.print()


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


def _by_group(turn: Turn, most: int) -> Grid:
    """Groups and their values, in two columns."""
    program = turn.tree
    assert program is not None and program.aggregate is not None
    computed = AGGREGATES[AGGREGATES[program.aggregate].per or program.aggregate].keyword.lower()
    name, *of = program.columns
    grid = Grid(box=None, header_style="bold cyan", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(Text(visible(name, WIDEST)), no_wrap=True)
    grid.add_column(Text(visible(" of ".join((computed, *of)), WIDEST)), justify="right")
    pairs = [value for value in turn.values if isinstance(value, tuple)]
    for group, value in pairs[:most]:
        shown = "none" if value is None else _shown(value)
        grid.add_row(Text(visible(group, WIDEST), "bold green"), Text(shown, "bold green"))
    if len(pairs) > most:
        grid.add_row(Text(f"{len(pairs) - most:,} more", "dim"), "")
    return grid


def _marked(table: Table, turn: Turn, width: int, most: int) -> Grid:
    """Return the rows of the answer with its cells highlighted.

    Shown are the answer's columns, those the program looks at, and as many others as fit.
    """
    rows = sorted({row for row, _ in turn.cells})
    shown = _shown_columns(table, turn, rows[:most], width)
    grid = Grid(box=None, header_style="bold cyan", pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("row", justify="right", style="dim", no_wrap=True)
    for column in shown:
        grid.add_column(Text(visible(table.names[column], WIDEST)), no_wrap=True)
    cells = set(turn.cells)
    for row in rows[:most]:
        texts = (
            Text(
                f"[{visible(table.cell(row, column), WIDEST - 2)}]"
                if (row, column) in cells
                else visible(table.cell(row, column), WIDEST),
                "bold green" if (row, column) in cells else "dim",
            )
            for column in shown
        )
        grid.add_row(str(row), *texts)
    if len(rows) > most:
        grid.add_row("…", Text(f"{len(rows) - most:,} more rows", "dim"))
    return grid


def _shown_columns(table: Table, turn: Turn, rows: Sequence[int], width: int) -> list[int]:
    """The columns that fit, those that matter first, in the order of the table."""
    answered = {column for _, column in turn.cells}
    tested = {table.names.index(name) for name in _tested(turn) if name in table.names}
    order = [*sorted(answered), *sorted(tested - answered), *range(len(table.columns))]
    left = width - 2 - max(3, *(len(str(row)) for row in rows))
    shown: list[int] = []
    for column in dict.fromkeys(order):
        texts = [table.names[column], *(table.cell(row, column) for row in rows)]
        needed = min(WIDEST, max(len(text[:WIDEST]) for text in texts)) + 4
        if needed <= left or not shown:
            shown.append(column)
            left -= needed
        elif column not in answered | tested:
            break
    return sorted(shown)


def _tested(turn: Turn) -> set[str]:
    """The names of the columns that a turn's program looks at."""
    tests = turn.tree.tests if turn.tree is not None else ()
    return {test.column for test in tests if test.column is not None}
