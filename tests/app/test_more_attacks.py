"""Further attacks on the server: framing, names, keys, caches, guesses and files that deceive."""

from __future__ import annotations

import gzip
import io
import json
import socket
import statistics
import time
import zipfile
from collections.abc import Iterator
from functools import partial
from secrets import token_hex, token_urlsafe
from typing import Any

import httpx
import pytest

from app.attacking import (
    Running,
    Watched,
    ask,
    asked,
    begin,
    cells_of,
    code,
    large,
    meanwhile,
    others_are_served,
    people,
    raw,
    remains,
    row,
    running,
    sample,
    teach,
    text_cell,
    turns,
    upload,
    workbook,
)

TOKEN = "a-token-long-enough"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("attacked") / "state") as found:
        yield found
        assert "Traceback" not in found.said()


def head(server: Running, *lines: str) -> bytes:
    first, *others = lines
    host = f"Host: 127.0.0.1:{server.port}"
    return "\r\n".join([first, host, *others, "", ""]).encode()


# --- framing


@pytest.mark.parametrize(
    "framing",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Content-Length: 5", "Content-Length: 50"),
        ("Content-Length: 5, 50",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: xchunked",),
        ("Transfer-Encoding : chunked",),
        ("Content-Length: +5",),
        ("Content-Length: 5\n", "X: y"),
    ],
)
def test_a_body_of_two_lengths_hides_no_request(server: Running, framing: tuple[str, ...]) -> None:
    """What a proxy may take for a body is never answered as a second request."""
    hidden = head(server, "DELETE /v1/sessions/hidden-in-a-body HTTP/1.1", "Connection: close")
    first = head(server, "POST /v1/sessions HTTP/1.1", *framing)
    found = raw(server, first + b"0\r\n\r\n" + hidden, patience=15)
    assert code(found) < 500
    assert found.count(b"HTTP/1.1 ") <= 1 or code(found) != 201
    if code(found) == 400 or code(found) == 0:
        assert found.count(b"HTTP/1.1 ") <= 1, found


def test_chunks_that_lie_are_refused_or_closed(server: Running) -> None:
    lines = ("Content-Type: application/json", "Transfer-Encoding: chunked", "Connection: close")
    first = head(server, "POST /v1/sessions HTTP/1.1", *lines)
    body = b'{"sample": "castles"}'
    right = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    assert code(raw(server, first + right)) == 201
    for lie in (
        b"-15\r\n" + body + b"\r\n0\r\n\r\n",
        b"0x15\r\n" + body + b"\r\n0\r\n\r\n",
        b"3\r\n" + body + b"\r\n0\r\n\r\n",
        b"ffffffffffffffff\r\n" + body,
        b"\r\n" * 50,
    ):
        assert code(raw(server, first + lie, patience=3)) not in (201, 500), lie[:50]


def test_a_body_without_an_end_is_cut_at_the_limit(server: Running) -> None:
    """Chunks without a length go on for ever; memory does not, nor does the connection."""
    part = b"%x\r\n%s\r\n" % (1 << 20, b"a,b\n" * (1 << 18))
    with (
        Watched(server) as watched,
        socket.create_connection(("127.0.0.1", server.port), timeout=30) as line,
    ):
        lines = ("Content-Type: text/csv", "Transfer-Encoding: chunked")
        line.sendall(head(server, "POST /v1/sessions/upload?name=a.csv HTTP/1.1", *lines))
        answer = b""
        try:
            for _ in range(40):
                line.sendall(part)
            answer = line.recv(4096)
            for _ in range(40):
                line.sendall(part)
                time.sleep(0.5)
            raise AssertionError("it listens for ever")
        except ConnectionError:
            pass
    assert code(answer) in (0, 413), answer[:200]
    assert watched.growth < 200, watched.growth


def test_pipelined_requests_are_answered_in_order(server: Running) -> None:
    """Each gets its own answer; what one person asked is not given to another."""
    mine, other = token_hex(16), token_hex(16)
    with server.person(mine) as client:
        id_ = begin(client, people(70))
    data = b""
    for number in range(40):
        who, last = (mine, other)[number % 2], number == 39
        ending = ("Connection: close",) if last else ()
        data += head(
            server, f"GET /v1/sessions/{id_} HTTP/1.1", f"Cookie: denota-person={who}", *ending
        )
    found = raw(server, data, patience=30)
    codes = [int(part[:3]) for part in found.split(b"HTTP/1.1 ")[1:]]
    assert codes == [200, 404] * 20
    assert found.count(cells_of(people(70))[0].encode()) == 0 or codes.count(200) == 20


