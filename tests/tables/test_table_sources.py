"""The same table from everything people keep tables in."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from denota import TableError, read_table
from denota.tables import Table

NAMES = ["Harbour", "Boats", "Depth (m)", "Opened", "Remark"]
ROWS = [
    ["Ærøskøbing", 48, 2.5, datetime.date(1891, 5, 17), "shallow; ask first"],
    ["Porto Velho, old quay", 7, 12.25, datetime.date(1902, 7, 11), None],
    ['"The Hole"', 1234, 0.75, datetime.date(2001, 1, 1), "two\nlines | and a pipe\tand a tab"],
    ["東京", 0, 30.5, datetime.date(1999, 12, 31), "'quoted' & back\\slash"],
]
TEXTS = [tuple("" if cell is None else str(cell) for cell in row) for row in ROWS]

Maker = Callable[[Path], Any]


def delimited(suffix: str, delimiter: str, **how: Any) -> Maker:
    def make(folder: Path) -> Path:
        path = folder / f"harbours.{suffix}"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, **how)
            writer.writerow(NAMES)
            writer.writerows(TEXTS)
        return path

    return make


def json_text(lines: bool, ascii: bool = True) -> str:
    records = [
        dict(
            zip(
                NAMES,
                [c.isoformat() if isinstance(c, datetime.date) else c for c in row],
                strict=True,
            )
        )
        for row in ROWS
    ]
    if lines:
        return "\n".join(json.dumps(record, ensure_ascii=ascii) for record in records)
    return json.dumps(records, ensure_ascii=ascii, indent=1)


def written(name: str, content: Callable[[], str | bytes]) -> Maker:
    def make(folder: Path) -> Path:
        made = content()
        path = folder / name
        path.write_bytes(made.encode() if isinstance(made, str) else made)
        return path

    return make


def arrow() -> pyarrow.Table:
    return pyarrow.table(
        {name: list(cells) for name, cells in zip(NAMES, zip(*ROWS, strict=True), strict=True)}
    )


def parquet() -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(arrow(), file)
    return file.getvalue()


def excel() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Lighthouses"
    book.active.append(["Name"])
    book.active.append(["Far Point"])
    sheet = book.create_sheet("Harbours")
    for row in [NAMES, *ROWS]:
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def gzipped(make: Maker) -> Maker:
    def packed(folder: Path) -> Path:
        plain = make(folder)
        path = plain.with_name(plain.name + ".gz")
        path.write_bytes(gzip.compress(plain.read_bytes()))
        return path

    return packed


def frame() -> pandas.DataFrame:
    return pandas.DataFrame(
        {name: list(cells) for name, cells in zip(NAMES, zip(*ROWS, strict=True), strict=True)}
    )


def relation(folder: Path) -> duckdb.DuckDBPyRelation:
    harbours = arrow()
    connection = duckdb.connect()
    connection.register("harbours", harbours)
    return connection.sql('SELECT * FROM harbours WHERE "Boats" >= 0')


csv_file = delimited("csv", ",")
SOURCES: dict[str, Maker] = {
    "comma": csv_file,
    "comma, all quoted": delimited("csv", ",", quoting=csv.QUOTE_ALL),
    "comma, newline endings": delimited("csv", ",", lineterminator="\n"),
    "comma, return endings": delimited("csv", ",", lineterminator="\r", quoting=csv.QUOTE_ALL),
    "comma, no suffix": delimited("data", ","),
    "semicolon": delimited("csv", ";"),
    "tab": delimited("tsv", "\t"),
    "tab in a .txt": delimited("txt", "\t"),
    "tab in a .csv": delimited("csv", "\t"),
    "pipe": delimited("psv", "|"),
    "JSON records": written("harbours.json", lambda: json_text(lines=False)),
    "JSON records, unescaped": written(
        "harbours.json", lambda: json_text(lines=False, ascii=False)
    ),
    "JSON lines": written("harbours.jsonl", lambda: json_text(lines=True)),
    "JSON lines in a .json": written("harbours.json", lambda: json_text(lines=True, ascii=False)),
    "JSON without a suffix": written("harbours", lambda: json_text(lines=False)),
    "Parquet": written("harbours.parquet", parquet),
    "Parquet without a suffix": written("harbours", parquet),
    "gzipped comma": gzipped(csv_file),
    "gzipped tab": gzipped(delimited("tsv", "\t")),
    "gzipped JSON": gzipped(written("harbours.json", lambda: json_text(lines=False))),
    "gzipped JSON lines": gzipped(written("harbours.jsonl", lambda: json_text(lines=True))),
    "gzipped Parquet": gzipped(written("harbours.parquet", parquet)),
    "path as text": lambda folder: str(csv_file(folder)),
    "open file": lambda folder: csv_file(folder).open("rb"),
    "bytes in memory": lambda folder: io.BytesIO(csv_file(folder).read_bytes()),
    "pandas": lambda folder: frame(),
    "pandas with dates": lambda folder: frame().assign(
        Opened=pandas.to_datetime([r[3] for r in ROWS])
    ),
    "pandas, rows labelled": lambda folder: frame().set_axis([4, 2, 9, 7]),
    "pandas, rows picked": lambda folder: pandas.concat([frame()[2:], frame()[:2]]).loc[
        [0, 1, 2, 3]
    ],
    "pandas, Arrow types": lambda folder: frame().convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda folder: polars.DataFrame(ROWS, schema=NAMES, orient="row"),
    "Arrow": lambda folder: arrow(),
    "Arrow in chunks": lambda folder: pyarrow.concat_tables(
        [arrow().slice(0, 1), arrow().slice(1)]
    ),
    "DuckDB relation": relation,
    "table": lambda folder: read_table(csv_file(folder)),
}


def contents(table: Table) -> tuple[list[str], list[tuple[str, ...]]]:
    return list(table.names), [table.row(row) for row in range(len(table))]


@pytest.mark.parametrize("source", SOURCES)
def test_the_same_table_from_every_source(source: str, tmp_path: Path) -> None:
    table = read_table(SOURCES[source](tmp_path))
    assert contents(table) == (NAMES, TEXTS)
    assert table.shape == (4, 5)
    assert table.notes == ()
    assert [column.kind for column in table.columns] == ["text", "number", "number", "date", "text"]


@pytest.mark.parametrize("pack", [lambda make: make, gzipped], ids=["plain", "gzipped"])
def test_the_same_table_from_a_sheet_of_a_workbook(
    pack: Callable[[Maker], Maker], tmp_path: Path
) -> None:
    path = pack(written("harbours.xlsx", excel))(tmp_path)
    assert contents(read_table(path, sheet="Harbours")) == (NAMES, TEXTS)
    assert contents(read_table(path)) == (["Name"], [("Far Point",)])


@pytest.mark.parametrize("source", ["comma", "tab", "JSON lines", "Parquet", "gzipped comma"])
def test_the_same_table_from_a_pipe(source: str, tmp_path: Path) -> None:
    path = SOURCES[source](tmp_path)
    shown = [
        subprocess.run(
            [sys.executable, "-m", "denota", "show", name, "--json"],
            input=path.read_bytes(),
            capture_output=True,
            check=True,
            timeout=60,
        )
        for name in ("-", str(path))
    ]
    piped, direct = (json.loads(run.stdout) for run in shown)
    assert piped["columns"] == direct["columns"]
    assert [column["name"] for column in piped["columns"]] == NAMES


MARKDOWN = """\
| Harbour | Boats |
|---------|------:|
| Oslo    | 48    |
| Bergen  |       |
"""


@pytest.mark.parametrize("text", [MARKDOWN, MARKDOWN.replace("\n", "\r\n"), MARKDOWN.rstrip("\n")])
def test_a_markdown_table(text: str, tmp_path: Path) -> None:
    path = tmp_path / "harbours.md"
    path.write_bytes(text.encode())
    assert contents(read_table(path)) == (["Harbour", "Boats"], [("Oslo", "48"), ("Bergen", "")])


def test_a_framed_table_without_a_ruler(tmp_path: Path) -> None:
    path = tmp_path / "harbours.txt"
    path.write_text("| a | b |\n| 1 | 2 |\n| 3 | 4 |\n")
    assert contents(read_table(path)) == (["a", "b"], [("1", "2"), ("3", "4")])


def test_excel_cells_as_people_see_them(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["whole", "date", "moment", "share", "truth", "sum"])
    book.active.append(
        [
            12.0,
            datetime.date(1993, 5, 17),
            datetime.datetime(1993, 5, 17, 13, 45),
            0.1 + 0.2,
            True,
            "x",
        ]
    )
    book.save(path := tmp_path / "book.xlsx")
    table = read_table(path)
    assert table.cell(0, 0) == "12"
    assert table.cell(0, 1) == "1993-05-17"
    assert table["moment"].dates.seconds.tolist() == [49500]
    assert table["share"].numbers.tolist() == pytest.approx([0.3])
    assert table.cell(0, 4).lower() == "true"


def test_excel_rows_and_columns_that_are_only_formatting_are_not_there(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["a", "b"], [1, 2], [3, 4]):
        sheet.append(row)
    sheet.cell(20, 9).font = openpyxl.styles.Font(bold=True)
    book.save(path := tmp_path / "book.xlsx")
    assert contents(read_table(path)) == (["a", "b"], [("1", "2"), ("3", "4")])


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        (["w", "x", "y", "z"], True),
        ([2001, 2002, 2003, 2004], True),
        ([1, 1, 2, 2], True),
        ([0.5, 1.5, 2.5, 3.5], True),
        (list(pandas.to_datetime(["2001-01-01"] * 4)), True),
        ([0, 1, 2, 3], False),
        ([9, 4, 2, 7], False),
    ],
)
def test_row_labels_are_kept_unless_they_are_positions(labels: list[Any], kept: bool) -> None:
    table = read_table(frame().set_axis(labels))
    assert contents(read_table(frame()))[0] == list(table.names[kept:])
    if kept:
        assert table.names[0] == "index"
        assert read_table(frame().set_axis(labels).rename_axis("id")).names[0] == "id"


def test_two_levels_of_row_labels_are_two_columns() -> None:
    levels = pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    table = read_table(frame().set_axis(levels))
    assert table.columns[0].text == ("a", "a", "b", "b")
    assert table.columns[1].text == ("1", "2", "1", "2")


def test_whole_numbers_beside_missing_ones_stay_whole_in_a_frame() -> None:
    values = [1, None, 1_000_000]
    for source in (
        pandas.DataFrame({"n": pandas.array(values, dtype="Int64")}),
        polars.DataFrame({"n": values}),
        pyarrow.table({"n": values}),
    ):
        assert read_table(source)["n"].text == ("1", "", "1000000")
    assert read_table(pandas.DataFrame({"n": values}))["n"].numbers[[0, 2]].tolist() == [
        1,
        1_000_000,
    ]


ODD_FRAMES: dict[str, Callable[[], Any]] = {
    "numbers for names": lambda: pandas.DataFrame([[1, 2], [3, 4]]),
    "one name twice": lambda: pandas.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
    "two rows of names": lambda: pandas.DataFrame(
        [[1, 2], [3, 4]], columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    ),
    "categories": lambda: pandas.DataFrame({"a": pandas.Categorical(["x", "y"]), "b": [1, 2]}),
    "objects": lambda: pandas.DataFrame({"a": [{1}, object()], "b": [b"x", complex(1, 2)]}),
    "mixed": lambda: pandas.DataFrame({"a": [1, "x"], "b": [None, datetime.date(2001, 1, 1)]}),
    "time zones": lambda: pandas.DataFrame(
        {
            "a": pandas.to_datetime(["2001-01-01T00:00+02:00"] * 2, utc=True),
            "b": pandas.to_timedelta([1, 2], "s"),
        }
    ),
    "lists": lambda: polars.DataFrame({"a": [[1, 2], [3]], "b": [{"x": 1}, {"x": 2}]}),
    "decimals": lambda: duckdb.sql(
        "SELECT 1.10::DECIMAL(9,2) AS a, 'x' AS b UNION ALL SELECT 2, 'y'"
    ),
    "intervals": lambda: duckdb.sql(
        "SELECT INTERVAL 3 DAYS AS a, [1, 2] AS b UNION ALL SELECT NULL, NULL"
    ),
    "infinite": lambda: pandas.DataFrame({"a": [float("inf"), float("nan")], "b": [1, 2]}),
}


@pytest.mark.parametrize("odd", ODD_FRAMES)
def test_odd_frames_are_read_or_refused_in_a_sentence(odd: str) -> None:
    try:
        table = read_table(ODD_FRAMES[odd]())
    except TableError as error:
        assert "\n" not in str(error)
    else:
        assert table.shape == (2, 2)
        assert len(set(table.names)) == 2 and all(table.names)
        assert not any(column.numbers.shape != (2,) for column in table.columns)


@pytest.mark.parametrize("thing", [12, None, ["a", "b"]], ids=repr)
def test_what_is_no_table_is_refused_in_a_sentence(thing: Any) -> None:
    with pytest.raises(TableError) as caught:
        read_table(thing)
    assert "\n" not in str(caught.value)


def test_json_records_with_different_keys(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"a": 1, "b": "x"}, {"b": "y", "c": 2.50}, {"a": null}]')
    table = read_table(path)
    assert contents(table) == (["a", "b", "c"], [("1", "x", ""), ("", "y", "2.50"), ("", "", "")])


def test_json_numbers_keep_their_digits(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    digits = ["1.10", "12345678901234567890", "1e3", "-0.0", "0.1000000000000000055511151231257827"]
    path.write_text("[" + ",".join(f'{{"a": {number}}}' for number in digits) + "]")
    assert list(read_table(path)["a"].text) == digits
