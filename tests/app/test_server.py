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

from app.serving import serve_inline, small_parser
from denota.app.web.guard import Guard
from denota.app.web.server import make_app
from denota.app.web.service import Service
from denota.app.web.sessions import SessionStore
from denota.data import load_examples
from denota.errors import DataError
from denota.model.parser import Parser

CSV = "City,People,Founded\nOslo,709037,1040\nBergen,291940,1070\nMoss,50290,1720\n"


@pytest.fixture(scope="module")
def parser() -> Parser:
    return small_parser()


@pytest.fixture
def service(parser: Parser, tmp_path: Path) -> Iterator[Service]:
    service = serve_inline(parser, tmp_path)
    yield service
    service.close()


@pytest.fixture
def client(service: Service) -> TestClient:
    return TestClient(make_app(service))


def begin(client: TestClient, content: str = CSV) -> str:
    made = client.post("/v1/sessions", json={"content": content, "name": "cities"})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def test_a_conversation(client: TestClient) -> None:
    assert "castles" in client.get("/v1/samples").json()
    id_ = client.post("/v1/sessions", json={"sample": "castles"}).json()["id"]
    first = client.post(f"/v1/sessions/{id_}/ask", json={"question": "which castles?"}).json()
    fields = (
        "id question kind answer values cells program sql explanation confidence sure reason "
        "scope among readings builds_on total computed declined view"
    )
    assert set(first) == set(fields.split())
    client.post(f"/v1/sessions/{id_}/ask", json={"question": "of those, the oldest?"})
    assert len(client.get(f"/v1/sessions/{id_}").json()["turns"]) == 2
    assert len(client.post(f"/v1/sessions/{id_}/undo").json()["turns"]) == 1
    readings = client.get(f"/v1/sessions/{id_}/readings").json()
    assert readings[0]["program"] == first["program"] and len(readings) == 5
    chosen = client.post(f"/v1/sessions/{id_}/choose", json={"program": readings[1]["program"]})
    assert chosen.json()["cells"] == readings[1]["cells"]
    assert client.post(f"/v1/sessions/{id_}/reset").json()["turns"] == []


def test_sessions_survive(parser: Parser, tmp_path: Path) -> None:
    before = serve_inline(parser, tmp_path)
    first = TestClient(make_app(before))
    id_ = begin(first)
    first.post(f"/v1/sessions/{id_}/ask", json={"question": "which cities?"})
    other = first.get(f"/v1/sessions/{id_}/readings").json()[2]["program"]
    first.post(f"/v1/sessions/{id_}/choose", json={"program": other})
    first.post(f"/v1/sessions/{id_}/ask", json={"question": "and the largest?"})
    expected = first.get(f"/v1/sessions/{id_}").json()
    before.close()
    again = TestClient(make_app(serve_inline(parser, tmp_path)))
    assert again.get(f"/v1/sessions/{id_}").json() == expected
    assert expected["turns"][0]["program"] == other


def test_rows_keep_their_numbers_when_sorted_and_searched(client: TestClient) -> None:
    id_ = begin(client, "n,t\n10,b\n9,a\n-,C\n100,ab\n")
    rows = f"/v1/sessions/{id_}/rows"
    by_number = client.get(rows, params={"sort": 0}).json()
    assert [r["row"] for r in by_number["rows"]] == [1, 0, 3, 2]
    downwards = client.get(rows, params={"sort": 0, "down": True}).json()
    assert [r["row"] for r in downwards["rows"]] == [3, 0, 1, 2], "what is missing stays last"
    found = client.get(rows, params={"search": "A", "sort": 1}).json()
    assert [r["row"] for r in found["rows"]] == [1, 3] and found["total"] == 2
    window = client.get(rows, params={"start": 2, "count": 1}).json()
    assert window["rows"] == [{"row": 2, "cells": ["-", "C"]}] and window["total"] == 4
    assert client.get(rows, params={"sort": 7}).status_code == 422


