"""A date of a question finds the cells of that date, however the two are written."""

from __future__ import annotations

import re

import pytest

from denota.programs import language_of, print_program, program_space
from denota.programs.execute import execute
from denota.programs.sql import to_sql
from denota.tables import Table
from programs.database import Database

COLUMNS = {
    "ISO": ["2021-04-03", "2021-05-17", "2020-04-03"],
    "ISO with a time": ["2021-04-03 10:00", "2021-05-17 11:30", "2020-04-03 09:00"],
    "month first": ["4/3/2021", "5/17/2021", "4/3/2020"],
    "day first": ["03/04/2021", "17/05/2021", "03/04/2020"],
    "dots": ["03.04.2021", "17.05.2021", "03.04.2020"],
    "in words": ["3 April 2021", "17 May 2021", "3 April 2020"],
    "American": ["Apr 3, 2021", "May 17, 2021", "Apr 3, 2020"],
    "with dashes": ["3-Apr-21", "17-May-21", "3-Apr-20"],
}
STATED = re.compile(r"SELECT Name WHERE Left IS IN DATE '\d{4}-\d\d(?:-\d\d)?'")
DAYS = ["3 April 2021", "April 3rd, 2021", "2021-04-03", "03.04.2021", "2021/04/03", "3-Apr-2021"]
MONTHS = ["April 2021", "Apr 2021", "Apr-21", "04/2021"]


def found(question: str, cells: list[str]) -> set[tuple[int, ...]]:
    """The rows of the dates that programs compare a column with, in the executor and in SQL."""
    table = Table.from_rows(["Name", "Left"], [[f"n{n}", cell] for n, cell in enumerate(cells)])
    assert table["Left"].kind == "date"
    space = program_space(question, table, None, language_of("extended"))
    programs = [space.program(number) for number in range(len(space))]
    stated = [p for p in programs if STATED.fullmatch(print_program(p))]
    database = Database(table)
    rows = {execute(program, table).rows for program in stated}
    assert all(database.gives(to_sql(program, table)) for program in stated)
    database.close()
    return rows


@pytest.mark.parametrize("written", COLUMNS)
@pytest.mark.parametrize("day", DAYS)
def test_a_day_is_found(day: str, written: str) -> None:
    assert (0,) in found(f"who left on {day}?", COLUMNS[written])


@pytest.mark.parametrize("written", COLUMNS)
@pytest.mark.parametrize("month", MONTHS)
def test_a_month_is_found(month: str, written: str) -> None:
    assert (0,) in found(f"who left in {month}?", COLUMNS[written])


@pytest.mark.parametrize("month", MONTHS)
def test_a_month_is_found_among_months(month: str) -> None:
    assert (0,) in found(f"who left in {month}?", ["Apr-21", "May-21", "Apr-20"])


def test_figures_alone_are_read_as_the_column_is() -> None:
    for written, cells in COLUMNS.items():
        rows = found("who left on 4/3/2021?", cells)
        assert ((0,) in rows) == (written != "day first"), written
    assert (0,) in found("who left on 3/4/2021?", COLUMNS["day first"])
    assert (1,) in found("who left on 17/5/2021?", COLUMNS["ISO"])
