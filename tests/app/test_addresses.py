"""Addresses on the command line, tables that questions choose, and those that servers offer."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pytest
from fastapi.testclient import TestClient
from rich.console import Console

from app.serving import serve_inline
from denota import TableError, sample
from denota.app.offers import offered_tables
from denota.app.paths import load_run
from denota.app.reading import ReaderOptions
from denota.app.terminal.repl import Repl
from denota.app.web.messages import LIMITS
from denota.app.web.server import make_app
from denota.app.web.sessions import SessionStore
from denota.config import Config, ModelConfig, TrainConfig
from denota.conversation.chat import Chat
from denota.conversation.tables import Tables, Undecided
from denota.data import load_examples
from denota.learning.start import new_parser
from denota.model.parser import Parser
from denota.search.preparer import Preparer
from denota.tables import Table
from denota.tables.inline import whole_inline_table
from denota.tables.opening import open_database
from servers import PASSWORD, Server


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, since DATE);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT, product TEXT, amount REAL);
        INSERT INTO customers VALUES
            (1, 'Ada', 'Oslo', '2019-01-02'), (2, 'Ben', 'Bergen', '2020-03-04'),
            (3, 'Cleo', 'Oslo', '2021-05-06');
        INSERT INTO orders VALUES (1, 1, 'Lamp', 20.5), (2, 1, 'Chair', 80), (3, 2, 'Lamp', 21);
        """
    )
    connection.close()
    return path


