"""The API's page: what is served, and in a real browser every request, described and tried."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.browser import CONTRAST, Seen, Server
from denota.app.web.api_page import api_page

METHODS = {"get", "post", "put", "patch", "delete"}
HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202e'


def test_what_is_served() -> None:
    app = FastAPI(docs_url=None, redoc_url=None)
    app.include_router(api_page())
    client = TestClient(app, follow_redirects=False)
    page = client.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    moved = client.get("/redoc")
    assert (moved.status_code, moved.headers["location"]) == (308, "/docs")
    assert client.get("/openapi.json").json()["paths"] == {}


def test_nothing_is_written_within_the_page() -> None:
    app = FastAPI(docs_url=None)
    app.include_router(api_page())
    html = TestClient(app).get("/docs").text
    assert re.findall(r"<script[^>]*>(.*?)</script>", html) == [""]
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?:", html)


@pytest.fixture
def described(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{server.url}/openapi.json").json()
    return found


def named(described: dict[str, Any], method: str, end: str) -> str:
    """A request by the end of its path, whatever the API's prefix."""
    return f"{method} {next(path for path in described['paths'] if path.endswith(end))}"


def send(seen: Seen, name: str, status: str) -> Any:
    """The body that a request on the page is answered with."""
    request = seen.request(name)
    request.get_by_role("button", name="Send").click()
    request.locator(".status", has_text=status).wait_for()
    return json.loads(request.get_by_label("The answer’s body").inner_text())


@pytest.mark.slow
def test_every_request_is_listed(seen: Seen, described: dict[str, Any]) -> None:
    seen.open_api()
    listed = seen.page.locator(".request h3").all_inner_texts()
    expected = [
        f"{method.upper()} {path}"
        for path, item in described["paths"].items()
        for method in METHODS & set(item)
    ]
    assert sorted(" ".join(text.split()) for text in listed) == sorted(expected)
    heading = seen.page.get_by_role("heading", level=1).inner_text()
    info = described["info"]
    assert info["title"] in heading and info["version"] in heading


@pytest.mark.slow
def test_what_a_request_takes_and_answers(seen: Seen, described: dict[str, Any]) -> None:
    name = named(described, "GET", "/rows")
    operation = described["paths"][name.split()[1]]["get"]
    seen.open_api(name)
    text = seen.request(name).locator(".told").inner_text()
    for one in operation["parameters"]:
        assert one["name"] in text
    for status, one in operation["responses"].items():
        assert status in text and one["description"] in text
    seen.request(name).locator(".within > summary").first.click()
    assert "total" in seen.request(name).locator(".told").inner_text()


@pytest.mark.slow
def test_a_conversation_is_tried(seen: Seen, described: dict[str, Any]) -> None:
    samples = named(described, "GET", "/samples")
    begin, ask = named(described, "POST", "/sessions"), named(described, "POST", "{id}/ask")
    seen.open_api(samples, begin, ask)
    assert "castles" in send(seen, samples, "200 OK")
    seen.request(begin).get_by_label("Body (required)").fill('{"sample": "castles"}')
    session = send(seen, begin, "201 Created")
    id_ = seen.request(ask).get_by_label("id (required)", exact=True)
    assert id_.input_value() == session["id"]  # the session that was begun
    question = 'which castle has the most rooms? it\'s "asked"'
    seen.request(ask).get_by_label("Body (required)").fill(json.dumps({"question": question}))
    seen.change_answers(lambda turn: turn.update(id="of-the-turn"))
    turn = send(seen, ask, "200 OK")
    assert turn["question"] == question
    assert id_.input_value() == session["id"] != turn["id"]
    seen.page.unroute("**/ask?*")
    seen.request(ask).get_by_label("Body (required)").fill("no JSON")
    seen.expected = ("Failed to load resource",)
    assert "detail" in send(seen, ask, "422")


@pytest.mark.slow
def test_the_curl_command_is_the_request(
    visit: Callable[..., Seen], described: dict[str, Any]
) -> None:
    seen = visit(permissions=["clipboard-read", "clipboard-write"])
    name = named(described, "POST", "{id}/ask")
    seen.open_api(name)
    request = seen.request(name)
    assert "/sessions/ID/ask" in request.get_by_label("as a curl command").inner_text()
    body = json.dumps({"question": "whose is it? $HOME it's `so`"})
    request.get_by_label("Body (required)").fill(body)
    request.get_by_label("id (required)", exact=True).fill("a b/c")
    request.get_by_role("button", name="Copy").click()
    request.get_by_text("Copied").wait_for()
    words = shlex.split(seen.page.evaluate("navigator.clipboard.readText()"))
    address = f"{seen.server.url}{name.split()[1].replace('{id}', 'a%20b%2Fc')}"
    assert words[:4] == ["curl", "-X", "POST", address]
    assert words[-2:] == ["-d", body]


@pytest.mark.slow
def test_a_file_is_sent(seen: Seen, described: dict[str, Any]) -> None:
    name = named(described, "POST", "/upload")
    seen.open_api(name)
    request = seen.request(name)
    file = {"name": "boats.csv", "mimeType": "text/csv", "buffer": b"Boat,Mast\nGull,9\nTern,14\n"}
    request.locator("input[type=file]").set_input_files(file)
    request.get_by_label("name", exact=True).fill("boats & more")
    session = send(seen, name, "201 Created")
    assert (session["name"], session["rows"]) == ("boats & more", 2)


