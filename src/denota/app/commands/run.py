"""`denota run`: written programs executed as a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from denota.app.terminal.text import console, to_json
from denota.app.terminal.turns import show_turn
from denota.conversation.written import run_programs
from denota.tables.io import read_table


def show_programs(
    table: str, programs: Sequence[str], as_json: bool, dialect: str | None = None
) -> None:
    """Execute programs one after the other and print each turn."""
    read, out = read_table(table), console()
    for turn in run_programs(read, programs):
        turn = turn.in_dialect(dialect)
        print(to_json(turn.as_json())) if as_json else show_turn(read, turn, out)
