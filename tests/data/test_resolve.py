"""An answer agrees with the cells beside it if each item is one of them and none is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data.answer import Item
from denota.data.resolve import CellIndex, agrees
from denota.tables.table import Cell, Table

MEDALS = Table.from_rows(
    ["Year", "Host", "Medal", "Crowd", "Share"],
    [
        ["1996", "Oslo", "gold", "1,234", "5%"],
        ["2000", "Ben  Dahl", "gold", "950", "7.5%"],
        ["2004", "Århus", "silver", "12,000", ""],
    ],
)


@pytest.mark.parametrize(
    ("answer", "cells", "agree"),
    [
        (["Oslo"], {(0, 1)}, True),
        (["OSLO"], {(0, 1)}, True),
        ([" ben dahl "], {(1, 1)}, True),
        (["A\u030arhus"], {(2, 1)}, True),
        (["gold", "gold"], {(0, 2), (1, 2)}, True),
        ([1234, "950"], {(0, 3), (1, 3)}, True),
        (["7.50 %"], {(1, 4)}, True),
        ([7.5], {(1, 4)}, True),
        ([""], {(2, 4)}, True),
        (["Oslo"], {(1, 1)}, False),
        (["gold"], {(0, 2), (1, 2)}, False),
        (["gold", "gold"], {(0, 2), (2, 2)}, False),
        (["Oslo", "gold"], {(0, 1)}, False),
        (["5 km"], {(0, 4)}, False),
        ([], {(0, 1)}, False),
    ],
)
def test_what_agrees(answer: list[Item], cells: set[Cell], agree: bool) -> None:
    assert agrees(CellIndex(MEDALS), answer, frozenset(cells)) == agree


words = st.sampled_from(["red", "Red", "RED", "blue", "green "])
tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(words, min_size=width, max_size=width), min_size=1, max_size=5
    ).map(lambda rows: Table.from_rows([f"c{i}" for i in range(width)], rows))
)


@given(tables, st.data())
def test_cells_agree_with_their_own_texts_however_written(
    table: Table, data: st.DataObject
) -> None:
    rows, columns = table.shape
    every = [(row, column) for row in range(rows) for column in range(columns)]
    cells = frozenset(data.draw(st.sets(st.sampled_from(every), min_size=1)))
    texts = [table.cell(*cell) for cell in cells]
    assert agrees(CellIndex(table), texts, cells)
    assert agrees(CellIndex(table), [text.upper() for text in texts], cells)
    assert not agrees(CellIndex(table), [*texts, "red"], cells)
