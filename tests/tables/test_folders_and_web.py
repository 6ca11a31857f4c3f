"""Several files as one table, and files over the web from a server on this machine."""

from __future__ import annotations

import base64
import gzip
import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

from denota import TableError, read_table
from denota.tables import Limits


def csv_files(folder: Path) -> Path:
    (folder / "2023.csv").write_text("city,people\nOslo,1\n")
    (folder / "2024.csv").write_text("people;city\n2;Bergen\n3;Moss\n")
    (folder / ".hidden.csv").write_text("other\n1\n")
    (folder / "_SUCCESS").write_text("")
    (folder / "readme.txt").write_text("not a table")
    return folder


def test_a_folder(tmp_path: Path) -> None:
    table = read_table(csv_files(tmp_path))
    assert [table.row(row) for row in range(3)] == [("Oslo", "1"), ("Bergen", "2"), ("Moss", "3")]
    assert "2 files were read as one table" in table.notes
    assert table.name == tmp_path.name


def test_a_glob_is_the_folder(tmp_path: Path) -> None:
    folder = read_table(csv_files(tmp_path))
    assert read_table(f"{tmp_path}/*.csv").columns == folder.columns
    assert read_table(f"{tmp_path}/2023.cs?").row(0) == ("Oslo", "1")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "2025.csv.gz").write_bytes(gzip.compress(b"city,people\nRana,4\n"))
    assert len(read_table(f"{tmp_path}/**/20*.csv*")) == 4
    assert len(read_table(tmp_path)) == 4


def test_parquet_files_in_folders_named_after_values(tmp_path: Path) -> None:
    for year in (2023, 2024):
        inside = tmp_path / f"year={year}"
        inside.mkdir()
        pyarrow.parquet.write_table(pyarrow.table({"n": [1, 2]}), inside / "part-0.parquet")
    table = read_table(tmp_path)
    assert table.names == ("n", "year")
    assert table["year"].text == ("2023", "2023", "2024", "2024")


def test_folders_that_are_no_table(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="directory without CSV or Parquet files"):
        read_table(tmp_path)
    with pytest.raises(TableError, match="matches no file"):
        read_table(f"{tmp_path}/*.csv")
    with pytest.raises(TableError, match="nothing is named behind #"):
        read_table(f"{tmp_path}#sheet")
    csv_files(tmp_path)
    pyarrow.parquet.write_table(pyarrow.table({"n": [1]}), tmp_path / "a.parquet")
    with pytest.raises(TableError, match=r"CSV and Parquet files; name one kind, as in .*\*\.\w+"):
        read_table(tmp_path)
    (tmp_path / "a.parquet").unlink()
    (tmp_path / "2025.csv").write_text("city,area\nRana,4\n")
    with pytest.raises(TableError, match=r"2025\.csv has other columns \('area'\)"):
        read_table(tmp_path)


def test_limits_are_of_all_files_together(tmp_path: Path) -> None:
    csv_files(tmp_path)
    assert len(read_table(tmp_path, limits=Limits(cells=6))) == 3
    with pytest.raises(TableError, match="more than"):
        read_table(tmp_path, limits=Limits(cells=5))


def test_a_file_named_like_a_glob_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "[1].csv").write_text("a\n5\n")
    assert read_table(tmp_path / "[1].csv").row(0) == ("5",)


# The web


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.active.append([1])
    sheet = book.create_sheet("May")
    sheet.append(["b"])
    sheet.append([2])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


class Handler(BaseHTTPRequestHandler):
    """Files, places that point elsewhere, and answers that are wrong."""

    files: ClassVar[dict[str, bytes]] = {
        "/cities.csv": b"city,people\nOslo,1\n",
        "/book.xlsx": workbook(),
        "/packed.csv.gz": gzip.compress(b"city\nOslo\n"),
        "/shop.sqlite": b"SQLite format 3\0" + bytes(100),
    }
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization", ""))
        path = self.path.partition("?")[0]
        if path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", path.removeprefix("/to/").replace(";", "/"))
            self.end_headers()
        elif path == "/short":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"a\n1\n")
        elif path == "/noise":
            self.wfile.write(b"\x00\x01\x02 this is no HTTP\r\n\r\n")
        elif path in self.files:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.files[path])
        else:
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_file_over_the_web(web: str) -> None:
    table = read_table(f"{web}/cities.csv?key=Zqsecret")
    assert (table.name, table.row(0)) == ("cities.csv", ("Oslo", "1"))
    assert read_table(f"{web}/packed.csv.gz").names == ("city",)
    assert read_table(f"{web}/book.xlsx#May").names == ("b",)
    assert read_table(f"{web}/to/;cities.csv").row(0) == ("Oslo", "1")


def test_a_login_is_sent_and_not_passed_on(web: str) -> None:
    there = web.replace("//", "//ada:Zqsecret@")
    Handler.seen.clear()
    read_table(f"{there}/cities.csv")
    assert Handler.seen == ["Basic " + base64.b64encode(b"ada:Zqsecret").decode()]
    Handler.seen.clear()
    read_table(f"{there}/to/;cities.csv")
    assert Handler.seen[1] == ""


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere.csv", "says 404"),
        ("short", "cut short"),
        ("noise", "cannot be had"),
        ("shop.sqlite", "file of a database"),
        ("to/http:;;example.org;x.csv", "not https"),
        ("to/file:;;;etc;passwd", "says 302"),
        ("to/ftp:;;example.org;x.csv", "not https"),
        ("to/;to;;to;", "cannot be had|says"),
    ],
)
def test_what_cannot_be_had(web: str, path: str, said: str) -> None:
    address = web.replace("//", "//ada:Zqsecret@")
    with pytest.raises(TableError, match=said) as raised:
        read_table(f"{address}/{path}?key=Zqsecret")
    assert "Zq" not in str(raised.value) and "\n" not in str(raised.value)


def test_a_download_has_a_limit(web: str) -> None:
    with pytest.raises(TableError, match="larger than 10 bytes"):
        read_table(f"{web}/cities.csv", limits=Limits(bytes=10))


def test_http_is_for_this_machine_alone() -> None:
    with pytest.raises(TableError, match="use https"):
        read_table("http://example.org/x.csv")
