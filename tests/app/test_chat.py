"""A conversation: readings, choosing and undoing.

Readings are other answers to the same question, choosing one changes what follows, and undoing
brings back what was.
"""

from __future__ import annotations

import pytest

from denota import sample
from denota.config import Config, ModelConfig, TrainConfig
from denota.conversation.chat import Chat
from denota.data import load_examples
from denota.errors import DataError, TableError
from denota.learning.start import new_parser
from denota.model.parser import Parser
from denota.programs.execute import execute
from denota.programs.text import parse_program
from denota.search.preparer import Preparer
from denota.tables import Table

TABLE = sample.tables()["tables/castles.csv"]


@pytest.fixture(scope="module")
def parser() -> Parser:
    """Untrained: its answers are poor, and conversations work all the same."""
    config = Config(model=ModelConfig(dimension=16, hidden=6), train=TrainConfig(device="cpu"))
    examples = load_examples(sample.path(), "dev").examples[:40]
    return new_parser(config, Preparer("dynsp++").ahead(examples))


def test_readings_answer_differently_and_the_taken_one_is_first(parser: Parser) -> None:
    chat = Chat(parser, TABLE)
    turn = chat.ask("which castles are there?")
    readings = chat.readings(5)
    assert readings[0].turn == turn
    answers = [reading.turn.cells for reading in readings]
    assert len(set(answers)) == len(answers) == 5
    rest = [reading.probability for reading in readings[1:]]
    assert rest == sorted(rest, reverse=True)
    for reading in readings:
        found = execute(parse_program(reading.turn.program), TABLE, None)
        assert tuple(sorted(found.cells)) == reading.turn.cells


def test_choosing_changes_what_follows(parser: Parser) -> None:
    chat, other = Chat(parser, TABLE), Chat(parser, TABLE)
    for one in (chat, other):
        one.ask("which castles are there?")
    second = other.readings()[1].turn
    taken = other.choose(second.program)
    assert taken == second and other.turns == (second,)
    assert other.previous is not None
    assert tuple(sorted(other.previous.cells)) == second.cells
    assert other.readings()[0].turn == second, "what was taken comes first now"
    with pytest.raises(DataError, match="not among the readings"):
        other.choose("SELECT Nothing")


def test_undo_brings_back_what_was(parser: Parser) -> None:
    chat = Chat(parser, TABLE)
    first = chat.ask("which castles are there?")
    before = chat.previous
    again = chat.ask("of those, which is the oldest?")
    chat.undo()
    assert chat.turns == (first,) and chat.previous == before
    assert chat.ask("of those, which is the oldest?") == again
    chat.reset()
    assert chat.turns == () and chat.previous is None
    for act in (chat.undo, chat.readings):
        with pytest.raises(DataError, match="nothing was asked yet"):
            act()


def test_a_table_without_rows_is_refused(parser: Parser) -> None:
    with pytest.raises(TableError, match="no rows"):
        Chat(parser, Table.from_rows(["a"], []))
