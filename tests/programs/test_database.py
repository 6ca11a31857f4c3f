"""SQL runs where nothing but the table can be reached, and no setting can change that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest
import sqlglot

from denota.programs.sql import Query, sql_names, to_sql
from denota.programs.text import parse_program
from programs.database import Database, arrow_table
from programs.strategies import table_of

TABLE = table_of(
    {"City": ["Oslo", "Rome"], "People": ["709,037", "n/a"], "Founded": ["May 1048", "-"]}
)


class Raw:
    """Text that pretends to be a query's tree, to run any SQL whatever."""

    def __init__(self, text: str) -> None:
        self.text = text

    def sql(self, *_: Any, **__: Any) -> str:
        return self.text


def run(text: str) -> Any:
    tree: Any = Raw(text)
    return Database(TABLE).run(Query(tree, tree, ("City",)))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.csv"
    path.write_text("_row\n1\n", encoding="utf-8")
    return path


READING = {
    "read_csv": "SELECT _row FROM read_csv('{file}')",
    "a file as a table": "SELECT _row FROM '{file}'",
    "read_text": "SELECT content FROM read_text('{file}')",
    "read_blob": "SELECT content FROM read_blob('{file}')",
    "read_json": "SELECT _row FROM read_json('{file}')",
    "glob": "SELECT file FROM glob('{folder}/*')",
    "sniff_csv": "SELECT Delimiter FROM sniff_csv('{file}')",
    "the accounts": "SELECT * FROM read_csv('/etc/passwd')",
    "the network": "SELECT * FROM 'https://example.org/secret.csv'",
    "another database": "ATTACH '{folder}/other.db'",
    "an extension": "INSTALL httpfs",
    "a loaded extension": "LOAD httpfs",
    "copying in": "COPY (SELECT 1) FROM '{file}'",
    "copying out": "COPY (SELECT 1) TO '{folder}/out.csv'",
    "exporting": "EXPORT DATABASE '{folder}/out'",
}


@pytest.mark.parametrize("how", READING)
def test_files_cannot_be_reached(how: str, secret: Path) -> None:
    with pytest.raises(duckdb.Error):
        run(READING[how].format(file=secret, folder=secret.parent))
    assert [path.name for path in secret.parent.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(
    "change",
    [
        *("SET enable_external_access = true", "RESET enable_external_access"),
        *("SET lock_configuration = false", "RESET lock_configuration", "SET threads = 4"),
        *("SET allowed_directories = ['/']", "SET allowed_paths = ['/etc/passwd']"),
        *("SET temp_directory = '/'", "SET python_enable_replacements = true"),
        *("PRAGMA enable_external_access = true", "SET allow_community_extensions = true"),
    ],
)
def test_the_configuration_is_locked(change: str) -> None:
    with pytest.raises(duckdb.Error):
        run(change)
    settings = "SELECT current_setting('enable_external_access') AS _row"
    assert run(settings).rows == (False,)
    assert run("SELECT current_setting('lock_configuration') AS _row").rows == (True,)


def test_variables_of_the_program_that_calls_cannot_be_reached() -> None:
    frame = pyarrow.table({"_row": [1, 2]})
    assert frame.num_rows == 2
    with pytest.raises(duckdb.Error):
        run("SELECT _row FROM frame")


def test_the_table_has_a_typed_column_a_column() -> None:
    arrow = arrow_table(TABLE)
    names = ["_row", "City", "People", "People (text)", "Founded", "Founded (text)"]
    assert arrow.column_names == names
    assert sql_names(TABLE) == (
        ("City", "City"),
        ("People", "People (text)"),
        ("Founded", "Founded (text)"),
    )
    columns = arrow.to_pydict()
    assert columns["_row"] == [0, 1]
    assert columns["People"] == [709037.0, None]
    assert columns["People (text)"] == ["709,037", "n/a"]
    assert columns["Founded"][0].year == 1048 and columns["Founded"][1] is None


def test_a_query_shows_the_text_of_cells() -> None:
    query = to_sql(parse_program("SELECT City, People"), TABLE)
    connection = duckdb.connect()
    connection.register("table", arrow_table(TABLE))
    rows = connection.execute(query.sql()).fetchall()
    assert rows == [(0, "Oslo", "709,037"), (1, "Rome", "n/a")]
    assert [column.alias_or_name for column in sqlglot.parse_one(query.sql()).selects] == [
        "_row",
        "City",
        "People",
    ]


def test_a_database_can_be_closed_before_and_after_it_was_used() -> None:
    unused, used = Database(TABLE), Database(TABLE)
    unused.close()
    used.run(to_sql(parse_program("SELECT City"), TABLE))
    used.close()
