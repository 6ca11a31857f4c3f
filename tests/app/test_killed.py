"""Killed at any moment, the server keeps what it has acknowledged, whole and in order.

It is killed under load, or one of its workers is, while people ask and teach; then it is started
again on the same files. DENOTA_KILLS says how often.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.attacking import Running, begin, people, sample

KILLS = int(os.environ.get("DENOTA_KILLS", "2"))
PATIENCE = 60.0
"""Seconds until something must have been acknowledged on a machine that is busy."""
QUESTIONS = ("which castles are ruins?", "of those, which is the oldest?", "how many towers?")


@dataclass
class Client:
    """A person who asks and teaches, and remembers what was acknowledged."""

    name: str
    id: str = ""
    turns: list[dict[str, Any]] = field(default_factory=list)
    taught: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    asked: int = 0
    unsure: bool = False
    """Whether the last request was never answered, so that it may or may not have been done."""
    faults: list[str] = field(default_factory=list)
    earlier: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Conversations that grew long, and were left."""

    def go_on(self, server: Running, stop: threading.Event) -> None:
        """Ask and teach until the server is gone."""
        with server.person(self.name, follow_redirects=False) as http:
            try:
                while not stop.is_set():
                    if not self.id or len(self.turns) >= 150:
                        self._begin(http)
                    self._ask(http)
                    if self.asked % 8 == 3:
                        self._teach(http)
                    if self.asked % 13 == 6:
                        self.sessions.append(begin(http, people(self.asked)))
            except httpx.HTTPError:
                self.unsure = True
            except AssertionError as error:
                self.faults.append(str(error))

    def _begin(self, http: httpx.Client) -> None:
        fresh = sample(http)
        if self.id:
            self.earlier[self.id] = self.turns
        self.id, self.turns = fresh, []
        self.sessions.append(fresh)

    def _ask(self, http: httpx.Client) -> None:
        self.asked += 1
        text = QUESTIONS[self.asked % len(QUESTIONS)]
        found = http.post(f"/v1/sessions/{self.id}/ask", json={"question": text})
        if found.status_code == 200:
            self.turns.append(found.json())
        elif found.status_code not in (429, 503, 504):
            raise AssertionError(f"{found.status_code} {found.text[:200]}")

    def _teach(self, http: httpx.Client) -> None:
        """In a session of its own: what follows a corrected turn is dropped."""
        text = f"what was the zorg {self.asked} of harrock tower?"
        own = sample(http)
        self.sessions.append(own)
        found = http.post(f"/v1/sessions/{own}/ask", json={"question": text})
        if found.status_code != 200:
            return
        body = {"turn": 0, "cells": [[2, 2]]}
        found = http.post(f"/v1/sessions/{own}/teach", json=body)
        if found.status_code == 200 and found.json()["learnt"]:
            self.taught.append(text)
        elif found.status_code not in (200, 503, 504):
            raise AssertionError(f"{found.status_code} {found.text[:200]}")

    def count(self) -> int:
        return len(self.turns) + len(self.taught) + sum(map(len, self.earlier.values()))

    def check(self, server: Running) -> None:
        """All that was acknowledged is there, once and in order."""
        with server.person(self.name) as http:
            assert not self.faults
            if not self.id:
                return
            kept = http.get(f"/v1/sessions/{self.id}").raise_for_status().json()["turns"]
            ids = [turn["id"] for turn in kept]
            assert ids[: len(self.turns)] == [turn["id"] for turn in self.turns]
            for now, then in zip(kept, self.turns, strict=False):
                for key in ("question", "program", "answer", "cells", "values"):
                    assert now[key] == then[key], key
            assert len(set(ids)) == len(ids)
            assert len(kept) <= len(self.turns) + self.unsure, "at most one that was on its way"
            self.turns, self.unsure = kept, False
            for id_, turns in self.earlier.items():
                left = http.get(f"/v1/sessions/{id_}").raise_for_status().json()["turns"]
                assert [turn["id"] for turn in left] == [turn["id"] for turn in turns]
            mine = [one["id"] for one in http.get("/v1/sessions").json()]
            assert set(self.sessions) <= set(mine)
            found = http.get(f"/v1/sessions/{self.id}/lessons").raise_for_status().json()
            known = [lesson["question"] for lesson in found]
            order = [text for text in known if text in self.taught]
            assert sorted(order) == sorted(self.taught), "every lesson, once"
            places = [order.index(text) for text in self.taught]
            assert places in (sorted(places), sorted(places, reverse=True)), "in order"


