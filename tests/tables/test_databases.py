"""The same table in files and databases is the same `Table`, and gives the same answers."""

from __future__ import annotations

import csv
import datetime
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota import TableError, read_table
from denota.errors import DenotaError
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.tables import Limits, Table
from denota.tables.opening import open_database
from denota.tables.source import Source
from programs.strategies import answers, examples, programs
from servers import PASSWORD, Server

COLUMNS = {
    "id": "INTEGER",
    "Harbour": "VARCHAR(40)",
    "Boats sold": "BIGINT",
    "Price": "DECIMAL(9,2)",
    "Depth": "DOUBLE PRECISION",
    "Opened": "DATE",
    "Seen": "TIMESTAMP",
    "Lit": "BOOLEAN",
    "Tide": "TIME",
}
ROWS: list[tuple[Any, ...]] = [
    (1, "Ærøskøbing", 48, Decimal("12.25"), 2.5, "1891-05-17", "2024-05-17 13:45:00", True, "06:10:00"),  # noqa: E501
    (2, "Porto Velho", 7, Decimal("-3.99"), 12.0, "1902-07-11", "2023-01-02 00:00:00", False, None),
    (3, None, 1234567890123, Decimal("1000.01"), 0.1, "2001-01-01", None, None, "23:59:59"),
    (4, "東京 | ' \" ; --", 0, None, 1e-7, "1999-12-31", "2023-01-02 03:04:05", True, "00:00:01"),
    (5, "Oslo", None, Decimal("0.07"), None, None, "1999-12-31 23:59:59", False, "12:00:00"),
    (6, "Oslo", 48, Decimal("12.25"), 30.75, "1891-05-17", "2024-05-17 13:45:00", True, "06:10:00"),
]  # fmt: skip
KINDS = "number text number number number date timestamp boolean time".split()


def quote(engine: str, name: str) -> str:
    return f"`{name}`" if engine == "mysql" else f'"{name}"'


def fill(run: Callable[..., Any], engine: str, mark: str, table: str = "harbours") -> None:
    """Make the table and put its rows in, as any program would."""
    kinds = COLUMNS | ({"Seen": "DATETIME"} if engine == "mysql" else {})
    columns = ", ".join(f"{quote(engine, name)} {kind}" for name, kind in kinds.items())
    run(f"CREATE TABLE {quote(engine, table)} ({columns})")
    for row in ROWS:
        values = [float(v) if engine == "sqlite" and isinstance(v, Decimal) else v for v in row]
        run(
            f"INSERT INTO {quote(engine, table)} VALUES ({', '.join([mark] * len(row))})",
            values,
        )


def in_csv(folder: Path) -> Path:
    path = folder / "harbours.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in ROWS:
            writer.writerow([_csv_text(value) for value in row])
    return path


def _csv_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value).removesuffix(" 00:00:00")


def in_sqlite(folder: Path) -> Path:
    path = folder / "harbours.sqlite"
    connection = sqlite3.connect(path)
    fill(connection.execute, "sqlite", "?")
    connection.commit()
    connection.close()
    return path


def in_duckdb(folder: Path) -> Path:
    path = folder / "harbours.duckdb"
    with duckdb.connect(str(path)) as connection:
        fill(connection.execute, "duckdb", "?")
    return path


def in_parquet(folder: Path) -> Path:
    path = folder / "harbours.parquet"
    with duckdb.connect() as connection:
        fill(connection.execute, "duckdb", "?")
        pyarrow.parquet.write_table(connection.sql("FROM harbours").to_arrow_table(), path)
    return path


def in_server(server: Server) -> str:
    connection = server.connect()
    cursor = connection.cursor()
    engine = "mysql" if server.scheme == "mysql" else "postgres"
    cursor.execute(f"DROP TABLE IF EXISTS {quote(engine, 'harbours')}")
    fill(cursor.execute, engine, "%s")
    connection.close()
    return server.address("harbours", PASSWORD)


