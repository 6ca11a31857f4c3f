"""`denota run`: written programs executed as a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from denota.app.reading import ReaderOptions, say_assumed
from denota.app.terminal.text import console, to_json
from denota.app.terminal.turns import show_turn
from denota.conversation.written import run_programs


def show_programs(
    address: str,
    programs: Sequence[str],
    as_json: bool,
    how: ReaderOptions,
    dialect: str | None = None,
) -> None:
    """Execute programs one after the other and print each turn."""
    read, out = how.read(address), console()
    say_assumed(read)
    for turn in run_programs(read, programs):
        turn = turn.in_dialect(dialect)
        print(to_json(turn.as_json())) if as_json else show_turn(turn, out)
