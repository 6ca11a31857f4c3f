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
