"""Delimited text as people keep it: titles, units, notes, levels; what was assumed is said.

Each case is a clean table with some mess around it; what is read must be the clean table.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota import TableError, read_table
from denota.data import load_examples
from denota.tables import Table

CLEAN = "Town,Area,People\nOslo,454,709037\nMoss,64,50290\nBodø,1395,52560\n"
ROWS = [("Oslo", "454", "709037"), ("Moss", "64", "50290"), ("Bodø", "1395", "52560")]


def read(text: str, **how: object) -> Table:
    return read_table(io.BytesIO(text.encode()), name="towns.csv", **how)


def rows(table: Table) -> list[tuple[str, ...]]:
    return [table.row(row) for row in range(len(table))]


ABOVE = {
    "a title": "Towns of Norway\n",
    "two titles and a blank line": "Table 4\nTowns, by area\n\n",
    "a title with commas": "Towns of Norway, by area\n",
    "a quoted title": '"Towns of Norway, by area"\n',
    "titles as wide as the table": "Towns of Norway,,\n,,\n",
    "settings": "Report:,Towns\nDate:,2020-01-01\n\n",
    "settings as wide as the table": "Report:,Towns,\nDate:,2020-01-01,\n,,\n",
    "settings without colons": "Report,Towns,\nAuthor,Ann,\n",
    "blank lines": "\n\n,,\n",
    "the delimiter": "sep=,\n",
}
BELOW = {
    "a source": "Source: Statistics Norway\n",
    "a source with commas": "\nSource: Statistics Norway, table 1, 2020\n",
    "notes as wide as the table": "* provisional,,\nNote: without islands.,,\n",
    "a legend": "\nr = revised; p = provisional\n",
    "a remark that stands apart": "\nAll figures are rounded\n",
    "several": "\n1) islands\n2) more\n\nSource: Statistics Norway\nLast updated 2020-01-01\n",
}


@pytest.mark.parametrize("above", ABOVE)
def test_what_stands_above_is_left_out(above: str) -> None:
    table = read(ABOVE[above] + CLEAN)
    assert table.names == ("Town", "Area", "People") and rows(table) == ROWS
    lines = [line for line in ABOVE[above].splitlines() if line.strip(",") and "sep=" not in line]
    said = f"header in row {ABOVE[above].count(chr(10)) + 1}, {len(lines)} title line"
    assert not lines or any(note.startswith(said) for note in table.notes), table.notes


@pytest.mark.parametrize("below", BELOW)
def test_what_stands_below_is_left_out_and_quoted(below: str) -> None:
    table = read(CLEAN + BELOW[below])
    assert table.names == ("Town", "Area", "People") and rows(table) == ROWS
    assert any("below the table left out" in note for note in table.notes)


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("below", BELOW)
def test_both_at_once(above: str, below: str) -> None:
    table = read(ABOVE[above] + CLEAN + BELOW[below])
    assert table.names == ("Town", "Area", "People") and rows(table) == ROWS


@pytest.mark.parametrize("title", ["Towns, by area\n\n", "Towns\n"])
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_the_delimiter_is_that_of_the_table_and_not_of_its_title(
    title: str, delimiter: str
) -> None:
    table = read(title + CLEAN.replace(",", delimiter))
    assert table.names == ("Town", "Area", "People") and rows(table) == ROWS


UNITS = {
    "Town,Area,People\n,km²,\n": ("Town", "Area (km²)", "People"),
    "Town,Area,People\n,(km2),(persons)\n": ("Town", "Area (km2)", "People (persons)"),
    "Town,Area,People\n-,sq. km,thousand\n": ("Town", "Area (sq. km)", "People (thousand)"),
    "Town,Area,People\nname,[km2],[n]\n": ("Town", "Area (km2)", "People (n)"),
    "Town,Area (km2),People\n,km2,%\n": ("Town", "Area (km2)", "People (%)"),
    "Town,Area,People\n,million,2019=100\n": ("Town", "Area (million)", "People (2019=100)"),
    "Town,Area,People\n,PJ,µg/L\n": ("Town", "Area (PJ)", "People (µg/L)"),
    "Town,Area,People\n,NTU,FNU\n": ("Town", "Area (NTU)", "People (FNU)"),
    "Town,Area,People\n,,W/m²\n": ("Town", "Area", "People (W/m²)"),
    "Town,Area,People\n,1000 t,'000\n": ("Town", "Area (1000 t)", "People ('000)"),
    "Town,Area,People\nname,l/m2,m/s\n": ("Town", "Area (l/m2)", "People (m/s)"),
}


@pytest.mark.parametrize("header", UNITS)
def test_units_go_to_the_names(header: str) -> None:
    table = read(header + CLEAN.partition("\n")[2])
    assert table.names == UNITS[header] and rows(table) == ROWS
    assert "units in row 2 joined to the names" in table.notes


@pytest.mark.parametrize("first", ["Moss,12 km,3", "%,4,5", "km,1,2", "Oslo,n/a,m", "Oslo,x,%"])
def test_a_row_of_the_table_is_no_row_of_units(first: str) -> None:
    body = f"{first}\nOslo,x,709037\nMoss,y,50290\n"
    assert rows(read("Town,Area,People\n" + body))[0] == tuple(first.split(","))


@pytest.mark.parametrize("first", [",DNF,DNS", ",12,km", ",Withdrawn from the race,x", ",n/a,"])
def test_a_row_without_a_label_need_not_be_units(first: str) -> None:
    """A code stands below again, a value is none, and a sentence is no unit."""
    text = f"Town,Area,People\n{first}\nOslo,1,709037\nMoss,DNF,50290\nBodø,5,52560\n"
    assert rows(read(text))[0] == tuple(first.split(","))


PRICES = [("Spade", "24,90 €", ""), ("Hose", "1 254,00 €", "new"), ("Rake, red", "19,95 €", "")]


@pytest.mark.parametrize("above", ["", "Prices\n", "Prices, with tax\n\n", "Prices;;\n\n"])
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_commas_in_numbers_and_sentences_divide_nothing(above: str, delimiter: str) -> None:
    lines = [("Item", "Price", "Note"), *(tuple(filter(None, row)) for row in PRICES)]
    table = read(above.replace(";", delimiter) + "\n".join(map(delimiter.join, lines)) + "\n")
    assert table.names == ("Item", "Price", "Note") and rows(table) == PRICES
    assert table["Price"].numbers.tolist() == [24.9, 1254, 19.95]


@pytest.mark.parametrize(
    "text",
    ["Tags\nName,Tags,N\nAna,a;b;c,1\nBo,d;e;f,2\n", "Name,Tags,N\nAna,a;b;c,1\nBo,d;e;f,2\n"],
)
def test_commas_that_divide_every_line_are_the_delimiter(text: str) -> None:
    assert rows(read(text)) == [("Ana", "a;b;c", "1"), ("Bo", "d;e;f", "2")]


LINE = "+------+------+--------+\n"
DRAWN = "| Town | Area | People |\n"
CELLS = "| Oslo |  454 | 709037 |\n| Moss |   64 |  50290 |\n| Bodø | 1395 |  52560 |\n"
BARE = CELLS.replace("| O", "O").replace("| M", "M").replace("| B", "B").replace(" |\n", "\n")
FRAMES = {
    "a database's shell": LINE + DRAWN + LINE + CELLS + LINE + "3 rows in set (0.00 sec)\n",
    "another's": " Town | Area | People\n------+------+-------\n" + BARE + "(3 rows)\n",
    "Markdown": DRAWN + "|:--|--|:-:|\n" + CELLS,
    "a report": "Towns\n" + "-" * 24 + "\n" + DRAWN + "=" * 24 + "\n" + CELLS + "-" * 24 + "\n",
    "lines between rows": DRAWN + LINE + CELLS.replace("|\n", "|\n" + LINE),
    "an outline": DRAWN + "|------+------+--------|\n" + CELLS,
}


@pytest.mark.parametrize("frame", FRAMES)
def test_bars_and_dashes_around_a_table_are_left_out(frame: str) -> None:
    table = read(FRAMES[frame])
    assert table.names == ("Town", "Area", "People") and rows(table) == ROWS


BREAKS = {
    "titles": ("1.2.2021 Towns p. 1\n", "1.2.2021 Towns p. 2\nTown,Area,People\n"),
    "numbers of pages": ("", "Page 1 of 2\nTown,Area,People\n"),
    "numbers alone": ("Towns\n", "\nSeite 1\n\n"),
    "both": ("Towns\n", "- Page 1 -\n\nTowns\nTown,Area,People\n"),
}


@pytest.mark.parametrize("break_", BREAKS)
def test_breaks_between_pages_are_left_out(break_: str) -> None:
    above, between = BREAKS[break_]
    table = read(above + CLEAN.replace("Moss", between + "Moss"))
    assert table.names == ("Town", "Area", "People") and rows(table) == ROWS
    assert any(note.startswith("page lines in row") for note in table.notes)


def test_a_minus_may_stand_behind_amounts() -> None:
    text = "Account;Balance;Since\nA;1.234,50-;1998-\nB;20,00-;2001-2003\nC;7,25;2004-\n"
    table = read(text)
    assert table["Balance"].numbers.tolist() == [-1234.5, -20, 7.25]
    assert table["Since"].numbers.tolist() == [1998, 2001, 2004]  # a year that goes on
    hardness = read("Stone,Hardness\nOpal,5.5\nQuartz,7-\nTopaz,8\n")["Hardness"]
    assert hardness.numbers[0] == 5.5 and hardness.numbers[1] != -7  # 7 and more, or less


LEVELS = {
    "gaps": "Town,2019,,2020,\n,Male,Female,Male,Female\n",
    "the first name below": ",2019,,2020,\nTown,Male,Female,Male,Female\n",
    "repeated": "Town,2019,2019,2020,2020\nTown,Male,Female,Male,Female\n",
    "below a title": "People of Norway\n\n,2019,,2020,\nTown,Male,Female,Male,Female\n",
    "below a wide title": "People of Norway,,,,\n,2019,,2020,\nTown,Male,Female,Male,Female\n",
}


@pytest.mark.parametrize("header", LEVELS)
def test_levels_of_a_header_are_joined(header: str) -> None:
    table = read(LEVELS[header] + "Oslo,1,2,3,4\nMoss,5,6,7,8\n")
    assert table.names == ("Town", "2019 Male", "2019 Female", "2020 Male", "2020 Female")
    assert rows(table) == [("Oslo", "1", "2", "3", "4"), ("Moss", "5", "6", "7", "8")]
    assert any("header in rows" in note for note in table.notes)


def test_a_name_over_years_goes_to_each() -> None:
    table = read(",Population,,\nTown,2019,2020,2021\nOslo,10,20,30\nMoss,5,6,7\n")
    assert table.names == ("Town", "Population 2019", "Population 2020", "Population 2021")


def test_a_name_beside_the_groups_stands_alone() -> None:
    table = read("Town,2019,,2020,,Area\n,M,F,M,F,\nOslo,1,2,3,4,5\nMoss,5,6,7,8,9\n")
    assert table.names == ("Town", "2019 M", "2019 F", "2020 M", "2020 F", "Area")


@pytest.mark.parametrize(
    "text",
    [
        "Rank,,Points\n1,Ana,5\n2,Bo,6\n",
        ",Name,Age\n0,Ana,3\n1,Bo,4\n",
        "Name,,\nAna,Oslo,x\nBo,Moss,y\n",
        "Name,,Team\nAna,Smith,Oslo\nBo,Lee,Moss\n",
        "Country,2019,2020,2021\nA,1,2,3\nB,4,5,6\n",
        "a,a,b\nx,y,z\nu,v,w\n",
        "Town,Pop\nNorth,\nOslo,1\nSouth,\n",
        "Name,Note\nAna,Source: her\nBo,* new\n",
        "Name\nNote: one\nSource: two\n",
    ],
)
def test_a_table_with_holes_is_as_it_stands(text: str) -> None:
    table = read(text)
    assert rows(table) == rows(read(text, tidy=False))
    assert table.names == read(text, tidy=False).names


def test_the_row_of_the_header_can_be_given() -> None:
    text = "a,b\nc,d\n1,2\n"
    assert read(text).names == ("a", "b")
    assert read(text, header=2).names == ("c", "d")
    assert rows(read(text, header=2)) == [("1", "2")]
    with pytest.raises(TableError, match="row 9"):
        read(text, header=9)
    with pytest.raises(TableError, match="header"):
        read_table(io.BytesIO(b'[{"a": 1}]'), header=2)


@pytest.mark.parametrize(
    "text",
    [
        CLEAN.replace("\n", ",\n"),
        CLEAN.replace("\n", ",,,\n"),
        CLEAN.replace("People\n", "People,\n"),
        CLEAN.replace("\nMoss", ",\nMoss"),
        CLEAN.replace("Moss", "Town,Area,People\nMoss"),
        CLEAN.replace("Moss", "\n,,\nMoss"),
        CLEAN.replace("Area", '"Area [1]"').replace("People", '"People *"'),
        CLEAN.replace("Area", '"\nArea"').replace("People", "People†"),
        "\n".join("," + line for line in CLEAN.splitlines()),
        "\n".join(line.replace(",", ",,") for line in CLEAN.splitlines()),
    ],
)
def test_blank_repeated_and_marked_things_are_left_out(text: str) -> None:
    table = read(text)
    assert table.names == ("Town", "Area", "People") and rows(table) == ROWS


def test_a_row_that_ends_early_is_filled_where_its_cells_are_in_place() -> None:
    table = read(CLEAN + "Hamar,351\n")
    assert table.row(3) == ("Hamar", "351", "")
    assert "line 5 has 2 cells where the header has 3" in table.notes
    with pytest.raises(TableError, match="line 5"):
        read(CLEAN + "351,Hamar\n")  # a name among the areas
    with pytest.raises(TableError, match="line 5"):
        read(CLEAN + "Hamar\nMoss,1,2\n")


def test_labels_before_the_first_name_as_r_writes_them() -> None:
    table = read("Name,Age\n1,Ana,3\n2,Bo,4\n")
    assert table.names == ("column 1", "Name", "Age") and rows(table)[1] == ("2", "Bo", "4")


WORDS = st.text("abcdefgh", min_size=2, max_size=6)


@given(
    names=st.lists(WORDS, min_size=2, max_size=5, unique=True),
    count=st.integers(1, 5),
    title=st.lists(WORDS, min_size=2, max_size=4),
    blank=st.integers(0, 2),
    note=WORDS,
)
def test_a_title_and_a_note_change_nothing_but_the_notes(
    names: list[str], count: int, title: list[str], blank: int, note: str
) -> None:
    body = [
        [f"{name}{row}" for name in names[:1]] + ["7"] * (len(names) - 1) for row in range(count)
    ]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([names, *body])
    clean = file.getvalue()
    messy = " ".join(title) + "\n" * (blank + 1) + clean + f"\nNote: {note}\n"
    assert read(messy) == read(clean)
    assert read(clean).notes == () and len(read(messy).notes) >= 2


def test_tables_of_sqa_are_read_as_they_stand(sqa: Path) -> None:
    """Of all 982, those that change have a repeated header, a blank row or marks in their names."""
    loaded = {e.question.table.name: e.question.table for e in load_examples(sqa, "train").examples}
    changed = []
    for path in sorted((sqa / "table_csv").glob("*.csv")):
        plain = read_table(path, tidy=False)
        if path.name in loaded:
            assert loaded[path.name] == plain
        with path.open(encoding="utf-8", newline="") as file:
            lines = [row for row in csv.reader(file) if row]
        assert rows(plain) == [tuple(line) for line in lines[1:]]
        tidy = read_table(path)
        if tidy != plain:
            changed.append(path.name)
            again = len(lines) - 1 - len(tidy)
            assert again == sum(line == lines[0] or not any(line) for line in lines[1:])
            assert again or any("*" in name for name in lines[0])
    assert len(changed) <= 8
