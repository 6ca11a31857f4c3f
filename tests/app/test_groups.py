"""Values by group, and the group that has the most, asked of the shipped parser.

The answers were computed from the files by a few lines of plain Python, before there were rules
for such questions. `groups_later.tsv` was kept apart until then: 27 of its 28 were right at once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from denota.app.paths import load_run
from denota.conversation.chat import Chat
from denota.conversation.grouping import group_request
from denota.evaluation.pasted import duckdb_with, gives_the_answer
from denota.model.parser import Parser
from denota.programs.execute import execute
from denota.sample import path as sample_path
from denota.tables import Table, read_table
from parsers import picks_cells

ROOT = Path(__file__).parents[2]
SALES = Table.from_rows(
    ["Order", "Region", "Product group", "Revenue", "Date"],
    [
        ["A1", "North", "Lamps", "100", "2024-01-05"],
        ["A2", "South", "Lamps", "250", "2024-01-09"],
        ["A3", "North", "Chairs", "75", "2024-02-11"],
        ["A4", "West", "Chairs", "120", "2024-02-20"],
        ["A5", "South", "Desks", "300", "2024-03-02"],
    ],
)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load_run("default")


def path_of(name: str) -> Path:
    return ROOT / name if "/" in name else sample_path() / "tables" / name


@cache
def table_of(name: str) -> Table:
    return read_table(path_of(name))


def cases(file: str) -> list[list[str]]:
    text = (ROOT / "tests/fixtures" / file).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


def told(answer: str) -> dict[str, float | None]:
    """The groups of an answer with their values, None where the answer is the group."""
    found: dict[str, float | None] = {}
    for one in answer.split(" ; "):
        group, _, value = one.rpartition(": ")
        found[group or one] = float(value) if group else None
    return found


@pytest.mark.parametrize(
    ("name", "question", "answer"), [*cases("groups.tsv"), *cases("groups_later.tsv")]
)
def test_groups(parser: Parser, name: str, question: str, answer: str) -> None:
    turn = Chat(parser, table_of(name)).ask(question)
    wanted = told(answer)
    assert told(" ; ".join(turn.answer)) == pytest.approx(wanted, abs=1e-3), turn.program
    assert turn.kind == ("cells" if None in wanted.values() else "groups")
    connection = duckdb_with(table_of(name), path_of(name))
    assert turn.query is not None
    assert gives_the_answer(turn.query, connection.execute(turn.sql).fetchall()), turn.sql


@pytest.mark.parametrize("most", ["highest", "lowest"])
def test_of_the_largest_average_all_averages_are_told(parser: Parser, most: str) -> None:
    """No operator takes the largest average, and none that takes another group is in its place."""
    turn = Chat(parser, SALES).ask(f"which region has the {most} average revenue?")
    assert turn.values == (("North", 87.5), ("South", 275.0), ("West", 120.0)), turn.program


def test_each_value_is_of_its_own_rows(parser: Parser) -> None:
    """What is told of each group is what its rows alone are told to have."""
    turn = Chat(parser, SALES).ask("total revenue by region")
    for region, value in turn.values:  # type: ignore[misc]
        alone = Chat(parser, SALES).ask(f"what is the total revenue of the region {region}?")
        assert float(alone.answer[0]) == value, region


def test_groups_are_of_the_last_answer_only_if_the_question_says_so(parser: Parser) -> None:
    chat = Chat(parser, SALES)
    chat.ask("which orders are of the product group Lamps?")
    theirs = chat.ask("what is their total revenue per region?")
    assert theirs.values == (("North", 100.0), ("South", 250.0)) and theirs.scope == "previous"
    chat.ask("which orders are of the product group Lamps?")
    every = chat.ask("what is the total revenue per region?")
    assert every.values == (("North", 175.0), ("South", 550.0), ("West", 120.0))
    assert every.scope == "table"


def test_a_follow_up_changes_the_condition(parser: Parser) -> None:
    chat = Chat(parser, SALES)
    assert chat.ask("how many orders per region of the product group Lamps?").kind == "groups"
    assert chat.ask("and Chairs?").values == (("North", 1.0), ("West", 1.0))


def test_without_the_step_groups_are_declined() -> None:
    """A parser that picks cells has groups by that step alone."""
    assert Chat(picks_cells(), SALES).ask("total revenue by region").kind == "groups"
    turn = Chat(picks_cells(), SALES, without=("groups",)).ask("total revenue by region")
    assert turn.declined and "group" in turn.reason


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("total revenue by region", "Region"),
        ("revenue on average for each product group", "Product group"),
        ("average revenue per group", "Product group"),
        ("how many orders did every region have?", "Region"),
        ("how many orders are there in each area?", "Region"),
        ("by region, what is the total revenue?", "Region"),
        ("total revenue broken down by product group", "Product group"),
        ("what is each region's total revenue?", "Region"),
        ("most common region", "Region"),
        ("which region has the fewest orders?", "Region"),
        ("average revenue per order", ""),
        ("total revenue sorted by region", None),
        ("total revenue by region North", None),
        ("which region has the most revenue?", None),
        ("which orders are in each region?", None),
        ("who was it written by?", None),
        ("total revenue by night", None),
        ("show revenue by region", None),
    ],
)
def test_what_names_groups(question: str, column: str | None) -> None:
    """None where it is no question for groups, nothing where each row is one."""
    request = group_request(question, SALES)
    assert (request.group if request is not None else None) == column


@pytest.mark.parametrize(
    "question",
    [
        "total revenue by region",
        "which region has the most orders?",
        "which region has the largest total revenue?",
        "how much more revenue has A5 than A1?",
        "how many more orders does the North have than the West?",
    ],
)
def test_other_readings_can_be_taken(parser: Parser, question: str) -> None:
    """Each has a program that gives what it shows, the cells themselves among them."""
    chat = Chat(parser, SALES)
    turn = chat.ask(question)
    readings = [reading.turn for reading in chat.readings(30)]
    assert readings[0].program == turn.program and readings[0].answer == turn.answer
    assert len({one.program for one in readings}) == len(readings)
    for other in readings:
        assert other.tree is not None
        found = execute(other.tree, SALES)
        assert sorted(found.cells) == list(other.cells), other.program
        assert chat.choose(other.program).answer == other.answer


def test_a_column_that_says_total_is_added_up_by_group(parser: Parser) -> None:
    rows = [["Iain", "Hull", "£12.50"], ["Marta", "York", "£7.00"], ["Iain", "York", "£30"]]
    table = Table.from_rows(["Baker", "City", "Total price"], rows)
    turn = Chat(parser, table).ask("what is the total price for each baker?")
    assert turn.program == 'SUM PER (SELECT Baker, "Total price")'
    assert turn.values == (("Iain", 42.5), ("Marta", 7.0))
