"""A turn of a conversation: what was asked, the answer, the program and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from denota.conversation.about import Scope
from denota.programs.denotation import Denotation, Value, plain_number, value_text
from denota.programs.english import say, time_columns
from denota.programs.sql import Query
from denota.programs.text import print_program
from denota.programs.tree import Program
from denota.tables.table import Table

Shape = Literal["cells", "value", "groups", "none", "declined"]
"""What an answer is: cells, values, a value for each group, none, or declined."""
Kind = Shape | Literal["ask_back"]
"""The same, or that it is asked back which reading is meant."""
Pair = tuple[str, Value | None]
"""A group and its value, None where nothing can be computed of it."""


@dataclass(frozen=True)
class OfferedReading:
    """One of the ways in which a question that is not sure may be meant."""

    explanation: str
    differs: str
    """The words of the explanation that the other one does not have."""
    program: str
    answer: tuple[str, ...]
    confidence: float

    def as_json(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {**asdict(self), "answer": list(self.answer)}


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation: what was asked, the answer, and why."""

    question: str
    answer: tuple[str, ...]
    """The texts of the answer cells, or of the values; of groups `group: value`."""
    cells: tuple[tuple[int, int], ...]
    """(row, column) of the answer, row 0 the first data row; of values the cells they come from."""
    program: str
    sql: str
    """In the dialect of the engine that has the table, DuckDB's for a file."""
    explanation: str
    confidence: float = 1.0
    sure: bool = True
    kind: Kind = "cells"
    values: tuple[Value | Pair, ...] = ()
    """Computed numbers, yes or no, texts, or groups with their value; empty for cells."""
    reason: str = ""
    """Why it was declined."""
    readings: tuple[OfferedReading, ...] = ()
    """Of what is asked back the readings to choose from; the first is the answer until then."""
    builds_on: int | None = None
    """The place of the turn it builds on, where that was not sure and could be corrected first."""
    scope: Scope = "table"
    among: int = 0
    """How many rows of the answer before it is about, where that is its scope."""
    rows: int = field(default=0, repr=False, compare=False)
    """How many rows the answer has, where `cells` are only of the first of them."""
    tree: Program | None = field(default=None, repr=False, compare=False)
    """The program itself, of which `program` is the text."""
    query: Query | None = field(default=None, repr=False, compare=False)
    """What `sql` is written of."""
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
            "readings": [one.as_json() for one in self.readings],
            "builds_on": self.builds_on,
            "scope": self.scope,
            "among": self.among,
        }

    @property
    def declined(self) -> bool:
        """Whether it was not answered; `reason` says why."""
        return self.kind == "declined"

    @property
    def asks_back(self) -> bool:
        """Whether it asks which of its `readings` is meant."""
        return self.kind == "ask_back"

    @property
    def shape(self) -> Shape:
        """What the answer is, also where it is asked back whether it is the one that is meant."""
        if self.kind != "ask_back":
            return self.kind
        if not self.answer:
            return "none"
        if not self.values:
            return "cells"
        return "groups" if isinstance(self.values[0], tuple) else "value"

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

    def sql_in(self, dialect: str | None = None, pretty: bool = False) -> str:
        """Write its SQL in another dialect (`postgres`, `sqlite`), or in several lines.

        Raises:
            ProgramError: there is no such dialect.
        """
        return self.query.sql(dialect, pretty) if self.query is not None else self.sql

    def in_dialect(self, dialect: str | None) -> Turn:
        """Return the turn with its SQL in another dialect; the same turn if none is named."""
        return self if dialect is None else replace(self, sql=self.sql_in(dialect))

    def csv(self) -> str:
        """Return the answer as CSV: its cells by row, groups with their values, or values."""
        from denota.conversation.as_csv import answer_csv

        return answer_csv(self, self.table)

    def frame(self) -> Any:
        """Return the answer as a data frame: a slice of the one asked about, else one of pandas."""
        from denota.conversation.frame import slice_of

        return slice_of(self.table, self.source, self.cells)

    def _repr_html_(self) -> str:
        """Return the turn as a notebook shows it."""
        from denota.conversation.html import turn_html

        return turn_html(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the turn as a notebook does without HTML."""
        from denota.conversation.html import turn_text

        printer.text(turn_text(self))


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
        _own_sql(query),
        say(program, columns, time_columns(table)),
        confidence,
        sure,
        kind if answer else "none",
        values,
        tree=program,
        query=query,
        table=table,
    )


def _own_sql(query: Query) -> str:
    """The SQL of a query in its engine's dialect, without looking at all others that there are."""
    from denota.programs.sql.dialects import written

    return written(query.tree(), query.dialect)


def _values_of(found: Denotation) -> tuple[Value | Pair, ...]:
    """What was computed, as a turn has it."""
    values = found.values or ()
    if not found.groups:
        return values
    known = (None if value != value else value for value in values)  # NaN: no number in the group
    return tuple(zip(found.groups, known, strict=True))


def pointed_turn(
    text: str, table: Table, cells: Iterable[tuple[int, int]], query: Query, sentence: str
) -> Turn:
    """Return the turn of a question whose answer a person pointed at, and that no program gives."""
    own = tuple(sorted(cells))
    answer = tuple(table.cell(row, column) for row, column in own)
    return Turn(text, answer, own, "", _own_sql(query), sentence, query=query, table=table)


def told_turn(text: str, table: Table, values: Sequence[Value], sentence: str) -> Turn:
    """Return the turn of a question whose answer a person gave as values; no program gives it."""
    answer = tuple(map(value_text, values))
    kind: Kind = "value" if values else "none"
    return Turn(text, answer, (), "", "", sentence, kind=kind, values=tuple(values), table=table)


def declined_turn(text: str, sentence: str) -> Turn:
    """Return the turn of a question that cannot be answered, with the reason."""
    return Turn(text, (), (), "", "", sentence, 0.0, False, "declined", reason=sentence)


def asking_back(turn: Turn, other: Turn) -> Turn:
    """Return a turn as the question whether it or another reading is meant."""
    readings = tuple(
        OfferedReading(
            own.explanation,
            difference(own.explanation, rival.explanation),
            own.program,
            own.answer,
            own.confidence,
        )
        for own, rival in ((turn, other), (other, turn))
    )
    first, second = (_inside(one.explanation) for one in readings)
    said = f"Did you mean {first}, or {second}?"
    return replace(turn, kind="ask_back", explanation=said, readings=readings)


def difference(sentence: str, other: str) -> str:
    """Return the words of a sentence that another of the same kind does not have in their place.

    >>> difference("The Leader where Crew is largest.", "The Leader where Ships is largest.")
    'Crew'
    >>> difference("The Season.", "The Season where Ships is 2.")
    ''
    """
    own, rival = sentence.rstrip(".").split(), other.rstrip(".").split()
    start = 0
    while start < min(len(own), len(rival)) and own[start] == rival[start]:
        start += 1
    end = 0
    while end < min(len(own), len(rival)) - start and own[-1 - end] == rival[-1 - end]:
        end += 1
    return " ".join(own[start : len(own) - end])


def _inside(sentence: str) -> str:
    """A sentence as a part of another."""
    short = sentence.removesuffix(".")
    return f"the {short.removeprefix('The ')}" if short.startswith("The ") else f"“{short}”"
