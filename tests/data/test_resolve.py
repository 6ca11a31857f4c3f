"""Text answers become cells only where the table leaves no choice."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data import resolve_answer
from denota.errors import DataError
from denota.tables.table import Table

MEDALS = Table.from_rows(
    ["Year", "Host", "Winner", "Medal", "Crowd"],
    [
        ["1996", "Oslo", "Ada Berg", "gold", "1,234"],
        ["2000", "Bergen", "Ben  Dahl", "gold", "950"],
        ["2004", "Århus", "Oslo", "silver", "12,000"],
        ["2008", "Voss", "Cora", "gold", "1996"],
    ],
)


@pytest.mark.parametrize(
    ("answer", "cells"),
    [
        (["Bergen"], {(1, 1)}),
        (["Voss", "Bergen"], {(1, 1), (3, 1)}),
        (["BERGEN"], {(1, 1)}),
        ([" ben dahl "], {(1, 2)}),
        (["A\u030arhus"], {(2, 1)}),
        (["gold", "gold", "gold"], {(0, 3), (1, 3), (3, 3)}),
        (["gold", "silver", "gold", "gold"], {(0, 3), (1, 3), (2, 3), (3, 3)}),
        ([1234], {(0, 4)}),
        (["1234"], {(0, 4)}),
        ([1234.0, "950"], {(0, 4), (1, 4)}),
        (["12,000"], {(2, 4)}),
        (["Ada Berg", "1996", "gold"], None),
        (["Cora", "2004"], {(3, 2), (2, 0)}),
        (["Oslo", "Bergen"], {(0, 1), (1, 1)}),
    ],
)
def test_what_an_answer_means(
    answer: list[str | int | float], cells: set[tuple[int, int]] | None
) -> None:
    if cells is None:
        with pytest.raises(DataError):
            resolve_answer(MEDALS, answer)
    else:
        assert resolve_answer(MEDALS, answer) == cells


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (["Oslo"], "in the columns 'Host' and 'Winner'; give \"cells\""),
        (["1996"], "in the columns 'Year' and 'Crowd'"),
        (
            ["gold"],
            "'gold' occurs 3 times in the column 'Medal' and the answer lists it once; .* list it 3 times",
        ),
        (["gold", "gold"], "occurs 3 times in the column 'Medal' and the answer lists it 2 times"),
        (["silver", "silver"], "'silver' occurs once in the table and the answer lists it 2 times"),
        (["Paris"], "'Paris' is not in the table"),
        (["Oslo", "Paris"], "'Paris' is not in the table"),
        (["Cora", "gold"], "'gold' occurs 3 times in the table"),
        ([77], "77 is not in the table"),
        ([10**400], "is not in the table"),
        (["1,234 km"], "is not in the table"),
        ([], "empty list"),
    ],
)
def test_what_is_refused_and_what_to_do(answer: list[str | int | float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        resolve_answer(MEDALS, answer)


def test_the_same_text_wins_over_a_looser_match() -> None:
    table = Table.from_rows(["a", "b"], [["Yes", "yes"], ["YES", "no"]])
    assert resolve_answer(table, ["YES"]) == {(1, 0)}
    assert resolve_answer(table, ["yes"]) == {(0, 1)}
    assert resolve_answer(table, ["Yes", "YES"]) == {(0, 0), (1, 0)}


def test_a_second_column_is_a_doubt_even_if_it_has_the_text_too_often() -> None:
    table = Table.from_rows(["gold", "silver"], [["1", "0"], ["0", "1"], ["2", "1"]])
    with pytest.raises(DataError, match="in the columns 'gold' and 'silver'"):
        resolve_answer(table, ["1"])
    assert resolve_answer(table, ["2", "1"]) == {(2, 0), (0, 0)}


def test_two_spellings_of_one_text_mean_two_cells() -> None:
    table = Table.from_rows(["a"], [["Oslo"], ["OSLO"], ["Voss"]])
    assert resolve_answer(table, ["Oslo", "oslo"]) == {(0, 0), (1, 0)}
    with pytest.raises(DataError, match="occurs 2 times"):
        resolve_answer(table, ["oslo"])


def test_numbers_agree_in_units_too() -> None:
    table = Table.from_rows(["name", "share"], [["a", "5%"], ["b", "7.5%"], ["c", "12%"]])
    assert resolve_answer(table, [7.5]) == resolve_answer(table, ["7.50 %"]) == {(1, 1)}
    with pytest.raises(DataError, match="not in the table"):
        resolve_answer(table, ["5 km"])


def test_empty_cells_can_be_an_answer() -> None:
    table = Table.from_rows(["a", "b"], [["x", ""], ["y", "z"]])
    assert resolve_answer(table, [""]) == {(0, 1)}


words = st.sampled_from(["red", "Red", "RED", "blue", "green "])
tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(words, min_size=width, max_size=width), min_size=1, max_size=5
    ).map(lambda rows: Table.from_rows([f"c{i}" for i in range(width)], rows))
)


@given(tables, st.lists(st.sampled_from(["red", "Red", "blue", "GREEN"]), min_size=1, max_size=4))
def test_resolved_cells_say_what_the_answer_says(table: Table, answer: list[str]) -> None:
    try:
        cells = resolve_answer(table, answer)
    except DataError:
        return
    said = Counter(table.cell(*cell).strip().casefold() for cell in cells)
    assert said == Counter(item.casefold() for item in answer)


@given(tables, st.data())
def test_all_cells_of_a_column_with_some_texts_resolve_to_themselves_or_are_refused(
    table: Table, data: st.DataObject
) -> None:
    column = data.draw(st.integers(0, table.shape[1] - 1))
    texts = data.draw(st.sets(st.sampled_from(sorted(set(table.columns[column].text))), min_size=1))
    meant = {(r, column) for r in range(len(table)) if table.cell(r, column) in texts}
    answer = [table.cell(*cell) for cell in meant]
    elsewhere = [
        c
        for c in range(table.shape[1])
        if c != column and not Counter(answer) - Counter(table.columns[c].text)
    ]
    if not elsewhere:
        assert resolve_answer(table, answer) == meant
