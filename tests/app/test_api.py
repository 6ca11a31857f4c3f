"""denota in Python: frames in and out, learning from a few answers, saving, and plain errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import denota
from denota.app.api import TableParser
from denota.conversation.chat import Chat
from denota.errors import TrainingError
from denota.model.compact import expanded

ROOT = Path(__file__).parents[2]
EXPEDITIONS = ROOT / "examples/expeditions.csv"
FIRST = "which leaders had a crew of more than 50?"


@pytest.fixture(scope="module")
def parser() -> TableParser:
    return denota.load()


def test_turns_have_the_fields_of_the_json(parser: TableParser) -> None:
    turn = parser.chat(EXPEDITIONS).ask(FIRST)
    assert turn.answer[0] == "Ingrid Solheim" and turn.cells[0] == (2, 1)
    for name, value in turn.as_json().items():
        own = getattr(turn, name)
        plain = own is None or isinstance(own, str | int | float | bool)
        assert value == (own if plain else _listed(own))


def _listed(value: tuple[object, ...]) -> list[object]:
    return [list(item) if isinstance(item, tuple) else item for item in value]


def _odd_frames() -> list[pd.DataFrame]:
    """One frame with types of all sorts, under labels of all sorts."""
    frame = pd.DataFrame(
        {
            "City": ["Oslo", "Bergen", "Turku", "Tampere"],
            "Country": pd.Categorical(["Norway", "Norway", "Finland", "Finland"]),
            "People": pd.array([709037, 291940, 201863, pd.NA], dtype="Int64"),
            "Since": pd.date_range("2020-01-01", periods=4, tz="Europe/Oslo", freq="37D"),
        }
    )
    pairs = [("a", 1), ("a", 2), ("b", 1), ("b", 1)]
    return [
        frame,
        frame.set_axis(pd.MultiIndex.from_tuples(pairs, names=["part", "no"])),
        frame.set_axis(pd.MultiIndex.from_tuples(pairs)),
        frame.set_axis([5, 5, 7, 7]),
        frame.set_axis(["x", "x", "y", "z"]),
        frame.set_axis(pd.date_range("2021-03-01", periods=4, tz="UTC", name="when")),
    ]


def test_frames_in_and_slices_out(parser: TableParser) -> None:
    frame = pd.DataFrame(
        {"City": ["Oslo", "Bergen", "Moss"], "People": [709037, 291940, 50290]},
        index=pd.Index(["a", "b", "c"]),
    )
    turn = parser.chat(frame).ask("which city has the most people?")
    assert turn.cells == ((0, 1),)  # the labels are the table's first column
    pd.testing.assert_frame_equal(turn.frame(), frame.iloc[[0], [0]])
    named = frame.rename_axis("code")  # labels with a name are a column of their own
    turn = parser.chat(named).ask("what is the people of Bergen?")
    assert turn.cells == ((1, 2),)
    pd.testing.assert_frame_equal(turn.frame(), named.iloc[[1], [1]])
    turn = parser.chat(named).ask("what is the code of Bergen?")
    pd.testing.assert_frame_equal(turn.frame(), named.reset_index().iloc[[1], [0]])
    for odd in _odd_frames():
        turn = parser.chat(odd).ask("which cities are in Norway?")
        pd.testing.assert_frame_equal(turn.frame(), odd.iloc[[0, 1], [0]])
        turn = parser.chat(odd).ask("what are the country, people and since of Turku?")
        assert len(turn.cells) > 1
        own = [odd.columns.get_loc(turn.table.names[c]) for _, c in turn.cells if turn.table]
        pd.testing.assert_frame_equal(turn.frame(), odd.iloc[[2], own])
    whole = pl.DataFrame({"City": ["Oslo", "Moss"], "People": [709037, 50290]})
    turn = parser.chat(whole).ask("which city has the most people?")
    assert turn.frame().equals(whole[[0], ["City"]])
    turn = parser.chat(EXPEDITIONS).ask("what was the crew of Mirela Ionescu?")
    pd.testing.assert_frame_equal(turn.frame(), pd.DataFrame({"Crew": [90.0]}, index=[6]))
    assert parser.chat(EXPEDITIONS).ask("hello").frame().empty


def test_ask_is_a_conversation(parser: TableParser) -> None:
    turn = parser.ask(EXPEDITIONS, FIRST, "how many is that?")
    assert turn.answer == ("4",)
    with pytest.raises(denota.DataError, match="no question"):
        parser.ask(EXPEDITIONS)


def weights_of(parser: TableParser) -> dict[str, Any]:
    return expanded(parser.parser.scorer.weights())


@pytest.mark.slow
def test_it_learns_and_forgets_nothing_on_disk(tmp_path: Path) -> None:
    """Odd words are learnt from a few answers, into a file; the packaged model does not change."""
    parser = denota.load()
    table = denota.read_table(EXPEDITIONS)
    turns = [
        {"question": f"who was the zorgmeister of {season}?", "cells": [[row, 1]]}
        for row, season in enumerate(table["Season"].text)
    ]
    lessons = [{"table": str(EXPEDITIONS), "turns": [turn]} for turn in turns]
    asked = lessons[-2:]
    weights = weights_of(parser)
    assert parser.fit(lessons[:-2], epochs=4, progress=False) is parser
    assert parser.score(asked) == 100.0
    assert any(not np.array_equal(v, weights[k]) for k, v in weights_of(parser).items())
    file = parser.save(tmp_path / "mine" / "taught.safetensors")
    again = denota.load(file)
    assert again.score(asked) == 100.0
    fresh = weights_of(denota.load())
    assert all(np.array_equal(v, weights[k]) for k, v in fresh.items())


@pytest.mark.slow
def test_it_learns_from_conversations_that_were_had(parser: TableParser, tmp_path: Path) -> None:
    chat = parser.chat(EXPEDITIONS)
    chat.ask(FIRST)
    chat.choose(chat.readings(3)[1].turn.program)
    taught = TableParser(parser.parser)
    taught.fit([chat], epochs=1, progress=False, out=tmp_path / "run")
    assert (tmp_path / "run" / "metrics.jsonl").exists()
    assert isinstance(taught.chat(EXPEDITIONS), Chat)


@pytest.mark.parametrize(
    ("conversations", "says"),
    [
        ([], "no questions with an answer"),
        ([{"table": str(EXPEDITIONS)}], "a conversation is"),
        ([{"table": "nowhere.csv", "turns": [{"question": "q", "answer": ["a"]}]}], "no file"),
        (
            [{"table": str(EXPEDITIONS), "turns": [{"question": "q", "answer": ["nobody"]}]}],
            "line 1, 'q': no program of the parser's language gives the answer nobody",
        ),
    ],
)
def test_what_cannot_be_learnt_from_is_said(
    parser: TableParser, conversations: list[dict[str, object]], says: str
) -> None:
    with pytest.raises(denota.DataError, match=says):
        parser.fit(conversations)


def test_errors_are_sentences(parser: TableParser, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="there is no model"):
        denota.load("nowhere.safetensors")
    with pytest.raises(TrainingError, match="is a folder"):
        parser.save(tmp_path)
    with pytest.raises(denota.DataError, match="is empty"):
        parser.chat(EXPEDITIONS).ask("  ")
    with pytest.raises(denota.DataError, match="longer than"):
        parser.chat(EXPEDITIONS).ask("x" * 100_000)