FILES: dict[str, Callable[[Path], Path]] = {
    "CSV": in_csv,
    "SQLite": in_sqlite,
    "DuckDB": in_duckdb,
    "Parquet": in_parquet,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("databases")


@pytest.fixture(scope="module", params=[*FILES, "Postgres", "MariaDB"])
def address(request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of the same table, wherever it is kept."""
    if request.param in FILES:
        made = FILES[request.param](folder)
        return str(made)
    return in_server(request.getfixturevalue(request.param.lower()))


@pytest.fixture(scope="module")
def expected(folder: Path) -> Table:
    return read_table(in_csv(folder))


def test_the_same_table(address: str, expected: Table) -> None:
    found = read_table(address)
    assert found.columns == expected.columns
    assert [c.kind for c in found.columns] == [c.kind for c in expected.columns]
    if found.stored is not None:
        assert [column.name for column in found.stored.columns] == list(COLUMNS)
        assert [column.kind for column in found.stored.columns] == KINDS
        assert found.stored.name == ("harbours",)


def test_the_same_answers(address: str, expected: Table) -> None:
    """Programs of every operator give what they give on the CSV file."""
    found = read_table(address)
    outcomes = []

    @settings(max_examples=examples(200), database=None)
    @given(st.data())
    def same(data: st.DataObject) -> None:
        program = data.draw(programs(expected))
        previous = data.draw(answers(expected))
        wanted = outcome(lambda: execute(program, expected, previous))
        got = outcome(lambda: execute(program, found, previous))
        outcomes.append(wanted)
        assert type(got) is type(wanted)
        assert got == wanted if isinstance(wanted, str) else alike(got, wanted)

    same()
    assert len(outcomes) >= examples(200)
    assert sum(not isinstance(one, str) for one in outcomes) > len(outcomes) / 4


def alike(left: Denotation, right: Denotation) -> bool:
    """Say whether two denotations are equal but for the last bits of a sum."""
    if (left.rows, left.columns, left.groups) != (right.rows, right.columns, right.groups):
        return False
    if left.values is None or right.values is None:
        return left.values is right.values
    return left.values == pytest.approx(right.values, rel=1e-9, abs=1e-9, nan_ok=True)


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except DenotaError as error:
        return str(error)


# What only some engines have


@pytest.fixture
def shop(request: pytest.FixtureRequest) -> Iterator[tuple[Server, Any]]:
    server = request.getfixturevalue(request.param)
    connection = server.connect()
    yield server, connection.cursor()
    connection.close()


def test_moments_with_a_zone_are_shown_in_utc(postgres: Server, tmp_path: Path) -> None:
    cursor = postgres.connect().cursor()
    cursor.execute("DROP TABLE IF EXISTS moments")
    cursor.execute("CREATE TABLE moments (at TIMESTAMPTZ, local TIMESTAMP)")
    cursor.execute("INSERT INTO moments VALUES ('2024-05-17 08:00-05', '2024-05-17 08:00')")
    read = read_table(postgres.address("moments", PASSWORD))
    assert read["at"].text == ("2024-05-17 13:00:00+00:00",)
    assert read["local"].text == ("2024-05-17 08:00:00",)
    assert read.notes == ("the times of 'at' are shown in UTC",)
    with duckdb.connect(str(tmp_path / "m.duckdb")) as file:
        file.execute("SET TimeZone = 'America/New_York'")
        file.execute("CREATE TABLE moments AS SELECT TIMESTAMPTZ '2024-05-17 08:00-05' AS \"at\"")
        assert read_table(file, table="moments")["at"].text == read["at"].text
    opened = read_table(tmp_path / "m.duckdb")
    assert opened["at"].text == read["at"].text and opened.notes == read.notes


def test_timestamps_of_mariadb_are_shown_in_utc(mariadb: Server) -> None:
    """The server's own zone is five hours behind."""
    cursor = mariadb.connect().cursor()
    cursor.execute("DROP TABLE IF EXISTS moments")
    cursor.execute("CREATE TABLE moments (at TIMESTAMP, local DATETIME(3))")
    cursor.execute("INSERT INTO moments VALUES ('2024-05-17 08:00:00', '2024-05-17 08:00:00.250')")
    read = read_table(mariadb.address("moments", PASSWORD))
    assert read["at"].text == ("2024-05-17 13:00:00",)
    assert read["local"].text == ("2024-05-17 08:00:00.25",)
    assert read.notes == ("the times of 'at' are shown in UTC",)


def test_odd_types_of_postgres(postgres: Server) -> None:
    cursor = postgres.connect().cursor()
    cursor.execute("DROP TABLE IF EXISTS odd")
    cursor.execute(
        "CREATE TABLE odd (n NUMERIC, b BYTEA, j JSONB, a INT[], d DATE, t TIMESTAMP, "
        "i INTERVAL, m INET, f FLOAT8)"
    )
    cursor.execute(
        "INSERT INTO odd VALUES (0.1, 'ab', '{\"x\": 1.10}', '{1,NULL}', 'infinity', "
        "'0044-03-15 BC', '1 day 02:00', '10.0.0.1', 'NaN'), "
        "(12345678901234567890.123456789, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'Infinity')"
    )
    read = read_table(postgres.address("odd", PASSWORD))
    assert read.row(0) == (
        *("0.1", '"ab"', '{"x": 1.10}', "[1, null]", "infinity"),
        *("0044-03-15 00:00:00 BC", "1 day 02:00:00", "10.0.0.1", ""),
    )
    assert read.row(1) == ("12345678901234567890.123456789", *[""] * 7, "inf")


def test_odd_types_of_mariadb(mariadb: Server) -> None:
    cursor = mariadb.connect().cursor()
    cursor.execute("DROP TABLE IF EXISTS odd")
    cursor.execute("CREATE TABLE odd (b BLOB, j JSON, t TIME, y YEAR, d DATE, s SMALLINT(1))")
    cursor.execute("SET sql_mode = ''")
    cursor.execute(
        "INSERT INTO odd VALUES ('ab', '{\"x\": 1.10}', '-100:00:01', 1999, '0000-00-00', 1)"
    )
    read = read_table(mariadb.address("odd", PASSWORD))
    assert read.row(0) == ('"ab"', '{"x": 1.10}', "-100:00:01", "1999", "0000-00-00", "1")


def test_sqlite_keeps_what_it_is_given(tmp_path: Path) -> None:
    """A column may hold anything there; its kind is what it holds, and decimals are floats."""
    path = tmp_path / "any.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (n INTEGER, b BOOLEAN, d DECIMAL(5,2), x, w DATE)")
    connection.execute("INSERT INTO t VALUES ('many', 2, 1.50, x'6162', 20240517)")
    connection.execute("INSERT INTO t VALUES (7, 1, 2, 'ok', 20240518)")
    connection.commit()
    read = read_table(path)
    assert read.row(0) == ("many", "2", "1.5", '"ab"', "20240517")
    assert read.row(1) == ("7", "1", "2", "ok", "20240518")
    assert read.stored is not None
    kinds = [column.kind for column in read.stored.columns]
    assert kinds == ["other", "number", "number", "other", "number"]


def test_schemas_and_views(postgres: Server, tmp_path: Path) -> None:
    cursor = postgres.connect().cursor()
    for statement in (
        "DROP SCHEMA IF EXISTS north CASCADE",
        "CREATE SCHEMA north",
        'CREATE TABLE north."Odd ""name"" #1" (a INT)',
        'INSERT INTO north."Odd ""name"" #1" VALUES (3)',
        'CREATE VIEW north.seen AS SELECT a + 1 AS b FROM north."Odd ""name"" #1"',
        'CREATE MATERIALIZED VIEW north.kept AS SELECT a FROM north."Odd ""name"" #1"',
    ):
        cursor.execute(statement)
    read = read_table(postgres.address("north.seen", PASSWORD))
    assert (read.row(0), read.name) == (("4",), "seen")
    assert read.stored is not None and read.stored.name == ("north", "seen")
    assert read_table(postgres.address("KEPT", PASSWORD)).row(0) == ("3",)
    named = read_table(postgres.address("north.Odd%20%22name%22%20%231", PASSWORD))
    assert named.row(0) == ("3",)
    with duckdb.connect(str(tmp_path / "s.duckdb")) as file:
        file.execute("CREATE SCHEMA north; CREATE TABLE north.t AS SELECT 1 AS a")
        file.execute("CREATE TABLE t AS SELECT 2 AS a")
    path = tmp_path / "s.duckdb"
    assert read_table(f"{path}#north.t").row(0) == ("1",)
    assert read_table(f"{path}#t").row(0) == ("2",)


# Reading and nothing else

WRITES = [
    "INSERT INTO harbours (id) VALUES (9)",
    "DELETE FROM harbours",
    "DROP TABLE harbours",
    "CREATE TABLE more (a INT)",
]


def database(address: str) -> Source:
    opened = open_database(address)
    assert opened is not None
    return opened[0]


@pytest.mark.parametrize("statement", WRITES)
def test_nothing_can_be_written(address: str, expected: Table, statement: str) -> None:
    if open_database(address) is None:
        return  # a file of one table
    source = database(address)
    with pytest.raises(TableError):
        source.query(statement)
    source.close()
    assert read_table(address).columns == expected.columns


SLOW = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n",
    "duckdb": "SELECT count(*) FROM range(9999999999) a, range(99) b WHERE hash(a.range) % 7 = 9",
    "postgres": "SELECT pg_sleep(20)",
    "mysql": "SELECT COUNT(*) FROM seq_1_to_99999999 a, seq_1_to_999 b WHERE a.seq * b.seq = 0.5",
}


