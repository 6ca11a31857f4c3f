"""Answers that are values: asked, taught, written down and read again.

The parser is a small one whose language computes them.
"""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from rich.console import Console

from app.serving import serve_inline
from denota.app.api import TableParser
from denota.app.commands.teach import teach_model
from denota.app.files.export import conversation_jsonl
from denota.app.terminal.repl import Repl
from denota.app.terminal.turns import show_turn
from denota.app.web.server import make_app
from denota.config import Config, DataConfig, ModelConfig, SearchConfig, TrainConfig
from denota.conversation.as_csv import answer_csv
from denota.conversation.chat import Chat
from denota.conversation.requests import request_in
from denota.conversation.turn import Turn
from denota.conversation.written import run_programs
from denota.data import Cells, Values, load_examples
from denota.data.jsonl import read_objects
from denota.errors import DataError
from denota.learning.run import train
from denota.model.checkpoint import load_parser
from denota.model.parser import Parser
from denota.tables import Table
from denota.tables.inline import table_as_object
from denota.teaching.log import Correction, TeachingLog
from denota.teaching.teacher import Teacher
from parsers import picks_cells

TABLE = Table.from_rows(
    ["City", "Country", "People"],
    [
        ["Oslo", "Norway", "7"],
        ["Bergen", "Norway", "3"],
        ["Turku", "Finland", "2"],
        ["Moss", "Norway", "1"],
        ["Tampere", "Finland", "5"],
    ],
)
GROUPS = "how many cities are there per country?"
LEARNT: dict[str, list[Any]] = {
    "which cities are in Norway?": ["Oslo", "Bergen", "Moss"],
    "which cities are in Finland?": ["Turku", "Tampere"],
    "how many people live in Finland?": [7],
    "how many people live in Norway?": [11],
    "how many cities are in Norway?": [3],
    "how many cities are in Finland?": [2],
    GROUPS: ["Norway", 3, "Finland", 2],
    "who has people 7?": ["Oslo"],
}
ODD = "zorg the cities of Norway?"


