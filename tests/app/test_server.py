"""The server over HTTP: conversations, readings, rows as they are seen, sessions that survive.

What hostile requests get is tested too.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from fastapi.testclient import TestClient

from denota import sample
from denota.app.web.guard import Guard
from denota.app.web.server import make_app
from denota.app.web.service import Service
from denota.app.web.sessions import SessionStore
from denota.config import Config, ModelConfig, TrainConfig
from denota.data import load_examples
from denota.errors import DataError
from denota.learning.start import new_parser
from denota.model.parser import Parser
from denota.search.preparer import Preparer

CSV = "City,People,Founded\nOslo,709037,1040\nBergen,291940,1070\nMoss,50290,1720\n"


@pytest.fixture(scope="module")
def parser() -> Parser:
    config = Config(model=ModelConfig(dimension=16, hidden=6), train=TrainConfig(device="cpu"))
    examples = load_examples(sample.path(), "dev").examples[:40]
    return new_parser(config, Preparer("dynsp++").ahead(examples))


@pytest.fixture
def service(parser: Parser, tmp_path: Path) -> Iterator[Service]:
    service = Service(parser, SessionStore(tmp_path / "sessions.db"))
    yield service
    service.close()


@pytest.fixture
def client(service: Service) -> TestClient:
    return TestClient(make_app(service))


def begin(client: TestClient, content: str = CSV) -> str:
    made = client.post("/api/sessions", json={"content": content, "name": "cities"})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def test_a_conversation(client: TestClient) -> None:
    assert "castles" in client.get("/api/samples").json()
    id_ = client.post("/api/sessions", json={"sample": "castles"}).json()["id"]
    first = client.post(f"/api/sessions/{id_}/ask", json={"question": "which castles?"}).json()
    fields = "question kind answer values cells program sql explanation confidence sure reason"
    assert set(first) == set(fields.split())
    client.post(f"/api/sessions/{id_}/ask", json={"question": "of those, the oldest?"})
    assert len(client.get(f"/api/sessions/{id_}").json()["turns"]) == 2
    assert len(client.post(f"/api/sessions/{id_}/undo").json()["turns"]) == 1
    readings = client.get(f"/api/sessions/{id_}/readings").json()
    assert readings[0]["program"] == first["program"] and len(readings) == 5
    chosen = client.post(f"/api/sessions/{id_}/choose", json={"program": readings[1]["program"]})
    assert chosen.json()["cells"] == readings[1]["cells"]
    assert client.post(f"/api/sessions/{id_}/reset").json()["turns"] == []


def test_sessions_survive(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    first = TestClient(make_app(Service(parser, SessionStore(path))))
    id_ = begin(first)
    first.post(f"/api/sessions/{id_}/ask", json={"question": "which cities?"})
    other = first.get(f"/api/sessions/{id_}/readings").json()[2]["program"]
    first.post(f"/api/sessions/{id_}/choose", json={"program": other})
    first.post(f"/api/sessions/{id_}/ask", json={"question": "and the largest?"})
    expected = first.get(f"/api/sessions/{id_}").json()
    again = TestClient(make_app(Service(parser, SessionStore(path))))
    assert again.get(f"/api/sessions/{id_}").json() == expected
    assert expected["turns"][0]["program"] == other


def test_rows_keep_their_numbers_when_sorted_and_searched(client: TestClient) -> None:
    id_ = begin(client, "n,t\n10,b\n9,a\n-,C\n100,ab\n")
    rows = f"/api/sessions/{id_}/rows"
    by_number = client.get(rows, params={"sort": 0}).json()
    assert [r["row"] for r in by_number["rows"]] == [1, 0, 3, 2]
    downwards = client.get(rows, params={"sort": 0, "down": True}).json()
    assert [r["row"] for r in downwards["rows"]] == [3, 0, 1, 2], "what is missing stays last"
    found = client.get(rows, params={"search": "A", "sort": 1}).json()
    assert [r["row"] for r in found["rows"]] == [1, 3] and found["total"] == 2
    window = client.get(rows, params={"start": 2, "count": 1}).json()
    assert window["rows"] == [{"row": 2, "cells": ["-", "C"]}] and window["total"] == 4
    assert client.get(rows, params={"sort": 7}).status_code == 400


def test_exports(client: TestClient, tmp_path: Path) -> None:
    id_ = begin(client, "name,sum\n=cmd(),-5\n@x,7\n")
    assert client.get(f"/api/sessions/{id_}/answer.csv").status_code == 400
    client.post(f"/api/sessions/{id_}/ask", json={"question": "which names?"})
    text = client.get(f"/api/sessions/{id_}/export.jsonl").text
    (tmp_path / "table.csv").write_text(client.get(f"/api/sessions/{id_}/table.csv").text)
    (tmp_path / "mine.jsonl").write_text(text)
    (example,) = load_examples(tmp_path / "mine.jsonl", "all").examples
    turn = client.get(f"/api/sessions/{id_}").json()["turns"][0]
    assert example.cells == {tuple(cell) for cell in turn["cells"]}
    for line in client.get(f"/api/sessions/{id_}/answer.csv").text.splitlines()[1:]:
        assert ",=" not in line and ",@" not in line, "no formula"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("post", "/api/sessions", {"sample": "../../etc/passwd"}, 400),
        ("post", "/api/sessions", {"content": ""}, 400),
        ("post", "/api/sessions", {"content": "a,b\n"}, 400),
        ("post", "/api/sessions", {"content": False}, 422),
        ("post", "/api/sessions", {"content": "a\n1", "more": 1}, 422),
        ("get", "/api/sessions/nothing", None, 400),
        ("get", "/api/sessions/..%2F..%2Fetc", None, 404),
        ("get", "/page/..%2Fserver.py", None, 404),
        ("get", "/page/server.py", None, 404),
        ("get", "/api/nothing", None, 404),
    ],
)
def test_what_cannot_be_done_is_said(
    client: TestClient, method: str, path: str, body: object, status: int
) -> None:
    response = client.request(method, path, json=body)
    assert response.status_code == status, response.text
    assert "Traceback" not in response.text and response.json()["detail"]


@pytest.mark.parametrize(
    "question",
    [
        "<script>alert(1)</script>",
        "'; DROP TABLE sessions; --",
        "\x1b[31mred\x07",
        "который город самый большой?",
        "=HYPERLINK()",
        "?" * 1999,
    ],
)
def test_hostile_questions_get_an_answer(client: TestClient, question: str) -> None:
    id_ = begin(client)
    turn = client.post(f"/api/sessions/{id_}/ask", json={"question": question})
    assert turn.status_code == 200 and turn.json()["question"] == question.strip()
    too_long = client.post(f"/api/sessions/{id_}/ask", json={"question": "x" * 100_000})
    assert too_long.status_code == 422
    empty = client.post(f"/api/sessions/{id_}/ask", json={"question": "  "})
    assert empty.status_code == 400 and "empty" in empty.json()["detail"]


def test_a_token_is_asked_for(service: Service) -> None:
    client = TestClient(make_app(service, token="secret"))
    assert client.get("/api/samples").status_code == 401
    assert client.get("/").status_code == 401
    assert client.get("/api/samples", headers={"Authorization": "Bearer wrong"}).status_code == 401
    headers = {"Authorization": "Bearer secret"}
    assert client.get("/api/samples", headers=headers).status_code == 200
    assert client.get("/?token=secret").status_code == 200
    assert client.get("/api/samples").status_code == 200, "the browser keeps it"


def test_nothing_is_loaded_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/docs", "/page/app.js", "/page/style.css"):
        response = client.get(path)
        assert response.status_code == 200, path
        for word in ("https://", "http://"):
            links = [part for part in response.text.split('"') if part.startswith(word)]
            assert not links, (path, links)
    assert "default-src 'self'" in client.get("/").headers["content-security-policy"]
    assert json.loads(client.get("/openapi.json").text)["info"]["title"] == "denota"


def test_files_of_many_kinds(client: TestClient) -> None:
    frame = pd.DataFrame({"City": ["Oslo", "Moss"], "People": [709037, 50290]})
    kinds = {
        "cities.csv": frame.to_csv(index=False).encode(),
        "cities.tsv": frame.to_csv(index=False, sep="\t").encode("utf-16"),
        "cities.csv.gz": gzip.compress(frame.to_csv(index=False).encode()),
        "cities.json": frame.to_json(orient="records").encode(),
        "cities.xlsx": written(frame.to_excel),
        "cities.parquet": written(frame.to_parquet),
    }
    for name, data in kinds.items():
        headers = {"Content-Type": "application/octet-stream"}
        made = client.post(f"/api/sessions/upload?name={name}", content=data, headers=headers)
        assert made.status_code == 201, (name, made.text)
        assert [c["name"] for c in made.json()["columns"]] == ["City", "People"]
        assert made.json()["rows"] == 2


def written(write: Callable[..., None]) -> bytes:
    out = io.BytesIO()
    write(out, index=False)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\x01\x02\xff" * 100,
        b"PK\x03\x04 no workbook",
        b"PAR1 no parquet",
        b"\x1f\x8b no gzip",
        gzip.compress(b"a,b\n" + b"0,0\n" * 40_000_000)[:-4],
        b"{" * 100_000,
        b"a" * 1_000_000,
    ],
    ids=["empty", "binary", "zip", "parquet", "gzip", "bomb", "braces", "one line"],
)
def test_files_that_are_none_get_a_sentence(client: TestClient, data: bytes) -> None:
    made = client.post("/api/sessions/upload?name=x", content=data)
    assert made.status_code in (400, 422), made.text[:200]
    assert "Traceback" not in made.text


HOSTILE = [
    ["<script>alert(1)</script>", "'; DROP TABLE sessions; --", "=HYPERLINK(\"http://x\")"],
    ["\x1b[31mred\x07", "\u202etxt.exe", "日本語 🂡"],
    ["", "-", "NaN"],
    ["a" * 50_000, "1e999", "../../etc/passwd"],
]  # fmt: skip


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


@pytest.mark.parametrize(
    "names", [["<b>x</b>", '"; --', "=1+1"], ["_row", "scope", ""], ["a", "a", "A"]]
)
def test_hostile_tables(client: TestClient, service: Service, names: list[str]) -> None:
    """Odd cells and names come back as they are and survive a restart.

    Questions about them get an answer or a sentence.
    """
    lines = [",".join(quoted(cell) for cell in row) for row in [names, *HOSTILE]]
    id_ = begin(client, "\n".join(lines))
    seen = client.get(f"/api/sessions/{id_}/rows").json()["rows"]
    assert [row["cells"] for row in seen] == HOSTILE
    for question in (
        names[0] or "a",
        HOSTILE[0][0],
        HOSTILE[1][0],
        "how many rows are there?",
        "日本語",
    ):
        answer = client.post(f"/api/sessions/{id_}/ask", json={"question": question})
        assert answer.status_code in (200, 400), answer.text
        assert answer.json().get("detail") or answer.json()["explanation"]
    turns = client.get(f"/api/sessions/{id_}").json()["turns"]
    again = Service(service.parser, service.store).get(id_)
    assert [turn.as_json() for turn in again.chat.turns] == turns
    for line in client.get(f"/api/sessions/{id_}/answer.csv").text.splitlines():
        assert not line.startswith(("=", "@")) and ",=" not in line


def test_other_pages_and_names_are_not_answered(service: Service) -> None:
    client = TestClient(make_app(service, hosts={"localhost"}), base_url="http://localhost:8000")
    assert client.get("/api/samples").status_code == 200
    assert client.get("/api/samples", headers={"Host": "evil.example"}).status_code == 403
    begun = {"sample": "castles"}
    evil = {"Origin": "http://evil.example"}
    assert client.post("/api/sessions", json=begun, headers=evil).status_code == 403
    own = {"Origin": "http://localhost:8000"}
    assert client.post("/api/sessions", json=begun, headers=own).status_code == 201


def test_requests_are_limited_in_size_and_time(service: Service) -> None:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def slow(request: Request) -> PlainTextResponse:
        await request.body()
        await asyncio.sleep(float(request.query_params.get("wait", 0)))
        return PlainTextResponse("done")

    routes = [Route("/", slow, methods=["GET", "POST"])]
    guarded = Guard(Starlette(routes=routes), largest=1000, patience=0.2)
    client = TestClient(guarded)
    assert client.get("/").text == "done"
    assert client.get("/?wait=5").status_code == 504
    assert client.post("/", content=b"x" * 1001).status_code == 413
    chunks = (b"x" * 100 for _ in range(11))  # no length is told beforehand
    assert client.post("/", content=chunks).status_code == 413
    assert client.post("/", content=(b"x" * 100 for _ in range(10))).status_code == 200


def test_an_exported_conversation_stands_alone(client: TestClient, tmp_path: Path) -> None:
    id_ = begin(client)
    client.post(f"/api/sessions/{id_}/ask", json={"question": "which cities?"})
    client.post(f"/api/sessions/{id_}/ask", json={"question": "why?"})
    (tmp_path / "mine.jsonl").write_text(client.get(f"/api/sessions/{id_}/export.jsonl").text)
    loaded = load_examples(tmp_path / "mine.jsonl", "all")
    assert not loaded.problems and len(loaded.examples) == 1
    assert loaded.examples[0].question.table.names == ("City", "People", "Founded")


def test_a_deleted_session_is_gone(client: TestClient) -> None:
    id_ = begin(client)
    assert client.delete(f"/api/sessions/{id_}").status_code == 204
    assert client.get(f"/api/sessions/{id_}").status_code == 400
    assert client.post(f"/api/sessions/{id_}/ask", json={"question": "x"}).status_code == 400


def test_places_follow_what_is_seen(client: TestClient) -> None:
    id_ = begin(client, "n,t\n10,b\n9,a\n-,C\n100,ab\n")
    body = {"rows": [0, 3], "sort": 0, "down": True}
    assert client.post(f"/api/sessions/{id_}/places", json=body).json() == [[0, 3], [1, 0]]
    searched = {"rows": [0, 3], "search": "ab"}
    assert client.post(f"/api/sessions/{id_}/places", json=searched).json() == [[0, 3]]


def test_old_sessions_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denota.app.web.sessions.MOST", 3)
    store = SessionStore(tmp_path / "s.sqlite")
    ids = [store.create("{}") for _ in range(5)]
    for id_ in ids[:2]:
        with pytest.raises(DataError, match="no such session"):
            store.load(id_)
    assert [store.load(id_).id for id_ in ids[2:]] == ids[2:]


def test_a_store_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(DataError, match="sessions cannot be kept"):
        SessionStore(tmp_path / "text")
