"""Addresses: what they name, and that what is hostile or wrong gets one sentence and no secret."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota import TableError, read_table
from denota.tables import credentials
from denota.tables.address import parse_address, without_password
from servers import PASSWORD, Server

CANARY = "cAnAry:/@#?%-Tui"
"""A password with every character that means something in an address."""


@pytest.mark.parametrize(
    ("text", "place", "table"),
    [
        ("data.csv", "data.csv", None),
        ("data.xlsx#February", "data.xlsx", "February"),
        ("a#b.sqlite#orders", "a#b.sqlite", "orders"),
        ("shop.sqlite#", "shop.sqlite", None),
        ("postgresql://ada@db/shop#orders", "postgresql://ada@db/shop", "orders"),
        ("postgres://db/shop#sales.orders", "postgresql://db/shop", "sales.orders"),
        ("POSTGRESQL://[::1]:5433/shop", "postgresql://[::1]:5433/shop", None),
        ("mariadb://ada:pw@db:3307/shop#o%23%20p", "mysql://ada@db:3307/shop", "o# p"),
        ("https://example.org/a/b.csv?key=secret", "https://example.org/a/b.csv", None),
        ("https://ada:pw@example.org/b.xlsx#May", "https://example.org/b.xlsx", "May"),
    ],
)
def test_what_an_address_names(text: str, place: str, table: str | None) -> None:
    found = parse_address(text)
    assert (found.place, found.table) == (place, table)


@given(
    st.sampled_from(["postgresql", "mysql", "https"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=20),
)
def test_a_password_is_taken_out_at_once(scheme: str, password: str) -> None:
    """Whatever it holds, written as it is or quoted; only `login.password` has it."""
    secret = f"Zq{password}Zq"
    for written in (secret, quote(secret, safe="")):
        try:
            found = parse_address(f"{scheme}://ada:{written}@db/shop#orders")
        except TableError as error:
            assert "Zq" not in str(error)
            continue
        assert "Zq" not in repr(found) and "Zq" not in found.place
        assert found.table == "orders"
        assert found.login is not None
        if written != secret or "%" not in secret:
            assert found.login.password == secret


@pytest.mark.parametrize(
    "text",
    [
        "file:///etc/passwd",
        "ftp://example.org/x.csv",
        "s3://bucket/x.parquet",
        "sqlite:///x.sqlite",
        "gopher://ada:Zqsecret@db/x",
        "postgresql://ada:Zqsecret/shop",
        "postgresql://ada:Zqsecret@db:port/shop",
        "postgresql://ada:Zqsecret@db:99999/shop",
        "postgresql://ada:Zqsecret@[::1/shop",
        "postgresql://ada:Zqsecret@db/shop/orders",
        "postgresql://ada@db/shop?options=-c%20x&password=Zqsecret",
        "mysql://ada:Zqsecret@db",
        "postgresql://ada:Zqsecret@db/shop\n#orders",
        "postgresql://ada:Zqsecret@db/shop\0",
        "postgresql://ada:Zqsecret@db/" + "x" * 10_000,
        "postgresql:/ada:Zqsecret@db/shop#orders",
        "postgresql//ada:Zqsecret@db/shop",
        "postgres:ada:Zqsecret@db/shop",
        "postgres:/ada:Zq/se:c#ret@db/shop",
        "https://",
        "http://example.org/x.csv",
        "https://ada:Zqsecret@no-such-host.invalid/x.csv?key=Zqsecret",
        "postgresql://ada:Zqsecret@no-such-host.invalid/shop#orders",
        "mysql://ada:Zqsecret@no-such-host.invalid/shop#orders",
        "postgresql://ada:Zqsecret@127.0.0.1:1/shop#orders",
        "mysql://ada:Zqsecret@127.0.0.1:1/shop#orders",
        "nowhere.sqlite#orders",
        "../../../../etc/passwd#root",
        "a\0b.sqlite#t",
        "x" * 100_000 + "#t",
    ],
)
def test_one_sentence_and_no_secret(text: str) -> None:
    with pytest.raises(TableError) as raised:
        read_table(text)
    said = str(raised.value)
    assert "Zq" not in said and "\n" not in said and len(said) < 400 + len("x" * 100_000)
    assert raised.value.__cause__ is None  # nothing that a traceback would show
    assert raised.value.__context__ is None or raised.value.__suppress_context__


def test_what_looks_like_a_password_is_not_repeated() -> None:
    assert without_password("no file a:b@c/d") == "no file a:***@c/d"
    assert without_password("there is no file data.csv") == "there is no file data.csv"


# Files


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = openpyxl.Workbook()
    made.active.title = "January"
    made.active.append(["a"])
    made.active.append([1])
    sheet = made.create_sheet("February")
    sheet.append(["b"])
    sheet.append([2])
    made.save(tmp_path / "data.xlsx")
    return tmp_path / "data.xlsx"


def test_a_sheet(book: Path) -> None:
    assert read_table(f"{book}#February").names == ("b",)
    assert read_table(book, table="February").names == ("b",)
    assert read_table(book).names == ("a",)
    with pytest.raises(TableError, match="no sheet 'March'"):
        read_table(f"{book}#March")


def test_a_file_with_a_hash_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "a#b.csv").write_text("x,y\n1,2\n")
    assert read_table(tmp_path / "a#b.csv").row(0) == ("1", "2")
    with pytest.raises(TableError, match="holds one table"):
        read_table(f"{tmp_path / 'a#b.csv'}#c")


def shop(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE orders (id INT, amount REAL); INSERT INTO orders VALUES (1, 2.5);"
    )
    connection.close()
    return path


def test_the_only_table_is_taken(tmp_path: Path) -> None:
    path = shop(tmp_path / "shop.sqlite")
    assert read_table(path).name == "orders"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE other (a, b); CREATE VIEW seen AS SELECT 1 AS c;")
    with pytest.raises(TableError) as raised:
        read_table(path)
    said = str(raised.value)
    assert "has 3 tables: orders (id, amount), other (a, b), seen (c)" in said
    assert said.endswith(f"name one, as in {path}#orders")
    with pytest.raises(TableError, match="columns and no rows"):
        read_table(f"{path}#other")


@pytest.mark.parametrize(
    "part",
    ["x'; DROP TABLE orders; --", "orders; SELECT 1", '"orders"', "sqlite_master", "x" * 5000],
)
def test_sql_behind_the_hash_is_only_a_name(tmp_path: Path, part: str) -> None:
    path = shop(tmp_path / "shop.sqlite")
    with pytest.raises(TableError, match="has no table") as raised:
        read_table(f"{path}#{part}")
    assert len(str(raised.value)) < 400
    assert len(read_table(path)) == 1


def test_views_of_a_strange_file_reach_nothing_else(tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "secret.csv").write_text("a\n1\n")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as file:
        file.execute(f"CREATE VIEW v AS SELECT * FROM '{tmp_path / 'secret.csv'}'")
    with pytest.raises(TableError):
        read_table(tmp_path / "x.duckdb")


def test_damaged_files(tmp_path: Path) -> None:
    whole = shop(tmp_path / "shop.sqlite").read_bytes()
    for length in (17, 100, 5000):
        (tmp_path / "cut.sqlite").write_bytes(whole[:length])
        with pytest.raises(TableError) as raised:
            read_table(tmp_path / "cut.sqlite")
        assert "\n" not in str(raised.value)
    (tmp_path / "bad.duckdb").write_bytes(b"\0" * 8 + b"DUCK" + b"\x7f" * 5000)
    with pytest.raises(TableError) as raised:
        read_table(tmp_path / "bad.duckdb")
    assert "\n" not in str(raised.value)


def test_a_file_that_another_program_writes_to(tmp_path: Path) -> None:
    path = shop(tmp_path / "shop.sqlite")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN")
    writer.execute("INSERT INTO orders VALUES (2, 3)")
    assert len(read_table(path)) == 1  # what is not yet there is not read
    writer.execute("COMMIT")
    assert len(read_table(path)) == 2


# Passwords


@pytest.fixture(params=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    server = request.getfixturevalue(request.param)
    cursor = server.connect().cursor()
    cursor.execute("DROP TABLE IF EXISTS secrets")
    cursor.execute("CREATE TABLE secrets (a INT)")
    cursor.execute("INSERT INTO secrets VALUES (1)")
    yield server


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("PGPASSWORD", "DENOTA_PASSWORD", "MYSQL_PWD", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)
    return monkeypatch


def test_where_passwords_come_from(
    server: Server, no_environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = server.address("secrets")
    with pytest.raises(TableError):
        read_table(plain)
    own = "PGPASSWORD" if server.scheme == "postgresql" else "MYSQL_PWD"
    for name in ("DENOTA_PASSWORD", own):
        with no_environment.context() as patch:
            patch.setenv(name, PASSWORD)
            assert read_table(plain).row(0) == ("1",)
    ring = type("ring", (), {"get_password": staticmethod(keyring_of(server.address()))})
    with no_environment.context() as patch:
        patch.setitem(sys.modules, "keyring", ring)
        assert read_table(plain).row(0) == ("1",)
    if server.scheme == "postgresql":
        passes = tmp_path / "pgpass"
        passes.write_text(f"127.0.0.1:{server.port}:*:*:{PASSWORD}\n")
        passes.chmod(0o600)
        no_environment.setenv("PGPASSFILE", str(passes))
        assert read_table(plain).row(0) == ("1",)


def keyring_of(address: str) -> Callable[[str, str], str | None]:
    return lambda service, user: PASSWORD if (service, user) == ("denota", address) else None


def test_a_password_is_nowhere_in_what_was_read(server: Server) -> None:
    read = read_table(server.address("secrets", PASSWORD))
    assert PASSWORD not in repr((read, read.name, read.notes, read.stored, vars(read)))


@pytest.mark.parametrize("part", ["nowhere", "", "secrets"])
def test_no_error_has_the_password(
    server: Server, no_environment: pytest.MonkeyPatch, part: str
) -> None:
    """A wrong one, and the right one where the rest is wrong."""
    for password, database in ((CANARY, "shop"), (PASSWORD, "nowhere"), (CANARY, "a b")):
        with pytest.raises(TableError) as raised:
            read_table(server.address(part, password, database))
        said = f"{raised.value}{raised.value!r}{raised.value.__cause__}"
        assert CANARY not in said and PASSWORD not in said and quote(CANARY, safe="") not in said


def test_common_troubles_are_said_plainly(
    server: Server, no_environment: pytest.MonkeyPatch
) -> None:
    wrong = server.address("secrets", CANARY)
    for address, said in (
        (server.address("secrets"), "does not take this user"),
        (wrong, "does not take this user with this password; set DENOTA_PASSWORD"),
        (wrong.replace("127.0.0.1", "no-such-host.invalid"), "there is no such host"),
        (wrong.replace(f":{server.port}/", ":1/"), "no server listens there"),
    ):
        with pytest.raises(TableError, match=said):
            read_table(address)


def test_drivers_that_repeat_a_password_are_not_repeated() -> None:
    address = parse_address("postgresql://ada:Zqsecret@db/shop")
    error = credentials.server_error(address, 'no "Zqsecret" here\nnor there', "other")
    assert str(error) == 'postgresql://ada@db/shop cannot be read: no "***" here'


@pytest.mark.parametrize(("module", "scheme"), [("psycopg", "postgresql"), ("pymysql", "mysql")])
def test_a_missing_driver_is_named(
    module: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(TableError, match=r"`pip install 'denota\[(postgres|mysql)\]'`") as raised:
        read_table(f"{scheme}://ada:Zqsecret@db/shop#orders")
    assert "Zq" not in str(raised.value)


def test_reading_a_path_reaches_no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a text can be the address of a server; data names its tables by paths."""
    import socket

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a host was reached")

    monkeypatch.setattr(socket, "create_connection", refuse)
    for text in ("https://example.org/x.csv", "./postgresql://ada@db/shop#t"):
        with pytest.raises(TableError):
            read_table(Path(text))
