"""Teaching from a conversation: readings, choosing, contradictions, undoing, the log on disk.

The same is tested over Python, the terminal, REST and the command line.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from rich.console import Console

import denota
from app.serving import serve_inline
from denota import sample
from denota.app.paths import load_run
from denota.app.terminal.repl import Repl
from denota.app.web.server import make_app
from denota.conversation.chat import Chat
from denota.data import load_examples
from denota.errors import DataError
from denota.model.parser import Parser
from denota.tables import Table
from denota.teaching.log import Correction, TeachingLog
from denota.teaching.teacher import Teacher
from processes import denota as call

CASTLES = sample.tables()["tables/castles.csv"]
ODD = "what was the zorg of harrock tower?"
ANSWER = {(2, 2)}
OTHER = "what was the zorg of dun fort?"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load_run("default")


def test_taught_answered_undone(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    before = Chat(parser, CASTLES).ask(OTHER)
    chat = Chat(parser, CASTLES, teacher=teacher)
    wrong = chat.ask(ODD)
    assert set(wrong.cells) != ANSWER
    taught = chat.teach(wrong, ANSWER)
    assert taught.learnt and 1 <= len(taught.readings) <= 3
    assert taught.said.startswith("I now read this as: The Builder")
    assert set(chat.turns[-1].cells) == ANSWER and chat.turns[-1].program
    again = Chat(parser, CASTLES, teacher=teacher)
    assert set(again.ask(OTHER).cells) == {(3, 2)}
    assert chat.unteach() == ODD
    fresh = Chat(parser, CASTLES, teacher=teacher)
    assert fresh.ask(OTHER) == before
    with pytest.raises(DataError, match="nothing to undo"):
        chat.unteach()


def test_later_questions_follow_up_on_the_corrected_answer(parser: Parser) -> None:
    chat = Chat(parser, CASTLES)
    chat.ask("which castles are ruins?")
    chat.ask("of those, which has the most towers?")
    chat.teach(0, {(0, 0), (3, 0), (8, 0)})
    assert len(chat.turns) == 1, "what followed the wrong answer is dropped"
    assert chat.previous is not None and set(chat.previous.rows) == {0, 3, 8}
    assert set(chat.ask("of those, which has the most towers?").cells) == {(3, 0)}


def test_cells_that_no_program_gives_are_kept_for_later(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher)
    chat.ask(ODD)
    odd = {(0, 0), (3, 5), (7, 2)}
    taught = chat.teach(-1, odd)
    assert not taught.learnt and "kept for later" in taught.said
    turn = chat.turns[-1]
    assert set(turn.cells) == odd and not turn.program and not turn.declined
    assert "row_number IN (1, 4, 8)" in turn.sql and len(teacher.log.lessons()) == 1
    assert not teacher.memory().tables


def test_none_of_these_is_not_learnt(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher)
    chat.ask(ODD)
    assert chat.teach(-1, ANSWER).learnt and teacher.memory().tables
    assert not chat.teach(-1, ANSWER, "").learnt
    assert not teacher.memory().tables, "the last word on a question counts"


def test_another_reading_is_taken(parser: Parser) -> None:
    chat = Chat(parser, CASTLES)
    chat.ask(ODD)
    first = chat.teach(-1, ANSWER)
    others = chat.told_as(first.readings)
    taught = chat.teach(-1, ANSWER, others[1].program)
    assert chat.turns[-1].program == others[1].program
    assert taught.learnt and taught.contradicts is None


def test_contradictions_are_noticed(parser: Parser) -> None:
    chat = Chat(parser, CASTLES)
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    chat.reset()
    chat.ask(ODD.upper())
    taught = chat.teach(-1, {(2, 1)})
    assert taught.contradicts is not None and "Bishop Lothar" in taught.contradicts
    chat.reset()
    assert set(chat.ask(ODD).cells) == {(2, 1)}, "the newer counts"


def test_answers_that_were_said_to_be_right_are_kept_right(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher)
    fine = chat.ask("which castles have the condition intact?")
    assert fine.sure
    chat.accept(fine)
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    kinds = [record.kind for record in teacher.log.records()]
    assert kinds == ["accepted", "lesson"]
    chat.reset()
    assert chat.ask("which castles have the condition intact?").cells == fine.cells
    teacher.undo()
    assert teacher.log.lessons() == [] and not teacher.memory().tables


def test_people_are_kept_apart(parser: Parser) -> None:
    teacher = Teacher(parser, TeachingLog())
    ada = Chat(parser, CASTLES, teacher=teacher, person="ada")
    ada.ask(ODD)
    ada.teach(-1, ANSWER)
    assert set(Chat(parser, CASTLES, teacher=teacher, person="ada").ask(ODD).cells) == ANSWER
    assert set(Chat(parser, CASTLES, teacher=teacher, person="bob").ask(ODD).cells) != ANSWER


def test_the_log_is_only_added_to_and_replayed(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    teacher = Teacher(parser, TeachingLog(path))
    chat = Chat(parser, CASTLES, teacher=teacher)
    chat.ask(ODD)
    chat.teach(-1, ANSWER)
    expected = Chat(parser, CASTLES, teacher=teacher).ask(OTHER)
    again = Teacher(parser, TeachingLog(path))  # as another process would
    assert Chat(parser, CASTLES, teacher=again).ask(OTHER) == expected
    with sqlite3.connect(path) as other, pytest.raises(sqlite3.IntegrityError, match="only added"):
        other.execute("DELETE FROM log")
    again.undo()
    again.log.add(CASTLES, Correction("q", "q", (), None, frozenset(ANSWER)))
    assert [r.kind for r in again.log.records()] == ["lesson", "undo", "lesson"]
    assert again.reset() == 1 and again.log.lessons() == []


def test_lessons_are_exported_as_data(parser: Parser, tmp_path: Path) -> None:
    teacher = Teacher(parser, TeachingLog())
    chat = Chat(parser, CASTLES, teacher=teacher)
    chat.ask("which castles are there?")
    chat.ask("and which one of those is the zorg?")
    assert not chat.afresh[-1]
    chat.teach(-1, ANSWER)
    (tmp_path / "l.jsonl").write_text(teacher.log.export())
    loaded = load_examples(tmp_path / "l.jsonl", "all")
    assert not loaded.problems
    last = loaded.examples[-1]
    assert last.cells == ANSWER and last.question.history == ("which castles are there?",)


def test_in_python_and_saved(tmp_path: Path) -> None:
    parser = denota.load()
    chat = parser.chat(CASTLES)
    turn = chat.ask(ODD)
    chat.teach(turn, ANSWER)
    file = parser.save(tmp_path / "taught.safetensors")
    again = denota.load(file)
    assert set(again.ask(CASTLES, OTHER).cells) == {(3, 2)}
    assert set(denota.load().ask(CASTLES, OTHER).cells) != {(3, 2)}


def test_in_the_terminal(parser: Parser) -> None:
    out = io.StringIO()
    chat = Chat(parser, CASTLES)
    conversation = Repl(chat, Console(file=out, width=160), "castles.csv")
    for line in (ODD, ":teach bishop lothar"):
        conversation.take(line)
    assert "I now read this as" in out.getvalue(), "a text, wherever it stands"
    assert conversation.chat.turns[-1].answer == ("Bishop Lothar",)
    conversation.take(":teach 2:2")
    assert out.getvalue().count("I now read this as") == 2
    conversation.take(":teach none")
    assert "kept for later" in out.getvalue()
    conversation.take(":unteach")
    assert f"forgotten: {ODD}" in out.getvalue()
    for line in (ODD, ":teach 2:2", "which castles are ruins?", ":right", ":lessons"):
        conversation.take(line)
    assert "kept as right" in out.getvalue()
    *_, record = chat.teacher.log.lessons()
    assert f"{record.number:5}  {ODD}  " in out.getvalue()
    for line in (":forget", ":forget 99", f":forget {record.number}"):
        conversation.take(line)
    assert ":lessons shows them" in out.getvalue() and "no lesson 99" in out.getvalue()
    assert record not in chat.teacher.log.lessons()
    conversation.take(":teach 99:99")
    assert "outside the table" in out.getvalue()


@pytest.fixture
def client(parser: Parser, tmp_path: Path) -> TestClient:
    return TestClient(make_app(serve_inline(parser, tmp_path)))


def test_over_rest(client: TestClient) -> None:
    client.get("/")  # and be somebody
    id_ = client.post("/api/sessions", json={"sample": "castles"}).json()["id"]
    api = f"/api/sessions/{id_}"
    client.post(f"{api}/ask", json={"question": ODD})
    body = {"turn": 0, "cells": [[2, 2]]}
    taught = client.post(f"{api}/teach", json=body).json()
    assert taught["learnt"] and taught["turn"]["cells"] == [[2, 2]] and taught["readings"]
    assert client.get(f"{api}/lessons").json()[0]["question"] == ODD
    other = client.post("/api/sessions", json={"sample": "castles"}).json()["id"]
    answer = client.post(f"/api/sessions/{other}/ask", json={"question": OTHER}).json()
    assert answer["cells"] == [[3, 2]]
    assert ODD in client.get(f"{api}/lessons.jsonl").text
    assert ODD in client.post(f"{api}/unteach").json()["said"]
    assert client.post(f"{api}/unteach").status_code == 422
    for wrong in ({"turn": 9, "cells": [[0, 0]]}, {"turn": 0, "cells": [[99, 0]]}):
        assert client.post(f"{api}/teach", json=wrong).status_code in (404, 422)
    for shape in ({"cells": []}, {}, {"cells": [[0, 0]], "values": ["x"]}, {"values": []}):
        assert client.post(f"{api}/teach", json={"turn": 0, **shape}).status_code == 422


def test_over_rest_lessons_are_listed_by_table_and_forgotten(client: TestClient) -> None:
    client.get("/")
    ids = [
        client.post("/v1/sessions", json={"sample": name}).json()["id"]
        for name in ("castles", "bridges")
    ]
    for id_, cells in zip(ids, ([[2, 2]], [[1, 1]]), strict=True):
        turn = client.post(f"/v1/sessions/{id_}/ask", json={"question": ODD}).json()
        assert client.post(f"/v1/sessions/{id_}/teach", json={"turn": 0, "cells": cells}).is_success
    api = f"/v1/sessions/{ids[0]}"
    (lesson,) = client.get(f"{api}/lessons").json()
    assert lesson["table"].startswith("castles") and lesson["question"] == ODD
    assert len(client.get(f"{api}/lessons", params={"all": True}).json()) == 2
    turn = client.post(f"{api}/ask", json={"question": "which castles are ruins?"}).json()
    assert client.post(f"{api}/accept", json={"turn": 1}).json()["id"] == turn["id"]
    assert client.post(f"{api}/accept", json={"turn": turn["id"]}).is_success
    for wrong in (9, "nobody"):
        assert client.post(f"{api}/accept", json={"turn": wrong}).status_code == 404
    plan = client.post(f"{api}/retrain", json={"preview": True}).json()
    assert plan["lessons"] == 2 and plan["seconds"] > 0 and "--retrain" in plan["command"]
    assert client.post(f"{api}/retrain", json={"preview": False}).status_code == 422
    stranger = TestClient(client.app)
    stranger.get("/")
    own = stranger.post("/v1/sessions", json={"sample": "castles"}).json()["id"]
    path = f"/v1/sessions/{own}/lessons"
    assert stranger.get(path, params={"all": True}).json() == []
    assert stranger.delete(f"{path}/{lesson['id']}").status_code == 404
    assert stranger.delete(f"{api}/lessons/{lesson['id']}").status_code == 404
    assert ODD in client.delete(f"{api}/lessons/{lesson['id']}").json()["said"]
    assert client.get(f"{api}/lessons").json() == []
    assert client.delete(f"{api}/lessons/{lesson['id']}").status_code == 404


def test_over_rest_people_are_kept_apart(parser: Parser, tmp_path: Path) -> None:
    app = make_app(serve_inline(parser, tmp_path))
    ada, bob = TestClient(app), TestClient(app)
    answers = []
    for client in (ada, bob):
        client.get("/")
        assert client.cookies.get("denota-person")
        id_ = client.post("/api/sessions", json={"sample": "castles"}).json()["id"]
        client.post(f"/api/sessions/{id_}/ask", json={"question": ODD})
        if client is ada:
            body = {"turn": 0, "cells": [[2, 2]]}
            assert client.post(f"/api/sessions/{id_}/teach", json=body).json()["learnt"]
            id_ = client.post("/api/sessions", json={"sample": "castles"}).json()["id"]
            client.post(f"/api/sessions/{id_}/ask", json={"question": ODD})
        turns = client.get(f"/api/sessions/{id_}").json()["turns"]
        answers.append(turns[-1]["cells"])
        lessons = client.get(f"/api/sessions/{id_}/lessons").json()
        assert len(lessons) == (1 if client is ada else 0)
    assert answers[0] == [[2, 2]] and answers[1] != [[2, 2]]


def test_a_pointed_answer_survives_a_restart(parser: Parser, tmp_path: Path) -> None:
    service = serve_inline(parser, tmp_path)
    client = TestClient(make_app(service))
    id_ = client.post("/v1/sessions", json={"sample": "castles"}).json()["id"]
    client.post(f"/v1/sessions/{id_}/ask", json={"question": ODD})
    body = {"turn": 0, "cells": [[0, 0], [3, 5], [7, 2]]}
    taught = client.post(f"/v1/sessions/{id_}/teach", json=body).json()["turn"]
    service.close()
    (again,) = (
        TestClient(make_app(serve_inline(parser, tmp_path)))
        .get(f"/v1/sessions/{id_}")
        .json()["turns"]
    )
    assert again["cells"] == taught["cells"] == body["cells"]
    assert again["sql"] == taught["sql"] and not again["program"]


def test_shared_lessons_are_everybodys(parser: Parser, tmp_path: Path) -> None:
    app = make_app(serve_inline(parser, tmp_path, shared=True))
    ada, bob = TestClient(app), TestClient(app)
    ids = []
    for client in (ada, bob):
        client.get("/")
        ids.append(client.post("/v1/sessions", json={"sample": "castles"}).json()["id"])
    ada.post(f"/v1/sessions/{ids[0]}/ask", json={"question": ODD})
    ada.post(f"/v1/sessions/{ids[0]}/teach", json={"turn": 0, "cells": [[2, 2]]})
    learnt = bob.post(f"/v1/sessions/{ids[1]}/ask", json={"question": ODD}).json()
    assert learnt["cells"] == [[2, 2]]
    assert bob.get(f"/v1/sessions/{ids[0]}").status_code == 404, "conversations are not shared"


def test_the_command(tmp_path: Path) -> None:
    lessons = {"table": "castles.csv", "turns": [{"question": ODD, "cells": [[2, 2]]}]}
    (tmp_path / "l.jsonl").write_text(json.dumps(lessons))
    (tmp_path / "castles.csv").write_bytes((sample.path() / "tables/castles.csv").read_bytes())
    environment = {**os.environ, "DENOTA_LESSONS": str(tmp_path / "log.sqlite")}

    def run(*arguments: str) -> str:
        done = call(*arguments, cwd=tmp_path, env=environment)
        return done.stdout + done.stderr

    assert "1 lessons learnt, 0 kept" in run("teach", "default", "l.jsonl")
    asked = json.loads(run("ask", "castles.csv", OTHER, "--json"))
    assert asked["cells"] == [[3, 2]]
    assert ODD in run("teach", "default", "--log")
    assert "out.jsonl: 1 lessons" in run("teach", "default", "--export", "out.jsonl")
    assert "MB" in run("teach", "default", "--save", "taught.safetensors")
    told = run("teach", "default", "--retrain", "more.safetensors", "--preview")
    assert "Training on 1 lesson about 1 table" in told and "minute" in told
    assert "no lesson 99" in run("teach", "default", "--forget", "99")
    assert f"forgotten: {ODD}" in run("teach", "default", "--forget", "1")
    assert json.loads(run("ask", "castles.csv", OTHER, "--json"))["cells"] != [[3, 2]]
    saved = run("ask", "castles.csv", OTHER, "--json", "--model", "taught.safetensors")
    assert json.loads(saved)["cells"] == [[3, 2]]
    assert "say what to teach" in run("teach", "default")
    assert "nothing to undo" in run("teach", "default", "--undo")


def test_lessons_read_numbers_as_their_parser_does(parser: Parser) -> None:
    """A parser of the paper's kind reads bare numbers alone, in conversations and in lessons."""
    config = replace(parser.config, data=replace(parser.config.data, numbers="plain"))
    teacher = Teacher(replace(parser, config=config), TeachingLog())
    table = Table.from_rows(["Name", "Price"], [["a", "$5 million"], ["b", "$7 million"]])
    chat = Chat(teacher.parser, table, teacher=teacher)
    chat.ask("which names?")
    chat.teach(-1, {(0, 0), (1, 0)})
    (record,) = teacher.log.lessons()
    again = teacher._table(record.digest)
    assert [c.kind for c in again.columns] == [c.kind for c in chat.table.columns]
    assert again["Price"].kind != table["Price"].kind
