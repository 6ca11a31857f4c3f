"""`denota ask`: a conversation about a table on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial

from rich.console import Console
from rich.text import Text

from denota.app.paths import lessons_path, load_run
from denota.app.reading import ReaderOptions, say_assumed
from denota.app.terminal.text import console, to_json, visible
from denota.app.terminal.turns import show_turn, shown_answer
from denota.conversation.chat import Chat
from denota.conversation.tables import Tables, Undecided
from denota.conversation.turn import Turn, declined_turn, difference
from denota.errors import DataError
from denota.programs.sql.dialects import check_dialect
from denota.tables.opening import open_database, part_of
from denota.tables.source import Source
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher


def answer_questions(
    address: str,
    questions: Sequence[str] | None,
    model: str,
    as_json: bool,
    how: ReaderOptions,
    dialect: str | None = None,
    as_csv: bool = False,
    as_sql: bool = False,
) -> None:
    """Answer questions about a table and print each turn; without any, take them from the input.

    As CSV or SQL only the last answer is printed. Of a database with several tables each question
    chooses its own.
    """
    if address == "-" and not questions:
        raise DataError("the table comes through the pipe, so give the questions as arguments")
    if as_csv + as_json + as_sql > 1:
        raise DataError("an answer is printed one way: give --csv, --json or --sql")
    if dialect is not None:
        dialect = check_dialect(dialect)
    several = _several(address)
    parser = load_run(model)
    teacher = Teacher(parser, lessons_of(model, new=not questions))
    talk: Chat | Tables
    if several is not None:
        begin = partial(Chat, parser, teacher=teacher)
        talk = Tables(several, begin, say_assumed)
    else:
        read = how.read(address)
        say_assumed(read)
        talk = Chat(parser, read, teacher=teacher)
    try:
        if as_csv or as_sql:
            last = _last_of(talk, questions or list(_lines()))
            print(last.csv() if as_csv else f"{last.in_dialect(dialect).sql}\n", end="")
            return
        _answer(talk, address, questions, as_json, console(), dialect)
    finally:
        if several is not None:
            several.close()


def _several(address: str) -> Source | None:
    """A database of which no table is named, if it has more than one."""
    opened = open_database(address) if part_of(address) is None else None
    if opened is None:
        return None
    source, _ = opened
    if len(source.catalogue()) > 1:
        return source
    source.close()
    return None


def _answer(
    talk: Chat | Tables,
    address: str,
    questions: Sequence[str] | None,
    as_json: bool,
    out: Console,
    dialect: str | None,
) -> None:
    if not questions and not as_json:
        from denota.app.terminal.repl import Repl, converse

        if sys.stdin.isatty():
            converse(talk, out, address, dialect)
            return
        piped = Repl(talk, out, address, echo=True, dialect=dialect)
        for line in _lines():
            piped.take(line)
        return
    for question in questions or _lines():
        try:
            turn = talk.ask(question).in_dialect(dialect)
        except Undecided as error:
            turn = declined_turn(question, str(error))
            if as_json:
                print(to_json(turn.as_json()), flush=True)
            else:
                out.print(Text(f"› {visible(question)}", "bold"))
                out.print(Text(visible(turn.explanation) + "\n", "yellow"))
            continue
        chat = talk.chat if isinstance(talk, Tables) else talk
        if as_json:
            where = {"table": talk.current} if isinstance(talk, Tables) else {}
            print(to_json({**turn.as_json(), **where}), flush=True)
            continue
        if isinstance(talk, Tables):
            out.print(Text(f"{visible(talk.current or '')}:", "dim"))
        show_turn(turn, out)
        if not turn.sure:
            offer(chat, turn, out)


def _last_of(talk: Chat | Tables, questions: Sequence[str]) -> Turn:
    """Ask questions, and return the turn of the last; that it is not sure goes to stderr.

    Raises:
        DataError: nothing was asked, or the last question was declined; it says why.
    """
    turns = [talk.ask(question) for question in questions]
    if not turns:
        raise DataError("ask a question: its answer is printed")
    last = turns[-1]
    if last.declined:
        raise DataError(last.reason)
    if not last.sure:
        said = f"Not sure ({last.confidence:.0%}): {last.explanation}"
        print(visible(said), file=sys.stderr)
    return last


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
    """Show the three best readings of a question whose answer is not sure; return them.

    Args:
        chat: the conversation, whose last turn it is.
        turn: the answer.
        out: where to show it.
        numbered: whether they can be taken by number.
    """
    readings = [reading.turn for reading in chat.readings(3)]
    if not readings or [other.program for other in readings] == [turn.program]:
        return []
    if not turn.asks_back:
        said = "The closest that I can do:" if turn.declined else "It could mean:"
        out.print(Text(said, "yellow"))
    list_readings(readings, out, "" if turn.asks_back else turn.program, numbered)
    return readings


def list_readings(
    readings: Sequence[Turn], out: Console, taken: str = "", numbered: bool = True
) -> None:
    """Show readings, each with what it answers; those that are two with what differs in bold."""
    sentences = [visible(other.explanation, 200) for other in readings]
    for number, (other, sentence) in enumerate(zip(readings, sentences, strict=True), start=1):
        line = Text(f"  :{number}  " if numbered else "  – ")
        said = Text(sentence)
        if number <= 2 and len(sentences) > 1:
            differs = difference(sentence, sentences[2 - number])
            start = sentence.find(differs)
            said.stylize("bold", start, start + len(differs))
        line.append_text(said)
        line.append(f"  {in_short(other)}", "dim")
        line.append("  (taken)" if other.program == taken else "", "dim")
        out.print(line)
    out.print()


def in_short(turn: Turn) -> str:
    """Return what a reading answers, in a few words."""
    shown = ", ".join(visible(text, 24) for text in shown_answer(turn)[:4])
    return (shown + (" …" if len(turn.answer) > 4 else "")) or "nothing"


def _lines() -> Iterator[str]:
    """The lines of the input that say something."""
    return (line.strip() for line in sys.stdin if line.strip())
