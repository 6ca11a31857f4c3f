"""Requests as nobody would write them: none fails the server, all are answered.

They are made from requests that are right by changing types, sizes, encodings, headers, methods
and paths, always in the same way.
"""

from __future__ import annotations

import json
import random
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from app.attacking import (
    SLACK,
    Running,
    asked,
    begin,
    code,
    others_are_served,
    people,
    running,
    sample,
)

WELL_FORMED = 900
MALFORMED = 300
SECONDS = 60.0
"""Until which as many as can be are sent; on a machine that is busy fewer are."""
ODD_TEXTS = (
    "",
    " ",
    "\x00",
    "\x00" * 50,
    "a\x00b",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u2066",
    "\ufeff",
    "\u0130\u0131\u00df\ufb03",
    "é",
    "e\u0301" * 300,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 40,
    "' OR 1=1 --",
    '"; DROP TABLE sessions; --',
    "%s%n%x{}{0}{{",
    "${jndi:ldap://127.0.0.1/a}",
    "../" * 40 + "etc/passwd",
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "(" * 500,
    "((a+)+)+$" * 30,
    "1." * 900,
    "-" * 1999,
    "9" * 400,
    "1e999999",
    "NaN",
    "null",
    "x" * 2_001,
    "x" * 100_000,
    "\r\nSet-Cookie: a=b",
    "SELECT Castle",
)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    -(2**63) - 1,
    10**400,
    1.5,
    1e308,
    -0.0,
    [],
    {},
    [[]],
    [None],
    [[0, 0]],
    [[-1, -1]],
    [[0, 10**9]],
    [[0]],
    [[0, 0, 0]],
    [["0", "0"]],
    [[0.5, 0]],
    {"a": {"b": {}}},
    {"__proto__": 1, "": 2},
)


