"""SQL as it is shown, run on the file itself by the engine, gives the answer; this can fail."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from denota.evaluation.pasted import (
    duckdb_with,
    gives_the_answer,
    reads_alike,
    sqlite_with,
    write_csv,
    write_parquet,
)
from denota.programs.operators import AGGREGATES, COMPARES, STEPS, TESTS
from denota.programs.sql import Query, file_table_name, to_sql
from denota.programs.sql.kinds import kinds_of
from denota.programs.text import parse_program
from denota.tables import Table, read_table

EXPEDITIONS = Path(__file__).parents[2] / "examples" / "expeditions.csv"
PLAIN = [
    ["Name", "City", "Points", "Share", "Opened", "Seen", "Open", "Starts"],
    ["Ann", "Oslo", "12", "0.5", "1993-05-17", "2001-02-03 04:05:06", "yes", "10:30"],
    ["Bob", "", "", "-1.25", "2000-02-29", "2001-02-03 23:59:59", "no", "09:05"],
    ["Cyd", "Rome", "7", "1e3", "", "1999-12-31 00:00:01", "Yes", "23:59"],
]


def write(path: Path, rows: list[list[str]]) -> Table:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return read_table(path)


@pytest.mark.parametrize("operator", [*TESTS, *STEPS, *AGGREGATES, *COMPARES])
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_the_example_of_every_operator_gives_its_answer_on_the_file(
    operator: str, engine: str
) -> None:
    table = read_table(EXPEDITIONS)
    connection = duckdb_with(table, EXPEDITIONS) if engine == "duckdb" else sqlite_with(table)
    every = {**COMPARES, **AGGREGATES, **STEPS, **TESTS}
    before = to_sql(parse_program("SELECT Leader WHERE Ships = '1'"), table)
    query = to_sql(parse_program(every[operator].example), table, before)
    assert gives_the_answer(query, connection.execute(query.sql(engine)).fetchall())


def test_kinds_are_what_duckdb_makes_of_a_file(tmp_path: Path) -> None:
    table = write(tmp_path / "plain.csv", PLAIN)
    kinds = ("text", "text", "number", "number", "date", "timestamp", "boolean", "time")
    assert kinds_of(table) == kinds
    connection = duckdb_with(table, tmp_path / "plain.csv")
    assert reads_alike(table, connection.execute("FROM plain").fetchall())


@pytest.mark.parametrize("seed", range(12))
def test_kinds_of_random_files_are_what_duckdb_makes_of_them(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    cells = {
        "whole": ["1", "20", "-3", "0"],
        "decimal": ["1.5", ".5", "-2", "1e3"],
        "zeros": ["007", "12", "01"],
        "iso": ["1993-05-17", "2000-01-01"],
        "slashes": ["1993/05/17", "2000/1/1"],
        "day first": ["17/05/1993", "01/01/2000"],
        "month first": ["05/17/1993", "01/01/2000"],
        "dots": ["17.05.1993", "01.01.2000"],
        "moment": ["1993-05-17 12:00:00", "2000-01-01 01:02:03"],
        "time": ["10:30", "9:05", "23:59"],
        "truth": ["true", "false"],
        "thousands": ["1,234", "12"],
        "signs": ["$5", "$7.5"],
        "marked": ["1", "-", "3"],
        "words": ["a", "b c"],
    }
    chosen = draw.sample(sorted(cells), 6)
    lines = [[draw.choice([*cells[name], *cells[name], ""]) for name in chosen] for _ in range(9)]
    table = write(tmp_path / "drawn.csv", [[*chosen, "last"], *([*line, "x"] for line in lines)])
    connection = duckdb_with(table, tmp_path / "drawn.csv")
    types = [kind for _, kind, *_ in connection.execute("DESCRIBE drawn").fetchall()]
    amounts = {"BIGINT": "number", "DOUBLE": "number", "VARCHAR": "text"}
    assert [amounts.get(kind, kind.lower()) for kind in types] == list(kinds_of(table)), lines


def test_columns_without_a_name_of_their_own_are_called_as_duckdb_calls_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index.csv"
    table = write(
        path, [["", "Year", "Year", "year"], ["0", "1990", "5", "x"], ["1", "1991", "6", "y"]]
    )
    query = to_sql(
        parse_program("""SELECT "column 1", "Year (2)", year WHERE Year IS MAX"""), table
    )
    assert query.sql() == 'SELECT column0, Year_1, year_2 FROM "index" ORDER BY Year DESC LIMIT 1'
    assert duckdb_with(table, path).execute(query.sql()).fetchall() == [(1, 6, "y")]


def test_a_parquet_file_has_its_own_types(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "codes.parquet"
    pq.write_table(pa.table({"score": ["9", "10", "8"], "n": [1, 2, 3]}), path)
    table = read_table(path)
    assert kinds_of(table) == ("text", "number")
    query = to_sql(parse_program("SELECT n WHERE score IS MAX"), table)
    assert duckdb_with(table, path).execute(query.sql()).fetchall() == [(2,)]
    write_csv(table, tmp_path / "codes.csv")
    assert kinds_of(read_table(tmp_path / "codes.csv")) == ("number", "number")
    write_parquet(table, tmp_path / "other.parquet")
    assert kinds_of(read_table(tmp_path / "other.parquet")) == ("number", "number")


def asked(program: str, table: Table) -> Query:
    return to_sql(parse_program(program), table)


def test_a_wrong_result_is_told(tmp_path: Path) -> None:
    table = write(tmp_path / "plain.csv", PLAIN)
    cells = asked("SELECT Name, City WHERE Points IS NOT EMPTY", table)
    assert gives_the_answer(cells, [("Cyd", "Rome"), ("Ann", "Oslo")]), "in any order"
    for wrong in ([("Ann", "Oslo")], [("Ann", "Rome"), ("Cyd", "Oslo")], [("Ann", None)] * 2):
        assert not gives_the_answer(cells, wrong)
    total = asked("SUM (SELECT Points)", table)
    assert gives_the_answer(total, [(19,)]) and not gives_the_answer(total, [(20,)])
    assert not gives_the_answer(total, []) and not gives_the_answer(total, [(None,)])
    groups = asked("COUNT PER (SELECT City)", table)
    assert gives_the_answer(groups, [("Rome", 1), ("Oslo", 1)])
    assert not gives_the_answer(groups, [("Rome", 2), ("Oslo", 1)])
    assert not gives_the_answer(groups, [("Rome", 1), ("Oslo", 1), (None, 1)])


def test_it_is_plain_where_the_table_is(tmp_path: Path) -> None:
    table = write(tmp_path / "plain.csv", PLAIN)
    assert file_table_name(table) == "plain"
    for program, rest in {
        "SELECT Name WHERE Points > 10": "WHERE Points > 10",
        "SELECT Name WHERE Share IS MAX": "ORDER BY Share DESC LIMIT 1",
        "SELECT Name WHERE City = 'Oslo'": "WHERE City = 'Oslo'",
        "SELECT Name WHERE City != 'Oslo'": "WHERE (City <> 'Oslo' OR City IS NULL)",
        "SELECT Name WHERE Opened > DATE '1995'": "WHERE YEAR(Opened) > 1995",
        "SELECT Name WHERE Opened <= DATE '1993-05'": "WHERE Opened < '1993-06-01'",
        "SELECT Name WHERE Points IS EMPTY": "WHERE Points IS NULL",
        "SELECT Name WHERE FIRST ROWS 2": "LIMIT 2",
    }.items():
        assert asked(program, table).sql() == f"SELECT Name FROM plain {rest}"
    count = asked("COUNT (ROWS WHERE City = 'Oslo')", table)
    assert count.sql() == "SELECT COUNT(*) FROM plain WHERE City = 'Oslo'"
    average = asked("AVERAGE PER (SELECT Open, Share)", table)
    assert average.sql() == "SELECT Open, AVG(Share) FROM plain GROUP BY Open"
    later = to_sql(
        parse_program("FOLLOW-UP WHERE Share IS MIN"), table, asked("SELECT Name", table)
    )
    assert later.sql() == "SELECT Name FROM plain ORDER BY Share LIMIT 1"
