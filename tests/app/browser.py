"""What tests of the page share: a real browser, Chromium under Playwright, and the real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("chromium is not installed; `make browser` says how", allow_module_level=True)

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
#: The contrast of every text that is seen, and the least it should have.
CONTRAST = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) =>
      v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (one) => {
    for (let box = one; box; box = box.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(box).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  const look = (one, colour, text) => {
    const { fontSize, fontWeight } = getComputedStyle(one);
    const size = parseFloat(fontSize);
    const [a, b] = [light(parse(colour)), light(ground(one))].sort((x, y) => y - x);
    const isLarge = size >= 24 || (size >= 18.66 && fontWeight >= 700);
    found.push({ text, ratio: (a + 0.05) / (b + 0.05), least: isLarge ? 3 : 4.5 });
  };
  for (const one of document.querySelectorAll("body *")) {
    const texts = [...one.childNodes].filter((node) => node.nodeType === 3);
    const text = texts.map((node) => node.data).join("").trim();
    if (!one.checkVisibility() || one.matches("script, option")) continue;
    if (text) {
      const name = `${one.tagName} ${one.className}: ${text.slice(0, 40)}`;
      look(one, getComputedStyle(one).color, name);
    }
    if (one.placeholder) {
      const { color } = getComputedStyle(one, "::placeholder");
      look(one, color, `placeholder: ${one.placeholder}`);
    }
  }
  return found;
}"""


