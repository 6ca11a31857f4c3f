"""A table cannot be changed once it is read."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from denota import TableError
from denota.tables import Column, Dates, Table, read_table

TABLE = Table.from_rows(
    ["City", "People", "Founded", "Fair"],
    [
        ["Oslo", "709,037", "1048", "May 17, 1993"],
        ["Bergen", "n/a", "1070", "soon"],
        ["Hamar", "31,000", "1849", "-"],
    ],
)


@pytest.mark.parametrize(
    ("thing", "field"),
    [
        (TABLE, "name"),
        (TABLE, "columns"),
        (TABLE, "notes"),
        (TABLE["City"], "name"),
        (TABLE["City"], "text"),
        (TABLE["City"], "missing"),
        (TABLE["Fair"].dates, "year"),
        (TABLE["Fair"].dates, "known"),
    ],
)
def test_fields_cannot_be_assigned(thing: Any, field: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(thing, field, getattr(thing, field))


@pytest.mark.parametrize("name", TABLE.names)
def test_arrays_cannot_be_written(name: str) -> None:
    column = TABLE[name]
    dates = column.dates
    arrays = [column.numbers, column.missing, column.unread, column.codes]
    arrays += [dates.year, dates.month, dates.day, dates.seconds, dates.known, dates.order]
    for array in arrays:
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]


def test_views_have_the_types_they_promise() -> None:
    column = TABLE["People"]
    assert column.numbers.dtype == np.float64
    assert column.missing.dtype == column.unread.dtype == np.bool_
    assert isinstance(column.dates, Dates)
    assert isinstance(column.text, tuple) and isinstance(TABLE.columns, tuple)
    assert isinstance(TABLE.notes, tuple)


def test_a_table_is_addressed_by_name_position_and_cell() -> None:
    assert TABLE["People"] is TABLE[1] is TABLE.columns[1]
    assert TABLE.cell(2, 0) == "Hamar"
    assert TABLE.row(1) == ("Bergen", "n/a", "1070", "soon")
    assert (len(TABLE), TABLE.shape) == (3, (3, 4))
    with pytest.raises(TableError, match=r"'Mayor'.*'City'"):
        TABLE["Mayor"]


def test_tables_of_equal_columns_are_equal() -> None:
    again = Table.from_rows(TABLE.names, [TABLE.row(row) for row in range(len(TABLE))])
    assert again == TABLE
    assert Table.from_rows(["a"], [["1"]]) != Table.from_rows(["a"], [["2"]])
    assert read_table(TABLE) == TABLE


def test_columns_must_make_a_rectangle_with_distinct_names() -> None:
    with pytest.raises(TableError, match="length"):
        Table((Column("a", ("1",)), Column("b", ("1", "2"))))
    with pytest.raises(TableError, match="name"):
        Table((Column("a", ("1",)), Column("a", ("2",))))
