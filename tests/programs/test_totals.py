"""Rows that sum up others, told from rows of that name: in index, executor and SQL alike."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from denota.programs import parse_program
from denota.programs.execute import execute
from denota.programs.index import index_of, totals
from denota.programs.sql import to_sql
from denota.tables import Table
from programs.database import Database

CASES = [
    ("Town,Pop|Oslo,12|Moss,5|Total,17", [2]),
    ("Town,Pop|Total,17|Oslo,12|Moss,5", [0]),
    ("Town,Pop|Aalst,50|Total,20|Zele,90", []),
    ("Town,Pop|Aalst,50|Zele,90|Total,20", []),
    ("Company,Revenue|Shell,467|Total,240|Exxon,453", []),
    ("Player,Points,Games|Smith,20,3|Overall,15,4|Lee,30,5", []),
    ("Group,Mean|A,4.0|B,5.0|Overall,4.5", [2]),
    ("Year,Pop|2001,4|2002,5|Total,1", [2]),
    ("Eclipse,Width|Partial,40|Total,72|Total,92|Partial,80", []),
    ("Region,Pop|a,1|b,2|Subtotal,3|c,4|d,5|Subtotal,9|Grand total,12", [2, 5, 6]),
    ("Region,Pop,Area|a,1,4|b,2,5|Total North,3,9|c,4,7|d,5,2|Total South,9,9", [2, 5]),
    ("Film,Gross,Year|Total Recall,9,1990|Alien,4,1979|Heat,7,1995", []),
    ("Region,Pop|Africa,9|of which Chad,4|Asia,8|of which Laos,3|Total,17", [4]),
    ("Nation,Gold|A,2|B,1|Total,0", [2]),
    ("Name,Town|Ana,Oslo|Bo,Moss|Total,2 towns", [2]),
    ("State,Farms,Share|a,3,10%|b,4,20%|c,9,6%|Total in all states,16,12%", [3]),
    ("Quarter,Cost|Q1 2017,4|Q2 2017,5|Total 2017,9|Q1 2018,2|Q2 2018,5|Total 2018,7", [2, 5]),
    ("Land,Pop|a,1|b,2|Nord Ergebnis,3|c,4|d,5|Ost Ergebnis,9|Gesamtergebnis,12", [2, 5, 6]),
    ("Land,Pop|a,1|b,2|Noord totaal,3|c,4|d,5|Zuid totaal,9|Eindtotaal,12", [2, 5, 6]),
    ("Ville,Pop|a,1|b,2|Sous-total Nord,3|c,4|d,5|Sous-total Sud,9|Ensemble,12", [2, 5, 6]),
    ("Ciudad,Pop|a,1|b,2|c,4|Total general,7", [3]),
    ("Award,Won|Actor,3|Ensemble,2|Score,5|Film,1", []),
    (
        "Part,N|a,1|b,2|Total x,3|c,4|d,5|Total y,9|Total North,12|e,8|f,9|Total South,17",
        [2, 5, 6, 9],
    ),
    # shown by their numbers alone
    ("State,Pop,Cars|United States,1049,2010|A,310,420|B,221,770|C,518,820", [0]),
    ("State,Pop,Cars|A,310,420|B,221,770|C,518,820|,1049,2010", [3]),
    ("Town,Pop,Cars|A,310,420|Total,221,770|C,518,820|Total,1049,2010", [3]),
    ("A,Pop,Cars|a,310,42|b,221,77|c,518,82|N,1049,201|d,9,120|e,1,67|f,8,22|S,18,209", [3]),
    (
        "A,Pop,Cars|N,1049,2010|a,310,420|b,221,770|c,518,820|S,349,610|d,210,120|e,9,270|f,130,220",
        [0, 4],
    ),
    # shown by one column in two units, or by small numbers, which is chance
    ("Road,Km,Mi|A,3100,1926|B,2210,1373|C,5180,3219|D,10490,6518", []),
    ("Team,Won,Lost|A,1,2|B,0,1|C,2,1|D,3,4", []),
]


def table_of(written: str) -> Table:
    header, *rows = (line.split(",") for line in written.split("|"))
    return Table.from_rows(header, rows)


@pytest.mark.parametrize(("written", "expected"), CASES)
def test_totals_are_told_from_names(written: str, expected: list[int]) -> None:
    table = table_of(written)
    assert totals(table).nonzero()[0].tolist() == expected
    assert index_of(table).totals.tolist() == totals(table).tolist()
    program = parse_program(f"SELECT {table.names[0]} WITHOUT TOTALS")
    kept = tuple(row for row in range(len(table)) if row not in expected)
    assert execute(program, table).rows == kept
    database = Database(table)
    assert database.gives(to_sql(program, table))
    database.close()


@given(
    amounts=st.lists(st.tuples(*[st.integers(1, 10**6)] * 2), min_size=2, max_size=8),
    place=st.sampled_from(["first", "last"]),
)
def test_what_sums_up_is_found_wherever_it_stands(
    amounts: list[tuple[int, int]], place: str
) -> None:
    rows = [[f"t{n}", str(a), str(b)] for n, (a, b) in enumerate(amounts)]
    total = ["Total", *(str(sum(column)) for column in zip(*amounts, strict=True))]
    at = 0 if place == "first" else len(rows)
    table = Table.from_rows(["Town", "Men", "Women"], [*rows[:at], total, *rows[at:]])
    assert totals(table).nonzero()[0].tolist() == [at]


@given(
    amounts=st.lists(st.integers(10, 10**6), min_size=3, max_size=8, unique=True),
    own=st.integers(1, 9),
)
def test_what_is_less_than_every_other_sums_nothing_up(amounts: list[int], own: int) -> None:
    assume(own < min(amounts))
    rows = [*([f"t{n}", str(a)] for n, a in enumerate(amounts)), ["Total", str(own)]]
    assert not totals(Table.from_rows(["Town", "Pop"], rows)).any()


@given(
    numbers=st.lists(st.tuples(*[st.integers(1000, 1999)] * 2), min_size=4, max_size=12),
    names=st.sampled_from(["t{}", "Total {}"]),
)
def test_rows_that_sum_up_none_are_none(numbers: list[tuple[int, int]], names: str) -> None:
    """Numbers from 1000 to 1999 are each below the sum of any two of them."""
    rows = [[names.format(n), str(a), str(b)] for n, (a, b) in enumerate(numbers)]
    assert not totals(Table.from_rows(["Town", "Men", "Women"], rows)).any()


@given(
    blocks=st.lists(
        st.lists(st.tuples(*[st.integers(1000, 10**6)] * 2), min_size=3, max_size=5),
        min_size=2,
        max_size=4,
    ),
    first=st.booleans(),
)
def test_blocks_are_found_by_their_sums(blocks: list[list[tuple[int, int]]], first: bool) -> None:
    """Each block has a row of sums, in front of it or behind, that bears the name of a place."""
    rows: list[list[str]] = []
    expected = []
    for block in blocks:
        parts = [[f"t{len(rows) + n}", str(a), str(b)] for n, (a, b) in enumerate(block)]
        added = [f"p{len(rows)}", *(str(sum(column)) for column in zip(*block, strict=True))]
        expected.append(len(rows) + (0 if first else len(block)))
        rows += [added, *parts] if first else [*parts, added]
    men = [int(a) for _, a, _ in rows]
    women = [int(b) for _, _, b in rows]
    ratios = {round(a / b, 2) for a, b in zip(men, women, strict=True)}
    assume(len(ratios) == len(rows))  # else one column says what the other does
    found = totals(Table.from_rows(["Place", "Men", "Women"], rows)).nonzero()[0].tolist()
    assert found == expected
