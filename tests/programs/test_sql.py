"""The SQL of a program, run by DuckDB, gives what the tree walk gives: turn after turn, whatever
names and cells say.
"""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from denota.errors import ProgramError
from denota.evaluation.pasted import gives_the_answer, sqlite_with
from denota.programs.denotation import Denotation
from denota.programs.execute import execute
from denota.programs.operators import TESTS
from denota.programs.space import program_space
from denota.programs.sql import Query, rows_query, to_sql
from denota.programs.sql.identifiers import column_names
from denota.programs.text import parse_program, print_program
from denota.programs.tree import Program, Test, Value, Word
from denota.tables import Column, Table
from denota.tokens import tokenise
from programs.database import Database
from programs.strategies import (
    NAMES,
    SPOKEN,
    TEXTS,
    answers,
    examples,
    programs,
    questions,
    table_of,
    tables,
)

DIALECTS = ("duckdb", "postgres", "mysql", "sqlite", "spark", "bigquery", "snowflake")


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
        query = to_sql(program, table, query, expected)
        found = database.fetch(query)
        assert gives_the_answer(query, found), (print_program(program), found, query.sql())
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
    query = to_sql(program, table, query_of(previous, table), expected)
    assert Database(table).gives(query), (text, query.sql(), expected)


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
        assert Database(table).gives(to_sql(program, table)), word


@settings(max_examples=examples(120))
@given(data=st.data())
def test_words_are_found_where_the_tokeniser_finds_them(data: st.DataObject) -> None:
    soup = st.text(st.sampled_from("ab19é.,-'\n 日"), max_size=10)
    cells = data.draw(st.lists(soup, min_size=1, max_size=6))
    words = sorted({word for cell in cells for word in tokenise(cell)} | {"1", "a"})
    table = table_of({"x": cells})
    word = data.draw(st.sampled_from(words))
    program = Program(("x",), where=Test("contains", "x", Word(word)))
    assert Database(table).gives(to_sql(program, table))


def test_every_hostile_value_is_only_a_value() -> None:
    cells = tuple(
        dict.fromkeys((*TEXTS, "\x1a", "\u2028", "\ufeff", "a\rb", "$$", "?", ":x", "@y", "\\'"))
    )
    table = Table((Column("x", cells), Column("place", tuple(f"p{i}" for i in range(len(cells))))))
    database = Database(table)
    for row, cell in enumerate(cells):
        one = to_sql(Program(("place",), where=Test("equal", "x", Value(cell))), table)
        assert database.fetch(one) == [(f"p{row}",)], cell
        other = to_sql(Program(("place",), where=Test("not_equal", "x", Value(cell))), table)
        places = {f"p{r}" for r in range(len(cells)) if r != row}
        assert {place for (place,) in database.fetch(other)} == places, cell


@pytest.mark.parametrize("name", [*NAMES, "x\0y", "*", "a" * 300, "x AS y", "/*", "*/", "$1", "?"])
def test_every_hostile_name_is_only_a_name(name: str) -> None:
    for cells in (("1", "2", "2"), ("May 1, 1993", "1993", "June 1994"), ("a", "b", "b")):
        table = Table((Column("other", ("x", "y", "z")), Column(name, cells)))
        for test in TESTS.values():
            if not test.has_column or test.takes or test.name == "same_value":
                continue
            program = Program((name, "other"), where=Test(test.name, name))
            assert Database(table).gives(to_sql(program, table)), test.name
        program = Program((name,), where=Test("equal", name, Value(cells[2])))
        later = Program((), "others", Test("same_value", "other"))
        query = to_sql(later, table, to_sql(program, table))
        assert Database(table).gives(query)


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
    assert Database(table).fetch(query) == [(2,)]
    assert Database(table).fetch(to_sql(then, table, query)) == [(1,)]


@given(table=tables())
def test_names_in_sql_are_all_different(table: Table) -> None:
    folded = [name.casefold() for name in column_names(table)]
    assert len(set(folded)) == len(folded)


def test_two_tables_of_one_name_do_not_meet() -> None:
    one, two = table_of({"x": ["1"]}), table_of({"x": ["1", "2", "3"]})
    databases = Database(one), Database(two)
    every = parse_program("SELECT x")
    for _ in range(2):
        assert databases[0].fetch(to_sql(every, one)) == [(1,)]
        assert databases[1].fetch(to_sql(every, two)) == [(1,), (2,), (3,)]