# --- who is who


def test_a_cookie_tossed_beside_mine_does_not_let_others_in(server: Running) -> None:
    """Two cookies of the name, as another site of the domain can set: the stranger learns nothing.

    And what the victim begins is not the attacker's unless the victim's own cookie is gone.
    """
    mine, tossed = token_hex(16), token_hex(16)
    with server.person(mine) as client, server.person(tossed) as attacker:
        id_ = begin(client, people(71))
        for cookies in (f"denota-person={tossed}; denota-person={mine}",) * 2:
            with server.anyone(headers={"Cookie": cookies}) as both:
                both.get(f"/v1/sessions/{id_}")
                found = both.post("/v1/sessions", json={"sample": "castles"})
                if found.status_code == 201:
                    own = found.json()["id"]
                    seen = [
                        one.get(f"/v1/sessions/{own}").status_code for one in (client, attacker)
                    ]
                    assert 200 in seen
        assert attacker.get(f"/v1/sessions/{id_}").status_code == 404


@pytest.mark.parametrize(
    "cookie",
    ["short", "", "*", "%", "_" * 21, "a" * 21, "../" * 10, "x" * 22 + "'", "at 127.0.0.1", "\x01"],
)
def test_a_cookie_that_is_no_secret_is_nobody(server: Running, cookie: str) -> None:
    """Such a one never gets a person's list, nor shares lessons with others who send the same."""
    with server.anyone(headers={"Cookie": f"denota-person={cookie}"}) as client:
        found = client.post("/v1/sessions", json={"sample": "castles"})
        assert found.status_code in (201, 400, 403, 422)
        listed = client.get("/v1/sessions")
        assert listed.status_code >= 400 or listed.json() == []


def test_sessions_of_nobody_are_not_listed(server: Running) -> None:
    with server.anyone() as one, server.anyone() as other:
        id_ = sample(one)
        for headers in ({}, {"Authorization": "Bearer"}, {"Authorization": "Bearer at 127.0.0.1"}):
            assert id_ not in other.get("/v1/sessions", headers=headers).text


@pytest.mark.parametrize("kind", ["sample", "content"])
def test_a_key_of_somebody_else_gives_not_their_session(server: Running, kind: str) -> None:
    """Keys are short and guessed easily ("1"); a session of nobody is protected by its id alone."""
    body: dict[str, str] = {"sample": "castles"}
    if kind == "content":
        body = {"name": "a.csv", "content": people(72)}
    key = {"Idempotency-Key": f"1 {kind}"}
    found = []
    for client in (server.anyone(), server.anyone(), server.person(), server.person()):
        with client:
            answer = client.post("/v1/sessions", json=body, headers=key)
            assert answer.status_code == 201
            found.append(answer.json()["id"])
    assert len(set(found[2:])) == 2, "two persons"
    assert not set(found[:2]) & set(found[2:])
    assert found[0] != found[1], "two clients without a cookie"


def test_a_key_is_no_way_round_who_may_ask(server: Running) -> None:
    key = {"Idempotency-Key": "round"}
    with server.person() as mine, server.person() as stranger:
        id_ = begin(mine, people(73))
        first = ask(mine, id_, "who is paid best?", headers=key)
        assert first.status_code == 200
        assert ask(stranger, id_, "who is paid best?", headers=key).status_code == 404
        assert mine.delete(f"/v1/sessions/{id_}").status_code == 204
        assert ask(mine, id_, "who is paid best?", headers=key).status_code == 404


@pytest.mark.parametrize("size", [256, 5_000, 60_000])
def test_huge_keys(server: Running, size: int) -> None:
    with server.person() as client, Watched(server) as watched:
        id_ = sample(client)
        for number in range(20):
            key = f"{number}".rjust(size, "k")
            found = ask(client, id_, "how many?", headers={"Idempotency-Key": key})
            assert found.status_code in (200, 400, 413, 422, 431), found.text[:200]
    assert watched.growth < 100
    others_are_served(server)


