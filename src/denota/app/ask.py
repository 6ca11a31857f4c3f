"""`denota ask`: a conversation about a table on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from denota.app.chat import Chat
from denota.app.models import load_run
from denota.app.run import show_turn
from denota.app.terminal import to_json
from denota.errors import DataError
from denota.tables.io import read_table


def answer(
    table: str, questions: Sequence[str] | None, model: str, as_json: bool, console: Console
) -> None:
    """Answer questions and print each turn."""
    if table == "-" and not questions:
        raise DataError("the table comes through the pipe, so give the questions as arguments")
    read = read_table(table)
    chat = Chat(load_run(model), read)
    for question in questions or _lines(console):
        if not question.strip():
            raise DataError("a question is empty; write what you want to know")
        turn = chat.ask(question)
        if as_json:
            print(to_json(turn.as_json()), flush=True)
            continue
        show_turn(read, turn, console)
        if not turn.sure:
            console.print(Text(f"not sure ({turn.confidence:.0%})\n", "yellow"))


def _lines(console: Console) -> Iterator[str]:
    """The lines of the input that say something; on a terminal they are asked for."""
    while True:
        if sys.stdin.isatty():
            console.print("› ", end="")
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()
