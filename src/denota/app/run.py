"""`denota run`: written programs executed as a conversation over a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from denota.app.terminal import visible
from denota.programs.denotation import Denotation
from denota.programs.english import say
from denota.programs.execute import execute
from denota.programs.operators import AGGREGATES
from denota.programs.sql import Query, to_sql
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program
from denota.tables.table import Table

_COMPUTED: Final = frozenset(aggregate.keyword for aggregate in AGGREGATES.values())


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation: what was asked, the answer, and why."""

    question: str
    answer: tuple[str, ...]
    """The texts of the answer cells, or the one value computed from them."""
    cells: tuple[tuple[int, int], ...]
    """(row, column) of the answer cells, row 0 the first data row."""
    program: str
    sql: str
    explanation: str
    confidence: float = 1.0
    sure: bool = True
    table: Table | None = field(default=None, repr=False, compare=False)
    """What it is about."""
    source: Any = field(default=None, repr=False, compare=False)
    """What the table was made of: a data frame, or the name of a file."""

    def as_json(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "question": self.question,
            "answer": list(self.answer),
            "cells": [list(cell) for cell in self.cells],
            "program": self.program,
            "sql": self.sql,
            "explanation": self.explanation,
            "confidence": self.confidence,
            "sure": self.sure,
        }

    @property
    def declined(self) -> bool:
        """Whether it was not answered; `explanation` says why."""
        return not self.program and not self.cells

    @property
    def computed(self) -> bool:
        """Whether the answer is a value computed of the cells."""
        return self.program.partition(" (")[0] in _COMPUTED

    def frame(self) -> Any:
        """Return the answer's rows and columns as a data frame: a slice of the one that was asked about, else one of pandas."""
        from denota.app.frame import slice_of

        return slice_of(self.table, self.source, self.cells)


def run_programs(table: Table, texts: Sequence[str]) -> Iterator[Turn]:
    """Execute programs one after another, each with the answer before it as context."""
    previous: Denotation | None = None
    before: Query | None = None
    for text in texts:
        program = parse_program(text)
        previous = execute(program, table, previous)
        before = to_sql(program, table, before)
        yield turn_of(text, table, program, previous, before)


def turn_of(
    text: str,
    table: Table,
    program: Program,
    found: Denotation,
    query: Query,
    confidence: float = 1.0,
    sure: bool = True,
) -> Turn:
    """Return the turn of a program and what it means on a table."""
    cells = tuple(sorted(found.cells))
    answer = tuple(table.cell(row, column) for row, column in cells)
    if program.aggregate is not None:
        answer = (f"{found.value:.15g}",) if found.value is not None else ()
    columns = tuple(table.names[column] for column in found.columns)
    explanation = say(program, columns)
    written = print_program(program)
    return Turn(text, answer, cells, written, query.sql(), explanation, confidence, sure, table)


def shown_answer(turn: Turn) -> tuple[str, ...]:
    """Return an answer as people read it: a computed number with commas, and no more decimals than tell something.

    >>> shown_answer(Turn("", ("1234567.891234",), (), "SUM (SELECT Cost)", "", ""))
    ('1,234,567.8912',)
    """
    if not turn.computed or not turn.answer:
        return turn.answer
    value = float(turn.answer[0])
    if abs(value) >= 1e15 or 0 < abs(value) < 0.01:
        return (f"{value:.6g}",)
    return (f"{value:,.4f}".rstrip("0").rstrip("."),)


def pointed_turn(
    text: str, table: Table, cells: Iterable[tuple[int, int]], query: Query, sentence: str
) -> Turn:
    """Return the turn of a question whose answer a person pointed at, and that no program gives."""
    own = tuple(sorted(cells))
    answer = tuple(table.cell(row, column) for row, column in own)
    return Turn(text, answer, own, "", query.sql(), sentence, table=table)


def declined_turn(text: str, sentence: str) -> Turn:
    """Return the turn of a question that cannot be answered, with the reason."""
    return Turn(text, (), (), "", "", sentence, 0.0, False)


def show_turn(
    table: Table, turn: Turn, console: Console, rows: int = 12, echo: bool = True
) -> None:
    """Print a turn: the question, the table's rows around the answer with its cells marked, and why.

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
    elif turn.computed:
        console.print(Text(shown_answer(turn)[0], "bold green"))
    said = Text(visible(turn.explanation, LONGEST), "italic")
    if turn.program != turn.question:  # of a written program there is no more to say
        said.append(f" {turn.confidence:.0%} sure." if turn.sure else "", "not italic dim")
        said.append(f"\n{visible(turn.program, LONGEST)}", "not italic cyan")
    console.print(said)
    console.print(Text(visible(turn.sql, 4 * LONGEST), "dim"))
    console.print()


def _marked(table: Table, turn: Turn, width: int, most: int) -> Grid:
    """The rows of the answer, its cells highlighted: the answer's columns, those the program looks at, and as many others as fit."""
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
    tested = {table.names.index(name) for name in _tested(turn.program) if name in table.names}
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


def _tested(program: str) -> set[str]:
    """The names of the columns that a program looks at."""
    if not program:
        return set()
    return {test.column for test in parse_program(program).tests if test.column is not None}


WIDEST: Final = 24
"""Letters of a cell that are shown in a row."""
LONGEST: Final = 400
"""Letters of a program, sentence or query that are shown."""
