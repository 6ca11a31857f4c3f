"""Notebooks: `%denota table question`, and `%%denota table` with a question a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from denota.app.frames import parser_or_default
from denota.conversation.chat import Chat
from denota.conversation.turn import Turn
from denota.errors import DataError, DenotaError

T = TypeVar("T")
_ASKED: Final = re.compile(r"^(\s*(?:\w+\s*=\s*)?%denota\s+\S+\s+)(\S.*\?)(?=\s*$)")
_QUOTED: Final = re.compile(r"^([\"'])(.*)\1$")


def register(shell: Any) -> None:
    """Bring the magics to a shell of IPython."""

    def ask_line(line: str) -> Turn:
        """Answer a question: `%denota table question`."""
        table, _, question = line.strip().partition(" ")
        question = _QUOTED.sub(r"\2", question.strip())
        return _told(lambda: _chat(shell, table).ask(question))

    def ask_cell(line: str, cell: str) -> Chat:
        """Answer a question a line as one conversation: `%%denota table`."""

        def asked() -> Chat:
            chat = _chat(shell, line.strip())
            for question in filter(None, map(str.strip, cell.splitlines())):
                chat.ask(question)
            return chat

        return _told(asked)

    shell.register_magic_function(ask_line, "line", "denota")
    shell.register_magic_function(ask_cell, "cell", "denota")
    if in_quotes not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(in_quotes)


def in_quotes(lines: list[str]) -> list[str]:
    r"""Put questions behind `%denota` in quotes, for IPython takes `?` for a wish for help.

    >>> in_quotes(["t = %denota df who led it?\n", "who?\n"])
    ['t = %denota df "who led it?"\n', 'who?\n']
    """
    return [_ASKED.sub(r'\1"\2"', line) for line in lines]


def _chat(shell: Any, table: str) -> Chat:
    """A conversation about a variable of the notebook, or about a file."""
    if not table:
        raise DataError("name a table: `%denota df question`, or `%%denota df` and questions below")
    if table in shell.user_ns:
        return parser_or_default().chat(shell.user_ns[table])
    if table.isidentifier() and not Path(table).exists():
        raise DataError(f"there is no variable {table}; name a data frame or a file")
    return parser_or_default().chat(table)


def _told(work: Callable[[], T]) -> T:
    """Do something; what cannot be done is one sentence and no traceback."""
    from IPython.core.error import UsageError

    try:
        return work()
    except DenotaError as error:
        raise UsageError(str(error)) from None