def test_exports(client: TestClient, tmp_path: Path) -> None:
    id_ = begin(client, "name,sum\n=cmd(),-5\n@x,7\n")
    assert client.get(f"/v1/sessions/{id_}/answer.csv").status_code == 404
    client.post(f"/v1/sessions/{id_}/ask", json={"question": "which names?"})
    text = client.get(f"/v1/sessions/{id_}/export.jsonl").text
    (tmp_path / "table.csv").write_text(client.get(f"/v1/sessions/{id_}/table.csv").text)
    (tmp_path / "mine.jsonl").write_text(text)
    (example,) = load_examples(tmp_path / "mine.jsonl", "all").examples
    turn = client.get(f"/v1/sessions/{id_}").json()["turns"][0]
    assert example.cells == {tuple(cell) for cell in turn["cells"]}
    for line in client.get(f"/v1/sessions/{id_}/answer.csv").text.splitlines()[1:]:
        assert ",=" not in line and ",@" not in line, "no formula"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("post", "/v1/sessions", {"sample": "../../etc/passwd"}, 404),
        ("post", "/v1/sessions", {"content": ""}, 422),
        ("post", "/v1/sessions", {"content": "a,b\n"}, 422),
        ("post", "/v1/sessions", {"content": False}, 422),
        ("post", "/v1/sessions", {"content": "a\n1", "more": 1}, 422),
        ("get", "/v1/sessions/nothing", None, 404),
        ("get", "/v1/sessions/..%2F..%2Fetc", None, 404),
        ("get", "/page/..%2Fserver.py", None, 404),
        ("get", "/page/server.py", None, 404),
        ("get", "/v1/nothing", None, 404),
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
    turn = client.post(f"/v1/sessions/{id_}/ask", json={"question": question})
    assert turn.status_code == 200 and turn.json()["question"] == question.strip()
    too_long = client.post(f"/v1/sessions/{id_}/ask", json={"question": "x" * 100_000})
    assert too_long.status_code == 422
    empty = client.post(f"/v1/sessions/{id_}/ask", json={"question": "  "})
    assert empty.status_code == 422 and "empty" in empty.json()["detail"]


def test_a_token_is_asked_for(service: Service) -> None:
    client = TestClient(make_app(service, tokens=["secret"]))
    assert client.get("/v1/samples").status_code == 401
    assert client.get("/").status_code == 401
    assert client.get("/v1/samples", headers={"Authorization": "Bearer wrong"}).status_code == 401
    headers = {"Authorization": "Bearer secret"}
    assert client.get("/v1/samples", headers=headers).status_code == 200
    assert client.get("/?token=secret").status_code == 200
    assert client.get("/v1/samples").status_code == 200, "the browser keeps it"


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
        made = client.post(f"/v1/sessions/upload?name={name}", content=data, headers=headers)
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
    made = client.post("/v1/sessions/upload?name=x", content=data)
    assert made.status_code in (413, 422), made.text[:200]
    assert "Traceback" not in made.text