class Requests:
    """Requests that are right, and what becomes of them."""

    def __init__(self, seed: int, ids: list[str]) -> None:
        self.draw = random.Random(seed)
        self.ids = ids

    def valid(self) -> tuple[str, str, Any]:
        """Method, path and body of a request that is right, or nearly."""
        base = self.draw.choice(("/v1", "/v1", "/v1", "/api"))
        one = f"{base}/sessions/{self.draw.choice(self.ids)}"
        posts: list[tuple[str, Any]] = [
            (f"{base}/sessions", {"sample": "castles"}),
            (f"{base}/sessions", {"name": "a.csv", "content": "A,B\n1,2\n3,4\n"}),
            (f"{base}/sessions", {"table": "none"}),
            (f"{base}/ask", {"question": "which?", "sample": "castles"}),
            (f"{base}/ask", {"questions": ["which?", "how many?"], "content": "A,B\n1,2\n"}),
            (f"{one}/ask", {"question": "which castles are ruins?"}),
            (f"{one}/choose", {"program": "SELECT Castle"}),
            (f"{one}/teach", {"turn": 0, "cells": [[0, 0]], "program": ""}),
            (f"{one}/teach", {"turn": 0, "values": [4]}),
            (f"{one}/places", {"rows": [0, 1]}),
            (f"{one}/undo", None),
            (f"{one}/reset", None),
            (f"{one}/unteach", None),
        ]
        gets = [
            "/",
            "/docs",
            "/healthz",
            f"{base}/samples",
            f"{base}/tables",
            f"{base}/sessions",
            one,
            f"{one}?limit=3",
            f"{one}/readings?count=3",
            f"{one}/rows?start=0&count=5&sort=0&down=true&search=a",
            f"{one}/turns/0?start=0&count=10",
            f"{one}/lessons",
            f"{one}/lessons.jsonl",
            f"{one}/answer.csv?turn=0",
            f"{one}/table.csv",
            f"{one}/export.jsonl",
        ]
        if self.draw.random() < 0.6:
            path, body = self.draw.choice(posts)
            return "POST", path, body
        return "GET", self.draw.choice(gets), None

    def changed(self, value: Any, depth: int = 0) -> Any:
        """A value with something in it that does not belong there."""
        draw = self.draw
        if isinstance(value, dict) and value and draw.random() < 0.8:
            key = draw.choice(list(value))
            match draw.randrange(5):
                case 0:
                    return {name: one for name, one in value.items() if name != key}
                case 1:
                    return {**value, draw.choice(ODD_TEXTS): self.odd()}
                case _:
                    return {**value, key: self.changed(value[key], depth + 1)}
        if isinstance(value, list) and value and draw.random() < 0.5:
            return [self.changed(one, depth + 1) for one in value] * draw.choice((1, 1, 2, 50))
        return self.odd()

    def odd(self) -> Any:
        draw = self.draw
        if draw.random() < 0.55:
            return draw.choice(ODD_TEXTS)
        if draw.random() < 0.1:
            return self.nested(draw.choice((3, 50, 500)))
        return draw.choice(ODD_VALUES)

    def nested(self, depth: int) -> Any:
        value: Any = 1
        for _ in range(depth):
            value = [value] if self.draw.random() < 0.5 else {"a": value}
        return value

    def encoded(self, body: Any) -> bytes:
        """JSON, at times broken or in another encoding."""
        draw = self.draw
        text = json.dumps(body, ensure_ascii=draw.random() < 0.7)
        match draw.randrange(14):
            case 0:
                return text.encode("utf-16", "surrogatepass")
            case 1:
                return text.encode("utf-32", "surrogatepass")
            case 2:
                data = bytearray(text.encode("utf-8", "surrogatepass"))
                for _ in range(draw.randrange(1, 6)):
                    data.insert(draw.randrange(len(data) + 1), draw.randrange(128, 256))
                return bytes(data)
            case 3:
                return text.encode("utf-8", "surrogatepass")[: draw.randrange(len(text) + 1)]
            case 4:
                return draw.randbytes(draw.randrange(0, 300))
            case 5:
                return text.replace('"', "'").encode("utf-8", "surrogatepass")
            case 6:
                return b"\xef\xbb\xbf" + text.encode("utf-8", "surrogatepass")
            case 7:
                return (text + text).encode("utf-8", "surrogatepass")
            case _:
                return text.encode("utf-8", "surrogatepass")

    def path(self, path: str) -> str:
        """A path, at times another."""
        draw = self.draw
        start, _, query = path.partition("?")
        if query and draw.random() < 0.6:
            pairs = []
            for pair in query.split("&"):
                name = pair.partition("=")[0]
                value = draw.choice((*ODD_TEXTS[:28], "-1", "0", "1", str(2**64), "1.0", "\uff11"))
                pairs.append(f"{name}={quote(value[:500], errors='surrogatepass')}")
            query = "&".join(pairs * draw.choice((1, 1, 3)))
        if draw.random() < 0.25:
            odd = quote(draw.choice(ODD_TEXTS)[:400], safe="", errors="surrogatepass")
            parts = start.split("/")
            at = draw.randrange(1, len(parts))
            match draw.randrange(5):
                case 0:
                    parts[at] = odd
                case 1:
                    parts.insert(at, odd)
                case 2:
                    parts[at] = parts[at].upper()
                case 3:
                    parts[at] += draw.choice(("%00", "/", "%2f", ";a=b", "%20", ".", "%ff", "~"))
                case _:
                    parts.insert(at, draw.choice(("..", "%2e%2e", ".", "", "%252e%252e")))
            start = "/".join(parts)
        return start + ("?" + query if query else "")

    def headers(self) -> dict[str, bytes]:
        draw = self.draw
        found: dict[str, bytes] = {}
        if draw.random() < 0.8:
            found["Content-Type"] = draw.choice(
                [b"application/json"] * 12
                + [b"application/json; charset=utf-16", b"text/plain", b"", b"multipart/form-data"]
                + [b"multipart/form-data; boundary=", b"application/x-www-form-urlencoded", b"\xff"]
            )
        for name, values in {
            "Idempotency-Key": [b"k", b"", b"x" * 5_000, b"\xe9", b"a, b", b'"'],
            "If-Match": [b"*", b'"x"', b"", b'W/"x"', b'"a", "b"', b"\xff", b'"' + b"y" * 3_000],
            "Cookie": [
                b"denota-person=",
                b"=",
                b";;;",
                b"denota-person=\xff\xfe",
                b"a" * 4_000,
                b"denota-person=" + b"z" * 3_000,
                b"denota-person=../../x",
            ],
            "Accept-Encoding": [b"gzip", b"br;q=nan", b"*;q=-1", b"gzip;q=x"],
            "Range": [b"bytes=0-1", b"bytes=-", b"bytes=99999999-"],
            "Content-Encoding": [b"gzip", b"zstd", b"identity"],
            "X-Forwarded-Proto": [b"https", b"gopher", b"https, http", b"\xff"],
            "X-Forwarded-For": [b"1.2.3.4", b"::", b"x" * 500],
            "X-Request-Id": [b"a" * 900, b"\xff", b"<b>"],
            "Authorization": [b"Bearer", b"Basic \xff", b"Bearer " + b"x" * 3_000],
            "If-None-Match": [b"*", b'"x"'],
            "Expect": [b"100-continue", b"200-ok"],
        }.items():
            if draw.random() < 0.08:
                found[name] = draw.choice(values)
        return found

    def well_formed(self) -> Iterator[tuple[str, str, bytes, dict[str, bytes]]]:
        draw = self.draw
        while True:
            method, path, body = self.valid()
            if method == "POST" and draw.random() < 0.2:
                yield self.uploaded()
                continue
            content = b""
            if body is not None or draw.random() < 0.1:
                for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
                    body = self.changed(body)
                content = self.encoded(body)
            if draw.random() < 0.08:
                method = draw.choice(("PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"))
            yield method, self.path(path), content, self.headers()

    def uploaded(self) -> tuple[str, str, bytes, dict[str, bytes]]:
        """A file, at times damaged, under a name that may be another's."""
        draw = self.draw
        content: bytes = draw.choice(
            (
                people(draw.randrange(100)).encode(),
                b'[{"a": 1, "b": [1, 2]}, {"a": null}]',
                b'{"a": 1}\n{"a": 2}\n',
                b"PK\x03\x04" + draw.randbytes(200),
                b"PAR1" + draw.randbytes(200) + b"PAR1",
                b"\x1f\x8b\x08" + draw.randbytes(100),
                draw.randbytes(400),
                b"",
                b"\n" * 500,
                b"," * 3_000,
                b'"' * 301,
                b"A,B\n" + b"1,2\n" * 50 + b'"open',
                b"\xff\xfe" + "A,B\n1,2\n".encode("utf-16-le"),
                b"A,A,A\n1,2,3\n",
                b"A\r1\r2\r",
                "Ⅷ,٣\n٤,五\n".encode(),
            )
        )
        if draw.random() < 0.4 and content:
            data = bytearray(content)
            for _ in range(draw.randrange(1, 20)):
                data[draw.randrange(len(data))] = draw.randrange(256)
            content = bytes(data)
        name = draw.choice(("a.csv", "a.json", "a.jsonl", "a.xlsx", "a.parquet", "a.csv.gz", "a"))
        if draw.random() < 0.3:
            name = draw.choice(ODD_TEXTS)[:300]
        query = {"name": name}
        for key, values in {
            "format": ("csv", "tsv", "json", "jsonl", "parquet", "excel", "exe", ""),
            "encoding": ("utf-8", "utf-16", "cp1252", "base64", "zlib", "idna", "rot13", "", "\0"),
            "delimiter": (",", ";", "tab", "", "ab", "\n", '"', "é", "\0"),
            "quotes": ("true", "false", "maybe"),
            "sheet": ("1", "S", "", "\0", "x" * 300),
            "header": ("0", "1", "2", "99999", "-1", "x", str(2**70)),
        }.items():
            if draw.random() < 0.2:
                query[key] = draw.choice(values)
        asked_for = "&".join(
            f"{key}={quote(value, safe='', errors='surrogatepass')}" for key, value in query.items()
        )
        headers = self.headers()
        headers.pop("Content-Encoding", None)
        return "POST", f"/v1/sessions/upload?{asked_for}", content, headers

    def malformed(self, port: int) -> bytes:
        """Bytes that are nearly a request."""
        draw = self.draw
        method, path, body = self.valid()
        content = json.dumps(body).encode() if body is not None else b""
        head = [
            f"{method} {path} HTTP/1.1".encode(),
            f"Host: 127.0.0.1:{port}".encode(),
            b"Content-Type: application/json",
            b"Content-Length: %d" % len(content),
            b"Connection: close",
        ]
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(head))
            match draw.randrange(12):
                case 0:
                    head[at] = draw.randbytes(draw.randrange(1, 60)).replace(b"\n", b"")
                case 1:
                    head[at] = head[at].replace(b" ", draw.choice((b"", b"\t", b"  ", b"\x00")))
                case 2:
                    head.insert(at, head[at])
                case 3:
                    head[0] = head[0].replace(
                        b"HTTP/1.1",
                        draw.choice((b"HTTP/1.0", b"HTTP/2.0", b"HTTP/1.10", b"", b"X")),
                    )
                case 4:
                    length = draw.choice((b"-1", b"+5", b"0x10", b"1e3", b"9" * 30, b"1, 2", b""))
                    head.insert(1, b"Content-Length: " + length)
                case 5:
                    coding = draw.choice(
                        (b"chunked", b"gzip, chunked", b"chunked, x", b"\x0bchunked")
                    )
                    head.insert(1, b"Transfer-Encoding: " + coding)
                    content = draw.choice(
                        (b"5\r\nab", b"zz\r\n", b"-1\r\n\r\n", b"0\r\n\r\n", b"f" * 20 + b"\r\n")
                    )
                case 6:
                    head.insert(1, b" folded: x")
                case 7:
                    head.insert(1, b"X: " + b"y" * draw.choice((1_000, 70_000)))
                case 8:
                    head[1:1] = [b"X%d: y" % number for number in range(300)]
                case 9:
                    head[0] = (
                        method.encode()
                        + b" "
                        + draw.choice(
                            (
                                b"*",
                                b"http://127.0.0.1/",
                                b"127.0.0.1:80",
                                b"\xff\xfe",
                                b"//",
                                b"/\x7f",
                            )
                        )
                        + b" HTTP/1.1"
                    )
                case 10:
                    head.insert(1, b"Upgrade: " + draw.choice((b"websocket", b"h2c")))
                    head.insert(1, b"Connection: upgrade")
                case _:
                    del head[at]
                    if not head:
                        head = [b""]
        ending = draw.choice((b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r"))
        data = ending.join(head) + ending * 2 + content
        return data[: draw.randrange(len(data))] if draw.random() < 0.15 else data


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("fuzzed") / "state") as found:
        yield found


def _sessions(server: Running) -> list[str]:
    """Sessions of nobody, and ids that are none."""
    with server.anyone() as client:
        ids = [sample(client), sample(client), begin(client, people(3))]
        for id_ in ids:
            asked(client, id_, "which are there?")
    return [*ids * 3, "nothing", "x" * 22]


def _until(count: int, do: Callable[[], None]) -> int:
    began = time.monotonic()
    for number in range(count):
        if time.monotonic() - began > SECONDS:
            return number
        do()
    return count


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0])
def test_no_well_formed_request_fails_it(server: Running, seed: int) -> None:
    requests = Requests(seed, _sessions(server))
    source = requests.well_formed()
    seen: Counter[int] = Counter()
    with httpx.Client(base_url=server.base, timeout=60) as client:

        def one() -> None:
            method, path, content, headers = next(source)
            how = {"content": content, "headers": headers}
            url = httpx.URL(server.base).copy_with(raw_path=path.encode("utf-8", "surrogatepass"))
            try:
                answer = client.request(method, url, **how)  # type: ignore[arg-type]
            except (httpx.RemoteProtocolError, httpx.WriteError, httpx.ReadError):
                seen[0] += 1
                return
            seen[answer.status_code] += 1
            what = f"{method} {path[:200]} {content[:200]!r} {headers}: {answer.text[:200]}"
            assert answer.status_code not in (500, 502, 504), what
            if answer.status_code >= 400 and method != "HEAD":
                assert isinstance(answer.json()["detail"], str), what

        sent = _until(WELL_FORMED, one)
    assert sent > 200 and seen[0] < sent / 50, seen
    assert len(seen) > 4 and seen[200] + seen[201] > sent / 20, seen
    assert "Traceback" not in server.said()
    others_are_served(server)


