"""A summary says of a column what its views say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.tables import Column
from denota.tables.summary import summarise
from strategies import odd_columns, plausible_columns, two_decimals


@given(cells=plausible_columns | odd_columns)
def test_counts_agree_with_the_views(cells: list[str]) -> None:
    column = Column("Value", tuple(cells))
    summary = summarise(column)
    assert (summary.name, summary.kind, summary.unit) == ("Value", column.kind, column.unit)
    assert summary.missing == column.missing.sum()
    present = {cell for cell, missing in zip(cells, column.missing, strict=True) if not missing}
    assert summary.distinct == len(present)
    assert summary.unread == tuple((row, cells[row]) for row in np.flatnonzero(column.unread))
    assert set(summary.missing_marks) == {cells[row] for row in np.flatnonzero(column.missing)}
    assert bool(summary.low) == bool(summary.high)


@pytest.mark.parametrize(
    ("name", "cells", "low", "high"),
    [
        ("Boats", ("48", "7", "n/a", "1,234"), "7", "1,234"),
        ("Cost", ("$5.2 million", "$640,000"), "$640,000", "$5,200,000"),
        ("Share", ("12%", "7.5%"), "7.5%", "12%"),
        ("Season", ("1993-94", "1891-92"), "1891", "1993"),
        ("Lap", ("1:23.45", "59.87", "1:02:03"), "0:59.87", "1:02:03"),
        ("Run", ("12 km", "-3 km"), "-3 km", "12 km"),
        ("Left", ("May 17, 1993", "June 3, 1891"), "3 June 1891", "17 May 1993"),
        ("Fair", ("17 May", "29 February"), "29 February", "17 May"),
        ("Month", ("May 1993", "June 1891"), "June 1891", "May 1993"),
        ("Leader", ("Bo", "Ana", "-"), "Ana", "Bo"),
        ("Nothing", ("", "-"), "", ""),
    ],
)
def test_ends_as_a_person_would_write_them(
    name: str, cells: tuple[str, ...], low: str, high: str
) -> None:
    summary = summarise(Column(name, cells))
    assert (summary.low, summary.high) == (low, high)


@given(values=st.lists(two_decimals, min_size=1, max_size=8))
def test_the_ends_are_the_least_and_the_greatest(values: list[float]) -> None:
    summary = summarise(Column("Value", tuple(f"{value:.2f}" for value in values)))
    ends = [float(end.replace(",", "")) for end in (summary.low, summary.high)]
    assert ends == pytest.approx([min(values), max(values)], rel=1e-9)