ODD_IDS = (
    "' OR '1'='1",
    "x' UNION SELECT id FROM sessions --",
    "%",
    "_" * 22,
    "*",
    "..",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "\x00",
    "null",
    "upload",
    "a" * 5_000,
)


@pytest.mark.parametrize("odd", ODD_IDS)
def test_ids_that_are_queries_or_paths_find_nothing(server: Running, odd: str) -> None:
    with server.anyone() as client:
        kept = sample(client)
        path = "/v1/sessions/" + httpx.QueryParams({"x": odd}).__str__()[2:].replace("+", "%20")
        for method in ("GET", "DELETE"):
            found = client.request(method, path)
            assert found.status_code in (404, 405, 414, 422), (method, found.status_code)
        found = client.post(path + "/ask", json={"question": "which?"})
        assert found.status_code in (404, 405, 414, 422)
        assert turns(client, kept) == []


def test_an_id_of_another_takes_as_long_as_one_that_is_none(server: Running) -> None:
    """Who guesses is not told by the clock, nor by words, whether there is such a session."""
    with server.person() as mine, server.person() as stranger:
        id_ = begin(mine, people(74, 3_000))
        asked(mine, id_, "who is paid best?")
        took: dict[str, list[float]] = {id_: [], token_urlsafe(16): []}
        said = {name: stranger.get(f"/v1/sessions/{name}") for name in took}
        for _ in range(60):
            for name, times in took.items():
                began = time.perf_counter()
                stranger.get(f"/v1/sessions/{name}")
                times.append(time.perf_counter() - began)
    first, second = said.values()
    assert first.status_code == second.status_code == 404 and first.text == second.text
    assert {*first.headers} == {*second.headers}
    there, nowhere = (statistics.median(times) for times in took.values())
    assert abs(there - nowhere) < 0.005, (there, nowhere)


# --- paths and caches


def test_paths_lead_nowhere_else(server: Running) -> None:
    for path in (
        "/page/../../../../etc/passwd",
        "/page/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/page/..%2f..%2f..%2fserver.py",
        "/page/....//....//etc/passwd",
        "/page//etc/passwd",
        "/page/%00",
        "/page/app.js%00.png",
        "/page/..\\..\\server.py",
        "/v1/../etc/passwd",
        "/docs/../../secrets",
    ):
        found = raw(server, head(server, f"GET {path} HTTP/1.1", "Connection: close"))
        assert code(found) in (400, 404), (path, found[:200])
        assert b"root:" not in found and b"import " not in found


def test_nothing_of_a_person_is_kept_by_a_cache(server: Running) -> None:
    """Neither tables nor cookies, and no header of a request is mirrored into the page."""
    with server.person() as client:
        id_ = sample(client)
        asked(client, id_, "which?")
        paths = ("", "/rows", "/lessons", "/table.csv", "/answer.csv", "/export.jsonl")
        for path in paths:
            found = client.get(f"/v1/sessions/{id_}{path}")
            kept = found.headers.get("cache-control", "")
            assert "no-store" in kept or "private" in kept, path
    with server.anyone() as client:
        assert "no-store" in client.get("/").headers["cache-control"], "it sets a cookie"
        poison = {"X-Forwarded-Host": "evil.example", "X-Original-URL": "/evil.example"}
        poison |= {"X-Forwarded-Prefix": "/evil.example", "Forwarded": "host=evil.example"}
        for path in ("/", "/docs", "/openapi.json", "/v1/nothing"):
            found = client.get(path, headers=poison)
            assert "evil.example" not in found.text + str(found.headers), path
        given = client.get("/healthz", headers={"X-Request-Id": "<b>\tevil"})
        assert "evil" not in given.headers["x-request-id"]


