"""Columns that are read as text where someone says so, and what a table tells of its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from denota.errors import TableError
from denota.tables.inline import (
    inline_table,
    table_as_object,
    whole_inline_table,
    whole_table_as_object,
)
from denota.tables.io import read_table
from denota.tables.plain import read_plainly

TEXT = "Shop;Post code;Sales\nA;0150;10\nB;1530;9\n"


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    path = tmp_path / "shops.csv"
    path.write_text(TEXT)
    return path


def test_a_column_is_text_where_that_is_said_and_stays_so(shops: Path) -> None:
    found = read_table(shops)
    table = read_table(shops, text_columns=["Sales"])
    assert (found["Sales"].kind, table["Sales"].kind) == ("number", "text")
    assert table["Sales"].text == found["Sales"].text
    assert table != found, "what is worked out for one is not for the other"
    assert read_plainly(table)["Sales"].kind == "text"
    for written in (table_as_object(table), whole_table_as_object(table)):
        again = inline_table(json.loads(json.dumps(written)))
        assert again["Sales"].kind == "text" and again == table
    assert "text" not in table_as_object(found)
    assert read_table(table, text_columns=["Shop"])["Sales"].kind == "text"


def test_only_columns_that_are_there_can_be_text(shops: Path) -> None:
    with pytest.raises(TableError, match="no column 'sales'; it has 'Shop', 'Post code', 'Sales'"):
        read_table(shops, text_columns=["sales"])
    with pytest.raises(TableError, match='"text" must be a list'):
        inline_table({"columns": ["a"], "rows": [["1"]], "text": "a"})
    shop = Path(__file__).parents[2] / "examples" / "shop.sqlite"
    with pytest.raises(TableError, match="types from where it is kept"):
        read_table(f"{shop}#orders", text_columns=["id"])


def test_a_table_remembers_how_its_file_was_read(shops: Path) -> None:
    how = read_table(shops).how
    assert how is not None
    assert (how.format, how.delimiter, how.header) == ("csv", ";", 1)
    again = whole_inline_table(json.loads(json.dumps(whole_table_as_object(read_table(shops)))))
    assert again.how == how
    shops.write_text("Shops\n\n" + TEXT)
    titled = read_table(shops).how
    assert titled is not None and titled.header == 3
    asked = read_table(shops, header=titled.header)
    assert asked.names == ("Shop", "Post code", "Sales")
