"""What a question is about: the whole table, or the answer before it."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import denota
from denota import sample
from denota.conversation.chat import Chat
from denota.conversation.learn_scope import SHRINK, changes_of, logistic
from denota.data import load_examples
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
    one, other = again.ask("who was the leader?"), chat.ask("who was the leader?")
    assert replace(one, confidence=other.confidence) == other
    # a conversation that is taken up keeps confidences, not the shares of probability behind them
    assert one.confidence == pytest.approx(other.confidence, abs=0.05)


WRITTEN = Path(__file__).parents[1] / "fixtures" / "subject_changes.tsv"


def written() -> list[dict[str, str]]:
    with WRITTEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.slow
def test_an_unrelated_question_is_not_narrowed(parser: Parser) -> None:
    narrowed, lost = [], []
    for line in written():
        chat = Chat(parser, sample.table(line["table"]))
        chat.ask(line["first"])
        turn = chat.ask(line["second"])
        if line["about"] == "table" and turn.scope == "previous":
            narrowed.append(line["second"])
        if line["about"] == "previous" and chat.afresh[-1]:
            lost.append(line["second"])
    assert len(narrowed) <= 3, narrowed
    assert len(lost) <= 2, lost


def test_without_the_step_it_is(parser: Parser) -> None:
    first = "which castles did Duke Osric build?"
    second = "how many castles are open to the public?"
    scopes = []
    for without in ((), ("scope",)):
        chat = Chat(parser, sample.table("castles"), without=without)
        chat.ask(first)
        scopes.append(chat.ask(second).scope)
    assert scopes == ["table", "previous"]


def test_what_says_nothing_of_its_own_is_about_the_last_answer(parser: Parser) -> None:
    chat = Chat(parser, sample.table("castles"))
    few = chat.ask("which castles did Duke Osric build?")
    assert chat.ask("how many is that?").answer == (str(len(few.answer)),)


def test_the_weights_are_the_minimum_of_the_loss() -> None:
    """By autograd, the slope of the penalised loss is 0 there."""
    random = np.random.default_rng(0)
    x = random.normal(size=(200, 5))
    y = (x @ random.normal(size=5) + random.normal(size=200) > 0).astype(np.float64)
    weights = torch.tensor(logistic(x, y), requires_grad=True)
    scores = torch.from_numpy(x) @ weights
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        scores, torch.from_numpy(y), reduction="sum"
    )
    (loss + SHRINK / 2 * (weights**2).sum()).backward()
    assert weights.grad is not None and weights.grad.abs().max() < 1e-6


def test_openings_of_other_conversations_start_afresh() -> None:
    examples = load_examples(Path(sample.__file__).parent, "dev").examples
    changes = changes_of(examples, seed=0)
    openings = {(e.question.text, id(e.question.table)) for e in examples if not e.question.history}
    for one in changes:
        if one.afresh:
            assert (one.text, id(one.table)) in openings
            assert one.example.question.id != one.before.question.id
        else:
            assert one.questions == one.example.question.history
    assert {one.afresh for one in changes} == {True, False}


def test_a_lesson_about_a_follow_up_comes_back_in_its_conversation(parser: Parser) -> None:
    """Also where the question by itself would start afresh."""
    chat = Chat(parser, sample.table("castles"))
    chat.ask("which castles are ruins?")
    turn = chat.ask("how many towers does the highest one have?")
    for cell in ((0, 4), (3, 4)):
        chat.teach(turn, [cell])
        chat.undo()
        turn = chat.ask("how many towers does the highest one have?")
        assert turn.cells == (cell,)
