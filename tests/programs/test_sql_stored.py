"""SQL of tables that live in a database: its names, its types, its dialect."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from denota.errors import ProgramError
from denota.programs.sql import to_sql
from denota.programs.sql.dialects import check_dialect
from denota.programs.sql.identifiers import needs_quotes
from denota.programs.text import parse_program
from denota.tables import Table
from denota.tables.stored import Engine, Stored, StoredColumn, StoredKind

ROWS = [
    ["Ann", "12", "1993-05-17", "10", "true"],
    ["Bob", "", "2000-02-29", "9", "false"],
    ["", "7", "", "8", "true"],
]
NAMES = ["Full name", "Points", "Opened", "Score", "Open"]
KINDS: tuple[StoredKind, ...] = ("text", "number", "date", "text", "boolean")


def stored(engine: Engine, *name: str) -> Table:
    table = Table.from_rows(NAMES, ROWS, "people")
    own = ("full_name", "Points", "opened", "score", "is_open")
    columns = tuple(StoredColumn(column, kind) for column, kind in zip(own, KINDS, strict=True))
    return replace(table, stored=Stored(engine, name or ("people",), columns))


def written(program: str, engine: Engine, *name: str) -> str:
    return to_sql(parse_program(program), stored(engine, *name)).sql()


def test_names_are_those_of_the_database() -> None:
    program = """SELECT "Full name" WHERE Points > 10"""
    assert written(program, "sqlite") == "SELECT full_name FROM people WHERE Points > 10"
    assert (
        written(program, "postgres", "Sales", "people")
        == 'SELECT full_name FROM "Sales".people WHERE "Points" > 10'
    )
    assert written(program, "mysql") == "SELECT full_name FROM people WHERE Points > 10"


def test_a_column_of_texts_is_read_even_if_they_are_digits() -> None:
    """In a file these cells would be numbers; the database says that they are texts."""
    table = stored("sqlite")
    query = to_sql(parse_program("""SELECT "Full name" WHERE Score IS MAX"""), table)
    assert "CAST(score AS REAL)" in query.sql()
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE people (full_name, Points NUMERIC, opened, score TEXT, is_open)"
    )
    rows = [[cell or None for cell in row[:4]] + [row[4] == "true"] for row in ROWS]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
    assert connection.execute(query.sql()).fetchall() == [("Ann",)], "10 is more than 9"
    empty = to_sql(parse_program("""SELECT Score WHERE "Full name" IS EMPTY"""), table)
    assert connection.execute(empty.sql()).fetchall() == [("8",)]
    opened = to_sql(parse_program("""SELECT Score WHERE Open = 'true'"""), table)
    assert connection.execute(opened.sql()).fetchall() == [("10",), ("8",)]
    year = to_sql(parse_program("SELECT Score WHERE Opened > DATE '1999'"), table)
    assert connection.execute(year.sql()).fetchall() == [("9",)]


def test_a_dialect_that_is_none_is_refused_in_a_sentence() -> None:
    assert check_dialect("PostgreSQL") == "postgres" and check_dialect("duckdb") == "duckdb"
    with pytest.raises(ProgramError, match="did you mean postgres"):
        check_dialect("postgis")


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
@pytest.mark.parametrize("name", ["select", "two words", "1st", "é", "a.b", ""])
def test_names_that_must_be_quoted_are(name: str, dialect: str) -> None:
    assert needs_quotes(name, dialect)


def test_rows_are_numbered_only_where_their_order_counts() -> None:
    table = Table.from_rows(
        ["Name", "n"], [["a", "1"], ["b", "3"], ["c", "3"], ["d", "2"]], "t.csv"
    )
    numbered = {
        "SELECT Name WHERE n IS MAX": True,  # two rows have the largest
        "SELECT Name WHERE n IS MIN": False,
        "SELECT Name WHERE n IS TOP 2": False,
        "SELECT Name WHERE n IS TOP 3": False,
        "SELECT Name WHERE n IS MAX NUMBER 2": True,
        "SELECT Name WHERE n IS MAX WITH TIES": False,
        "SELECT Name WHERE n IS MAX THEN ROW BEFORE": True,
        "SELECT Name WHERE FIRST ROW": False,
        "SELECT Name WHERE LAST ROW": True,
        "COUNT PER (SELECT n)": False,
    }
    for program, expected in numbered.items():
        sql = to_sql(parse_program(program), table).sql()
        assert ("row_number" in sql) is expected, sql