def _whole(folder: Path) -> None:
    for name in ("sessions.sqlite", "lessons.sqlite"):
        with closing(sqlite3.connect(folder / name)) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _amount(clients: list[Client]) -> int:
    return sum(client.count() for client in clients)


def _gone(numbers: list[int]) -> bool:
    for _ in range(100):
        if not any(Path(f"/proc/{number}").exists() for number in numbers):
            return True
        time.sleep(0.2)
    return False


@pytest.mark.slow
def test_a_killed_server_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    draw = random.Random(7)
    clients = [Client(f"person-{number}-{'x' * 24}") for number in range(4)]
    folder = tmp_path / "state"
    for _ in range(KILLS):
        server = Running(folder, "--workers", "2", "--quiet")
        try:
            server.wait()
            for client in clients:
                client.check(server)
            before, stop = _amount(clients), threading.Event()
            threads = [
                threading.Thread(target=client.go_on, args=(server, stop)) for client in clients
            ]
            for thread in threads:
                thread.start()
            until = time.monotonic() + PATIENCE
            while _amount(clients) < before + 8 and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(3 * draw.random())
            tree = server.tree()
            server.process.kill()
            server.process.wait(30)
            stop.set()
            for thread in threads:
                thread.join(100)
                assert not thread.is_alive()
            assert _amount(clients) > before
            assert _gone(tree), "workers outlive their server"
        finally:
            server.kill()
        _whole(folder)
    server = Running(folder, "--workers", "2")
    try:
        server.wait()
        for client in clients:
            client.check(server)
        taught = [client for client in clients if client.taught]
        assert taught
        with server.person(taught[0].name) as http:
            body = {"question": taught[0].taught[-1]}
            turn = http.post(f"/v1/sessions/{sample(http)}/ask", json=body).json()
            assert turn["cells"] == [[2, 2]], "it is known again"
    finally:
        server.kill()


@pytest.mark.slow
def test_killed_workers_cost_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """The server lives on; clients may be told to come back, but never anything else."""
    draw = random.Random(8)
    clients = [Client(f"person-{number}-{'y' * 24}") for number in range(4)]
    server = Running(tmp_path / "state", "--workers", "2", "--quiet")
    stop = threading.Event()
    threads = [threading.Thread(target=one.go_on, args=(server, stop)) for one in clients]
    try:
        server.wait()
        for thread in threads:
            thread.start()
        for _ in range(KILLS):
            before = _amount(clients)
            until = time.monotonic() + PATIENCE
            while _amount(clients) < before + 4 and time.monotonic() < until:
                time.sleep(0.1)
            assert _amount(clients) > before, "it goes on after a worker was killed"
            time.sleep(draw.random())
            under = server.tree()[1:]
            assert under
            os.kill(draw.choice(under), signal.SIGKILL)
        before = _amount(clients)
        until = time.monotonic() + PATIENCE
        while _amount(clients) < before + 4 and time.monotonic() < until:
            time.sleep(0.1)
        assert _amount(clients) > before
        stop.set()
        for thread in threads:
            thread.join(100)
        for client in clients:
            assert not client.unsure, "a request was left without an answer"
            client.check(server)
        assert "Traceback" not in server.said()
    finally:
        stop.set()
        server.kill()
    _whole(tmp_path / "state")
    with_new = Running(tmp_path / "state", "--workers", "2")
    try:
        with_new.wait()
        for client in clients:
            client.check(with_new)
    finally:
        with_new.kill()
