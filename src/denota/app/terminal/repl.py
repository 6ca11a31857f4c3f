"""`denota ask` on a terminal: a conversation with history, completion, and commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Literal

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from denota.app.commands.ask import in_short, list_readings, offer
from denota.app.files.export import conversation_jsonl
from denota.app.paths import questions_path
from denota.app.terminal.text import visible
from denota.app.terminal.turns import show_turn
from denota.conversation.chat import Chat
from denota.conversation.given import typed_cells, typed_items
from denota.conversation.tables import Tables
from denota.conversation.turn import Turn
from denota.data.answer import Item
from denota.errors import DataError, DenotaError
from denota.tables.address import is_remote
from denota.tables.source import listed
from denota.tables.table import Cell, Table
from denota.teaching.teacher import Taught

HELP: Final = {
    ":why": "the best five programs, how likely each is, what the critique says, "
    "and what it would answer",
    ":sql": "the last answer's SQL, in several lines",
    ":1 :2 :3": "take one of the readings that were offered; 1, 2 or 3 alone do it too",
    ":first": "correct the earlier answer that the last one builds on, and ask again",
    ":teach TEXT, TEXT": "say what the right answer is: texts or numbers, "
    "semicolons or commas between them, or cells as row:column; "
    "`:teach none` if none of the readings is meant",
    ":unteach": "take the last lesson back",
    ":all": "ask the last question of the whole table, not of the answer before it",
    ":right": "say that the last answer is right, so that lessons do not spoil it",
    ":lessons": "what was taught of this table, each with a number",
    ":forget NUMBER": "take that lesson back",
    ":undo": "take the last question back",
    ":reset": "begin the conversation again",
    ":csv FILE": "write the last answer as CSV",
    ":save FILE": "write the conversation, as `denota train` takes it",
    ":help": "this",
    ":quit": "leave; so does Ctrl-D",
}
MOST_VALUES: Final = 5000
"""Values of a table that are offered as completions, at most."""
LONGEST_VALUE: Final = 60
"""Characters of a value that is offered."""
PROMPT: Final = "› "


def converse(
    talk: Chat | Tables, console: Console, source: str, dialect: str | None = None
) -> None:
    """Ask for questions and answer them until there are no more."""
    Repl(talk, console, source, dialect=dialect).run(prompt(_completed(talk), history()))


def _completed(talk: Chat | Tables) -> Table | list[str]:
    """What Tab completes: the words of a table, or the names of several and of their columns."""
    if isinstance(talk, Chat):
        return talk.table
    columns = (column.name for one in talk.stored.values() for column in one.columns)
    return [*talk.stored, *columns]


def history() -> History:
    """Return the questions of earlier conversations; none where their file cannot be written."""
    file = questions_path()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))


def prompt(
    table: Table | list[str], past: History, given: Input | None = None, shown: Output | None = None
) -> Callable[[], str]:
    """Return what asks for a line.

    Args:
        table: whose names and values are completed, or the words themselves.
        past: earlier questions.
        given: where keys come from, if not from the terminal.
        shown: where the line is shown, if not on the terminal.
    """
    session: PromptSession[str] = PromptSession(
        history=past,
        completer=TableCompleter(table),
        complete_while_typing=False,
        enable_history_search=True,
        input=given,
        output=shown,
    )
    return lambda: session.prompt(PROMPT)


class TableCompleter(Completer):
    """Completes column names, values and commands."""

    def __init__(self, table: Table | list[str]) -> None:
        known = dict.fromkeys(
            visible(" ".join(word.split()))
            for word in (_words(table) if isinstance(table, Table) else table)
            if word.strip() and len(word) <= LONGEST_VALUE
        )
        self.words = [(word.lower(), word) for word in list(known)[:MOST_VALUES]]

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Offer what begins with the last words typed, the longest match first."""
        text = document.text_before_cursor
        if text.startswith(":"):
            names = [name for line in HELP for name in line.split() if name.startswith(":")]
            yield from (Completion(n, -len(text)) for n in names if n.startswith(text))
            return
        words = text.split(" ")
        for start in range(max(0, len(words) - 5), len(words)):
            typed = " ".join(words[start:])
            if typed:
                found = [word for low, word in self.words if low.startswith(typed.lower())]
                yield from (Completion(word, -len(typed)) for word in found[:20])
                if found:
                    return