def test_downloads_take_no_header_from_a_name(server: Running) -> None:
    with server.person() as client:
        for name in (
            'a"; filename="b.exe',
            "a\r\nX-Evil: 1.csv",
            "../../x.csv",
            "‮vsc.exe",
            "Å.csv",
        ):
            found = upload(client, people(75), name)
            assert found.status_code in (201, 422), found.text
            if found.status_code == 201:
                given = client.get(f"/v1/sessions/{found.json()['id']}/table.csv")
                assert given.status_code == 200 and "x-evil" not in given.headers
                said = given.headers.get("content-disposition", "")
                assert (
                    ".exe" not in said.split("filename=")[-1].split(";")[0] or "b.exe" not in said
                )
                assert "/" not in said and given.headers["x-content-type-options"] == "nosniff"


# --- files


def zipped(content: bytes, name: str = "a.csv") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, content)
    return file.getvalue()


def test_files_packed_in_files(server: Running) -> None:
    """Zeros packed twice and three times, a zip in a zip, a workbook whose parts are huge."""
    zeros = gzip.compress(b"0," * 50_000_000, 6)
    book = workbook(row(1, text_cell("A1", "x" * 50_000_000)), ["y" * 50_000_000])
    with server.anyone() as client, Watched(server) as watched:
        for name, content in (
            ("a.csv.gz", zeros),
            ("a.csv.gz.gz", gzip.compress(zeros)),
            ("a.csv", gzip.compress(gzip.compress(zeros))),
            ("a.xlsx", zipped(zipped(b"A,B\n" * 5_000_000), "b.zip")),
            ("a.xlsx", zipped(b"A,B\n", "xl/workbook.xml")),
            ("a.xlsx", book),
            ("a.xlsx.gz", gzip.compress(book)),
        ):
            found = upload(client, content, name)
            assert found.status_code in (413, 422), (name, found.text[:200])
    assert watched.growth < 500, watched.growth
    others_are_served(server)


def test_a_file_that_needs_much_leaves_room_for_others(server: Running) -> None:
    """After each that was refused, tables of ordinary size are taken and asked about at once."""
    import pyarrow
    from pyarrow import parquet

    texts = pyarrow.array([0] * 5_000, pyarrow.int32())
    column = pyarrow.DictionaryArray.from_arrays(texts, ["x" * 100_000])
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"Text": column}), file, compression="zstd")
    wide = gzip.compress(b"0," * 50_000_000, 6)
    with server.anyone() as attacker, server.person() as other:
        for name, content in (("a.parquet", file.getvalue()), ("a.csv.gz", wide)):
            for _ in range(2):
                assert upload(attacker, content, name).status_code in (201, 413, 422)
                for seed in range(2):
                    id_ = begin(other, people(seed, 60_000))
                    assert asked(other, id_, "who has the highest salary?")["program"]


def test_a_sheet_that_lies_about_its_size(server: Running) -> None:
    rows = row(1, text_cell("A1", "Name"), text_cell("B1", "Goals")) + row(
        2, text_cell("A2", "Ada"), '<c r="B2"><v>3</v></c>'
    )
    far = rows + row(1_048_576, text_cell("A1048576", "Zed"))
    with server.anyone() as client, Watched(server) as watched:
        for content in (workbook(rows, dimension="A1:XFD1048576"), workbook(far)):
            with meanwhile(partial(upload, client, content, "a.xlsx")) as found:
                others_are_served(server, 1)
            assert found[0].status_code in (201, 413, 422), found[0].text[:200]
    assert watched.growth < 300, watched.growth


