"""What attacks on the server share: a server in a process, clients, and tables that do harm."""

from __future__ import annotations

import io
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from denota.app.commands.serve import some_port

PROMPT: Final = 2.0
"""Seconds that others wait at most, in the middle of several tries."""
WORST: Final = 10.0
"""Seconds that nobody may ever wait: the machine that tests run on may be busy."""
END: Final = 10.0
"""Seconds that an end may take."""
SLACK: Final = 5.0
"""Seconds more for what a busy machine adds to a promised time."""


class Running:
    """A server in a process of its own, its state in a folder and what it says in a file."""

    def __init__(
        self,
        folder: Path,
        *more: str,
        env: Mapping[str, str] | None = None,
        limit: Callable[[], None] | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port = some_port("127.0.0.1")
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = folder.parent / f"{folder.name}-{self.port}.log"
        command = [sys.executable, "-m", "denota", "serve", "--port", str(self.port), *more]
        environment = {
            **os.environ,
            "DENOTA_SESSIONS": str(folder / "sessions.sqlite"),
            "DENOTA_LESSONS": str(folder / "lessons.sqlite"),
            **(env or {}),
        }
        with self.log.open("wb") as said:
            self.process = subprocess.Popen(
                command, env=environment, stderr=said, stdout=said, preexec_fn=limit
            )

    def wait(self, patience: float = 120) -> Running:
        """Return when it answers."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            try:
                if httpx.get(f"{self.base}/healthz", timeout=10).status_code == 200:
                    return self
            except httpx.HTTPError:
                pass
            time.sleep(0.2)
        raise AssertionError(f"it does not answer: {self.said()}")

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def anyone(self, **how: Any) -> httpx.Client:
        """A client without a cookie, which keeps none."""
        headers = {"Connection": "close", **how.pop("headers", {})}
        return httpx.Client(base_url=self.base, timeout=90, headers=headers, **how)

    def person(self, name: str = "", **how: Any) -> httpx.Client:
        """A client with a cookie of its own."""
        secret = name or "".join(random.choices("abcdefghijklmnop", k=32))
        return self.anyone(cookies={"denota-person": secret}, **how)

    def tree(self) -> list[int]:
        """The server and every process under it."""
        found, waiting = [], [self.process.pid]
        while waiting:
            number = waiting.pop()
            found.append(number)
            for task in Path(f"/proc/{number}/task").glob("*/children"):
                try:
                    waiting += map(int, task.read_text().split())
                except OSError:
                    continue
        return found

    def memory(self) -> float:
        """Megabytes that belong to the server and all under it."""
        held = 0
        for number in self.tree():
            try:
                text = Path(f"/proc/{number}/smaps_rollup").read_text()
            except OSError:
                continue
            held += int(re.search(r"^Pss:\s*(\d+)", text, re.M)[1])  # type: ignore[index]
        return held / 1000

    def seconds(self) -> float:
        """Processor time that the server and all under it have taken."""
        spent = 0
        for number in self.tree():
            try:
                found = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            spent += int(found[11]) + int(found[12])
        return spent / os.sysconf("SC_CLK_TCK")

    def end(self, patience: float = END + SLACK) -> float:
        """End it as a supervisor does; how long it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(patience)
        return time.monotonic() - began

    def kill(self) -> None:
        """End it and all under it, whatever state they are in."""
        tree = self.tree() if self.process.poll() is None else []
        self.process.kill()
        self.process.wait(30)
        for number in tree[1:]:
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                continue


@contextmanager
def running(folder: Path, *more: str, **how: Any) -> Iterator[Running]:
    server = Running(folder, *more, **how)
    try:
        yield server.wait()
    finally:
        server.kill()


def begin(client: httpx.Client, content: str | bytes, name: str = "t.csv", **query: Any) -> str:
    """A session on a table; its id."""
    found = upload(client, content, name, **query)
    assert found.status_code == 201, found.text[:300]
    id_ = found.json()["id"]
    assert isinstance(id_, str)
    return id_


def upload(
    client: httpx.Client, content: str | bytes, name: str = "t.csv", **query: Any
) -> httpx.Response:
    data = content.encode() if isinstance(content, str) else content
    return client.post("/v1/sessions/upload", params={"name": name, **query}, content=data)


def sample(client: httpx.Client, name: str = "castles") -> str:
    found = client.post("/v1/sessions", json={"sample": name})
    assert found.status_code == 201, found.text[:300]
    id_ = found.json()["id"]
    assert isinstance(id_, str)
    return id_


def ask(client: httpx.Client, id_: str, question: str, **how: Any) -> httpx.Response:
    return client.post(f"/v1/sessions/{id_}/ask", json={"question": question}, **how)


def asked(client: httpx.Client, id_: str, question: str) -> dict[str, Any]:
    """A turn that was given."""
    found = ask(client, id_, question)
    assert found.status_code == 200, found.text[:300]
    turn = found.json()
    assert isinstance(turn, dict)
    return turn


def teach(
    client: httpx.Client, id_: str, turn: int, cells: Sequence[Sequence[int]], **more: Any
) -> httpx.Response:
    return client.post(
        f"/v1/sessions/{id_}/teach", json={"turn": turn, "cells": cells, **more}, timeout=120
    )


def turns(client: httpx.Client, id_: str) -> list[dict[str, Any]]:
    found = client.get(f"/v1/sessions/{id_}")
    assert found.status_code == 200, found.text[:300]
    kept = found.json()["turns"]
    assert isinstance(kept, list)
    return kept


def timed(do: Callable[[], object]) -> float:
    began = time.monotonic()
    do()
    return time.monotonic() - began


def prompt(do: Callable[[], object], tries: int = 5) -> None:
    """Something is done without waiting for others."""
    took = [timed(do) for _ in range(tries)]
    assert statistics.median(took) < PROMPT, took
    assert max(took) < WORST, took


def others_are_served(server: Running, tries: int = 3) -> None:
    """The page comes, and a question about a small table is answered, within two seconds."""
    with server.person() as other:

        def whole() -> None:
            assert other.get("/").status_code == 200
            assert asked(other, sample(other), "how many towers has dun fort?")["program"]

        prompt(whole, tries)


@contextmanager
def meanwhile(*do: Callable[[], Any]) -> Iterator[list[Any]]:
    """What runs in threads beside the body; their results are there after it."""
    results: list[Any] = []
    with ThreadPoolExecutor(max(1, len(do))) as pool:
        waiting = [pool.submit(one) for one in do]
        yield results
        for one in waiting:
            results.append(one.result())


class Watched:
    """The most memory that a server and its workers hold while the body runs."""

    def __init__(self, server: Running) -> None:
        self.server = server
        self.before = self.most = server.memory()
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._over.wait(0.2):
            self.most = max(self.most, self.server.memory())

    def __enter__(self) -> Watched:
        self._watch.start()
        return self

    def __exit__(self, *why: object) -> None:
        self._over.set()
        self._watch.join()
        self.most = max(self.most, self.server.memory())

    @property
    def growth(self) -> float:
        return self.most - self.before


def raw(server: Running, data: bytes, patience: float = 20) -> bytes:
    """What comes back for bytes, until the server closes or says nothing more."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=patience) as line:
        try:
            line.sendall(data)
            return heard(line)
        except (ConnectionError, TimeoutError):
            return b""


def heard(line: socket.socket) -> bytes:
    found = b""
    try:
        while part := line.recv(65536):
            found += part
    except (TimeoutError, ConnectionError):
        pass
    return found


def code(answer: bytes) -> int:
    """The status of a raw answer; 0 where the connection was closed without one."""
    found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
    return int(found[1]) if found else 0


def remains(folder: Path, secrets: Sequence[str]) -> list[str]:
    """Where secrets are in the files of a folder, as they are or packed."""
    found = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        for where, text in [("", data), *_unpacked(data)]:
            for secret in secrets:
                for encoding in ("utf-8", "utf-16-le"):
                    if secret.encode(encoding) in text:
                        found.append(f"{secret!r} in {path.name}{where}")
    return found


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    for start in re.finditer(rb"x[\x01\x5e\x9c\xda]|\x1f\x8b\x08", data):
        whole = zlib.decompressobj(47)
        text = b""
        try:
            for at in range(start.start(), min(len(data), start.start() + (1 << 22)), 64):
                text += whole.decompress(data[at : at + 64])
                if whole.eof:
                    break
        except zlib.error:
            pass
        if len(text) > 8:
            yield f", packed at {start.start()}", text


def people(seed: int, rows: int = 12, header: str = "Name,SSN,Salary,City") -> str:
    """A small table whose cells are found nowhere else."""
    draw = random.Random(seed)
    lines = [header]
    for _ in range(rows):
        name = "".join(draw.choices("bcdfghklmnprstvz", k=9)).title()
        number = f"{draw.randrange(100, 999)}-{draw.randrange(10, 99)}-{draw.randrange(1000, 9999)}"
        city = "".join(draw.choices("aeioubcdr", k=8)).title()
        lines.append(f"{name},{number},{draw.randrange(20000, 90000)},{city}")
    return "\n".join(lines) + "\n"


def cells_of(table: str) -> list[str]:
    """The telling cells of such a table."""
    return [cell for line in table.splitlines()[1:] for cell in line.split(",")[:2]]


def large(rows: int = 200_000) -> bytes:
    """A table that takes long to read and to ask about."""
    draw = random.Random(rows)
    cities = ["North", "South", "East", "West"]
    lines = ["Order,Customer,Region,Revenue,Items"]
    lines += [
        f"A{number},{draw.choice('BCDFGH')}{draw.randrange(5000)},{draw.choice(cities)},"
        f"{draw.randrange(100, 99999) / 100},{draw.randrange(1, 60)}"
        for number in range(rows)
    ]
    return "\n".join(lines).encode()


WORKBOOK: Final = {
    "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/'
    'package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.'
    'openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/'
    'xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
    '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
    "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/'
    'package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/'
    'spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.'
    'openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.'
    'openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"'
    '/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
}
MAIN: Final = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def workbook(rows: str, strings: Sequence[str] = (), dimension: str = "") -> bytes:
    """A workbook of one sheet from the XML of its rows and the strings that it shares."""
    shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
    size = f'<dimension ref="{dimension}"/>' if dimension else ""
    parts = {
        **WORKBOOK,
        "xl/worksheets/sheet1.xml": f'<?xml version="1.0"?><worksheet {MAIN}>{size}'
        f"<sheetData>{rows}</sheetData></worksheet>",
        "xl/sharedStrings.xml": f'<?xml version="1.0"?><sst {MAIN} count="{len(strings)}" '
        f'uniqueCount="{len(strings)}">{shared}</sst>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return file.getvalue()


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'
