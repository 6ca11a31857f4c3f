"""Cells that only their column can tell: codes, years, marks, flags; and no cell costs too much."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import numpy as np
import pytest

from denota import read_table
from denota.data.answer import item_key
from denota.programs.operators.parts import PARTS
from denota.tables import Column
from denota.tables.body_rows import notes_below
from denota.tables.cell_text import normalise
from denota.tables.column_names import are_codes, says_codes, says_years
from denota.tables.dates import read_date
from denota.tables.grid import Grid, is_value
from denota.tables.header_names import without_marks
from denota.tables.inline import inline_table, table_as_object
from denota.tables.numbers import decimal_mark, read_number
from denota.tokens import tokenise

KINDS = [
    ("Agent", ["007", "012", "113"], "text"),
    ("Points", ["7", "12", "113"], "number"),
    ("Part no", ["00123", "00456", "TOTAL"], "text"),
    ("Num", ["001", "002", "003"], "number"),
    ("Minutes", ["00", "05", "12"], "number"),
    ("customerId", ["7", "12", "113"], "text"),
    ("ZIP code", ["99501", "10001"], "text"),
    ("Phone number", ["555-1234", "+47 22 33 44"], "text"),
    ("Phones sold", ["12", "15", "9"], "number"),
    ("Code length", ["12", "15", "9"], "number"),
    ("Code", ["1.5", "2.5", "3.5"], "number"),
]


@pytest.mark.parametrize(("name", "cells", "kind"), KINDS)
def test_codes_are_names_and_amounts_are_numbers(name: str, cells: list[str], kind: str) -> None:
    assert Column(name, tuple(cells)).kind == kind


@pytest.mark.parametrize("name", ["birthYear", "death_year", "Year", "yearOfDeath", "YEAR"])
def test_years_are_years_however_their_name_is_written(name: str) -> None:
    column = Column(name, ("1564", "1616", "", "1770"))
    assert column.unit == "year" and column.dates.year.tolist() == [1564, 1616, 0, 1770]
    assert Column("n", ("1564", "1616", "", "1770")).unit == ""


def test_a_mark_is_missing_unless_the_others_are_such_codes() -> None:
    states = Column("State", ("OH", "ND", "TX", "CA"))
    assert not states.missing.any()
    assert Column("Score", ("12", "ND", "14", "15")).missing.tolist() == [False, True, False, False]
    assert Column("Name", ("Ana", "NA", "Bo", "Ci")).missing.tolist() == [False, True, False, False]
    assert Column("Rate", ("1.5", ":", "2.5")).missing.tolist() == [False, True, False]
    assert not Column("Glyph", ("a", ":", "!")).missing.any()


NUMBERS = [
    (["12,814 r", "12,915", "12,495 p", "11,000"], [12814, 12915, 12495, 11000]),
    (["11.4 b", "83.0", "67.0 e"], [11.4, 83, 67]),
    (["3.0 p", "12.9 p"], [3, 12.9]),
    (["1\u2009234", "5\u202f678"], [1234, 5678]),
    (["1\u2019234\u2019567", "2'345"], [1234567, 2345]),
    (["1 234,5", "2 345,25"], [1234.5, 2345.25]),
    (["(1,234.50)", "200.10"], [-1234.5, 200.1]),
    (["1,234\u00b9", "567\u00b2", "89"], [1234, 567, 89]),
    (["12*", "13\u2020", "14[a]"], [12, 13, 14]),
]


@pytest.mark.parametrize(("cells", "values"), NUMBERS, ids=lambda x: str(x[0]))
def test_numbers_as_people_write_them(cells: list[str], values: list[float]) -> None:
    column = Column("n", tuple(cells))
    assert column.numbers.tolist() == values and not column.unread.any()


def test_a_thousand_is_told_by_the_other_columns() -> None:
    comma = read_table(io.BytesIO(b"Share;People\n12,5;1.234\n7,25;5.678\n"))
    assert comma["People"].numbers.tolist() == [1234, 5678]
    assert inline_table(table_as_object(comma))["People"].numbers.tolist() == [1234, 5678]
    point = read_table(io.BytesIO(b"Share;People;Rate\n12,5;1.234;0.5\n7,25;5.678;0.7\n"))
    assert point["People"].numbers.tolist() == [1.234, 5.678]
    words = read_table(io.BytesIO(b"Note;Time\nsee 1,2;1.234\nsee 3,4;5.678\n"))
    assert words["Time"].numbers.tolist() == [1.234, 5.678]


def test_letters_behind_most_numbers_are_no_flags() -> None:
    column = Column("Room", ("12 b", "13 c", "14 d", "15"))
    assert np.isnan(column.numbers[:3]).all()


DATES = [
    (["Q1 2020", "Q4 2021"], ["2020-01", "2021-10"]),
    (["2020-Q1", "2021 Q4"], ["2020-01", "2021-10"]),
    (["1Q20", "4Q21"], ["2020-01", "2021-10"]),
    (["Apr-21", "May-20"], ["2021-04", "2020-05"]),
    (["Apr '21", "May '20"], ["2021-04", "2020-05"]),
    (["03.04.2021", "17.05.2021"], ["2021-04-03", "2021-05-17"]),
    (["2021-W05", "2020-W53-7"], ["2021-02-01", "2021-01-03"]),
    (["31/12/2020", "01/02/2021"], ["2020-12-31", "2021-02-01"]),
]


@pytest.mark.parametrize(("cells", "dates"), DATES, ids=lambda x: str(x[0]))
def test_dates_as_people_write_them(cells: list[str], dates: list[str]) -> None:
    column = Column("When", tuple(cells))
    assert column.kind == "date"
    read = column.dates
    parts = zip(read.year.tolist(), read.month.tolist(), read.day.tolist(), strict=True)
    assert [f"{y}-{m:02d}" + (f"-{d:02d}" if d else "") for y, m, d in parts] == dates


def test_weeks_that_do_not_exist_are_no_dates() -> None:
    assert read_date("2021-W53") is None and read_date("2020-W00") is None
    assert read_date("Q5 2020") is None


def test_a_cell_longer_than_a_number_is_none() -> None:
    assert read_number("1" * 60) is not None and read_number("1" * 61) is None
    assert read_number("12 " + "x" * 60) is None


READERS: dict[str, Callable[[str], object]] = {
    "normalise": normalise,
    "read_number": read_number,
    "read_date": read_date,
    "decimal_mark": lambda text: decimal_mark([text]),
    "is_value": is_value.__wrapped__,
    "without_marks": without_marks,
    "says_codes": says_codes,
    "says_years": says_years,
    "are_codes": lambda text: are_codes("id", [text]),
    "column": lambda text: Column(text[:50], (text, "1")).kind,
    "notes_below": lambda text: notes_below(Grid([["a", "b"], [text]], [1, 2]), 2),
    "tokenise": tokenise.__wrapped__,
    "item_key": item_key,
    **{
        name: lambda text, pattern=pattern: __import__("re").search(pattern, text)
        for name, pattern in PARTS.items()
    },
}
PIECES = [
    " ",
    "1",
    ",",
    "1,",
    "1.",
    ", ",
    "(",
    ")",
    "(1",
    "[",
    "[a",
    "] ",
    " [",
    "1 ",
    "a",
    "a ",
    "-",
    "1-",
]
PIECES += ["'", "1'", ".", "\u00a0", "/", "1/", ":", "1:", "\u00b9", "=", "jan ", "q1", "*", "$"]


@pytest.mark.parametrize("reader", READERS)
def test_a_long_cell_costs_its_length_and_no_more(reader: str) -> None:
    """What is quadratic takes some 20 seconds for one of these; what is linear, milliseconds."""
    read = READERS[reader]
    began = time.process_time()
    for piece in PIECES:
        for ends in (("", ""), ("1", ""), (",", ""), ("[", "["), ("", "x"), ("x", "1")):
            read(ends[0] + piece * (40_000 // len(piece)) + ends[1])
    assert time.process_time() - began < 6
