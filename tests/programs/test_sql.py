"""The SQL of a program, run by DuckDB, gives what the tree walk gives: turn after turn, whatever
names and cells say.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
import sqlglot
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from denota import read_table
from denota.errors import ProgramError
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import TESTS
from denota.programs.space import program_space
from denota.programs.sql import Query, rows_query, sql_names, to_sql
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program, Test, Value, Word
from denota.tables import Column, Table
from denota.tokens import tokenise
from programs.database import Database, arrow_table
from programs.strategies import (
    NAMES,
    SPOKEN,
    TEXTS,
    alike,
    answers,
    examples,
    programs,
    questions,
    table_of,
    tables,
)

DIALECTS = ("duckdb", "postgres", "spark", "bigquery", "sqlite")


def query_of(answer: Denotation | None, table: Table) -> Query | None:
    """The query of an answer that no program gave."""
    if answer is None:
        return None
    return rows_query(answer.rows, [table.names[column] for column in answer.columns], table)


def converse(
    table: Table,
    previous: Denotation | None,
    turns: st.SearchStrategy[Program],
    data: st.DataObject,
) -> None:
    """Run a conversation both ways, each turn's SQL around that of the turn before."""
    database = Database(table)
    query = query_of(previous, table)
    for _ in range(data.draw(st.integers(2, 4), label="turns")):
        program = data.draw(turns(table, previous), label="program")
        try:
            expected = execute(program, table, previous)
        except ProgramError:  # a cell where there are several
            assume(False)
        query = to_sql(program, table, query)
        found = database.run(query)
        assert alike(found, expected), (print_program(program), found, expected, query.sql())
        previous = expected
    database.close()


@settings(max_examples=examples(70))
@given(table=tables(), data=st.data())
def test_conversations_of_the_space_run_alike(table: Table, data: st.DataObject) -> None:
    def turns(table: Table, previous: Denotation | None) -> st.SearchStrategy[Program]:
        space = program_space(data.draw(questions(table)), table, previous, SPOKEN["everything"])
        return st.integers(0, len(space) - 1).map(space.program)

    converse(table, data.draw(answers(table)), turns, data)


@settings(max_examples=examples(100))
@given(table=tables(), data=st.data())
def test_written_conversations_run_alike(table: Table, data: st.DataObject) -> None:
    def turns(table: Table, previous: Denotation | None) -> st.SearchStrategy[Program]:
        return programs(table, first=previous is None, aggregates=False)

    converse(table, data.draw(answers(table)), turns, data)


@settings(max_examples=examples(50))
@given(table=tables(max_columns=3), data=st.data())
def test_values_are_computed_alike(table: Table, data: st.DataObject) -> None:
    def turns(table: Table, previous: Denotation | None) -> st.SearchStrategy[Program]:
        return programs(table, first=previous is None, aggregates=True)

    converse(table, data.draw(answers(table)), turns, data)


def outcome(text: str, table: Table, previous: Denotation | None = None) -> None:
    """A program that can be written means the same both ways, or is refused in plain words."""
    try:
        program = parse_program(text)
        expected = execute(program, table, previous)
    except ProgramError:
        return
    found = Database(table).run(to_sql(program, table, query_of(previous, table)))
    assert alike(found, expected), (text, found, expected)


SMALL = table_of(
    {
        "City": ["Oslo", "Rome", "Paris", "Oslo"],
        "n": ["1", "2", "3", "-"],
        "Opened": ["May 17, 1993", "May 17", "1994", "-"],
        "Year": ["1993", "1994", "1995", "-"],
    }
)