class Server:
    """`denota serve`, which can be stopped and started again where it was."""

    def __init__(self, sessions: Path, tables: Sequence[str] = ()) -> None:
        self.sessions, self.port, self.tables = sessions, free_port(), tables
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "denota",
            "serve",
            *self.tables,
            "--port",
            str(self.port),
            "--workers",
            "1",
            "--quiet",
        ]
        kept = {"SESSIONS": self.sessions, "LESSONS": self.sessions.with_name("lessons.db")}
        environment = {**os.environ, **{f"DENOTA_{name}": str(path) for name, path in kept.items()}}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                httpx.get(f"{self.url}/v1/samples")
                return
            except httpx.TransportError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.process.kill()
        raise AssertionError(f"the server did not start: {self.process.communicate()[1]}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)

    def get(self, path: str, cookies: dict[str, str]) -> Any:
        answer = httpx.get(f"{self.url}/v1/sessions/{path}", cookies=cookies)
        answer.raise_for_status()
        return answer.json()

    def begin(self, content: str, name: str = "made") -> str:
        body = {"content": content, "name": name}
        answer = httpx.post(f"{self.url}/v1/sessions", json=body, timeout=60)
        answer.raise_for_status()
        return str(answer.json()["id"])


class Seen:
    """A page, and what a person reads and does on it."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page, self.server = page, server
        self.expected: tuple[str, ...] = ()
        """What the console may say."""
        self.running: set[Any] = set()
        """Requests under way."""
        page.on("request", lambda request: self.running.add(request))
        page.on("requestfinished", lambda request: self.running.discard(request))
        page.on("requestfailed", lambda request: self.running.discard(request))

    def get(self, path: str) -> Any:
        """What the server says of a session, which is this browser's."""
        cookies = {one["name"]: one["value"] for one in self.page.context.cookies()}
        return self.server.get(path, cookies)

    def open(self, id_: str = "") -> None:
        is_new = self.page.url == "about:blank"
        self.page.goto(f"{self.server.url}/#{id_}")
        if not is_new:
            self.page.reload()  # going to another # of the same page loads nothing
        if id_:
            self.page.wait_for_selector("#work td[data-cell]")
        else:
            self.page.wait_for_selector("#samples button")

    def open_api(self, *requests: str) -> None:
        """Open the API's page, and on it requests such as `POST /v1/sessions`."""
        self.page.goto(f"{self.server.url}/docs")
        self.page.wait_for_selector(".request")
        for name in requests:
            self.request(name).locator("> summary").click()
            self.request(name).locator(".try").wait_for()

    def request(self, name: str) -> Any:
        """A request on the API's page, such as `POST /v1/sessions`."""
        title = re.compile(f"^{re.escape(name)}$")
        return self.page.locator(".request", has=self.page.locator("h3", has_text=title))

    def sample(self, name: str = "castles") -> None:
        self.open()
        if self.page.locator("#all").is_visible():
            self.page.locator("#all").click()
        self.page.locator("#samples").get_by_role("button", name=name).first.click()
        self.page.wait_for_selector("#work td[data-cell]")

    def ask(self, *questions: str) -> None:
        for question in questions:
            self.page.fill("#question", question)
            self.page.keyboard.press("Enter")
            self.wait_for_turn(question)

    def wait_for_turn(self, question: str) -> None:
        self.page.wait_for_function(
            "question => !document.querySelector('.pending') "
            "&& [...document.querySelectorAll('.asked')].at(-1)?.textContent === question",
            arg=question,
        )
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is being fetched and what came was drawn."""
        quiet, until = 0, time.monotonic() + 40
        while quiet < 10:  # frames: rows are asked for when scrolling has ended
            assert time.monotonic() < until, f"still fetching {self.running}"
            self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done()))")
            quiet = 0 if self.running else quiet + 1

    @property
    def id(self) -> str:
        return str(self.page.evaluate("location.hash.slice(1)"))

    @property
    def session(self) -> Any:
        return self.get(self.id)

    def marked(self) -> dict[tuple[int, ...], str]:
        """The highlighted cells and their texts."""
        found = self.page.eval_on_selector_all(
            "#body td.marked", "all => all.map((one) => [one.dataset.cell, one.textContent])"
        )
        return {tuple(map(int, cell.split(","))): text for cell, text in found}

    def drawn(self) -> dict[tuple[int, ...], str]:
        """All cells that exist and their texts."""
        found = self.page.eval_on_selector_all(
            "#body td[data-cell]", "all => all.map((one) => [one.dataset.cell, one.textContent])"
        )
        return {tuple(map(int, cell.split(","))): text for cell, text in found}

    def in_view(self, row: int, column: int) -> bool:
        """Whether a cell is within what is seen of the table, not below its head or row numbers."""
        return bool(
            self.page.evaluate(
                """cell => {
                  const found = document.querySelector(`td[data-cell="${cell}"]`);
                  if (!found) return false;
                  const { left, right, top, bottom } = found.getBoundingClientRect();
                  const box = document.querySelector("#scroll").getBoundingClientRect();
                  const corner = document.querySelector("#head th").getBoundingClientRect();
                  const isAcross = left >= corner.right - 1 && right <= box.right + 1;
                  return isAcross && top >= corner.bottom - 1 && bottom <= box.bottom + 1;
                }""",
                f"{row},{column}",
            )
        )

    def answers(self, turn: int = -1) -> list[str]:
        """What a turn is answered with: the marked texts of its rows, or else its headline."""
        item = self.page.locator(".turn").nth(turn)
        hits = item.locator(".mini .hit").all_inner_texts()
        return hits or item.locator(".headline .value").all_inner_texts()

    def open_part(self, name: str, turn: int = -1) -> Any:
        """Open what is under an answer, `How` or `Share`, and return the turn."""
        item = self.page.locator(".turn").nth(turn)
        item.get_by_role("button", name=name, exact=True).click()
        return item

    def overflow(self) -> int:
        """The pixels by which the page overflows the window, or the conversation its part."""
        return int(
            self.page.evaluate(
                """() => {
                  const [page, talk] = [document.documentElement, document.querySelector("#talk")];
                  return Math.max(
                    page.scrollWidth - innerWidth,
                    document.body.scrollWidth - innerWidth,
                    talk.scrollWidth - talk.clientWidth,
                  );
                }"""
            )
        )

    def change_answers(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Have answers of the server changed on their way to the page."""

        def handle(route: Any) -> None:
            answer = route.fetch()
            turn = answer.json()
            told = [turn[name] for name in ("answer", "values", "cells")]
            before, seen = json.dumps(told), turn.get("view")
            change(turn)
            told = [turn[name] for name in ("answer", "values", "cells")]
            if json.dumps(told) != before and turn.get("view") is seen:
                turn["view"] = None  # it would show another answer
            route.fulfill(response=answer, json=turn)

        self.page.route("**/ask?*", handle)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def cells_of(turn: dict[str, Any]) -> set[tuple[int, ...]]:
    return {tuple(cell) for cell in turn["cells"]}