def _words(table: Table) -> Iterable[str]:
    values = (value for column in table.columns for value in column.values[:MOST_VALUES])
    return (*table.names, *values)


class Repl:
    """Lines in, answers and what commands tell out.

    Args:
        talk: the conversation, about one table or those of a database.
        console: where to print.
        source: the address of the table.
        echo: whether to print questions, which do not stand there if they come from a pipe.
        dialect: whose SQL is shown, if not that of the table's engine.
    """

    def __init__(
        self,
        talk: Chat | Tables,
        console: Console,
        source: str,
        echo: bool = False,
        dialect: str | None = None,
    ) -> None:
        self.talk, self.console, self.source, self.echo = talk, console, source, echo
        self.dialect = dialect
        self.offered: list[Turn] = []
        self.first: int | None = None
        """The place of the turn that the readings offered are of, if it is not the last."""
        self.taught: Taught | None = None
        """What was taught just now: the readings offered are then of that."""
        self.given: tuple[frozenset[Cell] | None, tuple[Item, ...] | None] = None, None
        """The answer that was taught, as cells or as values."""

    @property
    def chat(self) -> Chat:
        """The conversation about the table of the last question."""
        return self.talk if isinstance(self.talk, Chat) else self.talk.chat

    def run(self, line: Callable[[], str]) -> None:
        """Answer lines until they end."""
        self.console.print(Text(_greeting(self.talk)))
        self.console.print(Text("Tab completes, :help says what else there is.\n", "dim"))
        while True:
            try:
                text = line().strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            if text in (":quit", ":q", ":exit"):
                return
            if text:
                self.take(text)

    def take(self, text: str) -> None:
        """Do what a line says; what goes wrong is a sentence."""
        try:
            if text.startswith(":") or self.is_number_offered(text):
                name, _, rest = text.removeprefix(":").partition(" ")
                self.command(name.lower(), rest.strip())
            else:
                self.taught = None
                before = self.talk.current if isinstance(self.talk, Tables) else None
                turn = self.talk.ask(text)
                if isinstance(self.talk, Tables) and self.talk.current != before:
                    self.console.print(Text(f"{visible(self.talk.current or '')}:", "dim"))
                self.tell(turn)
        except DenotaError as error:
            self.console.print(Text(visible(str(error)) + "\n", "yellow"))

    def is_number_offered(self, text: str) -> bool:
        """Whether a line is the number of a reading that is offered."""
        return text.isdecimal() and 1 <= int(text) <= len(self.offered)

    def tell(self, turn: Turn) -> None:
        """Show an answer; if it is not sure, say so and offer the best readings."""
        self.first = None
        self.show(turn, self.echo)
        self.offered = [] if turn.sure else offer(self.chat, turn, self.console, numbered=True)
        if turn.builds_on is not None:
            question = visible(self.chat.turns[turn.builds_on].question, 80)
            said = f"It builds on “{question}”, which was not sure. :first corrects that first.\n"
            self.console.print(Text(said, "yellow"))

    def correct_first(self) -> None:
        """Offer the readings of the turn that the last one builds on."""
        place = self.last().builds_on
        if place is None:
            raise DataError("the last answer builds on none that was not sure")
        self.first = place
        self.offered = [one.turn for one in self.chat.readings(3, place)]
        self.console.print(Text(f"› {visible(self.chat.turns[place].question)}", "bold"))
        list_readings(self.offered, self.console, self.chat.turns[place].program)

    def take_reading(self, program: str) -> None:
        """Take a reading; after an earlier one ask again what came after it."""
        place, self.first = self.first, None
        self.offered = []
        if place is None:
            self.show(self.chat.choose(program), self.echo)
            return
        later = [turn.question for turn in self.chat.turns[place + 1 :]]
        self.show(self.chat.choose(program, place), self.echo)
        for question in later:
            self.tell(self.chat.ask(question))

    def command(self, name: str, rest: str) -> None:
        """Run a command about the conversation."""
        if name.isdecimal():
            if not 1 <= int(name) <= len(self.offered):
                raise DataError("no such reading is offered; :why shows the best five")
            chosen = self.offered[int(name) - 1]
            if self.taught is not None:
                self.told(self.learn(chosen.program))
            else:
                self.take_reading(chosen.program)
            return
        if name not in ("teach", "help"):
            self.taught = None
        commands: dict[str, Callable[[], None]] = {
            "why": self.why,
            "first": self.correct_first,
            "sql": self.sql,
            "teach": lambda: self.teach(rest),
            "unteach": self.unteach,
            "all": self.ask_all,
            "right": self.right,
            "lessons": self.lessons,
            "forget": lambda: self.forget(rest),
            "undo": self.undo,
            "reset": self.reset,
            "csv": lambda: self.write_csv(rest),
            "save": lambda: self.save(rest),
            "help": self.help,
        }
        if name not in commands:
            raise DataError(f"there is no :{name}; :help says what there is")
        commands[name]()

    def show(self, turn: Turn, echo: bool) -> None:
        """Show a turn, its SQL in the dialect that was asked for."""
        show_turn(turn.in_dialect(self.dialect), self.console, echo=echo)

    def last(self) -> Turn:
        """The last turn."""
        if not self.chat.turns:
            raise DataError("nothing was asked yet")
        return self.chat.turns[-1]

    def sql(self) -> None:
        """Show the last SQL in lines."""
        turn = self.last()
        if turn.declined:
            raise DataError("the last question was not answered, so there is no SQL")
        for line in turn.sql_in(self.dialect, pretty=True).split("\n"):
            self.console.print(Text(visible(line)), soft_wrap=True)
        self.console.print()

    def why(self) -> None:
        """Show the best programs; each can be taken by its number."""
        readings = self.chat.readings(5)
        self.first = None
        self.offered = [reading.turn for reading in readings]
        grid = Grid(box=None, header_style="bold cyan", pad_edge=False, padding=(0, 2, 0, 0))
        for head in ("", "likely", "critique", "program", "answer"):
            grid.add_column(head)
        for number, reading in enumerate(readings, start=1):
            grid.add_row(
                f":{number}",
                f"{reading.probability:.1%}",
                f"{reading.critique:.2f}",
                Text(visible(reading.turn.program, 200)),
                Text(in_short(reading.turn)),
            )
        self.console.print(grid)
        self.console.print()

    def teach(self, rest: str) -> None:
        """Teach the right answer to the last question; of several readings, offer the others."""
        self.last()
        if rest == "none":
            if not self.taught:
                raise DataError("nothing was just taught; say what the right answer is first")
            self.told(self.learn(""))
            return
        cells = typed_cells(rest)
        self.given = cells, None if cells is not None else typed_items(rest, self.chat.table)
        self.told(self.learn())

    def learn(self, program: str | None = None) -> Taught:
        """Teach the answer that was given, in a reading of one's own if it is named."""
        cells, values = self.given
        return self.chat.teach(-1, cells, program, values)

    def told(self, taught: Taught) -> None:
        """Show what came of a lesson."""
        self.taught = taught
        self.show(self.chat.turns[-1], False)
        self.console.print(Text(visible(taught.said), "bold"))
        if taught.contradicts:
            self.console.print(Text(visible(taught.contradicts), "yellow"))
        self.offered = list(self.chat.told_as(taught.readings))
        if taught.learnt and len(self.offered) > 1:
            for number, other in enumerate(self.offered, start=1):
                self.console.print(Text(f"  :{number}  {visible(other.explanation, 200)}"))
            self.console.print(Text("  :teach none  if none of these is meant", "dim"))
        self.console.print()

    def unteach(self) -> None:
        """Take the last lesson back."""
        self.console.print(Text(f"forgotten: {visible(self.chat.unteach())}\n", "dim"))

    def ask_all(self) -> None:
        """Ask the last question of the whole table."""
        text = self.last().question
        self.chat.undo()
        self.tell(self.chat.ask(text, scope="table"))

    def right(self) -> None:
        """Accept the last answer."""
        self.last()
        self.chat.accept(-1)
        self.console.print(Text("kept as right\n", "dim"))

    def lessons(self) -> None:
        """Show what was taught of this table."""
        found = self.chat.teacher.lessons(self.chat.person, self.chat.table)
        for record, program in found:
            assert record.correction is not None
            what = program or "not learnt"
            line = f"{record.number:5}  {record.correction.question}  {what}"
            self.console.print(Text(visible(line)))
        if not found:
            self.console.print(Text("nothing was taught of this table", "dim"))
        self.console.print()

    def forget(self, number: str) -> None:
        """Take a lesson back by its number."""
        if not number.strip().isdecimal():
            raise DataError("name a lesson by its number: `:forget 3`; :lessons shows them")
        question = self.chat.forget(int(number))
        self.console.print(Text(f"forgotten: {visible(question)}\n", "dim"))

    def undo(self) -> None:
        """Take the last question back."""
        text = self.last().question
        self.chat.undo()
        self.offered = []
        self.console.print(Text(f"taken back: {visible(text)}\n", "dim"))

    def reset(self) -> None:
        """Begin again."""
        self.chat.reset()
        self.offered = []
        self.console.print(Text("a new conversation\n", "dim"))

    def write_csv(self, file: str) -> None:
        """Write the last answer as CSV."""
        if not file:
            raise DataError("name a file: `:csv answer.csv`")
        self.write(file, "w", self.last().csv())

    def save(self, file: str) -> None:
        """Write the conversation behind what a file has."""
        if not file:
            raise DataError("name a file: `:save conversation.jsonl`")
        path = Path(file).expanduser()
        # data files are read as they stand: where something was assumed, the table goes along
        stands = not self.chat.table.notes
        line = conversation_jsonl(self.chat, self.table_from(path.parent) if stands else None)
        self.write(file, "a", line)

    def write(self, file: str, mode: Literal["a", "w"], text: str) -> None:
        """Write a text to a file and say so."""
        try:
            with Path(file).expanduser().open(mode, encoding="utf-8", newline="") as out:
                out.write(text)
        except OSError as error:
            raise DataError(f"{file} cannot be written: {(error.strerror or '').lower()}") from None
        self.console.print(Text(f"written to {visible(file)}\n", "dim"))

    def table_from(self, folder: Path) -> str | None:
        """Return the table's address as a file in a folder names it; None if it is not a file's.

        Data may name files and no servers, so that whoever reads it reaches none.
        """
        if is_remote(self.source) or self.source == "-":
            return None
        path = os.path.relpath(self.source, folder)
        return path if isinstance(self.talk, Chat) else f"{path}#{self.talk.current}"

    def help(self) -> None:
        """Say what commands there are."""
        for name, what in HELP.items():
            self.console.print(Text(f"{name:12} {what}"))
        self.console.print()


def _greeting(talk: Chat | Tables) -> str:
    if isinstance(talk, Tables):
        tables = visible(listed(tuple(talk.stored.values())), 1000)
        return f"{visible(talk.source.label, 60)}: {len(talk.stored):,} tables. Ask about {tables}."
    table = talk.table
    names = ", ".join(visible(name, 24) for name in table.names[:12])
    more = ", …" if len(table.names) > 12 else ""
    return f"{visible(table.name, 60)}: {table.count:,} rows. Ask about {names}{more}."