def made_description(api: dict[str, Any]) -> dict[str, Any]:
    """A description with all that ours may come to have, and with markup everywhere."""
    tree = {
        "type": "object",
        "description": HOSTILE,
        "required": ["kids"],
        "properties": {
            "kids": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
            HOSTILE: {"anyOf": [{"type": "string"}, {"type": "null"}], "description": HOSTILE},
        },
    }
    form = {
        "type": "object",
        "required": ["file"],
        "properties": {"file": {"type": "string", "format": "binary"}, "note": {"type": "string"}},
    }
    examples = {
        "one": {"summary": HOSTILE, "value": {"kids": []}},
        "two": {"value": {"kids": [{"kids": []}]}},
    }
    content = {
        "application/json": {
            "schema": {"$ref": "#/components/schemas/Tree"},
            "examples": examples,
        },
        "multipart/form-data": {"schema": form},
    }
    operation = {
        "tags": [HOSTILE],
        "summary": HOSTILE,
        "description": f"{HOSTILE}\n\n- `{HOSTILE}`",
        "parameters": [{"name": "If-Match", "in": "header", "schema": {"type": "string"}}],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": HOSTILE}},
    }
    return {
        "openapi": "3.1.0",
        "info": {**api["info"], "title": HOSTILE},
        "paths": {"/v1/made": {"post": operation}},
        "security": [{"token": []}],
        "components": {
            "schemas": {"Tree": tree},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


@pytest.mark.slow
def test_text_stays_text_and_the_token_is_sent(seen: Seen, described: dict[str, Any]) -> None:
    sent: list[Any] = []

    def answer(route: Any) -> None:
        sent.append(route.request)
        headers = {"ETag": '"7"', "Retry-After": "3"}
        route.fulfill(status=200, headers=headers, json={"said": HOSTILE})

    page = seen.page
    page.route("**/openapi.json", lambda route: route.fulfill(json=made_description(described)))
    page.route("**/v1/made", answer)
    name = "POST /v1/made"
    seen.open_api(name)
    for one in page.locator(".within > summary").all():
        one.click()
    page.get_by_label("Token for the requests").fill("a-secret")
    request = seen.request(name)
    request.get_by_label("If-Match").fill('"6"')
    request.get_by_label("Example").select_option(index=1)
    assert send(seen, name, "200 OK") == {"said": HOSTILE}
    assert sent[0].headers["authorization"] == "Bearer a-secret"
    assert sent[0].headers["if-match"] == '"6"'
    assert sent[0].post_data_json == {"kids": [{"kids": []}]}
    assert 'etag: "7"' in request.locator(".headers").inner_text().lower()
    assert "retry-after: 3" in request.locator(".headers").inner_text().lower()
    command = request.get_by_label("as a curl command").inner_text()
    assert "$TOKEN" in command and "a-secret" not in command
    request.get_by_label("Content-Type").select_option("multipart/form-data")
    file = {"name": "x.csv", "mimeType": "text/csv", "buffer": b"A\n1\n"}
    request.get_by_label("file (required)").set_input_files(file)
    request.get_by_label("note").fill("@me")
    command = request.get_by_label("as a curl command").inner_text()
    assert "-F 'file=@x.csv'" in command and "--form-string 'note=@me'" in command
    send(seen, name, "200 OK")
    assert sent[1].headers["content-type"].startswith("multipart/form-data")
    assert HOSTILE[:4] in page.locator("h1").inner_text()
    assert page.evaluate("window.hit") is None
    assert page.locator("img, script").count() == 2  # the page's own
    stored = "[document.cookie, ...Object.values(localStorage), ...Object.values(sessionStorage)]"
    assert "a-secret" not in str(page.evaluate(stored))
    page.reload()
    page.wait_for_selector(".request")
    assert page.get_by_label("Token for the requests").input_value() == ""


@pytest.mark.slow
def test_by_keyboard_and_by_address(seen: Seen, described: dict[str, Any]) -> None:
    name = named(described, "GET", "/samples")
    seen.open_api()
    seen.request(name).locator("> summary").focus()
    seen.page.keyboard.press("Enter")
    seen.request(name).locator(".try").wait_for()
    for _ in range(12):
        seen.page.keyboard.press("Tab")
        if seen.page.evaluate("document.activeElement.textContent") == "Send":
            break
        outline = seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    seen.page.keyboard.press("Enter")
    seen.page.locator(".status", has_text="200 OK").wait_for()
    assert "200 OK" in seen.page.locator("#announce").inner_text()
    id_ = seen.request(name).get_attribute("id")
    seen.page.goto(f"{seen.server.url}/docs#{id_}")
    seen.page.reload()
    seen.request(name).locator(".try").wait_for()


@pytest.mark.slow
def test_a_server_without_description_is_said(seen: Seen) -> None:
    seen.expected = ("Failed to load resource",)
    seen.open_api()
    seen.page.route("**/openapi.json", lambda route: route.fulfill(status=503, json={}))
    seen.page.reload()
    seen.page.get_by_role("alert").wait_for()
    assert "503" in seen.page.get_by_role("alert").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Callable[..., Seen], described: dict[str, Any], scheme: str) -> None:
    seen = visit(color_scheme=scheme)
    seen.open_api(named(described, "POST", "{id}/ask"), named(described, "POST", "/upload"))
    found = seen.page.evaluate(CONTRAST)
    assert len(found) > 60
    assert not [one for one in found if one["ratio"] < one["least"]]
