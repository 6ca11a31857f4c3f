"""Requests that look at a table: columns, some rows, what cells come to, and lessons ahead."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import denota
from app.serving import serve_inline
from denota import sample
from denota.app.web.server import make_app
from denota.sample.about import ABOUT, CONVERSATIONS, FIRST

PARSER = denota.load()
TEXT = "Order,State,Price\n" + "".join(
    f"o{n},{('sent', 'lost', 'Sent')[n % 3]},{'broken' if n == 4 else n}\n" for n in range(12)
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    service = serve_inline(PARSER.parser, tmp_path)
    with TestClient(make_app(service)) as made:
        yield made
    service.close()


def begin(client: TestClient, text: str = TEXT, **how: Any) -> str:
    answer = client.post("/v1/sessions/upload", params={"name": "orders.csv", **how}, content=text)
    assert answer.status_code == 201, answer.text
    return f"/v1/sessions/{answer.json()['id']}"


def test_a_session_tells_how_its_file_was_read(client: TestClient) -> None:
    one = begin(client, "Orders of May\n\nOrder;Code\na;007\nb;12\n".replace("a;", "é;"))
    read = client.get(one).json()["read"]
    assert read | {"sheets": []} == {
        "format": "csv",
        "encoding": read["encoding"],
        "delimiter": ";",
        "sheet": "",
        "sheets": [],
        "header": 3,
    }
    assert read["encoding"].startswith("utf-8")
    assert client.post("/v1/sessions", json={"sample": "castles"}).json()["read"]["header"] == 1


def test_columns_are_read_as_text_where_that_is_said(client: TestClient) -> None:
    kinds = lambda path: [c["kind"] for c in client.get(path).json()["columns"]]  # noqa: E731
    one = begin(client)
    assert kinds(one) == ["text", "text", "number"]
    told = client.post(
        "/v1/sessions/upload",
        params=[("name", "orders.csv"), ("text", "Price"), ("text", "Order")],
        content=TEXT,
    ).json()
    assert [(c["kind"], c["as_text"]) for c in told["columns"]] == [
        ("text", True),
        ("text", False),
        ("text", True),
    ]
    wrong = client.post("/v1/sessions/upload", params={"text": "Prices"}, content=TEXT)
    assert wrong.status_code == 422 and "'Price'" in wrong.json()["detail"]
    columns = client.get(f"{one}/columns").json()
    assert columns[2]["unread"] == 1 and columns[2]["unread_cells"] == [[4, "broken"]]
    assert sum(columns[2]["bars"]) == 11
    assert columns[1]["common"] == [["sent", 4], ["lost", 4], ["Sent", 4]]
    assert columns[0]["common"] == []


def test_rows_of_an_answer_given_rows_and_their_csv(client: TestClient) -> None:
    one = begin(client)
    turn = client.post(f"{one}/ask", json={"question": "which orders have the state lost?"}).json()
    own = sorted({row for row, _ in turn["cells"]})
    assert own == [1, 4, 7, 10]
    found = client.get(f"{one}/rows", params={"turn": 0, "sort": 2, "down": True}).json()
    assert found["total"] == 4 and [one["row"] for one in found["rows"]] == [10, 7, 1, 4]
    assert client.get(f"{one}/rows", params={"turn": 1}).status_code == 404
    body = {"rows": [2, 11, 5, 400], "sort": 2, "down": True, "count": 2, "start": 1}
    given = client.post(f"{one}/rows", json=body).json()
    assert given["total"] == 3 and [row["row"] for row in given["rows"]] == [5, 2]
    lines = list(csv.reader(client.get(f"{one}/rows.csv?turn=0").text.splitlines()))
    assert lines[0] == ["row", "Order", "State", "Price"]
    assert [line[:2] for line in lines[1:]] == [[str(n + 1), f"o{n}"] for n in own]
    posted = client.post(f"{one}/rows.csv", json={"rows": [3], "search": "o3"}).text
    assert posted == "row,Order,State,Price\n4,o3,sent,3\n"
    answer = list(csv.reader(client.get(f"{one}/answer.csv").text.splitlines()))
    assert [int(line[0]) - 1 for line in answer[1:]] == own, "counted from 1, as on the page"
    assert client.get(f"{one}/rows/with?column=1&value=sent").json() == [
        n for n in range(12) if n % 3 != 1
    ]
    assert client.get(f"{one}/rows/with?column=9&value=sent").status_code == 422


def test_cells_are_counted_added_up_and_averaged(client: TestClient) -> None:
    one = begin(client)
    cells = [[1, 2], [4, 2], [7, 2], [7, 0]]

    def total(of: str) -> Any:
        return client.post(f"{one}/total", json={"cells": cells, "of": of}).json()

    assert total("count") == {"value": 3, "left_out": 0}
    assert total("sum") == {"value": 8, "left_out": 2}
    assert total("average") == {"value": 4, "left_out": 2}
    outside = client.post(f"{one}/total", json={"cells": [[99, 0]], "of": "count"})
    assert outside.status_code == 422


def test_a_lesson_ahead_learns_nothing_and_says_what_would_change(client: TestClient) -> None:
    castles = f"/v1/sessions/{client.post('/v1/sessions', json={'sample': 'castles'}).json()['id']}"
    for question in ("which castle is the most ancient?", "what is the most ancient castle?"):
        client.post(f"{castles}/ask", json={"question": question, "scope": "table"})
    before = client.get(castles).json()
    body = {"turn": 1, "cells": [[0, 0]], "program": "SELECT Castle WHERE Built IS MIN"}
    assert [0, 0] not in before["turns"][0]["cells"]
    ahead = client.post(f"{castles}/teach", json={**body, "preview": True}).json()
    assert ahead["learnt"] and ahead["turn"]["cells"] == [[0, 0]]
    assert client.get(castles).json() == before and client.get(f"{castles}/lessons").json() == []
    again = client.post(f"{castles}/teach", json={**body, "preview": True}).json()
    assert again == ahead, "looking twice is looking once"
    taught = client.post(f"{castles}/teach", json=body).json()
    assert taught["turn"]["program"] == ahead["turn"]["program"]
    assert taught["readings"] == [{**one, "id": taught["turn"]["id"]} for one in ahead["readings"]]
    client.post(f"{castles}/undo")
    client.post(f"{castles}/undo")
    now = client.post(f"{castles}/ask", json={"question": before["turns"][0]["question"]}).json()
    told = {one["turn"]: one["answer"] for one in ahead["changes"]}
    changed = now["cells"] != before["turns"][0]["cells"]
    assert (0 in told) == changed
    if changed:
        assert told[0] == now["answer"][:5]


def test_every_sample_has_a_question_that_is_answered_from_its_words() -> None:
    assert set(ABOUT) == set(sample.names()) and set(FIRST) <= set(ABOUT)
    for name, (about, question) in ABOUT.items():
        turn = PARSER.ask(sample.table(name), question)
        assert turn.program and turn.sure, question
        named = [c for c in sample.table(name).names if c in turn.explanation]
        heads = {word for column in named for word in column.lower().split()[:1]}
        assert any(head.rstrip("s") in question.lower() for head in heads), turn.explanation
        assert about and len(about) < 40


def test_the_example_is_what_the_model_answers(client: TestClient) -> None:
    told = client.get("/v1/example").json()
    asked = [turn["question"] for turn in told["turns"]]
    assert asked == [question for talk in CONVERSATIONS for question in talk]
    for talk in CONVERSATIONS:
        chat = PARSER.chat(sample.table("castles"))
        for question in talk:
            turn = chat.ask(question)
            [own] = [one for one in told["turns"] if one["question"] == question]
            assert own["answer"] == list(turn.answer) and own["sure"]
    assert client.get("/v1/example").json() == told


def test_what_the_first_page_says_can_be_asked_is_answered_right() -> None:
    page = (files("denota.app.web") / "page" / "index.html").read_text()
    asked = re.findall(r'<dd><button class="link">(.*?)</button>', page)
    table = sample.table("castles")
    rows = [dict(zip(table.names, table.row(row), strict=True)) for row in range(len(table))]
    towers: dict[str, list[int]] = {}
    for row in rows:
        towers.setdefault(row["Condition"], []).append(int(row["Towers"]))
    right = [
        [row["Castle"] for row in rows if row["Condition"] == "ruin"],
        [row["Castle"] for row in rows if int(row["Built"][:4]) < 1300],
        [max(rows, key=lambda row: int(row["Towers"]))["Castle"]],
        [str(len(towers["intact"]))],
    ]
    answers = [PARSER.ask(table, question) for question in asked]
    assert [list(answer.answer) for answer in answers[:-1]] == right
    groups = {str(name): value for name, value in answers[-1].values}  # type: ignore[misc]
    assert groups == {name: pytest.approx(sum(of) / len(of)) for name, of in towers.items()}
