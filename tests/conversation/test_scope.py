"""What a question is about: the whole table, or the answer before it."""

from __future__ import annotations

import pytest

import denota
from denota.conversation.chat import Chat
from denota.errors import DataError
from denota.model.parser import Parser

TABLE = "examples/expeditions.csv"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return denota.load().parser


def test_a_question_of_the_whole_table_forgets_what_was_before(parser: Parser) -> None:
    chat, alone = Chat(parser, TABLE), Chat(parser, TABLE)
    few = chat.ask("which leaders had a crew of more than 50?")
    assert (few.scope, few.among) == ("table", 0)
    narrowed = chat.ask("of those, who had the largest crew?")
    assert (narrowed.scope, narrowed.among) == ("previous", len({row for row, _ in few.cells}))
    text = "which season had the largest crew?"
    fresh = chat.ask(text, scope="table")
    assert fresh == alone.ask(text), "as if nothing had been asked"
    assert chat.afresh == (True, False, True)
    assert chat.ask("who led it?") == alone.ask("who led it?"), "and it is followed up on"
    with pytest.raises(DataError, match="no scope"):
        chat.ask(text, scope="all")  # type: ignore[arg-type]


def test_a_conversation_is_taken_up_as_it_was(parser: Parser) -> None:
    chat, again = Chat(parser, TABLE), Chat(parser, TABLE)
    chat.ask("which leaders had a crew of more than 50?")
    chat.ask("which season had the largest crew?", scope="table")
    for turn, afresh in zip(chat.turns, chat.afresh, strict=True):
        own = (turn.question, turn.program, turn.confidence, turn.sure)
        again.recall(*own, afresh=afresh)
    assert again.turns == chat.turns and again.afresh == chat.afresh
    assert again.ask("who led it?") == chat.ask("who led it?")