@pytest.mark.slow
def test_no_malformed_head_fails_it(server: Running) -> None:
    """Answered, or closed within the time that a header may take."""
    requests = Requests(1, _sessions(server))
    seen: Counter[int] = Counter()
    waiting: list[tuple[socket.socket, bytes]] = []

    def note(answer: bytes, data: bytes) -> None:
        seen[code(answer)] += 1
        assert code(answer) not in (500, 502, 504), (data[:300], answer)

    def one() -> None:
        data = requests.malformed(server.port)
        line = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        line.settimeout(0.05)
        try:
            line.sendall(data)
            note(line.recv(4096), data)
        except TimeoutError:
            waiting.append((line, data))
        except ConnectionError:
            note(b"", data)

    try:
        sent = _until(MALFORMED, one)
        assert sent > 100
        until = time.monotonic() + 10 + SLACK
        for line, data in waiting:
            line.settimeout(max(0.1, until - time.monotonic()))
            try:
                note(line.recv(4096), data)
            except ConnectionError:
                note(b"", data)
            except TimeoutError:  # only a body may be waited for longer
                assert b"\r\n\r\n" in data or b"\n\n" in data, data[:300]
    finally:
        for line, _ in waiting:
            line.close()
    assert seen[400] > sent / 10, seen
    assert "Traceback" not in server.said()
    others_are_served(server)


def test_it_answers_normally_at_the_end(server: Running, tmp_path: Path) -> None:
    with server.person() as client:
        id_ = sample(client)
        assert asked(client, id_, "how many towers has dun fort?")["program"]
        assert client.delete(f"/v1/sessions/{id_}").status_code == 204
    assert server.process.poll() is None