def strings(tree: exp.Expression) -> set[str]:
    """All but the forms of dates, which sqlglot reads into its own."""
    found = {node.this for node in tree.find_all(exp.Literal) if node.is_string}
    return {text for text in found if "YYYY" not in text and "%" not in text}


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
        text, tree = query.sql(dialect, pretty=pretty), query.tree(dialect)
        (read,) = sqlglot.parse(text, dialect=dialect)
        assert isinstance(read, exp.Query), text
        assert strings(tree) <= strings(read), text
        assert {one.casefold() for one in identifiers(tree)} <= {
            one.casefold() for one in identifiers(read)
        }, text


@settings(max_examples=examples(100))
@given(table=tables(), data=st.data())
def test_sqlite_gives_the_same(table: Table, data: st.DataObject) -> None:
    """SQLite knows neither regular expressions nor dates, so its SQL says more things otherwise."""
    previous = data.draw(answers(table))
    program = data.draw(programs(table, first=previous is None))
    try:
        query = to_sql(program, table, query_of(previous, table))
    except ProgramError:  # an aggregate of nothing, or of words
        return
    found = sqlite_with(table).execute(query.sql("sqlite")).fetchall()
    assert gives_the_answer(query, found), (print_program(program), found, query.sql("sqlite"))


def test_mapped_names_stay_apart_in_bigquery() -> None:
    table = table_of({"a.b": ["1", "2"], "a/b": ["2", "1"], "a_b": ["x", "y"]})
    query = to_sql(parse_program("""SELECT a_b, "a.b", "a/b" WHERE "a.b" = '1'"""), table)
    tree = sqlglot.parse_one(query.sql("bigquery"), dialect="bigquery")
    shown = [column.alias_or_name for column in tree.selects]
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
    assert Database(table).gives(query)
    named = {cte.alias for cte in query.tree().find_all(exp.CTE)}
    assert {node.name for node in query.tree().find_all(exp.Table)} <= {"table", *named}
    assert query.sql() == query.sql("duckdb")


@pytest.mark.parametrize(
    "turns",
    [
        ("SELECT City WHERE Year IS TOP 3", "SELECT City OF PREVIOUS WHERE City IS DISTINCT"),
        (
            "SELECT City WHERE Year IS TOP 3",
            "DIFFERENCE (SUM (SELECT n OF PREVIOUS WHERE City = 'Oslo' VERSUS City = 'Rome'))",
            "SELECT City OF PREVIOUS",
            "OTHERS",
        ),
        (
            "SELECT City WHERE FIRST ROWS 3",
            "SELECT City OF OTHERS",
            "SELECT n OF OTHERS WHERE City SAME AS PREVIOUS",
            "NEXT ROW",
        ),
        ("SELECT City WHERE Year IS MAX", "COUNT PER (SELECT City OF OTHERS)", "NEXT ROW"),
    ],
)  # fmt: skip
def test_what_is_cut_is_followed_up(turns: tuple[str, ...]) -> None:
    query, database = None, Database(SMALL)
    for text in turns:
        query = to_sql(parse_program(text), SMALL, query)
        assert database.gives(query), (text, query.sql())


def test_a_corrected_answer_is_followed_up_by_its_rows() -> None:
    table = SMALL
    query = rows_query((1, 3), ("City",), table)
    assert Database(table).fetch(query) == [("Rome",), ("Oslo",)]
    assert Database(table).fetch(rows_query((), ("City",), table)) == []
    later = to_sql(parse_program("FOLLOW-UP WHERE City = 'Oslo'"), table, query)
    assert later.answer == Denotation((3,), (0,)) and Database(table).gives(later)


def test_the_rows_of_an_empty_answer_are_counted() -> None:
    """An answer without cells has no columns either.

    The first column stands for the rows of the count.
    """
    table = table_of({"City": ["Oslo", "Rome"]})
    empty = Denotation((), ())
    program = parse_program("COUNT (SAME AS PREVIOUS)")
    query = to_sql(program, table, query_of(empty, table))
    assert query.answer == Denotation((), (0,), (0.0,)) and Database(table).gives(query)