def test_formulas_are_text_and_nothing_is_fetched(server: Running) -> None:
    """A formula is neither computed nor followed; as an answer it cannot become one again."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(1)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
        evil = f'=HYPERLINK("{address}"),=cmd|x!A0'
        table = f'Name,Link\nAda,=WEBSERVICE("{address}")\nBob,@SUM(1)\nCyd,+1+1\n'
        with server.anyone() as client:
            id_ = begin(client, table)
            asked(client, id_, "which link has Ada?")
            answer = client.get(f"/v1/sessions/{id_}/answer.csv").text
            for line in answer.splitlines()[1:]:
                for cell in line.split(","):
                    assert cell.strip('"')[:1] not in "=@" or not cell.strip('"'), answer
            found = upload(client, f"Name,{evil}\nAda,3\n")
            assert found.status_code in (201, 422)
            for sent in ({"table": address}, {"table": "file:///etc/passwd"}, {"sample": address}):
                assert client.post("/v1/sessions", json=sent).status_code == 404
            assert upload(client, b"A\n1\n", address).status_code in (201, 422)
        with pytest.raises(TimeoutError):
            listener.accept()


def test_names_that_look_alike_are_kept_apart(server: Running) -> None:
    """Columns whose names are one after normalisation, or differ in what cannot be seen."""
    names = [
        "Caf\u00e9",
        "Cafe\u0301",
        "CAF\u00c9",
        "Cafe\u200b",
        "\u2160",
        "I",
        "\u0406",
        "Caf\u00e9",
    ]
    header = ",".join(names)
    with server.anyone() as client:
        found = upload(client, f"{header}\n1,2,3,4,5,6,7,8\n9,10,11,12,13,14,15,16\n")
        assert found.status_code in (201, 422), found.text
        if found.status_code == 201:
            columns = [column["name"] for column in found.json()["columns"]]
            assert len({name.casefold() for name in columns}) >= len(set(columns)) - 1
            assert len(columns) == 8 and len(set(columns)) == 8, columns
            turn = asked(client, found.json()["id"], "what is the total of Caf\u00e9?")
            assert turn["declined"] or turn["answer"]


@pytest.mark.parametrize(
    "unit",
    [
        "1.",
        "1,",
        "1 ",
        "1/1/",
        "1-",
        "1e",
        "(",
        "$",
        "%",
        "-",
        " ",
        "a",
        "\u0661",
        "0:",
        "½",
        "'",
        ".",
    ],
)
def test_long_cells_of_every_kind_stop_nobody(server: Running, unit: str) -> None:
    """As long as allowed, and asked about."""
    cell = (unit * 33_000)[:32_000]
    lines = "\n".join(f'{number},"{cell}"' for number in range(8))
    with server.anyone() as client:

        def attack() -> int:
            found = upload(client, f"Name,Value\n{lines}\n")
            if found.status_code == 201:
                return ask(client, found.json()["id"], "which value is the largest?").status_code
            return found.status_code

        began = time.monotonic()
        with meanwhile(attack) as found:
            others_are_served(server, 1)
        assert found[0] in (200, 413, 422, 504), found
        assert time.monotonic() - began < 40


# --- teaching


def test_lessons_without_end_are_bounded(server: Running) -> None:
    """A lesson with every cell many times over, or thousands of lessons, is others' business not.

    Lessons of one person are refused at some point or stay quick to read.
    """
    with server.person() as client:
        id_ = sample(client)
        asked(client, id_, "what was the zorg of harrock tower?")
        cells = [[2, 2]] * 300_000
        found = teach(client, id_, 0, cells)
        assert found.status_code in (200, 413, 422), found.text[:200]
        for odd in ([[10**9, 0]], [[-1, 0]], [[0, 99]], []):
            assert teach(client, id_, 0, odd).status_code == 422, odd
        for turn in (-1, 1, 10**20):
            assert teach(client, id_, turn, [[2, 2]]).status_code in (404, 422), turn
        path = f"/v1/sessions/{id_}/teach"
        for body in ({"turn": 0, "values": [10**400]}, {"turn": 0, "values": ["NaN"] * 100_000}):
            assert client.post(path, json=body).status_code in (200, 413, 422)
        broken = '{"turn": 0, "values": [NaN, Infinity, 1e999]}'
        headers = {"Content-Type": "application/json"}
        assert client.post(path, content=broken, headers=headers).status_code in (200, 422)
        assert client.get(f"/v1/sessions/{id_}").status_code == 200
        assert client.get(f"/v1/sessions/{id_}/export.jsonl").status_code == 200
    others_are_served(server)


def test_lessons_of_a_session_of_nobody_act_in_it_alone(server: Running) -> None:
    question = "what was the zorg of harrock tower?"
    with server.anyone() as client:
        fresh = asked(client, sample(client), question)
        id_ = sample(client)
        asked(client, id_, question)
        assert teach(client, id_, 0, [[2, 2]]).json()["learnt"]
        again = asked(client, sample(client), question)
        assert again["cells"] == fresh["cells"] and again["confidence"] == fresh["confidence"]


# --- answers and tokens


def test_a_question_of_markup_stays_json(server: Running) -> None:
    """No answer to a browser is a page that was made of what somebody sent."""
    script = "<script>alert(1)</script>"
    with server.anyone() as client:
        answers = [
            client.get(f"/{script}"),
            client.get(f"/v1/sessions/{script}"),
            client.get("/v1/samples", params={"callback": script}),
            client.post("/v1/sessions", json={"sample": script}),
            upload(client, b"\x89PNG", f"{script}.csv"),
            client.post("/v1/sessions", content=script, headers={"Content-Type": "text/html"}),
        ]
    for answer in answers:
        assert "html" not in answer.headers["content-type"], answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("header", ["Origin", "Referer", "Sec-Fetch-Site"])
def test_other_pages_cannot_write(server: Running, header: str) -> None:
    value = {"Origin": "http://127.0.0.1.evil.example", "Referer": "http://evil.example/"}
    port = server.port
    odd = ["null", f"http://127.0.0.1:{port}.evil.example", f"http://127.0.0.1:{port + 1}"]
    odd += [f"http://evil.example@127.0.0.1:{port}/", f"HTTP://127.0.0.1:{port}@evil.example", ""]
    with server.anyone() as client:
        if header == "Origin":
            for origin in [value["Origin"], *odd[:3], odd[4]]:
                found = client.post(
                    "/v1/sessions", json={"sample": "castles"}, headers={"Origin": origin}
                )
                assert found.status_code == 403, origin
        simple = {"Content-Type": "text/plain", "Sec-Fetch-Site": "cross-site"}
        body = json.dumps({"sample": "castles"})
        if header == "Sec-Fetch-Site":
            found = client.post("/v1/sessions", content=body, headers=simple)
            assert found.status_code in (403, 415, 422)
        for host in ("evil.example", "127.0.0.1.evil.example", f"127.0.0.1@evil.example:{port}"):
            assert client.get("/v1/samples", headers={"Host": host}).status_code in (400, 403)


@pytest.mark.slow
def test_several_tokens_are_several_people(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tokens given by the environment, one for each program; none sees what is another's."""
    tokens = [f"token-number-{number}-long" for number in range(3)]
    folder = tmp_path_factory.mktemp("tokens") / "state"
    with running(folder, env={"DENOTA_TOKEN": " ".join(tokens)}) as server:

        def client(index: int) -> httpx.Client:
            return server.anyone(headers={"Authorization": f"Bearer {tokens[index]}"})

        with client(0) as first, client(1) as second, client(0) as again:
            id_ = begin(first, people(80))
            assert again.get(f"/v1/sessions/{id_}").status_code == 200
            assert second.get(f"/v1/sessions/{id_}").status_code == 404
            assert [one["id"] for one in first.get("/v1/sessions").json()] == [id_]
            assert second.get("/v1/sessions").json() == []
        joined: list[dict[str, Any]] = [
            {"Authorization": f"Bearer {' '.join(tokens)}"},
            {"Authorization": f"Bearer {tokens[0]} {tokens[1]}"},
            {"Authorization": f"Bearer {tokens[0][:-1]}"},
            {"Authorization": f"Bearer {tokens[0]}x"},
        ]
        with server.anyone() as anyone:
            for headers in joined:
                assert anyone.get("/v1/samples", headers=headers).status_code == 401