HOSTILE = [
    ["<script>alert(1)</script>", "'; DROP TABLE sessions; --", "=HYPERLINK(\"http://x\")"],
    ["\x1b[31mred\x07", "\u202etxt.exe", "日本語 🂡"],
    ["", "-", "NaN"],
    ["a" * 30_000, "1e999", "../../etc/passwd"],
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
    seen = client.get(f"/v1/sessions/{id_}/rows").json()["rows"]
    assert [row["cells"] for row in seen] == HOSTILE
    for question in (
        names[0] or "a",
        HOSTILE[0][0],
        HOSTILE[1][0],
        "how many rows are there?",
        "日本語",
    ):
        answer = client.post(f"/v1/sessions/{id_}/ask", json={"question": question})
        assert answer.status_code in (200, 422), answer.text
        assert answer.json().get("detail") or answer.json()["explanation"]
    turns = client.get(f"/v1/sessions/{id_}").json()["turns"]
    service.desks.forget(id_)
    assert client.get(f"/v1/sessions/{id_}").json()["turns"] == turns, "as it is on disk"
    for line in client.get(f"/v1/sessions/{id_}/answer.csv").text.splitlines():
        assert not line.startswith(("=", "@")) and ",=" not in line


def test_other_pages_and_names_are_not_answered(service: Service) -> None:
    client = TestClient(make_app(service, hosts={"localhost"}), base_url="http://localhost:8000")
    assert client.get("/v1/samples").status_code == 200
    assert client.get("/v1/samples", headers={"Host": "evil.example"}).status_code == 403
    begun = {"sample": "castles"}
    evil = {"Origin": "http://evil.example"}
    assert client.post("/v1/sessions", json=begun, headers=evil).status_code == 403
    own = {"Origin": "http://localhost:8000"}
    assert client.post("/v1/sessions", json=begun, headers=own).status_code == 201


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
    client.post(f"/v1/sessions/{id_}/ask", json={"question": "which cities?"})
    client.post(f"/v1/sessions/{id_}/ask", json={"question": "why?"})
    (tmp_path / "mine.jsonl").write_text(client.get(f"/v1/sessions/{id_}/export.jsonl").text)
    loaded = load_examples(tmp_path / "mine.jsonl", "all")
    assert not loaded.problems and len(loaded.examples) == 1
    assert loaded.examples[0].question.table.names == ("City", "People", "Founded")


def test_a_deleted_session_is_gone(client: TestClient) -> None:
    id_ = begin(client)
    assert client.delete(f"/v1/sessions/{id_}").status_code == 204
    assert client.get(f"/v1/sessions/{id_}").status_code == 404
    assert client.post(f"/v1/sessions/{id_}/ask", json={"question": "x"}).status_code == 404


def test_places_follow_what_is_seen(client: TestClient) -> None:
    id_ = begin(client, "n,t\n10,b\n9,a\n-,C\n100,ab\n")
    body = {"rows": [0, 3], "sort": 0, "down": True}
    assert client.post(f"/v1/sessions/{id_}/places", json=body).json() == [[0, 3], [1, 0]]
    searched = {"rows": [0, 3], "search": "ab"}
    assert client.post(f"/v1/sessions/{id_}/places", json=searched).json() == [[0, 3]]


def test_a_store_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(DataError, match="sessions cannot be kept"):
        SessionStore(tmp_path / "text")


def test_asked_without_a_session_nothing_is_kept(client: TestClient, service: Service) -> None:
    body = {"content": CSV, "questions": ["which cities?", "of those, the largest?"]}
    told = client.post("/v1/ask", json=body).json()
    assert (told["rows"], len(told["turns"])) == (3, 2)
    one = client.post("/v1/ask", json={"sample": "castles", "question": "which castles?"})
    assert len(one.json()["turns"]) == 1
    assert not len(service.store)
    for wrong in (
        {"content": CSV},
        {"question": "which?"},
        {"content": CSV, "sample": "castles", "question": "which?"},
        {"content": CSV, "question": "a", "questions": ["b"]},
        {"content": CSV, "questions": ["?"] * 21},
        {"table": "/etc/passwd", "question": "which?"},
        {"content": CSV, "question": " "},
    ):
        assert client.post("/v1/ask", json=wrong).status_code in (404, 422), wrong


def test_long_answers_are_told_in_parts(client: TestClient) -> None:
    id_ = begin(client, "name\n" + "".join(f"n{row}\n" for row in range(50)))
    path = f"/v1/sessions/{id_}"
    turn = client.post(f"{path}/ask?limit=20", json={"question": "which names?"}).json()
    whole = client.get(path, params={"limit": 1000}).json()["turns"][0]
    assert turn["total"] == whole["total"] == len(whole["cells"])
    assert turn["cells"] == whole["cells"][:20] and turn["answer"] == whole["answer"][:20]
    parts = []
    for start in range(0, whole["total"], 20):
        part = client.get(f"{path}/turns/0", params={"start": start, "count": 20}).json()
        assert part["start"] == start and part["total"] == whole["total"]
        parts += part["cells"]
    assert parts == whole["cells"]
    assert client.get(f"{path}/turns/1").status_code == 404


def test_a_conversation_that_has_gone_on_is_not_changed(client: TestClient) -> None:
    id_ = begin(client)
    path = f"/v1/sessions/{id_}"
    seen = client.get(path).json()["version"]
    assert client.get(path).headers["etag"] == f'"{seen}"'
    match = {"If-Match": f'"{seen}"'}
    first = client.post(f"{path}/ask", json={"question": "which cities?"}, headers=match)
    assert first.status_code == 200 and first.headers["etag"] != f'"{seen}"'
    for request in ("undo", "reset"):
        assert client.post(f"{path}/{request}", headers=match).status_code == 412
    late = client.post(f"{path}/ask", json={"question": "and the oldest?"}, headers=match)
    assert late.status_code == 412 and "gone on" in late.json()["detail"]
    kept = client.get(path).json()
    assert [turn["id"] for turn in kept["turns"]] == [first.json()["id"]]
    again = {"If-Match": first.headers["etag"]}
    assert client.post(f"{path}/undo", headers=again).json()["turns"] == []


def test_a_request_that_is_sent_twice_counts_once(client: TestClient, service: Service) -> None:
    client.get("/")  # and be somebody
    key = {"Idempotency-Key": "a key"}
    made = [client.post("/v1/sessions", json={"content": CSV}, headers=key) for _ in range(2)]
    assert made[0].json() == made[1].json() and len(service.store) == 1
    path = f"/v1/sessions/{made[0].json()['id']}"
    body = {"question": "which cities?"}
    turns = [client.post(f"{path}/ask", json=body, headers=key).json() for _ in range(2)]
    service._remembered.clear()  # as after a restart
    turns.append(client.post(f"{path}/ask", json=body, headers=key).json())
    assert turns[0] == turns[1] == turns[2]
    assert len(client.get(path).json()["turns"]) == 1
    other = client.post(f"{path}/ask", json={"question": "another?"}, headers=key)
    assert other.status_code == 422 and "Idempotency-Key" in other.json()["detail"]


def test_ones_own_sessions_are_listed(service: Service) -> None:
    app = make_app(service)
    ada, bob, nobody = TestClient(app), TestClient(app), TestClient(app)
    for one in (ada, bob):
        one.get("/")
    id_ = begin(ada)
    begin(nobody)
    assert [one["id"] for one in ada.get("/v1/sessions").json()] == [id_]
    assert bob.get("/v1/sessions").json() == nobody.get("/v1/sessions").json() == []
    for request in ("", "/rows", "/readings", "/lessons", "/table.csv", "/turns/0"):
        assert bob.get(f"/v1/sessions/{id_}{request}").status_code == 404
        assert nobody.get(f"/v1/sessions/{id_}{request}").status_code == 404
    assert bob.delete(f"/v1/sessions/{id_}").status_code == 404
    assert ada.get(f"/v1/sessions/{id_}").status_code == 200


def test_quotas_throw_out_ones_own_alone(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denota.app.web.sessions.MOST", 3)
    app = make_app(service)
    ada, nobody = TestClient(app), TestClient(app)
    ada.get("/")
    others = [begin(nobody) for _ in range(3)]
    own = [begin(ada) for _ in range(5)]
    assert [one["id"] for one in ada.get("/v1/sessions").json()] == own[:1:-1]
    refused = nobody.post("/v1/sessions", json={"content": CSV})
    assert refused.status_code == 507 and "delete some" in refused.json()["detail"]
    for id_ in (*others, *own[2:]):
        one = ada if id_ in own else nobody
        assert one.get(f"/v1/sessions/{id_}").status_code == 200
    nobody.delete(f"/v1/sessions/{others[0]}")
    begin(nobody)


def test_a_form_is_read_as_its_file(client: TestClient) -> None:
    made = client.post("/v1/sessions/upload", files={"file": ("cities.csv", CSV.encode())})
    assert made.status_code == 201, made.text
    assert (made.json()["name"], made.json()["rows"]) == ("cities.csv", 3)
    assert client.post("/v1/sessions/upload", data={"a": "b"}, files={}).status_code == 422


def test_health_and_figures(service: Service) -> None:
    client = TestClient(make_app(service, tokens=["a long token"]))
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/metrics").status_code == 401
    headers = {"Authorization": "Bearer a long token"}
    id_ = client.post("/v1/sessions", json={"content": CSV}, headers=headers).json()["id"]
    client.get(f"/v1/sessions/{id_}", headers=headers)
    text = client.get("/metrics", headers=headers).text
    assert 'route="/v1/sessions/{id}",status="200"' in text and id_ not in text


def test_programs_are_told_apart_by_their_tokens(service: Service) -> None:
    client = TestClient(make_app(service, tokens=["one token", "another token"]))
    one, other = ({"Authorization": f"Bearer {name} token"} for name in ("one", "another"))
    id_ = client.post("/v1/sessions", json={"content": CSV}, headers=one).json()["id"]
    assert client.get(f"/v1/sessions/{id_}", headers=one).status_code == 200
    assert client.get(f"/v1/sessions/{id_}", headers=other).status_code == 404