@pytest.mark.parametrize(
    "condition",
    [
        *("n IS TOP 0", "n IS TOP -1", "n IS BOTTOM -2"),
        *("n IS TOP 1.5", "n IS TOP 1e999", "n IS TOP 1e20"),
        *("n IS MAX NUMBER 0", "n IS MAX NUMBER -1", "n IS MIN NUMBER 9", "n IS MIN NUMBER -1"),
        *("FIRST ROWS 0", "FIRST ROWS -1", "LAST ROWS 0"),
        *("LAST ROWS -1", "LAST ROWS 99", "FIRST ROWS 1e20"),
        *("n > 1e999", "n < -1e999", "n >= 1e308", "n < 1e-320", "n >= 99999999999999999999"),
        *("City > 5", "City IS MAX", "City IS ZERO"),
        *("Opened > 5", "n > DATE '1993'", "City > DATE '1993'"),
        *("Opened > DATE '1993-13'", "Opened > DATE '1993-02-31'"),
        *("Opened >= DATE '0000'", "Opened >= DATE '--00'"),
        *("Year >= DATE '--01'", "Year > DATE '1993-05'"),
        *("Year IS IN DATE '1994-01-01'", "Year >= DATE '--01-01'"),
        *("Opened >= DATE '--01'", "Opened IS IN DATE '--05-17'", "Opened IS IN DATE '0004'"),
        *("Year IS IN DECADE 0", "n IS IN DECADE 0"),
        *("Opened IS IN DECADE 0", "Opened IS IN DECADE 1"),
        *("Year IS IN DECADE 1985", "Year IS IN DECADE 1984.5"),
        *("Year IS IN DECADE 1990", "Year IS IN DECADE -5"),
        *("City CONTAINS ''", "City NOT CONTAINS ''"),
        *("City CONTAINS '-'", "City CONTAINS 'os lo'", "City = ''"),
        *("Opened CONTAINS 'may 17'", "Opened NOT CONTAINS 'may 17'"),
        *("Opened CONTAINS '17,'", "City CONTAINS '.*'"),
        *("n SAME AS PREVIOUS", "City SAME AS PREVIOUS", "n = '2.0'"),
        *("n != '2.0'", "n = '-'", "n != '-'"),
        *("Opened = '1993-05-17'", "Opened != '17 May 1993'"),
        *("Opened = '1 January 1994'", "Year = '1994.0'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", [None, Denotation((0, 3), (0,))], ids=["first", "later"])
def test_a_written_condition_means_the_same_both_ways_or_is_refused(
    condition: str, before: Denotation | None
) -> None:
    outcome(f"SELECT City WHERE {condition}", SMALL, before)
    if before is not None:
        outcome(f"FOLLOW-UP WHERE {condition}", SMALL, before)


@pytest.mark.parametrize("value", ["COUNT", "SUM", "AVERAGE", "SMALLEST", "LARGEST"])
@pytest.mark.parametrize(
    "columns", ["n", "City", "Opened", "Year", "n, Year", "City, n", "n, City"]
)
@pytest.mark.parametrize("condition", ["", " WHERE n > 7"], ids=["some", "none"])
def test_a_written_aggregate_means_the_same_both_ways_or_is_refused(
    value: str, columns: str, condition: str
) -> None:
    outcome(f"{value} (SELECT {columns}{condition})", SMALL)


@pytest.mark.parametrize("value", ["COUNT", "SUM"])
def test_an_aggregate_of_the_previous_columns_means_the_same_both_ways(value: str) -> None:
    for columns in ((0,), (1,), (1, 3), (0, 1)):
        outcome(f"{value} (SAME AS PREVIOUS)", SMALL, Denotation((0, 1), columns))


@pytest.mark.parametrize(
    ("cells", "condition"),
    [
        (["1e400", "3", "5"], "x = '1e400'"),
        (["1e400", "3", "5"], "x != '1e400'"),
        (["-1e400", "1e400", "5"], "x = '3'"),
        (["9 3/7", "3", "9.428571428571429"], "x = '9 3/7'"),
        (["0.1", "0.30000000000000004", "0.3"], "x = '0.30000000000000004'"),
        (["123456789012345678", "123456789012345679", "5"], "x = '123456789012345679'"),
        (["1e-7", "1e16", "-0"], "x = '-0'"),
        (["May 17, 1993 24:00", "May 18, 1993", "May 17, 1993"], "x IS IN DATE '1993-05-17'"),
        (["May 17, 1993 24:00", "May 18, 1993", "May 17, 1993"], "x > DATE '1993-05-17'"),
        (["May 17, 1993 24:00", "May 18, 1993", "May 17, 1993"], "x = 'May 18, 1993'"),
        (
            ["May 17, 1993 13:45:30.5", "May 17, 1993 13:45:30", "May"],
            "x = 'May 17, 1993 13:45:30'",
        ),
        (["0001-01-01", "9999-12-31", "1600-02-29"], "x IS MAX"),
    ],
)  # fmt: skip
def test_extreme_cells_mean_the_same_both_ways(cells: list[str], condition: str) -> None:
    outcome(f"SELECT x WHERE {condition}", table_of({"x": cells}))


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "SMALLEST", "LARGEST"])
@pytest.mark.parametrize(
    "cells",
    [
        *(["1e400", "-1e400", "3", "5"], ["1e308"] * 3, ["-1e308", "1e308", "1e308", "1e308"]),
        *(["0.1"] * 10, ["-0", "0"]),
    ],
)
def test_extreme_cells_are_summed_alike(aggregate: str, cells: list[str]) -> None:
    outcome(f"{aggregate} (SELECT x)", table_of({"x": cells}))


