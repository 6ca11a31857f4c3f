"""Small files that would become gigabytes are refused at once, in little memory, by a sentence."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denota.errors import TableError, TooLarge
from denota.tables import Limits, read_table

MOST_SECONDS = 2.0
"""Of computing, whatever else the machine does."""
MOST_MEGABYTES = 300
ADDRESSES = 3 << 30
"""Bytes of memory that the process may ask for at all."""
MEGA = 1 << 20

READ = """
import io, pathlib, resource, sys, time
import openpyxl, pyarrow.parquet
from denota.errors import TableError
from denota.tables import Limits, read_table

def highest():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024

data = pathlib.Path(sys.argv[1]).read_bytes()
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
limits = Limits(
    bytes=128_000_000, columns=500, cells=3_000_000, text=64_000_000, cell=32_767, sketches=False
)
before, began = highest(), time.process_time()
try:
    said = f"read {read_table(io.BytesIO(data), name=sys.argv[3], limits=limits).shape}"
except TableError as error:
    said = f"{type(error).__name__}: {error}"
print(time.process_time() - began, highest() - before, said)
"""

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
FIRST = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'


def xlsx(
    rows: Iterable[str],
    strings: Iterable[str] = ("<si><t>a</t></si>",),
    top: str = "",
    end: str = "",
) -> bytes:
    """A workbook of one sheet from the XML of its rows and shared texts."""
    types = {
        "workbook.xml": "sheet.main",
        "worksheets/sheet1.xml": "worksheet",
        "sharedStrings.xml": "sharedStrings",
    }
    kinds = "".join(
        f'<Override PartName="/xl/{part}" ContentType="{KIND}.{kind}+xml"/>'
        for part, kind in types.items()
    )
    linked = f'<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    parts: dict[str, Iterable[str]] = {
        "[Content_Types].xml": [f'<Types xmlns="{PACKAGE}/content-types">{kinds}</Types>'],
        "xl/workbook.xml": [
            f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
        ],
        "xl/_rels/workbook.xml.rels": [
            f'<Relationships xmlns="{PACKAGE}/relationships">{linked}</Relationships>'
        ],
        "xl/sharedStrings.xml": [f"<sst {MAIN}>", *strings, "</sst>"],
        "xl/worksheets/sheet1.xml": [
            f"<worksheet {MAIN}>{top}<sheetData>",
            *rows,
            f"</sheetData>{end}</worksheet>",
        ],
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, texts in parts.items():
            with archive.open(name, "w", force_zip64=True) as part:
                for text in texts:
                    part.write(text.encode())
    return out.getvalue()


def sheet_rows(cell: str, count: int) -> list[str]:
    """Rows of one cell; `#` stands for the number of the row."""
    return [f'<row r="{n}">{cell}</row>'.replace("#", str(n)) for n in range(1, count + 1)]


def merged(place: str, times: int) -> str:
    """The XML of merged cells."""
    return f"<mergeCells>{f'<mergeCell ref={place!r}/>' * times}</mergeCells>".replace("'", '"')


def parquet(values: Any, **how: Any) -> bytes:
    """A file of one column."""
    out = io.BytesIO()
    pq.write_table(pa.table({"a": values}), out, **how)
    return out.getvalue()


def gz(*parts: bytes) -> bytes:
    """What parts are together, packed."""
    return gzip.compress(b"".join(parts), 1)


SHARED = '<c r="A#" t="s"><v>0</v></c>'
BOMBS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a shared text of 1 MB in 2,000 cells": (
        "x.xlsx",
        lambda: xlsx(sheet_rows(SHARED, 2_000), ["<si><t>", "x" * MEGA, "</t></si>"]),
        "a cell of more than 32,767 characters",
    ),
    "a shared text of 30 KB in 100,000 cells": (
        "x.xlsx",
        lambda: xlsx(sheet_rows(SHARED, 100_000), ["<si><t>", "x" * 30_000, "</t></si>"]),
        "more than 64,000,000 characters",
    ),
    "a shared text of 100 MB": (
        "x.xlsx",
        lambda: xlsx([FIRST], ["<si><t>", *["x" * MEGA] * 100, "</t></si>"]),
        "a cell of more than",
    ),
    "20 million shared texts": (
        "x.xlsx",
        lambda: xlsx([FIRST], ["<si/>" * MEGA] * 20),
        "more than 3,000,000 cells",
    ),
    "20 million parts of one shared text": (
        "x.xlsx",
        lambda: xlsx([FIRST], ["<si>", *["<r/>" * MEGA] * 20, "</si>"]),
        "a row or text of more than",
    ),
    "a cell in the last column of every row": (
        "x.xlsx",
        lambda: xlsx(sheet_rows('<c r="XFD#"><v>1</v></c>', 300_000)),
        "16,384 columns",
    ),
    "a cell in column 500 of every row": (
        "x.xlsx",
        lambda: xlsx(sheet_rows('<c r="SF#"><v>1</v></c>', 100_000)),
        "more than 3,000,000 cells",
    ),
    "a row far below and a size that is not so": (
        "x.xlsx",
        lambda: xlsx(
            [FIRST, '<row r="1000000000"><c><v>1</v></c></row>'],
            top='<dimension ref="A1:XFD1048576"/>',
        ),
        "more than 3,000,000 cells",
    ),
    "a row of 25 million empty cells": (
        "x.xlsx",
        lambda: xlsx(['<row r="1">', *["<c/>" * MEGA] * 25, "</row>"]),
        "a row or text of more than",
    ),
    "16 million empty rows": ("x.xlsx", lambda: xlsx(["<row/>" * MEGA] * 16), "3,000,000 cells"),
    "16 million columns without cells": (
        "x.xlsx",
        lambda: xlsx([FIRST], top=f"<cols>{'<col/>' * (16 * MEGA)}</cols>"),
        "a row or text of more than",
    ),
    "cells merged again and again": (
        "x.xlsx",
        lambda: xlsx(sheet_rows(SHARED, 10_000), end=merged("A1:A10000", 50_000)),
        "more than 3,000,000 cells",
    ),
    "a long text merged over all rows": (
        "x.xlsx",
        lambda: xlsx(
            [FIRST, *sheet_rows('<c r="B#"><v>1</v></c>', 10_000)[1:]],
            ["<si><t>", "x" * 30_000, "</t></si>"],
            end=merged("A1:A10000", 1),
        ),
        "more than 64,000,000 characters",
    ),
    "a zip of 256 MB": ("x.xlsx", lambda: xlsx([" " * MEGA] * 256), "unpacks to more than"),
    "a text of 100 KB in 20,000 rows": (
        "x.parquet",
        lambda: parquet(pa.DictionaryArray.from_arrays([0] * 20_000, ["x" * 100_000])),
        "a cell of more than",
    ),
    "a text of 30 KB in 100,000 rows": (
        "x.parquet",
        lambda: parquet(pa.DictionaryArray.from_arrays([0] * 100_000, ["x" * 30_000])),
        "more than 64,000,000 characters",
    ),
    "100 million rows of nothing": (
        "x.parquet",
        lambda: parquet(pa.nulls(100_000_000, pa.int8())),
        "more than 3,000,000 cells",
    ),
    "lists of long texts": (
        "x.parquet",
        lambda: parquet([["x" * 30_000] * 1_000] * 20),
        "more than 64,000,000 characters",
    ),
    "a list of 100 million": (
        "x.parquet",
        lambda: parquet(
            pa.ListArray.from_arrays([0, 100_000_000], pa.nulls(100_000_000, pa.int8()))
        ),
        "more than 64,000,000 characters",
    ),
    "texts that pack well": (
        "x.parquet",
        lambda: parquet(
            [f"{n}{'x' * 30_000}" for n in range(10_000)], compression="zstd", use_dictionary=False
        ),
        "unpacks to more than",
    ),
    "values of one length": (
        "x.parquet",
        lambda: parquet(pa.array([b"x" * 30_000] * 10_000, pa.binary(30_000))),
        "unpacks to more than",
    ),
    "a gzip of 256 MB": ("x.csv.gz", lambda: gz(b"a,b\n", b"1,2\n" * (64 * MEGA)), "unpacks to"),
    "50 million rows": ("x.csv.gz", lambda: gz(b"a\n", b"1\n" * (50 * MEGA)), "3,000,000 cells"),
    "40 million cells in a line": ("x.csv.gz", lambda: gz(b"ab," * (40 * MEGA)), "cells"),
    "24 million cells in quotes in a line": (
        "x.csv.gz",
        lambda: gz(b'"ab",' * (24 * MEGA)),
        "a row of more than",
    ),
    "a row over 20 million lines": (
        "x.csv.gz",
        lambda: gz(b'"ab\n",' * (20 * MEGA)),
        "a row of more than",
    ),
    "a quote that is never closed": (
        "x.csv.gz",
        lambda: gz(b'a,b\n"', b"ab,c\n" * (20 * MEGA)),
        "close its quotes",
    ),
    "a cell of 1 MB": ("x.csv", lambda: b"a,b\n1," + b"1." * (MEGA // 2), "a cell of more than"),
    "lists in lists": ("x.json", lambda: b'[{"a":' + b"[" * 900 + b"]" * 900 + b"}]", "too deeply"),
    "lists in lists, on a line": (
        "x.jsonl",
        lambda: b'{"a":1}\n{"a":' + b"[" * 900 + b"]" * 900 + b"}\n",
        "too deeply",
    ),
    "100,000 lists in lists": (
        "x.json",
        lambda: b'[{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}]",
        "too deeply",
    ),
    "records that are all different": (
        "x.json",
        lambda: json.dumps([{f"k{n}": 1} for n in range(100_000)]).encode(),
        "501 columns",
    ),
    "one wide record among small ones": (
        "x.json",
        lambda: json.dumps([{f"k{n}": 1 for n in range(400)}, *[{"k0": 1}] * 20_000]).encode(),
        "more than 3,000,000 cells",
    ),
    "60 million numbers": (
        "x.json.gz",
        lambda: gz(b'[{"a":[1', b",1" * (60 * MEGA), b"]}]"),
        "more than 3,000,000 cells",
    ),
    "40 million lists": (
        "x.json.gz",
        lambda: gz(b"[[", b"[]," * (40 * MEGA), b"1]]"),
        "more than 3,000,000 cells",
    ),
}
"""What it is -> its name, what makes it, and what is said of it."""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told by /proc")
@pytest.mark.parametrize("what", BOMBS)
def test_it_is_refused_at_once(what: str, tmp_path: Path) -> None:
    name, make, expected = BOMBS[what]
    file = tmp_path / "bomb"
    file.write_bytes(make())
    call = [sys.executable, "-c", READ, str(file), str(ADDRESSES), name]
    ran = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr[-500:]
    seconds, megabytes, said = ran.stdout.split(maxsplit=2)
    kind = "TableError" if expected == "too deeply" else "TooLarge"
    assert said.startswith(f"{kind}: ")
    assert expected in said
    assert said.count("\n") == 1, "one sentence"
    assert float(seconds) < MOST_SECONDS
    assert float(megabytes) < MOST_MEGABYTES


def test_empty_cells_far_to_the_right_are_no_columns() -> None:
    rows = sheet_rows('<c r="A#"><v>#</v></c><c r="B#"><v>1</v></c><c r="XFD#"/>', 50)
    table = read_table(io.BytesIO(xlsx(rows)), name="x.xlsx", limits=Limits(columns=2))
    assert len(table.columns) == 2


def test_rows_stand_where_their_numbers_say() -> None:
    rows = [
        '<row r="1"><c r="A1" t="s"><v>0</v></c></row>',
        *sheet_rows('<c r="A#"><v>#</v></c>', 9),
    ]
    late = '<row r="3"><c r="A3"><v>77</v></c></row>'
    table = read_table(io.BytesIO(xlsx([*rows, late])), name="x.xlsx")
    assert table.columns[0].text == tuple("23456789")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(cell=4), "a cell of more than 4 characters"),
        (Limits(text=11), "more than 11 characters"),
        (Limits(cells=3), "more than 3 cells"),
        (Limits(columns=1), "2 columns and at most 1"),
        (Limits(bytes=10), "10 bytes"),
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl", "x.parquet", "x.xlsx", "x.csv.gz"])
def test_every_limit_holds_for_every_kind_of_file(name: str, limits: Limits, said: str) -> None:
    data = small(name)
    assert read_table(io.BytesIO(data), name=name).shape == (2, 2)
    with pytest.raises(TooLarge, match=said):
        read_table(io.BytesIO(data), name=name, limits=limits)


def small(name: str) -> bytes:
    """A table of two rows and columns as a file of each kind."""
    records = [{"a": "Oslo", "b": "1"}, {"a": "Bergen", "b": "2"}]
    csv = "a,b\n" + "".join(f"{one['a']},{one['b']}\n" for one in records)
    if name == "x.parquet":
        out = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(records), out)
        return out.getvalue()
    if name == "x.xlsx":
        lines = [line.split(",") for line in csv.split()]
        strings = "".join(f"<si><t>{text}</t></si>" for line in lines for text in line)
        cell = '<c t="s"><v>{}</v></c>'
        rows = [f"<row>{cell.format(2 * n)}{cell.format(2 * n + 1)}</row>" for n in range(3)]
        return xlsx(rows, [strings])
    kinds = {
        "x.csv": csv.encode(),
        "x.csv.gz": gzip.compress(csv.encode()),
        "x.json": json.dumps(records).encode(),
        "x.jsonl": "".join(json.dumps(one) + "\n" for one in records).encode(),
    }
    return kinds[name]


def test_the_texts_of_all_files_of_a_folder_count(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.csv").write_bytes(small("x.csv"))
    assert len(read_table(tmp_path, limits=Limits(text=40))) == 6
    with pytest.raises(TooLarge, match="characters"):
        read_table(tmp_path, limits=Limits(text=30))


def test_a_part_is_read_for_one_sheet() -> None:
    book = zipfile.ZipFile(io.BytesIO(small("x.xlsx")))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in book.namelist():
            own = b'<sheet name="S" sheetId="1" r:id="r1"/>'
            archive.writestr(name, book.read(name).replace(own, own + own.replace(b"S", b"T", 1)))
    with pytest.raises(TableError, match="no sheet 'T'; it has 'S'"):
        read_table(io.BytesIO(out.getvalue()), name="x.xlsx", sheet="T")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lines_are_whole_across_blocks(end: str) -> None:
    rows = [f"{n},{'x' * (n % 97)}" for n in range(60_000)]
    table = read_table(io.BytesIO((end.join(["a,b", *rows]) + end).encode()), name="x.csv")
    assert [f"{a},{b}" for a, b in zip(*(c.text for c in table.columns), strict=True)] == rows


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl", "x.parquet", "x.csv.gz"])
def test_a_sheet_of_a_file_without_sheets_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(small(name))
    for source in (tmp_path / name, io.BytesIO(small(name)), f"{tmp_path}/*"):
        with pytest.raises(TableError, match="has no sheets; leave out the sheet 'S'"):
            read_table(source, sheet="S")


def test_a_sheet_of_a_frame_is_refused() -> None:
    with pytest.raises(TableError, match="has no sheets"):
        read_table(pa.table({"a": [1]}), sheet="S")