def talks(questions: dict[str, list[Any]]) -> list[dict[str, Any]]:
    table = table_as_object(TABLE)
    turns = [{"question": text, "answer": answer} for text, answer in questions.items()]
    return [{"table": table, "turns": [turn]} for turn in turns]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser of the whole language, trained in seconds on a handful of answers."""
    config = Config(
        data=DataConfig(language="full", dev=""),
        model=ModelConfig(dimension=32, hidden=16),
        search=SearchConfig(shaping="policy", grounded=0.5),
        train=TrainConfig(epochs=60, batch=4, rate=0.02, device="cpu"),
    )
    out = tmp_path_factory.mktemp("values") / "run"
    train(config, read_objects(talks(LEARNT)).examples, (), out)
    return out


@pytest.fixture(scope="module")
def parser(run: Path) -> Parser:
    return load_parser(run / "best.safetensors")[0]


def turns(*programs: str) -> list[Turn]:
    return list(run_programs(TABLE, programs))


def test_the_kinds_of_answers_as_json() -> None:
    cells, count, mean, yes, groups, none, computed_none = (
        turn.as_json()
        for turn in turns(
            "SELECT City WHERE People > 4",
            "COUNT (ROWS WHERE Country = 'Norway')",
            "AVERAGE (SELECT People WHERE Country = 'Norway')",
            "EXISTS (ROWS WHERE People > 6)",
            "COUNT PER (SELECT Country)",
            "SELECT City WHERE People > 100",
            "SUM (SELECT People WHERE People > 100)",
        )
    )
    assert (cells["kind"], cells["values"], cells["answer"]) == ("cells", [], ["Oslo", "Tampere"])
    assert (count["kind"], count["values"], count["answer"]) == ("value", [3], ["3"])
    assert count["cells"] == [[0, 1], [1, 1], [3, 1]], "what the value comes from"
    assert mean["values"] == [11 / 3] and mean["answer"] == ["3.66666666667"]
    assert yes["values"] == [True] and yes["answer"] == ["yes"]
    assert groups["kind"] == "groups" and groups["values"] == [["Norway", 3], ["Finland", 2]]
    assert groups["answer"] == ["Norway: 3", "Finland: 2"]
    for nothing in (none, computed_none):
        assert (nothing["kind"], nothing["values"], nothing["answer"]) == ("none", [], [])
    assert all(one["reason"] == "" for one in (cells, count, yes, groups, none))


def test_values_are_told_from_text_by_themselves() -> None:
    """A column may be called as an aggregate is written."""
    table = Table.from_rows(["COUNT (x", "n"], [["a", "1"]])
    (turn,) = run_programs(table, ['SELECT "COUNT (x"'])
    assert turn.kind == "cells" and not turn.computed


def shown(turn: Turn) -> str:
    out = io.StringIO()
    show_turn(turn, Console(file=out, width=100))
    return out.getvalue()


def test_the_terminal_shows_groups_as_bars_and_yes_as_a_word() -> None:
    groups, yes, none = turns(
        "SUM PER (SELECT Country, People)", "EXISTS (ROWS)", "SELECT City WHERE People > 100"
    )
    lines = shown(groups).splitlines()
    assert "Sum of People by Country" in lines
    bars = {line.split()[0]: line for line in lines if "█" in line}
    assert bars["Norway"].endswith(" 11") and bars["Finland"].endswith(" 7")
    assert bars["Norway"].count("█") > bars["Finland"].count("█")
    assert "\nYes\n" in shown(yes) and "\nnothing\n" in shown(none)


def test_answers_as_csv() -> None:
    groups, count = turns("COUNT PER (SELECT Country)", "COUNT (ROWS)")
    assert answer_csv(groups, TABLE) == "Country,Number\nNorway,3\nFinland,2\n"
    assert answer_csv(count, TABLE) == "answer\n5\n"


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ("COUNT PER (SELECT Country)", Values(("Norway", 3.0, "Finland", 2.0))),
        ("EXISTS (ROWS WHERE People > 6)", Values((True,))),
        ("AVERAGE (SELECT People WHERE Country = 'Norway')", Values((11 / 3,))),
        ("SELECT City WHERE People > 100", Values(())),
        ("SELECT City WHERE People > 6", Cells(frozenset({(0, 0)}))),
    ],
)
def test_a_printed_turn_is_data_again(program: str, answer: Values | Cells) -> None:
    (turn,) = turns(program)
    printed = json.loads(json.dumps(turn.as_json()))
    loaded = read_objects([{"table": table_as_object(TABLE), "turns": [printed]}])
    assert not loaded.problems and loaded.examples[0].answer == answer


def test_the_parser_itself_computes_and_no_rule_takes_the_question_apart(parser: Parser) -> None:
    chat = Chat(parser, TABLE)
    assert chat.computes and request_in("how many people live in Finland?", TABLE) is not None
    total = chat.ask("how many people live in Finland?")
    assert total.program == "SUM (SELECT People WHERE Country = 'Finland')"
    assert total.kind == "value" and total.values == (7.0,)
    assert chat.previous is not None and chat.previous.values is None
    assert chat.previous.cells == {(2, 2), (4, 2)}, "its cells are what is followed up on"
    chat.reset()
    groups = chat.ask(GROUPS)
    assert groups.kind == "groups", "what rules would decline"
    assert groups.values == (("Norway", 3.0), ("Finland", 2.0))
    assert chat.readings(3)[0].turn == groups
    declined = chat.ask("hello")
    assert declined.kind == "declined" and declined.reason == declined.explanation
    assert declined.answer == () and declined.program == ""


def test_a_count_is_taught_by_its_value_and_answered_from_then_on(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, TABLE, teacher=teacher)
    wrong = chat.ask(ODD)
    assert wrong.values != (3.0,)
    taught = chat.teach(wrong, values=[3])
    assert taught.learnt and taught.said.startswith("I now read this as: The number of")
    corrected = chat.turns[-1]
    assert corrected.program == "COUNT (ROWS WHERE Country = 'Norway')"
    assert corrected.values == (3.0,) and corrected.cells == ((0, 1), (1, 1), (3, 1))
    again = Chat(parser, TABLE, teacher=teacher)
    assert again.ask(ODD).program == corrected.program
    assert again.ask("zorg the cities of Finland?").values == (2.0,)
    chat.unteach()
    assert Chat(parser, TABLE, teacher=teacher).ask(ODD) == wrong


def test_the_cells_of_a_question_are_taught_where_it_counted_them(parser: Parser) -> None:
    """COUNT (P) and P are told apart: the rows alone can be taught as the answer too."""
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, TABLE, teacher=teacher)
    chat.ask(ODD)
    chat.teach(-1, values=[3])
    chat.reset()
    chat.ask(ODD)
    taught = chat.teach(-1, [(0, 0), (1, 0), (3, 0)])
    assert taught.learnt and taught.contradicts is not None and "said to be 3" in taught.contradicts
    chat.reset()
    assert chat.ask(ODD).answer == ("Oslo", "Bergen", "Moss")


def test_groups_and_what_no_program_gives(parser: Parser) -> None:
    chat = Chat(parser, TABLE)
    chat.ask("zorg by country?")
    assert chat.teach(-1, values=[("Norway", 3), ("Finland", 2)]).learnt
    assert chat.turns[-1].kind == "groups"
    chat.ask("what is the zorg of Moss?")
    taught = chat.teach(-1, values=["a purple fish"])
    assert not taught.learnt and "I found no way to work out" in taught.said
    turn = chat.turns[-1]
    assert turn.kind == "value" and turn.answer == ("a purple fish",) and not turn.declined
    assert not turn.program and not turn.cells
    assert chat.ask("which cities are in Norway?").program, "the conversation goes on"
    assert chat.teacher.log.lessons()[-1].correction.values == ("a purple fish",)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"cells": [(0, 0)], "values": [1]},
        {"values": [float("nan")]},
        {"values": [object()]},
        {"values": "three"},
    ],
)
def test_what_is_no_answer_is_refused(parser: Parser, given: dict[str, Any]) -> None:
    chat = Chat(parser, TABLE)
    chat.ask(ODD)
    with pytest.raises(DataError):
        chat.teach(-1, **given)
    assert not chat.teacher.log.records()


def test_accepted_values_are_kept_right(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, TABLE, teacher=teacher)
    chat.accept(chat.ask(GROUPS))
    chat.ask(ODD)
    chat.teach(-1, values=[3])
    first, last = teacher.log.records()
    assert (first.kind, last.kind) == ("accepted", "lesson")
    assert first.correction is not None
    assert first.correction.values == ("Norway", 3.0, "Finland", 2.0)
    assert first.correction.program == "COUNT PER (SELECT Country)", "with what it computes"
    chat.reset()
    assert chat.ask(GROUPS).kind == "groups"


def test_values_in_the_log_and_records_of_before(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    log = TeachingLog(path)
    correction = Correction("q", "q", (), None, frozenset(), None, ("Oslo", 2.5, True))
    log.add(TABLE, correction)
    (record,) = log.records()
    assert record.correction == correction and correction.answer == Values(("Oslo", 2.5, True))
    line = {
        "table": record.digest,
        "question": "old",
        "asked": "old",
        "history": [],
        "previous": None,
        "cells": [[0, 1]],
        "program": None,
    }
    with sqlite3.connect(path) as other:
        other.execute(
            "INSERT INTO log (at, person, kind, content) VALUES (0, '', 'lesson', ?)",
            (json.dumps(line),),
        )
    old = TeachingLog(path).records()[-1].correction
    assert old is not None and old.values is None and old.answer == Cells(frozenset({(0, 1)}))
    (tmp_path / "l.jsonl").write_text(log.export())
    loaded = load_examples(tmp_path / "l.jsonl", "all")
    assert [example.answer for example in loaded.examples] == [correction.answer, old.answer]


def test_in_the_terminal(parser: Parser) -> None:
    out = io.StringIO()
    chat = Chat(parser, TABLE)
    conversation = Repl(chat, Console(file=out, width=120), "t.csv")
    for line in (ODD, ":teach 3"):
        conversation.take(line)
    assert chat.turns[-1].values == (3.0,) and "I now read this as" in out.getvalue()
    conversation.take(":2")
    assert chat.turns[-1].program == conversation.offered[1].program != ""
    assert chat.turns[-1].values == (3.0,), "another reading of the same value"
    conversation.take(":teach none")
    assert "kept for later" in out.getvalue()
    conversation.take(":teach Oslo; Moss")
    assert chat.teacher.log.lessons()[-1].correction.values == ("Oslo", "Moss")  # type: ignore[union-attr]


def test_over_rest_and_after_a_restart(parser: Parser, tmp_path: Path) -> None:
    service = serve_inline(parser, tmp_path)
    client = TestClient(make_app(service))
    content = "City,Country,People\n" + "".join(
        ",".join(row) + "\n" for row in zip(*(c.text for c in TABLE.columns), strict=True)
    )
    id_ = client.post("/api/sessions", json={"content": content}).json()["id"]
    api = f"/api/sessions/{id_}"
    groups = client.post(f"{api}/ask", json={"question": GROUPS}).json()
    assert groups["kind"] == "groups" and groups["values"] == [["Norway", 3], ["Finland", 2]]
    assert client.get(f"{api}/answer.csv").text == "Country,Number\nNorway,3\nFinland,2\n"
    client.post(f"{api}/ask", json={"question": ODD})
    taught = client.post(f"{api}/teach", json={"turn": 1, "values": [3]}).json()
    assert taught["learnt"] and taught["turn"]["values"] == [3]
    lesson = client.get(f"{api}/lessons").json()[0]
    assert lesson["values"] == [3] and lesson["cells"] == 0
    client.post(f"{api}/ask", json={"question": "what is the zorg of Moss?"})
    kept = client.post(f"{api}/teach", json={"turn": 2, "values": ["a fish", True, 1.5]}).json()
    assert not kept["learnt"] and kept["turn"]["values"] == ["a fish", True, 1.5]
    service.desks.forget(id_)
    again = client.get(api).json()["turns"]
    assert [turn["kind"] for turn in again] == ["groups", "value", "value"]
    assert [turn["values"] for turn in again][1:] == [[3], ["a fish", True, 1.5]]
    exported = json.loads(client.get(f"{api}/export.jsonl").text)["turns"]
    assert [turn["answer"] for turn in exported] == [
        ["Norway", 3, "Finland", 2],
        [3],
        ["a fish", True, 1.5],
    ]
    schema = client.get("/openapi.json").json()["components"]["schemas"]
    assert {"kind", "values", "reason"} <= set(schema["TurnInfo"]["properties"])


def test_the_command_teaches_values_and_tells_of_each_that_no_program_gives(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DENOTA_LESSONS", str(tmp_path / "log.sqlite"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    lines = [
        {
            "table": table_as_object(TABLE),
            "turns": [
                {"question": ODD, "answer": [3]},
                {"question": "and what is that in fish?", "answer": ["a purple fish"]},
            ],
        },
        {
            "table": table_as_object(TABLE),
            "turns": [{"question": "which zorg?", "cells": [[0, 0], [1, 1]]}],
        },
    ]
    file = tmp_path / "l.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    best = str(run / "best.safetensors")
    told = list(teach_model(best, file, False, False, True, None, None))
    assert told[0].startswith(f"{file}:1 turn 2: I found no way to work out")
    assert told[1].startswith(f"{file}:2 turn 1: I know no program")
    assert told[2].startswith("1 lessons learnt, 2 kept for later")
    assert ODD in told[3] and "(3)" in told[3]


def test_a_parser_that_picks_cells_is_not_taught_a_count(parser: Parser) -> None:
    """Rules count for it: to learn a cell that happens to say 3 would spoil that."""
    chat = Chat(picks_cells(), TABLE)
    assert not chat.computes
    turn = chat.ask("how many cities are in Finland?")
    assert turn.kind == "value" and turn.values == (2.0,)
    taught = chat.teach(turn, values=[3])
    assert not taught.learnt and "not learnt" in taught.said and not chat.teacher.memory().tables
    assert chat.turns[-1].values == (3.0,)
    chat.reset()
    chat.ask("which city has people 2?")
    assert chat.teach(-1, values=["turku"]).learnt


def test_python_learns_from_values_and_scores_by_them(parser: Parser) -> None:
    own = TableParser(parser)
    assert own.score(talks({"how many people live in Finland?": [7]})) == 100.0
    assert own.score(talks({"how many people live in Finland?": ["seven"]})) == 0.0
    odd = talks({"zorgs of Norway?": [3], "zorgs of Finland?": [2]})
    assert own.score(odd) < 100.0
    own.fit([*odd, *talks(LEARNT)], epochs=30, rate=0.02, batch=4, progress=False)
    assert own.score(odd) == 100.0
    chat = own.chat(TABLE)
    chat.ask("zorgs of Norway?")
    assert own.score([chat]) == 100.0, "a conversation that was had, by its values"
    assert json.loads(conversation_jsonl(chat))["turns"][0]["answer"] == [3]
    with pytest.raises(DataError, match=r"line 2, 'which fish\?': no program .* a purple fish"):
        own.fit([*odd[:1], *talks({"which fish?": ["a purple fish"]})], progress=False)
