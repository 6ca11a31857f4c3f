"""The server as a process.

Killed at any moment it keeps every answer that was given, and its workers go with it. No request
made from its OpenAPI description makes it fail.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from zlib import crc32

import httpx
import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings

from app.serving import serve_inline, small_parser
from denota.app.commands.serve import some_port
from denota.app.web.server import make_app
from denota.app.web.service import Service
from denota.teaching.log import TeachingLog
from processes import denota

EXAMPLES = 40
"""Requests of each operation."""
QUESTIONS = ("which castles are there?", "of those, which is the oldest?", "how many towers?", "?")


class Server:
    """A server in a process of its own."""

    def __init__(self, sessions: Path, *more: str) -> None:
        self.port = some_port("127.0.0.1")
        self.base = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "denota", "serve", "--port", str(self.port), *more]
        lessons = sessions.with_name("lessons.sqlite")
        environment = {
            **os.environ,
            "DENOTA_SESSIONS": str(sessions),
            "DENOTA_LESSONS": str(lessons),
        }
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()

    def wait(self) -> None:
        """Return when it answers questions."""
        for _ in range(300):
            try:
                id_ = self.post("/v1/sessions", {"sample": "castles"})["id"]
                self.post(f"/v1/sessions/{id_}/ask", {"question": "which?"})
                return
            except httpx.HTTPError:
                time.sleep(0.1)
        raise AssertionError("it does not answer")

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        found = httpx.post(self.base + path, json=body, timeout=60).raise_for_status().json()
        assert isinstance(found, dict)
        return found

    def workers(self) -> list[int]:
        """The processes that answer; they are forked from one that the server has started."""
        return [
            grandchild for child in children(self.process.pid) for grandchild in children(child)
        ]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.mark.slow
def test_killed_under_load_it_keeps_what_was_answered(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions.sqlite"
    server = Server(sessions, "--workers", "2")
    server.wait()
    acknowledged: dict[str, list[dict[str, str]]] = {}

    def ask() -> None:
        id_ = server.post("/v1/sessions", {"sample": "castles"})["id"]
        acknowledged[id_] = []
        while True:
            text = QUESTIONS[len(acknowledged[id_]) % len(QUESTIONS)]
            try:
                acknowledged[id_].append(server.post(f"/v1/sessions/{id_}/ask", {"question": text}))
            except httpx.HTTPError:
                return

    clients = [threading.Thread(target=ask) for _ in range(6)]
    for client in clients:
        client.start()
    patience = time.monotonic() + 60
    while sum(map(len, [*acknowledged.values()])) <= 40 and time.monotonic() < patience:
        time.sleep(0.1)  # on a busy machine answers take their time
    workers = server.workers()
    assert len(workers) >= 2
    server.kill()
    for client in clients:
        client.join()
    again = Server(sessions, "--workers", "1")
    try:
        again.wait()
        assert sum(map(len, acknowledged.values())) > 20
        for id_, turns in acknowledged.items():
            kept = httpx.get(f"{again.base}/v1/sessions/{id_}").json()["turns"]
            assert kept[: len(turns)] == turns
            assert len(kept) <= len(turns) + 1, "at most the one that was on its way"
    finally:
        again.kill()
    for _ in range(100):
        if not any(Path(f"/proc/{number}").exists() for number in workers):
            break
        time.sleep(0.1)
    else:
        raise AssertionError("workers outlive their server")


@pytest.mark.slow
def test_killed_while_teaching_it_keeps_every_lesson(tmp_path: Path) -> None:
    """What was acknowledged is in the log, whole, and is known again.

    It is killed at random moments: once here, or as often as DENOTA_KILLS says.
    """
    draw = random.Random(0)
    sessions = tmp_path / "sessions.sqlite"
    acknowledged: list[str] = []
    for _ in range(int(os.environ.get("DENOTA_KILLS", "1"))):
        server = Server(sessions, "--workers", "1", "--share-lessons")
        server.wait()
        clients = [threading.Thread(target=_teach, args=(server, acknowledged)) for _ in range(3)]
        for client in clients:
            client.start()
        patience = time.monotonic() + 60
        while len(acknowledged) < 3 and time.monotonic() < patience:
            time.sleep(0.1)  # on a busy machine lessons take their time
        time.sleep(1 + 2 * draw.random())
        server.kill()
        for client in clients:
            client.join()
        there = TeachingLog(tmp_path / "lessons.sqlite")
        kept = [record.correction.question for record in there.lessons() if record.correction]
        assert set(acknowledged) <= set(kept)
        there.close()
        with closing(sqlite3.connect(tmp_path / "lessons.sqlite")) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(acknowledged) > 2
    again = Server(sessions, "--workers", "1", "--share-lessons")
    try:
        again.wait()
        id_ = again.post("/v1/sessions", {"sample": "castles"})["id"]
        turn = again.post(f"/v1/sessions/{id_}/ask", {"question": acknowledged[-1]})
        assert turn["cells"] == [[2, 2]]
    finally:
        again.kill()


def _teach(server: Server, acknowledged: list[str]) -> None:
    number = 0
    try:
        while True:
            id_ = server.post("/v1/sessions", {"sample": "castles"})["id"]
            number += 1
            text = f"what was the zorg {threading.get_ident() % 997} {number} of harrock tower?"
            server.post(f"/v1/sessions/{id_}/ask", {"question": text})
            body: dict[str, object] = {"turn": 0, "cells": [[2, 2]]}
            taught = server.post(f"/v1/sessions/{id_}/teach", body)
            if taught["learnt"]:
                acknowledged.append(text)
    except httpx.HTTPError:
        return


@pytest.mark.slow
def test_a_lost_worker_is_replaced(tmp_path: Path) -> None:
    server = Server(tmp_path / "sessions.sqlite", "--workers", "1")
    try:
        server.wait()
        id_ = server.post("/v1/sessions", {"sample": "castles"})["id"]
        ours = server.workers()
        assert len(ours) == 1
        for number in ours:
            os.kill(number, signal.SIGKILL)
        turn = server.post(f"/v1/sessions/{id_}/ask", {"question": QUESTIONS[0]})
        assert turn["program"]
    finally:
        server.kill()


def children(number: int) -> list[int]:
    """The processes that a process has started."""
    texts = [file.read_text() for file in Path(f"/proc/{number}/task").glob("*/children")]
    return [int(child) for text in texts for child in text.split()]


@pytest.mark.slow
def test_beyond_this_machine_a_token_is_asked_for(tmp_path: Path) -> None:
    server = Server(tmp_path / "sessions.sqlite", "--workers", "1", "--host", "0.0.0.0")
    try:
        assert "?token=" in server.said
        token = server.said.split("?token=")[1].strip()
        for _ in range(100):
            try:
                assert httpx.get(server.base).status_code == 401
                break
            except httpx.ConnectError:
                time.sleep(0.1)
        headers = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{server.base}/v1/samples", headers=headers).status_code == 200
    finally:
        server.kill()


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        run = denota("serve", "--port", port)
    assert run.returncode == 1 and "cannot be listened on" in run.stderr
    assert len(run.stderr.splitlines()) == 1


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = serve_inline(small_parser(), tmp_path_factory.mktemp("s"))
    yield service
    service.close()


@pytest.fixture(scope="module")
def described(service: Service) -> schemathesis.BaseSchema:
    """The server's own description, every session being one that exists."""
    app = make_app(service)
    client = TestClient(app)
    own = client.post("/v1/sessions", json={"sample": "castles"}).json()["id"]
    client.post(f"/v1/sessions/{own}/ask", json={"question": "which castles are there?"})
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)

    @schema.hook
    def map_path_parameters(context: object, path_parameters: dict[str, str] | None) -> object:
        if path_parameters and "id" in path_parameters and crc32(str(path_parameters).encode()) % 4:
            path_parameters["id"] = own
        return path_parameters

    return schema


@pytest.mark.slow
def test_no_request_of_its_own_description_fails_it(described: schemathesis.BaseSchema) -> None:
    """Requests made from the description, right and wrong, are answered as it describes.

    None ends in a fault of the server.
    """
    tried = 0
    for result in described.get_all_operations():
        operation = result.ok()

        @given(case=operation.as_strategy())
        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        def answers(case: schemathesis.Case) -> None:
            nonlocal tried
            tried += 1
            response = case.call()
            assert response.status_code < 500 or response.status_code == 507, response.text
            checks = schemathesis.checks
            case.validate_response(
                response,
                checks=[
                    checks.not_a_server_error,
                    checks.response_schema_conformance,
                    checks.content_type_conformance,
                    checks.status_code_conformance,
                ],
            )

        answers()
    assert tried > 10 * EXAMPLES