@pytest.mark.parametrize(
    "text", ["ΟΔΟΣ", "İstanbul", "ÉTÉ", "STRASSE", "Straße", "ẞ", "ŉ", "ǅ", "K"]
)
def test_words_are_found_in_any_case_of_any_script(text: str) -> None:
    table = table_of({"x": [text, f"a {text} b", text.lower(), text.upper(), "Oslo"]})
    for word in {*tokenise(text), *tokenise(text.upper())}:
        program = Program(("x",), where=Test("contains", "x", Word(word)))
        found = Database(table).run(to_sql(program, table))
        assert found == execute(program, table), word


@settings(max_examples=examples(120))
@given(data=st.data())
def test_words_are_found_where_the_tokeniser_finds_them(data: st.DataObject) -> None:
    soup = st.text(st.sampled_from("ab19é.,-'\n 日"), max_size=10)
    cells = data.draw(st.lists(soup, min_size=1, max_size=6))
    words = sorted({word for cell in cells for word in tokenise(cell)} | {"1", "a"})
    table = table_of({"x": cells})
    word = data.draw(st.sampled_from(words))
    program = Program(("x",), where=Test("contains", "x", Word(word)))
    assert Database(table).run(to_sql(program, table)) == execute(program, table)


def test_every_hostile_value_is_only_a_value() -> None:
    cells = tuple(
        dict.fromkeys((*TEXTS, "\x1a", "\u2028", "\ufeff", "a\rb", "$$", "?", ":x", "@y", "\\'"))
    )
    table = Table((Column("x", cells), Column("place", tuple(f"p{i}" for i in range(len(cells))))))
    database = Database(table)
    for row, cell in enumerate(cells):
        found = database.run(to_sql(Program(("x",), where=Test("equal", "x", Value(cell))), table))
        assert found.rows == (row,), cell
        other = to_sql(Program(("place",), where=Test("not_equal", "x", Value(cell))), table)
        assert database.run(other).rows == tuple(r for r in range(len(cells)) if r != row), cell


@pytest.mark.parametrize("name", [*NAMES, "x\0y", "*", "a" * 300, "x AS y", "/*", "*/", "$1", "?"])
def test_every_hostile_name_is_only_a_name(name: str) -> None:
    for cells in (("1", "2", "2"), ("May 1, 1993", "1993", "June 1994"), ("a", "b", "b")):
        table = Table((Column("other", ("x", "y", "z")), Column(name, cells)))
        for test in TESTS.values():
            if not test.has_column or test.takes or test.name == "same_value":
                continue
            program = Program((name, "other"), where=Test(test.name, name))
            found = Database(table).run(to_sql(program, table))
            assert found == execute(program, table), test.name
        program = Program((name,), where=Test("equal", name, Value(cells[2])))
        later = Program((), "others", Test("same_value", "other"))
        query = to_sql(later, table, to_sql(program, table))
        assert Database(table).run(query) == execute(later, table, execute(program, table))


@pytest.mark.parametrize(
    "name",
    [
        *(
            "scope",
            "Previous.csv",
            "before",
            "_row",
            "value",
            "information_schema",
            "duckdb_tables",
        ),
        *(
            "pg_tables",
            'a"b',
            "x;y",
            "it's",
            "",
            " ",
            ".hidden",
            "日本.csv",
            "two\nlines",
            "main.table.tsv",
        ),
    ],
)
def test_every_hostile_name_of_a_table_is_only_a_name(name: str) -> None:
    table = table_of({"x": ["1", "2"]}, name)
    first, then = parse_program("SELECT x WHERE x IS MAX"), parse_program("OTHERS WHERE x IS MIN")
    query = to_sql(first, table)
    assert Database(table).run(query).rows == (1,)
    assert Database(table).run(to_sql(then, table, query)).rows == (0,)


@given(table=tables())
def test_names_in_sql_are_all_different(table: Table) -> None:
    used = [name for typed, text in sql_names(table) for name in {typed, text}]
    folded = [name.casefold() for name in used]
    assert len(set(folded)) == len(folded)
    assert not {"_row", "scope", "previous"} & set(folded)


