"""Any rectangle of text, written by the standard library, is read back exactly."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from denota import read_table
from denota.tables import Table
from strategies import rectangles

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "colon": ":", "space": " "}


def names(rows: list[list[str]]) -> list[str]:
    return [f"c{position}" for position in range(len(rows[0]))]


def back(table: Table) -> list[list[str]]:
    return [list(table.row(row)) for row in range(len(table))]


def written(rows: list[list[str]], **how: object) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, **how).writerows([names(rows), *rows])
    return file.getvalue().encode()


@pytest.mark.parametrize("delimiter", DELIMITERS.values(), ids=DELIMITERS.keys())
@given(rows=rectangles(), quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@example([["-"]], csv.QUOTE_MINIMAL)
@example([["---", ":--:"], ["1", "2"]], csv.QUOTE_MINIMAL)
@example([["", ""], ["", ""]], csv.QUOTE_MINIMAL)
@example([[""], [" "], ["x"]], csv.QUOTE_MINIMAL)
@example([["\ufeff"], ["\x1a"], ["\x1c"]], csv.QUOTE_ALL)
@example([["\x1f"], ["\x08"]], csv.QUOTE_MINIMAL)
@example([["\r"], ["\n"], ["\r\n"], ['"']], csv.QUOTE_MINIMAL)
def test_delimited_text_is_read_back(delimiter: str, rows: list[list[str]], quoting: int) -> None:
    data = written(rows, delimiter=delimiter, quoting=quoting)
    table = read_table(io.BytesIO(data), delimiter=delimiter, format="csv", tidy=False)
    assert list(table.names) == names(rows)
    assert back(table) == rows


@given(rows=rectangles())
def test_delimited_text_is_read_back_in_every_unicode_encoding(rows: list[list[str]]) -> None:
    text = written(rows).decode()
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
        table = read_table(
            io.BytesIO(text.encode(encoding)),
            encoding=encoding,
            delimiter=",",
            format="csv",
            tidy=False,
        )
        assert back(table) == rows


@given(rows=rectangles(), ascii=st.booleans(), lines=st.booleans(), packed=st.booleans())
@example([["\x85"], [""]], False, True, False)
@example([[""], ["\u2028"]], False, True, False)
def test_json_records_are_read_back(
    rows: list[list[str]], ascii: bool, lines: bool, packed: bool
) -> None:
    records = [dict(zip(names(rows), row, strict=True)) for row in rows]
    if lines:
        text = "\n".join(json.dumps(record, ensure_ascii=ascii) for record in records)
    else:
        text = json.dumps(records, ensure_ascii=ascii)
    data = gzip.compress(text.encode()) if packed else text.encode()
    table = read_table(io.BytesIO(data))
    assert list(table.names) == names(rows)
    assert back(table) == rows


@given(rows=rectangles())
def test_parquet_is_read_back(rows: list[list[str]]) -> None:
    columns = dict(zip(names(rows), map(list, zip(*rows, strict=True)), strict=True))
    pyarrow.parquet.write_table(pyarrow.table(columns), file := io.BytesIO())
    assert back(read_table(io.BytesIO(file.getvalue()))) == rows
    assert back(read_table(pyarrow.table(columns))) == rows


@given(rows=rectangles(), header=st.data())
def test_any_header_gives_distinct_names_and_leaves_the_cells_alone(
    rows: list[list[str]], header: st.DataObject
) -> None:
    wanted = header.draw(
        st.lists(
            st.sampled_from(["a", "A", "a (2)", "column 1", "b"]),
            min_size=len(rows[0]),
            max_size=len(rows[0]),
        )
    )
    table = Table.from_rows(wanted, rows)
    assert len(set(table.names)) == len(wanted)
    assert back(table) == rows
    for position, name in enumerate(wanted):
        if wanted.index(name) == position:
            assert table.names[position] == name
