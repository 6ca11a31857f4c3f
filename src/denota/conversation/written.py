"""Programs that people write, executed as a conversation over a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from denota.conversation.turn import Turn, turn_of
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.sql import Query, to_sql
from denota.programs.text import parse_program
from denota.tables.table import Table


def run_programs(table: Table, texts: Sequence[str]) -> Iterator[Turn]:
    """Execute programs one after another, each with the answer before it as context."""
    previous: Denotation | None = None
    before: Query | None = None
    for text in texts:
        program = parse_program(text)
        previous = execute(program, table, previous)
        before = to_sql(program, table, before, previous)
        yield turn_of(text, table, program, previous, before)
