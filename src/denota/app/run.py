"""`denota run`: written programs executed as a conversation over a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from denota.app.terminal import visible
from denota.programs.denotation import Denotation, Value
from denota.programs.english import say
from denota.programs.execute import execute
from denota.programs.operators import AGGREGATES
from denota.programs.sql import Query, to_sql
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program
from denota.tables.table import Table

Kind = Literal["cells", "value", "groups", "none", "declined"]
"""What an answer is: cells, values, a value for each group, that there is none, or that there is no answer."""
Pair = tuple[str, Value | None]
"""A group and its value, None where nothing can be computed of it."""


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation: what was asked, the answer, and why."""

    question: str
    answer: tuple[str, ...]
    """The texts of the answer cells, or of the values; of groups `group: value`."""
    cells: tuple[tuple[int, int], ...]
    """(row, column) of the answer cells, row 0 the first data row; of values the cells they come from."""
    program: str
    sql: str
    explanation: str
    confidence: float = 1.0
    sure: bool = True
    kind: Kind = "cells"
    values: tuple[Value | Pair, ...] = ()
    """What was computed: numbers, yes or no, texts, or groups with their value; nothing where the answer is cells."""
    reason: str = ""
    """Why it was declined."""
    table: Table | None = field(default=None, repr=False, compare=False)
    """What it is about."""
    source: Any = field(default=None, repr=False, compare=False)
    """What the table was made of: a data frame, or the name of a file."""

    def as_json(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "question": self.question,
            "kind": self.kind,
            "answer": list(self.answer),
            "values": [
                [value[0], plain_number(value[1])]
                if isinstance(value, tuple)
                else plain_number(value)
                for value in self.values
            ],
            "cells": [list(cell) for cell in self.cells],
            "program": self.program,
            "sql": self.sql,
            "explanation": self.explanation,
            "confidence": self.confidence,
            "sure": self.sure,
            "reason": self.reason,
        }

    @property
    def declined(self) -> bool:
        """Whether it was not answered; `reason` says why."""
        return self.kind == "declined"

    @property
    def computed(self) -> bool:
        """Whether the answer is values computed of the cells, and not the cells."""
        return bool(self.values)

    @property
    def items(self) -> tuple[Value, ...]:
        """Its values in a row, each group before its own, as data for training has them."""
        found: list[Value] = []
        for value in self.values:
            for item in value if isinstance(value, tuple) else (value,):
                found.append(math.nan if item is None else item)
        return tuple(found)

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
    values = _values_of(found)
    answer = tuple(map(value_text, values))
    if found.values is None:
        answer = tuple(table.cell(row, column) for row, column in cells)
    kind: Kind = "cells" if found.values is None else "groups" if found.groups else "value"
    columns = tuple(table.names[column] for column in found.columns)
    return Turn(
        text,
        answer,
        cells,
        print_program(program),
        query.sql(),
        say(program, columns),
        confidence,
        sure,
        kind if answer else "none",
        values,
        table=table,
    )


def _values_of(found: Denotation) -> tuple[Value | Pair, ...]:
    """What was computed, as a turn has it."""
    values = found.values or ()
    if not found.groups:
        return values
    known = (None if value != value else value for value in values)  # NaN: no number in the group
    return tuple(zip(found.groups, known, strict=True))


def value_text(value: Value | Pair) -> str:
    """Return a value as text, a number with 12 digits at most unless it is a whole one.

    >>> [value_text(value) for value in (0.1 + 0.2, 4.0, True, "Oslo", ("Oslo", 2.5), ("Moss", None))]
    ['0.3', '4', 'yes', 'Oslo', 'Oslo: 2.5', 'Moss: none']
    """
    if isinstance(value, tuple):
        return f"{value[0]}: {'none' if value[1] is None else value_text(value[1])}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    whole = plain_number(value)
    return str(whole) if isinstance(whole, int) else f"{value:.12g}"


def plain_number(value: Value | None) -> str | int | float | bool | None:
    """Return a value for JSON: a whole number as such.

    >>> plain_number(4.0), plain_number(0.5), plain_number(True), plain_number(1e300)
    (4, 0.5, True, 1e+300)
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def shown_answer(turn: Turn) -> tuple[str, ...]:
    """Return an answer as people read it: computed numbers with commas, and no more decimals than tell something.

    >>> shown_answer(Turn("", ("1234567.891234",), (), "SUM (SELECT Cost)", "", "", values=(1234567.891234,)))
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


def pointed_turn(
    text: str, table: Table, cells: Iterable[tuple[int, int]], query: Query, sentence: str
) -> Turn:
    """Return the turn of a question whose answer a person pointed at, and that no program gives."""
    own = tuple(sorted(cells))
    answer = tuple(table.cell(row, column) for row, column in own)
    return Turn(text, answer, own, "", query.sql(), sentence, table=table)


def told_turn(text: str, table: Table, values: Sequence[Value], sentence: str) -> Turn:
    """Return the turn of a question whose answer a person said in values, and that no program gives."""
    answer = tuple(map(value_text, values))
    kind: Kind = "value" if values else "none"
    return Turn(text, answer, (), "", "", sentence, kind=kind, values=tuple(values), table=table)


def declined_turn(text: str, sentence: str) -> Turn:
    """Return the turn of a question that cannot be answered, with the reason."""
    return Turn(text, (), (), "", "", sentence, 0.0, False, "declined", reason=sentence)


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
        console.print(Text(visible(turn.sql, 4 * LONGEST), "dim"))
    console.print()


def _by_group(turn: Turn, most: int) -> Grid:
    """Groups and their values, in two columns."""
    program = parse_program(turn.program)
    assert program.aggregate is not None
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