def test_a_statement_has_its_time(address: str) -> None:
    from denota.tables import duckdb_files, mysql, postgres, sqlite_files
    from denota.tables.address import is_remote, parse_address

    if not is_remote(address):
        opener = {".sqlite": sqlite_files.open_sqlite, ".duckdb": duckdb_files.open_duckdb}
        if Path(address).suffix not in opener:
            return
        source: Source = opener[Path(address).suffix](Path(address), 0.3)  # type: ignore[operator]
    elif address.startswith("mysql"):
        source = mysql.open_mysql(parse_address(address), 0.3)
    else:
        source = postgres.open_postgres(parse_address(address), 0.3)
    begun = time.monotonic()
    with pytest.raises(TableError, match="took longer"):
        source.query(SLOW[source.engine])
    assert time.monotonic() - begun < 10
    source.close()


def test_limits_are_checked_before_reading(address: str) -> None:
    with pytest.raises(TableError, match="the most that are read"):
        read_table(address, limits=Limits(cells=5 * len(COLUMNS)))
    with pytest.raises(TableError, match="at most 3 are read"):
        read_table(address, limits=Limits(columns=3))
    assert len(read_table(address, limits=Limits(cells=6 * len(COLUMNS)))) == 6


def test_a_table_that_changes_later_is_the_one_that_was_read(tmp_path: Path) -> None:
    path = in_sqlite(tmp_path)
    before = read_table(path)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM harbours")
    connection.commit()
    assert len(before) == 6 and before.cell(0, 1) == "Ærøskøbing"
    with pytest.raises(TableError, match="no rows"):
        read_table(path)