def lines(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_each_question_chooses_its_table(run: Callable, shop: Path) -> None:
    asked = run(
        *("ask", shop, "--json", "how many orders are there?", "which customers live in Oslo?"),
        *("which of them came first?", "which products did Ada buy?", "which one is best?"),
    )
    turns = lines(asked.out)
    assert [turn.get("table") for turn in turns] == [
        *("orders", "customers", "customers", None, "customers")
    ]
    assert turns[0]["answer"] == ["3"]
    assert turns[1]["answer"] == ["Ada", "Cleo"]
    assert turns[3]["kind"] == "declined"
    assert "two tables: “product” is in orders, the rest in customers" in turns[3]["reason"]


def test_what_cannot_be_told_lists_the_tables(run: Callable, shop: Path) -> None:
    (turn,) = lines(run("ask", shop, "--json", "what is up?").out)
    assert turn["kind"] == "declined"
    assert "customers (id, name, city, since), orders (id, customer_id, product" in turn["reason"]
    assert f"as in {shop}#customers" in turn["reason"]
    for command in (["show", shop], ["run", shop, "SELECT name"]):
        assert "customers (id, name, city, since), orders" in run(*command).sentence()


def test_a_named_table_is_asked_as_a_file_is(run: Callable, shop: Path) -> None:
    address = f"{shop}#orders"
    (turn,) = lines(run("ask", address, "--json", "how many orders are there?").out)
    assert turn["answer"] == ["3"] and "table" not in turn
    (turn,) = lines(run("run", address, "SELECT product WHERE amount IS MAX", "--json").out)
    assert turn["answer"] == ["Chair"]
    assert json.loads(run("show", address, "--json").out)["name"] == "orders"


@pytest.fixture(scope="module")
def default() -> Parser:
    return load_run("default")


def test_the_terminal_goes_from_table_to_table(default: Parser, shop: Path, tmp_path: Path) -> None:
    opened = open_database(shop)
    assert opened is not None
    tables = Tables(opened[0], lambda table: Chat(default, table))
    out = io.StringIO()
    repl = Repl(tables, Console(file=out, width=200), str(shop))

    def say(line: str) -> str:
        out.seek(0)
        out.truncate()
        repl.take(line)
        return out.getvalue()

    assert "nothing was asked yet" in say(":why")
    assert "orders:" in say("how many orders are there?")
    assert "customers:" in say("which customers live in Oslo?")
    assert "Ada" in say(":why") and len(tables.chat.turns) == 1
    assert "two tables" in say("which products did Ada buy?")
    say(f":save {tmp_path / 'kept.jsonl'}")
    kept = json.loads((tmp_path / "kept.jsonl").read_text())
    assert kept["table"] == "shop.sqlite#customers"
    assert load_examples(tmp_path / "kept.jsonl", "all").examples


def test_a_table_is_opened_when_it_is_asked(default: Parser, shop: Path) -> None:
    opened = open_database(shop)
    assert opened is not None
    begun: list[str] = []

    def begin(table: Table) -> Chat:
        begun.append(table.name)
        return Chat(default, table)

    tables = Tables(opened[0], begin)
    with pytest.raises(Undecided):
        tables.ask("what is up?")
    assert begun == []
    tables.ask("how many orders are there?")
    tables.ask("what is the largest amount?")
    assert begun == ["orders"]
    sqlite3.connect(shop).executescript("DELETE FROM orders; DROP TABLE customers;")
    tables.chat.reset()
    assert tables.ask("how many orders are there?").answer == ("3",)  # as it was read
    with pytest.raises(TableError):
        tables.ask("which customers live in Oslo?")


def test_commands_have_the_same_reader_options(run: Callable, tmp_path: Path) -> None:
    options = ["--format", "--encoding", "--delimiter", "--quotes", "--ragged", "--sheet"]
    for command in ("show", "run", "ask", "serve"):
        said = run(command, "--help").out
        assert all(option in said for option in options), command
    (tmp_path / "odd.txt").write_bytes("a~b\nÆ~2\n".encode("utf-16"))
    how = ["--delimiter", "~", "--encoding", "utf-16"]
    done = run("run", tmp_path / "odd.txt", "SELECT a WHERE b = '2'", "--json", *how)
    assert lines(done.out)[0]["answer"] == ["Æ"]


def test_what_was_assumed_is_said_in_one_line(run: Callable, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a", "a"])
    book.active.append([1, 2])
    book.create_sheet("Other")
    book.save(tmp_path / "book.xlsx")
    done = run("run", tmp_path / "book.xlsx", "SELECT a", "--json")
    assert done.code == 0 and len(lines(done.out)) == 1
    assert done.err.count("\n") == 1
    assert done.err.startswith("Note: sheet 1 of 2, 'Sheet'; the others are 'Other'; the name")
    done = run("run", f"{tmp_path / 'book.xlsx'}#Sheet", "SELECT a", "--json")
    assert "others are" not in done.err


def test_data_names_files_and_reaches_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    turns = [{"question": "who?", "answer": ["x"]}]
    for number, address in enumerate(("https://127.0.0.1:1/x.csv", "postgresql://a:b@h/d#t")):
        Path(f"{number}.jsonl").write_text(json.dumps({"table": address, "turns": turns}))
        loaded = load_examples(Path(f"{number}.jsonl"), "all")
        assert "there is no file" in str(loaded.problems[0]) and "a:b" not in str(loaded.problems)


# A server opens what its operator lists


@pytest.fixture(scope="module")
def parser() -> Parser:
    config = Config(model=ModelConfig(dimension=16, hidden=6), train=TrainConfig(device="cpu"))
    return new_parser(
        config, Preparer("dynsp++").ahead(load_examples(sample.path(), "dev").examples[:20])
    )


@pytest.fixture
def serve(parser: Parser, tmp_path: Path) -> Iterator[Callable[..., TestClient]]:
    services = []

    def start(*addresses: str | Path) -> TestClient:
        offers = offered_tables([str(one) for one in addresses], ReaderOptions(), LIMITS)
        services.append(serve_inline(parser, tmp_path, offers=offers))
        return TestClient(make_app(services[-1]))

    yield start
    for service in services:
        service.close()


def test_tables_are_offered_by_name(serve: Callable[..., TestClient], shop: Path) -> None:
    client = serve(shop, f"{shop}#orders")
    assert client.get("/api/tables").json() == [
        *("shop.sqlite#customers", "shop.sqlite#orders", "shop.sqlite#orders (2)")
    ]
    begun = client.post("/api/sessions", json={"table": "shop.sqlite#orders"})
    assert begun.status_code == 201
    assert (begun.json()["name"], begun.json()["rows"]) == ("orders", 3)


def test_what_is_stored_is_kept_with_the_session(
    serve: Callable[..., TestClient], shop: Path, parser: Parser, tmp_path: Path
) -> None:
    id_ = serve(shop).post("/api/sessions", json={"table": "shop.sqlite#orders"}).json()["id"]
    store = SessionStore(tmp_path / "sessions.sqlite", alone=False)
    table = whole_inline_table(store.load(id_).content)
    assert table.stored is not None and table.stored.name == ("orders",)
    store.close()


@pytest.mark.parametrize(
    "name",
    [
        *("/etc/passwd", "../shop.sqlite", "shop.sqlite", "shop.sqlite#nope", "examples/*.csv"),
        *("postgresql://ada:pw@127.0.0.1/shop#orders", "https://example.org/x.csv", "", "\0"),
    ],
)
def test_a_client_opens_nothing_else(
    serve: Callable[..., TestClient], shop: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(f"{shop}#orders")
    with monkeypatch.context() as patch:
        patch.setattr("denota.tables.io.open_database", None)  # whatever opens is not reached
        answer = client.post("/api/sessions", json={"table": name})
    assert answer.status_code == 404
    assert answer.json() == {"detail": "there is no table of that name here"}
    sent = client.post("/api/sessions", json={"content": name or "x", "name": name})
    assert sent.status_code == 422 or sent.json()["rows"] <= 1


def test_why_a_table_cannot_be_read_is_for_the_operator(
    serve: Callable[..., TestClient], shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    client = serve(shop)
    sqlite3.connect(shop).execute("DROP TABLE orders")
    answer = client.post("/api/sessions", json={"table": "shop.sqlite#orders"})
    assert answer.status_code == 422 and str(shop) not in answer.text
    assert str(shop) in capfd.readouterr().err


# A password is nowhere


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_password_is_kept_nowhere(
    kind: str,
    request: pytest.FixtureRequest,
    run: Callable,
    serve: Callable[..., TestClient],
    default: Parser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Not in what commands print, nor in any file that they write."""
    server: Server = request.getfixturevalue(kind)
    connection = server.connect()
    cursor = connection.cursor()
    for statement in (
        "DROP TABLE IF EXISTS canary",
        "CREATE TABLE canary (city VARCHAR(9), people INT)",
        "INSERT INTO canary VALUES ('Oslo', 7), ('Moss', 5)",
    ):
        cursor.execute(statement)
    connection.close()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("DENOTA_LESSONS", str(tmp_path / "lessons.sqlite"))
    address = server.address("canary", PASSWORD)
    said = [
        run("show", address),
        run("show", address, "--json"),
        run("run", address, "SELECT city WHERE people IS MAX"),
        run("ask", address, "which city has the most people?", "--json"),
        run("--debug", "show", server.address("nowhere", PASSWORD)),
        run("--debug", "ask", server.address("canary", PASSWORD, "nowhere"), "who?"),
        run("--debug", "run", server.address("canary", PASSWORD), "SELECT nothing"),
        run("show", address.replace("://", ":/")),
        run("serve", server.address("nowhere", PASSWORD)),
        run("ask", address.replace("127.0.0.1", "no-such-host.invalid"), "who?"),
    ]
    assert [one.code for one in said] == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    texts = [one.out + one.err for one in said]
    client = serve(address)
    texts += [client.get("/api/tables").text]
    begun = client.post("/api/sessions", json={"table": "shop#canary"})
    assert begun.status_code == 201, begun.text
    id_ = begun.json()["id"]
    texts += [begun.text, client.post(f"/api/sessions/{id_}/ask", json={"question": "city?"}).text]
    texts += [client.get(f"/api/sessions/{id_}/export.jsonl").text]
    chat = Chat(default, address)
    turn = chat.ask("which city has the most people?")
    assert turn.answer == ("Oslo",)
    repl = Repl(chat, Console(file=io.StringIO(), width=100), address)
    repl.take(f":save {tmp_path / 'kept.jsonl'}")
    chat.teach(turn, [(1, 0)])
    texts += [repr(chat.source), repr(turn), repr(vars(turn)), repr(chat.table)]
    texts += list(capfd.readouterr())
    from urllib.parse import quote

    for text in texts:
        assert PASSWORD not in text and quote(PASSWORD, safe="") not in text
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".jsonl" for path in written)
    for path in written:
        content = path.read_bytes()
        assert PASSWORD.encode() not in content, path
        assert quote(PASSWORD, safe="").encode() not in content, path


def test_an_upload_is_read_as_its_query_says(serve: Callable[..., TestClient]) -> None:
    client = serve()

    def upload(text: str, **how: str | int) -> dict:
        return client.post(
            "/api/sessions/upload",
            params={"name": "t.csv", **how},
            content=text.encode("cp1252"),
            headers={"Content-Type": "application/octet-stream"},
        ).json()

    lines = "Towns of the north\n\nTown;Area\nT\xf8nder;12\nMoss;5\n"
    found = upload(lines)
    assert [column["name"] for column in found["columns"]] == ["Town", "Area"]
    assert any("title" in note for note in found["notes"])
    third = upload(lines, header=4, delimiter=";")
    assert [column["name"] for column in third["columns"]] == ["T\xf8nder", "12"]
    assert "klingon" in upload(lines, encoding="klingon")["detail"]
    assert (
        client.post("/api/sessions/upload", params={"header": 0}, content=b"a").status_code == 422
    )
