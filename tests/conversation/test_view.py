"""Views of answers: what names a row, how numbers are written, counts, ties, what decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from denota import sample
from denota.conversation.naming import name_column
from denota.conversation.numerals import numeral, style_of
from denota.conversation.turn import declined_turn, pointed_turn, told_turn
from denota.conversation.view import MOST_EVIDENCE, MOST_ROWS, View, view_of
from denota.conversation.written import run_programs
from denota.programs.sql import rows_query
from denota.tables import Column, Table, read_table

EXPEDITIONS = Path(__file__).parents[2] / "examples" / "expeditions.csv"
ORDERS = Table.from_rows(
    ["order_id", "Customer", "Year", "Price", "Weight"],
    [
        ["1001", "Ada", "2021", "$1,200.50", "2.5 kg"],
        ["1002", "Bo", "2022", "$300.00", "12 kg"],
        ["1003", "Cai", "2022", "$300.00", "7.25 kg"],
        ["1004", "Di", "2023", "$49.99", "1 kg"],
    ],
    "orders.csv",
)


def view(program: str, table: Table = ORDERS) -> View:
    *_, turn = run_programs(table, program.split("; "))
    return view_of(turn)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("airports", "Airport"),
        ("auction-lots", "Object"),
        ("castles", "Castle"),
        ("chess-tournament", "Player"),
        ("concerts", "Date"),
        ("football-seasons", "Season"),
        ("marathon-results", "Runner"),
        ("medal-table", "Nation"),
        ("town-budget", "Department"),
        ("weather", "Month"),
    ],
)
def test_the_column_that_names_rows(table: str, name: str) -> None:
    read = sample.table(table)
    found = name_column(read)
    assert found is not None and read.names[found] == name


def test_an_id_names_rows_only_where_nothing_else_does() -> None:
    rows = [
        ["17", "a", "4"],
        ["18", "a", "4"],
        ["19", "b", "5"],
        ["20", "a", "4"],
        ["21", "b", "6"],
    ]
    assert name_column(Table.from_rows(["id", "kind", "size"], rows)) == 0
    assert name_column(Table.from_rows(["size", "kind", "other"], [r[::-1] for r in rows])) == 2
    assert name_column(Table.from_rows(["kind"], [["a"], ["a"], ["a"]])) is None
    assert name_column(Table.from_rows(["kind"], [])) is None


def test_the_name_stands_before_the_answer_and_what_decided_behind_it() -> None:
    found = view("SELECT Price WHERE Weight > 5")
    assert found.columns == ("Customer", "Price", "Weight")
    assert [row.cells for row in found.rows] == [
        ("Bo", "$300.00", "12 kg"),
        ("Cai", "$300.00", "7.25 kg"),
    ]
    assert [row.marked for row in found.rows] == [(False, True, False)] * 2
    assert found.evidence == ((1, 4), (2, 4))
    assert found.counts == (("$300.00", 2),) and found.headline == "$300.00"
    again = view("SELECT Customer WHERE Customer = 'Bo'")
    assert again.columns == ("Customer",), "the name is not repeated"


@pytest.mark.parametrize(
    ("program", "headline"),
    [
        ("SUM (SELECT Price)", "$1,850.49"),
        ("AVERAGE (SELECT Price)", "$462.62"),
        ("AVERAGE (SELECT Weight)", "5.69 kg"),
        ("LARGEST (SELECT Year)", "2023"),
        ("SELECT Year WHERE Customer = 'Ada'", "2021"),
        ("COUNT (ROWS WHERE Year = '2022')", "2 orders"),
        ("COUNT (ROWS WHERE Year = '2021')", "1 order"),
        ("COUNT DISTINCT (SELECT Year)", "3 years"),
        ("EXISTS (ROWS WHERE Year = '2021')", "Yes"),
        ("SHARE (COUNT (ROWS WHERE Year = '2022'))", "50%"),
        ("SELECT Customer", "4 customers"),
        ("SELECT Price, Weight", "4 orders"),
        ("SELECT Price, Weight WHERE Customer = 'Di'", "$49.99, 1 kg"),
        ("SELECT Customer WHERE Weight > 100", "nothing"),
    ],
)
def test_headlines(program: str, headline: str) -> None:
    turn = next(iter(run_programs(ORDERS, [program])))
    asked = turn if "COUNT" not in program else turn.__class__(**{**vars(turn), "question": "?"})
    assert view_of(asked).headline == headline


@pytest.mark.parametrize(
    ("cells", "value", "average", "written"),
    [
        (("12", "1,400"), 1234567.0, False, "1,234,567"),
        (("12", "15"), 13.4567, True, "13.5"),
        (("12", "15"), 13.0, True, "13"),
        (("1.234,50", "7,25"), 8180.5, False, "8.180,50"),
        (("1891", "1907", "1911"), 1907.0, False, "1907"),
        (("€ 3.40", "€ 2.10"), 5.5, False, "€ 5.50"),
        (("-$5", "$12"), -7.0, False, "-$7"),
        (("12%", "40%"), 26.5, True, "26.5%"),
        (("19:05:33", "23:49:05"), 3661.0, False, "1:01:01"),
        (("1:05.5", "2:10.25"), 195.75, False, "3:15.75"),
        (("$3.4 million", "$980,500"), 4380500.0, False, "$4,380,500"),
        (("3", "4"), 0.00012, True, "0.00012"),
        (("3", "4"), 1e20, False, "1e+20"),
        (("3", "4"), float("nan"), False, "none"),
    ],
)
def test_numbers_are_written_as_in_their_column(
    cells: tuple[str, ...], value: float, average: bool, written: str
) -> None:
    assert numeral(value, style_of(Column("Amount", cells)), average) == written


def test_long_answers_are_cut_and_counted() -> None:
    rows = [[f"Name {n}x", "ab"[n % 3 == 0]] for n in range(3000)]
    found = view("SELECT City WHERE Part = 'a'", Table.from_rows(["City", "Part"], rows, "towns"))
    assert (len(found.rows), found.total, found.headline) == (MOST_ROWS, 2000, "2,000 cities")
    assert len(found.evidence) == MOST_EVIDENCE and not found.counts
    parts = view("SELECT Part", Table.from_rows(["City", "Part"], rows, "towns"))
    assert parts.counts == (("a", 2000), ("b", 1000)) and parts.headline == "a, b"


def test_ties_are_said() -> None:
    assert view("SELECT Customer WHERE Year IS MAX").note == ""
    tied = Table.from_rows(["City", "People"], [["A", "5"], ["B", "9"], ["C", "9"], ["D", "9"]])
    assert view("SELECT City WHERE People IS MAX WITH TIES", tied).note == "3 are tied."
    top = view("SELECT City WHERE People IS TOP 2", tied)
    assert top.note == "One more is tied with the last." and top.total == 2
    assert view("SELECT City WHERE People IS TOP 3", tied).note == ""


def test_groups_are_in_order_with_a_plot() -> None:
    found = view("AVERAGE PER (SELECT Leader, Crew)", read_table(EXPEDITIONS))
    assert found.headline == "5 leaders, 19 to 90" and found.columns == ("Leader", "Average Crew")
    assert [row.cells[1] for row in found.rows] == ["90", "59.5", "54.5", "33.5", "19"]
    assert all(row.row is None for row in found.rows) and found.total == 5
    plot = found.plot
    assert plot is not None and (plot.kind, plot.title) == ("bar", "Average Crew by Leader")
    assert plot.values == (90, 59.5, 54.5, 33.5, 19) and plot.labels[0] == "Mirela Ionescu"
    years = view("SUM PER (SELECT Season, Cost)", read_table(EXPEDITIONS)).plot
    assert years is not None and years.kind == "line" and years.unit == "$"
    assert list(years.labels) == sorted(years.labels) and years.values[3] != years.values[3]


def test_plots_of_sums_superlatives_and_shares() -> None:
    total = view("SUM (SELECT Price)").plot
    assert total is not None and total.labels == ("Ada", "Bo", "Cai", "Di")
    assert total.values == (1200.5, 300, 300, 49.99) and total.unit == "$"
    best = view("SELECT Customer WHERE Price IS MAX").plot
    assert best is not None and best.marked == {0} and len(best.labels) == 4
    narrowed = view("SELECT Customer WHERE Weight > 2; FOLLOW-UP WHERE Price IS MAX").plot
    assert narrowed is not None and narrowed.labels == ("Ada", "Bo", "Cai")
    share = view("SHARE (COUNT (ROWS WHERE Year = '2022'))").plot
    assert share is not None and (share.kind, share.values) == ("share", (50, 50))
    assert share.labels == ("Year is 2022", "the rest")
    for plain in ("SELECT Customer WHERE Weight > 2", "COUNT (ROWS)", "LARGEST (SELECT Year)"):
        assert view(plain).plot is None, plain


def test_groups_that_were_chosen_from_are_drawn() -> None:
    table = read_table(EXPEDITIONS)
    crews = view("SELECT Leader THEN Leader HAS MOST Crew", table).plot
    assert crews is not None and crews.title == "Sum of Crew by Leader"
    assert crews.marked == {0} and crews.values[0] == max(crews.values) == 119
    rare = view("SELECT Leader THEN Leader IS LEAST COMMON", table).plot
    assert rare is not None and rare.values == (1, 1, 2, 2, 2) and rare.marked == {0, 1}


def test_many_repeated_values_are_counted_beside_their_rows() -> None:
    rows = [["abcdef"[n % 6] * 3, str(n)] for n in range(60)]
    found = view("SELECT Customer", Table.from_rows(["Customer", "n"], rows, "orders.csv"))
    assert found.headline == "6 customers in 60 orders" and found.counts[0] == ("aaa", 10)


def test_turns_without_a_program_have_a_view() -> None:
    assert view_of(declined_turn("why?", "I cannot say why.")) == View()
    query = rows_query((1,), ["Customer"], ORDERS)
    pointed = view_of(pointed_turn("who?", ORDERS, [(1, 1)], query, "Pointed at."))
    assert (pointed.headline, pointed.total, pointed.evidence) == ("Bo", 1, ())
    assert view_of(told_turn("how much?", ORDERS, (4.0,), "Told.")).headline == "4"
