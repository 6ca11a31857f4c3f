"""Tables are not kept alive by what was worked out for them."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import pytest

from denota import sample
from denota.app.paths import load_run
from denota.config import Config, DataConfig, ModelConfig, TrainConfig
from denota.conversation.chat import Chat
from denota.data import load_examples
from denota.kept import Kept
from denota.learning.start import new_parser
from denota.model.parser import Parser
from denota.search.preparer import Preparer
from denota.tables.table import Table
from denota.teaching.log import TeachingLog
from denota.teaching.teacher import Teacher


def untrained(numbers: str = "full") -> Parser:
    config = Config(
        data=DataConfig(numbers=numbers),
        model=ModelConfig(dimension=16, hidden=6),
        train=TrainConfig(device="cpu"),
    )
    examples = load_examples(sample.path(), "dev").examples[:40]
    return new_parser(config, Preparer("dynsp++").ahead(examples))


def alive(parser: Parser, count: int) -> int:
    """How many tables live on after a question about each of so many, and a lesson on some."""
    tables = []
    teacher = Teacher(parser, TeachingLog())
    for number in range(count):
        rows = [[f"town {number} {row}", str(1000 + row), "x y"[row % 2 :]] for row in range(8)]
        table = Table.from_rows(["city", f"people {number}", "side"], rows)
        chat = Chat(parser, table, teacher=teacher, session="s")
        chat.ask(f"which people has town {number} 3?")
        if number % 25 == 0:
            chat.teach(-1, {(2, 0)})
        tables += [weakref.ref(table), weakref.ref(chat.table)]
    del table, chat
    gc.collect()
    return sum(table() is not None for table in tables)


@pytest.mark.parametrize("numbers", ["full", "plain"])
def test_an_untrained_parser_keeps_few(numbers: str) -> None:
    parser = untrained(numbers)
    assert alive(parser, 100) <= 4


def test_the_default_model_keeps_few() -> None:
    parser = load_run("default")
    assert alive(parser, 100) <= 4
    parser.keep(2)
    assert alive(parser, 10) <= 4


def test_a_parser_that_keeps_little_answers_as_one_that_keeps_much() -> None:
    table = sample.tables()["tables/castles.csv"]
    questions = ("which castles are ruins?", "of those, which has the most towers?")
    parser = load_run("default")
    much = [Chat(parser, table).ask(question) for question in questions]
    parser.keep(1)
    assert [Chat(parser, table).ask(question) for question in questions] == much


class Owner:
    pass


def test_the_one_not_used_for_longest_goes_first() -> None:
    kept, one, two = Kept[int](3), Owner(), Owner()
    for key, owner in (("a", one), ("b", two), ("c", one)):
        kept.put(owner, key, 1)
    assert kept.get(one, "a") == 1
    kept.put(two, "d", 1)
    assert kept.get(two, "b") is None and kept.get(one, "a") == 1
    assert kept.get(two, "a") is None, "a key is its owner's"
    kept.keep(1)
    assert len(kept) == 1 and kept.get(one, "a") == 1
    del one, owner
    assert len(kept) == 0
    for other in (copy.deepcopy(kept), pickle.loads(pickle.dumps(kept))):
        assert other.most == 1 and len(other) == 0
