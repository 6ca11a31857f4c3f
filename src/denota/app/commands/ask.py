"""`denota ask`: a conversation about a table on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from denota.app.paths import lessons_path, load_run
from denota.app.terminal.text import console, to_json, visible
from denota.app.terminal.turns import show_turn, shown_answer
from denota.conversation.chat import Chat
from denota.conversation.turn import Turn
from denota.errors import DataError
from denota.programs.sql.dialects import check_dialect
from denota.tables.io import read_table
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher


def answer_questions(
    table: str,
    questions: Sequence[str] | None,
    model: str,
    as_json: bool,
    dialect: str | None = None,
) -> None:
    """Answer questions about a table and print each turn; without any, take them from the input."""
    if table == "-" and not questions:
        raise DataError("the table comes through the pipe, so give the questions as arguments")
    if dialect is not None:
        dialect = check_dialect(dialect)
    parser = load_run(model)
    read = read_table(table)
    out = console()
    chat = Chat(parser, read, teacher=Teacher(parser, lessons_of(model, new=not questions)))
    if not questions and not as_json:
        from denota.app.terminal.repl import Repl, converse

        if sys.stdin.isatty():
            converse(chat, out, table, dialect)
            return
        piped = Repl(chat, out, table, echo=True, dialect=dialect)
        for line in _lines():
            piped.take(line)
        return
    for question in questions or _lines():
        turn = chat.ask(question).in_dialect(dialect)
        if as_json:
            print(to_json(turn.as_json()), flush=True)
            continue
        show_turn(chat.table, turn, out)
        if not turn.sure:
            offer(chat, turn, out)


def lessons_of(model: str, new: bool) -> TeachingLog:
    """Return the log of what a model was taught.

    Without a log on disk, `new` begins one; a log in memory stands in where there is none to be.
    """
    path = lessons_path(model)
    if not new and not path.exists():
        return TeachingLog()
    try:
        return TeachingLog(path)
    except DataError:
        return TeachingLog()


def offer(chat: Chat, turn: Turn, out: Console, numbered: bool = False) -> list[Turn]:
    """Say that an answer is not sure, and show the three best readings; return them.

    Args:
        chat: the conversation, whose last turn it is.
        turn: the answer.
        out: where to show it.
        numbered: whether they can be taken by number.
    """
    readings = [reading.turn for reading in chat.readings(3)]
    if not readings or [other.program for other in readings] == [turn.program]:
        return []
    said = f"Not sure ({turn.confidence:.0%}). It could mean:"
    out.print(Text("The closest that I can do:" if turn.declined else said, "yellow"))
    for number, other in enumerate(readings, start=1):
        line = Text(f"  :{number}  " if numbered else "  – ")
        line.append(visible(other.explanation, 200))
        line.append(f"  {in_short(other)}", "dim")
        line.append("  (taken)" if other.program == turn.program else "", "dim")
        out.print(line)
    out.print()
    return readings


def in_short(turn: Turn) -> str:
    """Return what a reading answers, in a few words."""
    shown = ", ".join(visible(text, 24) for text in shown_answer(turn)[:4])
    return (shown + (" …" if len(turn.answer) > 4 else "")) or "nothing"


def _lines() -> Iterator[str]:
    """The lines of the input that say something."""
    return (line.strip() for line in sys.stdin if line.strip())
