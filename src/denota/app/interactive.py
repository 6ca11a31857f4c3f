"""`denota ask` on a terminal: a conversation with history, editing, completion, and commands about the last answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, InMemoryHistory
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from denota.app.chat import Chat
from denota.app.run import Turn, show_turn
from denota.app.terminal import visible
from denota.errors import DenotaError
from denota.search.store import store_folder
from denota.tables.table import Table

HELP: Final = {
    ":why": "the best five programs, how probable each is, what the critique says, and what it would answer",
    ":sql": "the last answer's SQL",
    ":1 :2 :3": "take another of the readings that were offered",
    ":undo": "take the last question back",
    ":reset": "begin the conversation again",
    ":save FILE": "write the conversation, as `denota train` takes it",
    ":help": "this",
    ":quit": "leave; so does Ctrl-D",
}
MOST_VALUES: Final = 2000
"""So many values of a table are offered as completions."""


def converse(chat: Chat, console: Console, source: str) -> None:
    """Ask for questions and answer them until there are no more."""
    Conversation(chat, console, source).run(prompt(chat.table))


def prompt(table: Table) -> Callable[[], str]:
    """Return what asks for a line, with history across conversations and completion of the table's words."""
    try:
        folder = store_folder()
        folder.mkdir(parents=True, exist_ok=True)
        history: FileHistory | InMemoryHistory = FileHistory(str(folder / "questions"))
    except OSError:
        history = InMemoryHistory()
    session: PromptSession[str] = PromptSession(
        history=history, completer=Words(table), complete_while_typing=False
    )
    return lambda: session.prompt("› ")


class Words(Completer):
    """Completes column names, values and commands: what was typed of one is replaced by the whole."""

    def __init__(self, table: Table) -> None:
        values = (value for column in table.columns for value in column.values)
        known = dict.fromkeys([*table.names, *values])
        self.words = [visible(word) for word in list(known)[:MOST_VALUES] if word.strip()]

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Offer what begins with the last words typed, the longest match first."""
        text = document.text_before_cursor
        if text.startswith(":"):
            names = [name.split()[0] for name in HELP]
            yield from (Completion(n, -len(text)) for n in names if n.startswith(text))
            return
        words = text.split(" ")
        for start in range(max(0, len(words) - 4), len(words)):
            typed = " ".join(words[start:])
            if typed:
                found = [w for w in self.words if w.lower().startswith(typed.lower())]
                yield from (Completion(word, -len(typed)) for word in found[:20])


class Conversation:
    """Lines in, answers and what commands tell out."""

    def __init__(self, chat: Chat, console: Console, source: str) -> None:
        self.chat, self.console, self.source = chat, console, source
        self.offered: list[Turn] = []

    def run(self, line: Callable[[], str]) -> None:
        """Answer lines until they end."""
        names = ", ".join(visible(name) for name in self.chat.table.names[:12])
        self.console.print(Text(f"Ask about {names}. :help says what else there is.", "dim"))
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
            if text.startswith(":"):
                self.command(*text[1:].partition(" ")[::2])
            else:
                self.tell(self.chat.ask(text))
        except DenotaError as error:
            self.console.print(Text(visible(str(error)), "yellow"))

    def tell(self, turn: Turn) -> None:
        """Show an answer; if it is not sure, say so and offer other readings."""
        show_turn(self.chat.table, turn, self.console)
        self.offered = []
        if turn.sure:
            return
        self.console.print(Text(f"Not sure ({turn.confidence:.0%}). It could also mean:", "yellow"))
        self.offered = [reading.turn for reading in self.chat.readings(4)[1:]]
        for number, other in enumerate(self.offered, start=1):
            gives = ", ".join(other.answer[:4]) or "nothing"
            self.console.print(
                Text(f"  :{number}  {visible(other.explanation)} → {visible(gives, 80)}")
            )
        self.console.print()

    def command(self, name: str, rest: str) -> None:
        """Run a command about the conversation."""
        if name.isdecimal() and 1 <= int(name) <= len(self.offered):
            self.tell(self.chat.choose(self.offered[int(name) - 1].program))
            return
        commands: dict[str, Callable[[], None]] = {
            "why": self.why,
            "sql": lambda: self.console.print(Text(self.last().sql)),
            "undo": self.undo,
            "reset": self.reset,
            "save": lambda: self.save(rest.strip()),
            "help": self.help,
        }
        if name not in commands:
            raise DenotaError(f"there is no :{name}; :help says what there is")
        commands[name]()

    def last(self) -> Turn:
        """The last turn."""
        self.chat.readings(1)  # says if there is none
        return self.chat.turns[-1]

    def why(self) -> None:
        """Show the best programs."""
        grid = Grid(box=None, header_style="bold cyan", pad_edge=False)
        for head in ("probability", "critique", "program", "answer"):
            grid.add_column(head)
        for reading in self.chat.readings(5):
            turn = reading.turn
            gives = ", ".join(turn.answer[:3]) + (" …" if len(turn.answer) > 3 else "")
            grid.add_row(
                f"{reading.probability:.1%}",
                f"{reading.critique:.2f}",
                Text(visible(turn.program, 200)),
                Text(visible(gives, 60) or "nothing"),
            )
        self.console.print(grid)

    def undo(self) -> None:
        """Take the last question back."""
        text = self.last().question
        self.chat.undo()
        self.console.print(Text(f"taken back: {visible(text)}", "dim"))

    def reset(self) -> None:
        """Begin again."""
        self.chat.reset()
        self.console.print(Text("begun again", "dim"))

    def save(self, file: str) -> None:
        """Write the conversation."""
        if not file:
            raise DenotaError("name a file: `:save conversation.jsonl`")
        turns = [
            {"question": turn.question, "cells": [list(cell) for cell in turn.cells]}
            for turn in self.chat.turns
        ]
        line = json.dumps({"table": self.source, "turns": turns}, ensure_ascii=False)
        try:
            with Path(file).open("a", encoding="utf-8") as out:
                out.write(line + "\n")
        except OSError as error:
            raise DenotaError(f"{file} cannot be written: {error.strerror}") from None
        self.console.print(Text(f"{len(turns)} turns written to {file}", "dim"))

    def help(self) -> None:
        """Say what commands there are."""
        for name, what in HELP.items():
            self.console.print(Text(f"{name:12} {what}"))