# --- many at once


@pytest.mark.slow
@pytest.mark.parametrize("what", ["upload", "ask"])
def test_what_is_in_flight_does_not_come_back_after_a_delete(server: Running, what: str) -> None:
    """A question or a lesson that is worked at while its session is deleted leaves nothing."""
    secret = f"flugelhorn{token_hex(6)}"
    table = large(60_000).replace(b"A7,", secret.encode() + b",", 1)
    key = {"Idempotency-Key": token_hex(8)}
    with server.person() as client, server.person() as other:
        path = f"/v1/sessions/upload?name={secret}.csv"
        id_ = client.post(path, content=table, headers=key).json()["id"]
        work: list[Any] = [lambda: ask(client, id_, f"what is the revenue of {secret}?")]
        if what == "ask":
            asked(client, id_, f"which region has {secret}?")
            work.append(lambda: teach(client, id_, 0, [[7, 2]]))
        with meanwhile(*work) as found:
            time.sleep(0.15)
            assert client.delete(f"/v1/sessions/{id_}").status_code in (204, 429, 503)
        for answer in found:
            assert answer.status_code in (200, 404, 409, 412, 422, 503), answer.text[:200]
        client.delete(f"/v1/sessions/{id_}")
        own = sample(other)
        asked(other, own, "which castles are ruins?")
        assert client.get(f"/v1/sessions/{id_}").status_code == 404
        assert not remains(server.folder, [secret])
        again = client.post(path, content=b"A,B\n1,2\n", headers=key)
        assert again.status_code in (201, 404, 409, 422)