def test_a_server_that_goes_away(postgres: Server, mariadb: Server) -> None:
    """Another session ends ours in the middle of a statement."""
    for server, running, end in (
        (
            postgres,
            "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%%'",
            "SELECT pg_terminate_backend({})",
        ),
        (
            mariadb,
            "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%%'",
            "KILL {}",
        ),
    ):
        in_server(server)
        source = database(server.address(password=PASSWORD))
        said: list[str] = []

        def read(source: Source = source, said: list[str] = said) -> None:
            sleep = "pg_sleep(20)" if source.engine == "postgres" else "SLEEP(20)"
            try:
                source.query(f"SELECT {sleep}")
            except TableError as error:
                said.append(str(error))

        thread = threading.Thread(target=read)
        thread.start()
        cursor = server.connect().cursor()
        found: Any = None
        for _ in range(100):
            cursor.execute(running)
            found = cursor.fetchone()
            if found:
                break
            time.sleep(0.05)
        cursor.execute(end.format(found[0]))
        thread.join(15)
        assert len(said) == 1 and said[0].endswith("ended the connection; ask again"), said
        with pytest.raises(TableError):  # and the connection stays closed
            source.query("SELECT 1")


# Connections that people bring


def test_connections(postgres: Server, mariadb: Server, tmp_path: Path, expected: Table) -> None:
    import adbc_driver_postgresql.dbapi
    import sqlalchemy

    in_server(postgres), in_server(mariadb)
    lite = in_sqlite(tmp_path)
    duck = duckdb.connect(str(in_duckdb(tmp_path)))
    engine = sqlalchemy.create_engine(
        postgres.address(password=PASSWORD).replace("postgresql:", "postgresql+psycopg:")
    )
    brought = [
        sqlite3.connect(lite),
        duck,
        postgres.connect(),
        mariadb.connect(),
        adbc_driver_postgresql.dbapi.connect(postgres.address(password=PASSWORD)),
        sqlalchemy.create_engine(f"sqlite:///{lite}"),
        sqlalchemy.create_engine(
            mariadb.address(password=PASSWORD).replace("mysql:", "mysql+pymysql:")
        ),
        engine,
        engine.connect(),
    ]
    for connection in brought:
        assert read_table(connection, table="harbours").columns == expected.columns, connection
        with pytest.raises(TableError, match="no table 'nowhere'"):
            read_table(connection, table="nowhere")
    with postgres.connect() as connection:
        connection.execute('DROP TABLE IF EXISTS "a%s"; CREATE TABLE "a%s" AS SELECT 1 AS "b%%"')
    assert read_table(engine, table="a%s")["b%%"].text == ("1",)
    for connection in brought[-1:]:
        connection.close()
    assert read_table(duck.table("harbours")).columns == expected.columns
    duck.register("mine", pyarrow.table({"a": [1, 2]}))
    assert read_table(duck, table="mine")["a"].text == ("1", "2")


def test_a_connection_stays_as_it_is(postgres: Server) -> None:
    import psycopg

    in_server(postgres)
    with postgres.connect() as connection:
        connection.autocommit = False
        connection.row_factory = psycopg.rows.dict_row
        read_table(connection, table="harbours")
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        assert connection.execute("SHOW timezone").fetchone() == {"TimeZone": "America/New_York"}
        connection.execute("CREATE TEMP TABLE mine AS SELECT 1 AS a")  # it may still write
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    assert read_table(connection).row(0) == ("1",)
    connection.execute("INSERT INTO t VALUES (2)")


def test_a_value_of_python(tmp_path: Path) -> None:
    """Drivers give values of Python's types: each is the text that a frame would have."""
    from denota.tables.values import texts_of

    moment = datetime.datetime(2024, 5, 17, 13, 45, 0, 250000)
    values: list[Any] = [None, 1, 2.0, moment, datetime.date(2024, 5, 17), True]
    for value in values:
        array = pyarrow.chunked_array([[value, None]])
        assert texts_of(array) == texts_of((value, None))