def test_two_tables_of_one_name_do_not_meet() -> None:
    one, two = table_of({"x": ["1"]}), table_of({"x": ["1", "2", "3"]})
    databases = Database(one), Database(two)
    every = parse_program("SELECT x")
    for _ in range(2):
        assert databases[0].run(to_sql(every, one)).rows == (0,)
        assert databases[1].run(to_sql(every, two)).rows == (0, 1, 2)


def strings(tree: exp.Expression) -> set[str]:
    return {node.this for node in tree.find_all(exp.Literal) if node.is_string}


def identifiers(tree: exp.Expression) -> set[str]:
    return {node.this for node in tree.find_all(exp.Identifier)}


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=examples(40))
@given(table=tables(max_columns=3), data=st.data())
def test_every_dialect_is_written_so_that_it_can_be_read(
    dialect: str, table: Table, data: st.DataObject
) -> None:
    previous = data.draw(answers(table))
    program = data.draw(programs(table, first=previous is None))
    try:
        query = to_sql(program, table, query_of(previous, table))
    except ProgramError:  # an aggregate of nothing, or of words
        return
    for pretty in (False, True):
        text = query.sql(dialect, pretty=pretty)
        (read,) = sqlglot.parse(text, dialect=dialect)
        assert isinstance(read, exp.Query), text
        assert strings(query.tree) <= strings(read), text
        if dialect != "bigquery":  # where names are mapped
            assert identifiers(query.tree) <= identifiers(read), text


@pytest.mark.parametrize("name", TESTS)
def test_sqlite_takes_what_is_written_for_it(name: str) -> None:
    table = read_table(Path(__file__).parent.parent.parent / "examples" / "expeditions.csv")
    connection = sqlite3.connect(":memory:")
    connection.create_function("REGEXP", 2, lambda pattern, text: bool(re.search(pattern, text)))
    arrow = arrow_table(table)
    columns = ", ".join('"{}"'.format(name.replace('"', '""')) for name in arrow.column_names)
    connection.execute(f'CREATE TABLE "expeditions" ({columns})')
    program = parse_program(TESTS[name].example)
    if name == "same_value":
        program = parse_program("SELECT Leader WHERE Leader SAME AS PREVIOUS")
    before = rows_query((1,), ("Leader",), table)
    for follows in (program, replace(program, scope="others")):
        connection.execute(to_sql(follows, table, before).sql("sqlite")).fetchall()


def test_mapped_names_stay_apart_in_bigquery() -> None:
    table = table_of({"a.b": ["1", "2"], "a/b": ["2", "1"], "a_b": ["x", "y"]})
    query = to_sql(parse_program("""SELECT a_b, "a.b", "a/b" WHERE "a.b" = '1'"""), table)
    tree = sqlglot.parse_one(query.sql("bigquery"), dialect="bigquery")
    _, *shown = [column.alias_or_name for column in tree.selects]
    assert len({name.casefold() for name in shown}) == 3, query.sql("bigquery")


def test_a_turn_stands_alone() -> None:
    """The text of the last turn needs nothing but the table."""
    table, query, previous = SMALL, None, None
    for text in (
        "SELECT City WHERE n IS NOT EMPTY",
        "FOLLOW-UP WHERE Year IS TOP 2",
        "SELECT Year OF OTHERS WHERE City IS DISTINCT",
        "SELECT City OF PREVIOUS",
    ):
        program = parse_program(text)
        query, previous = to_sql(program, table, query), execute(program, table, previous)
    assert query is not None and previous is not None
    assert Database(table).run(query) == previous
    assert {node.name for node in query.tree.find_all(exp.Table)} <= {"table", "scope", "previous"}
    assert query.sql() == query.sql("duckdb")


def test_a_corrected_answer_is_followed_up_by_its_rows() -> None:
    table = SMALL
    query = rows_query((1, 3), ("City",), table)
    assert Database(table).run(query) == Denotation((1, 3), (0,))
    assert Database(table).run(rows_query((), ("City",), table)) == Denotation((), (0,))
    later = to_sql(parse_program("FOLLOW-UP WHERE City = 'Oslo'"), table, query)
    assert Database(table).run(later) == Denotation((3,), (0,))


def test_the_rows_of_an_empty_answer_are_counted() -> None:
    """An answer without cells has no columns either.

    The first column stands for the rows of the count.
    """
    table = table_of({"City": ["Oslo", "Rome"]})
    empty = Denotation((), ())
    program = parse_program("COUNT (SAME AS PREVIOUS)")
    database = Database(table)
    found = database.run(to_sql(program, table, query_of(empty, table)))
    database.close()
    assert found == execute(program, table, empty) == Denotation((), (0,), (0.0,))