@pytest.mark.slow
def test_bodies_that_trickle_shut_nobody_out(server: Running) -> None:
    """Heads are complete, bodies never come; more than there may be connections."""
    lines: list[socket.socket] = []
    first = head(
        server,
        "POST /v1/sessions HTTP/1.1",
        "Content-Type: application/json",
        "Content-Length: 1000",
    )
    try:
        for _ in range(600):
            line = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            lines.append(line)
            line.sendall(first + b"{")
        others_are_served(server)
    finally:
        for line in lines:
            line.close()
    others_are_served(server)


@pytest.mark.slow
def test_readers_that_do_not_read_cost_little(server: Running) -> None:
    """Each asks for the whole of a large table, and takes nothing of it."""
    with server.anyone() as client:
        id_ = begin(client, large(100_000))
    lines = []
    try:
        with Watched(server) as watched:
            for _ in range(60):
                line = socket.create_connection(("127.0.0.1", server.port), timeout=10)
                lines.append(line)
                line.sendall(head(server, f"GET /v1/sessions/{id_}/table.csv HTTP/1.1"))
            time.sleep(3)
            others_are_served(server)
    finally:
        for line in lines:
            line.close()
    assert watched.growth < 500, watched.growth


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", ["rows?sort=3&search=9", "rows?count=1000000", "table.csv", "export.jsonl"]
)
def test_reading_a_large_table_delays_nobody(server: Running, what: str) -> None:
    with server.anyone() as client:
        id_ = begin(client, large(200_000))
        with meanwhile(*(lambda: client.get(f"/v1/sessions/{id_}/{what}"),) * 12) as found:
            time.sleep(0.3)
            others_are_served(server)
    assert {answer.status_code for answer in found} <= {200, 422, 429, 503}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stateless", "sessions", "cookies", "uploads"])
def test_one_who_asks_in_many_ways_at_once_delays_nobody(server: Running, way: str) -> None:
    """The queue of a session is short; a client may have many sessions, cookies or none."""
    table = large(30_000).decode()
    questions = [f"what is the total revenue of B{number}?" for number in range(20)]

    def stateless() -> int:
        body = {"name": "a.csv", "content": table, "questions": questions}
        with server.anyone() as client:
            return client.post("/v1/ask", json=body).status_code

    def session(client: httpx.Client) -> int:
        with client:
            found = upload(client, table)
            if found.status_code != 201:
                return found.status_code
            return ask(client, found.json()["id"], questions[0]).status_code

    def uploads() -> int:
        with server.anyone() as client:
            return upload(client, table * 5, "a.csv").status_code

    mine = token_hex(16)
    ways = {
        "stateless": stateless,
        "sessions": lambda: session(server.person(mine)),
        "cookies": lambda: session(server.person()),
        "uploads": uploads,
    }
    with meanwhile(*(ways[way],) * 24) as codes:
        time.sleep(1)
        others_are_served(server)
    assert set(codes) <= {200, 201, 429, 503, 504}, codes


@pytest.mark.slow
def test_no_redirect_goes_to_the_host_of_a_request(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Beyond this machine any host name is taken; a cache may keep what was answered to one."""
    folder = tmp_path_factory.mktemp("redirects") / "state"
    with running(folder, "--host", "0.0.0.0", "--token", TOKEN) as server:
        for path in ("/v1/sessions/", "/v1/samples/", "/docs/", "/page"):
            lines = (f"GET {path} HTTP/1.1", "Host: evil.example", "Connection: close")
            bearer = f"Authorization: Bearer {TOKEN}"
            found = raw(server, "\r\n".join([*lines, bearer, "", ""]).encode())
            assert 200 <= code(found) < 500
            assert b"evil.example" not in found, (path, found[:300])
