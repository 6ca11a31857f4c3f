"""Workbooks as people keep them: covers, merged cells, tables that begin anywhere."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import openpyxl
import pytest

import processes
from denota import TableError, read_table
from denota.tables import Table

TOWNS = [["Town", "People"], ["Oslo", 709], ["Moss", 50]]
READ = (("Town", "People"), [("Oslo", "709"), ("Moss", "50")])


def book(**sheets: Sequence[Sequence[Any]]) -> openpyxl.Workbook:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title.replace("_", " "))
        for row in rows:
            sheet.append(row)
    return made


def saved(made: openpyxl.Workbook) -> io.BytesIO:
    file = io.BytesIO()
    made.save(file)
    return io.BytesIO(file.getvalue())


def contents(table: Table) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    return table.names, [table.row(row) for row in range(len(table))]


@pytest.mark.parametrize(
    ("title", "cover"),
    [
        ("Read me", [["Towns of Norway"], [], ["This workbook has one table."]]),
        ("Cover", [["Title", "Towns"], ["Date", "2020"]]),
        ("Contents", [["Sheet", "What", "Page"], ["Data", "Towns", 1], ["More", "x", 2]]),
        ("Sheet1", [["A workbook about the towns of Norway"], ["made by the office of towns"]]),
        ("Sheet1", []),
    ],
)
def test_the_first_sheet_that_holds_a_table_is_read(title: str, cover: list[list[Any]]) -> None:
    made = book(**{title: cover, "Data": TOWNS, "More": TOWNS[:2]})
    table = read_table(saved(made), name="towns.xlsx")
    assert contents(table) == READ
    assert f"sheet 2 of 3, 'Data'; the others are {title!r}, 'More'" in table.notes


def test_a_sheet_that_is_hidden_is_passed_over() -> None:
    made = book(Lists=TOWNS[:2], Data=TOWNS)
    made["Lists"].sheet_state = "hidden"
    assert contents(read_table(saved(made), name="towns.xlsx")) == READ
    assert len(read_table(saved(made), sheet="Lists")) == 1


def test_a_sheet_can_be_chosen_and_others_are_listed_where_none_is() -> None:
    made = book(Data=TOWNS, More=TOWNS[:2])
    assert read_table(saved(made), sheet="More").notes == ()
    assert read_table(saved(made)).notes == ("sheet 1 of 2, 'Data'; the others are 'More'",)
    with pytest.raises(TableError, match="'Data', 'More'"):
        read_table(saved(made), sheet="Nowhere")


def test_show_says_what_was_assumed(tmp_path: Any) -> None:
    path = tmp_path / "towns.xlsx"
    path.write_bytes(saved(book(Cover=[["Towns"]], Data=[["Towns of Norway"], [], *TOWNS])).read())
    run = processes.denota("show", str(path))
    assert "sheet 2 of 2, 'Data'; the others are 'Cover'." in run.stdout
    assert "header in row 3, 1 title line left out." in run.stdout
    run = processes.denota("show", str(path), "--json", "--header", "4")
    assert [column["name"] for column in json.loads(run.stdout)["columns"]] == ["Oslo", "709"]


def test_merged_headers_are_joined_over_their_columns_and_no_further() -> None:
    made = book(
        Data=[
            ["People by sex"],
            ["Town", "2019", None, "2020", None, "Remark"],
            [None, "Male", "Female", "Male", "Female"],
            ["Oslo", 1, 2, 3, 4, "x"],
            ["Moss", 5, 6, 7, 8, "y"],
        ]
    )
    for place in ("A1:F1", "B2:C2", "D2:E2", "A2:A3"):
        made["Data"].merge_cells(place)
    table = read_table(saved(made), name="towns.xlsx")
    assert table.names == ("Town", "2019 Male", "2019 Female", "2020 Male", "2020 Female", "Remark")
    assert [table.row(row)[0] for row in range(2)] == ["Oslo", "Moss"]


def test_a_cell_merged_over_rows_is_in_each_of_them() -> None:
    made = book(Data=[["Region", "Town"], ["North", "A"], [None, "B"], ["South", "C"]])
    made["Data"].merge_cells("A2:A3")
    assert read_table(saved(made), name="x.xlsx")["Region"].text == ("North", "North", "South")


@pytest.mark.parametrize(("down", "right"), [(0, 0), (3, 0), (0, 2), (4, 3)])
def test_a_table_may_begin_anywhere(down: int, right: int) -> None:
    rows: list[list[Any]] = [[]] * down + [[None] * right + row for row in TOWNS]
    rows += [[], [None] * right + ["Prices without tax, subject to change."]]
    rows = [[None] * right + ["Towns of Norway"], *rows]
    table = read_table(saved(book(Data=[[], *rows])), name="x.xlsx")
    assert contents(table)[0] == READ[0]
    if down or right:
        assert table.row(0) == ("Oslo", "709")


def test_a_number_shown_with_zeros_is_a_code() -> None:
    made = book(Data=[["Zip", "n"], [501, 1], [12345, 2]])
    for row in (2, 3):
        made["Data"].cell(row, 1).number_format = "00000"
    table = read_table(saved(made), name="x.xlsx")
    assert table["Zip"].text == ("00501", "12345") and table["Zip"].kind == "text"


def test_a_sheet_as_it_stands_has_all_its_columns() -> None:
    made = book(Data=[["Towns"], [], *TOWNS])
    table = read_table(saved(made), name="x.xlsx", tidy=False)
    assert table.names == ("Towns", "column 2") and table.row(1) == ("Oslo", "709")
