"""Every bad input is answered with one sentence on stderr and exit code 1 or 2.

There is no traceback, no hang, no full memory.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

import denota

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(400)


def zipped(**members: str) -> bytes:
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def parquet(table: pyarrow.Table | None = None) -> bytes:
    table = pyarrow.table({"a": list(range(1000))}) if table is None else table
    pyarrow.parquet.write_table(table, file := io.BytesIO())
    return file.getvalue()


def workbook(*sheets: str) -> bytes:
    book = openpyxl.Workbook()
    book.active.title = sheets[0]
    for title in sheets[1:]:
        book.create_sheet(title)
    for sheet in book.worksheets:
        sheet.append(["a", "b"])
        sheet.append([1, 2])
    book.save(file := io.BytesIO())
    return file.getvalue()


def with_member(book: bytes, name: str, parts: Iterator[bytes]) -> bytes:
    """The workbook with one of its members written anew."""
    with (
        zipfile.ZipFile(io.BytesIO(book)) as old,
        zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        with new.open(name, "w", force_zip64=True) as target:
            for part in parts:
                target.write(part)
    return file.getvalue()


noise = random.Random(1993)

#: file name -> content
FILES: dict[str, bytes] = {
    "empty.csv": b"",
    "spaces.csv": b"  \n\t\n \r\n",
    "mark-only.csv": b"\xef\xbb\xbf",
    "header-only.csv": b"a,b,c\n",
    "header-only.json": b"[]",
    "empty-record.json": b"[{}]",
    "ragged.csv": b"a,b\n1,2\n3\n",
    "nul.csv": b"a,b\n1,2\n3,\x00\n",
    "nuls.csv": bytes(5000),
    "noise.csv": noise.randbytes(5000),
    "noise.json": noise.randbytes(5000),
    "noise.parquet": noise.randbytes(5000),
    "noise.xlsx": noise.randbytes(5000),
    "noise.csv.gz": gzip.compress(noise.randbytes(5000)),
    "short-noise": noise.randbytes(40),
    "picture.png": PNG + noise.randbytes(2000),
    "picture.csv": PNG + noise.randbytes(2000),
    "jpeg.csv": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + noise.randbytes(2000),
    "program": ELF,
    "paper.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Length 5>>\nstream\n"
    + noise.randbytes(900)
    + b"\nendstream\n%%EOF",
    "database.sqlite": b"SQLite format 3\x00\x10\x00\x01\x01\x00" + bytes(4000),
    "old.xls": bytes.fromhex("d0cf11e0a1b11ae1") + bytes(3000),
    "archive.zip": zipped(**{"a.csv": "a,b\n1,2\n"}),
    "archive.xlsx": zipped(**{"a.csv": "a,b\n1,2\n"}),
    "empty.xlsx": zipped(),
    "truncated.xlsx": workbook("a")[:2000],
    "packed-twice.gz": gzip.compress(gzip.compress(gzip.compress(b"\x00\x01"))),
    "other.bz2": b"BZh91AY&SY" + noise.randbytes(300),
    "other.xz": bytes.fromhex("fd377a585a00") + noise.randbytes(300),
    "other.zst": bytes.fromhex("28b52ffd") + noise.randbytes(300),
    "open-quote.csv": b'a,b\n1,"2\n3,4\n',
    "truncated.csv.gz": gzip.compress(b"a,b\n" + b"1,2\n" * 9000)[:-20],
    "header.csv.gz": gzip.compress(b"a,b\n1,2\n")[:9],
    "bad-sum.csv.gz": gzip.compress(b"a,b\n1,2\n")[:-8] + bytes(8),
    "tail.csv.gz": gzip.compress(b"a,b\n1,\x00\n") + b"tail",
    "empty.csv.gz": gzip.compress(b""),
    "not-packed.csv.gz": b"\x1f\x8b not at all",
    "truncated.parquet": parquet()[:-30],
    "start.parquet": parquet()[:200],
    "magic.parquet": b"PAR1PAR1",
    "hollow.parquet": parquet()[:4] + bytes(200) + parquet()[-200:],
    "broken.json": b'[{"a": 1}, {"a": ',
    "comma.json": b'[{"a": 1},]',
    "number.json": b"12",
    "text.json": b'"a"',
    "numbers.json": b"[1, 2, 3]",
    "mixed.json": b'[{"a": 1}, 2]',
    "null.json": b"null",
    "single-quotes.json": b"[{'a': 1}]",
    "broken.jsonl": b'{"a": 1}\n{"a": 2\n{"a": 3}\n',
    "bad-bytes.json": b'[{"a": "\xff\xfe\x81"}',
    "deep.json": b"[" * 200_000,
    "deep-closed.json": b"[" * 200_000 + b"]" * 200_000,
    "deep-record.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "columns.csv": ",".join(f"c{n}" for n in range(10_000)).encode()
    + b"\n"
    + b"1," * 9_999
    + b"1\n",
    "columns.json": json.dumps([{f"c{n}": n for n in range(10_000)}]).encode(),
    "columns.jsonl": b"\n".join(b'{"c%d": 1}' % n for n in range(10_000)),
    "columns.parquet": parquet(pyarrow.table({f"c{n}": [1] for n in range(2_000)})),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_answered_with_a_sentence(run: Callable, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    sentence = run("show", path).sentence()
    assert len(sentence) < 400
    assert run("show", path, "--json").sentence() == sentence


@pytest.mark.parametrize(
    "name",
    ["noise.csv", "picture.png", "program", "paper.pdf", "archive.zip", "deep.json", "nul.csv"],
)
def test_a_bad_pipe_is_answered_with_a_sentence(spawn: Callable, name: str) -> None:
    assert "standard input" in spawn("show", "-", input=FILES[name]).sentence()


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "parquet", "excel"])
@pytest.mark.parametrize(
    "name",
    ["noise.csv", "picture.png", "empty.csv", "archive.zip", "truncated.parquet", "nuls.csv"],
)
def test_a_bad_file_in_any_format_asked_for(
    run: Callable, tmp_path: Path, name: str, format: str
) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    run("show", path, "--format", format).sentence()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a,b\n1,2\n3\n", "line 3"),
        ('a,b\n"one\ntwo\nthree",2\n3\n', "line 5"),
        ('a,b\n1,"2\n3,4\n', "line 2"),
        ('a,b\n"x\ny",2\n3,"4\n5,6\n', "line 4"),
    ],
)
def test_the_sentence_says_which_line(run: Callable, tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert f"{word} " in run("show", path).sentence()


def test_the_line_of_broken_json_lines_is_named(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(FILES["broken.jsonl"])
    assert "line 2" in run("show", path).sentence()


# Places that are no files


def test_a_missing_file(run: Callable, tmp_path: Path) -> None:
    assert "nowhere.csv" in run("show", tmp_path / "nowhere.csv").sentence()
    assert "nowhere.csv" in run("show", tmp_path / "no folder" / "nowhere.csv").sentence()
    (tmp_path / "file.csv").write_text("a\n1\n")
    run("show", tmp_path / "file.csv" / "inside.csv").sentence()
    run("show", "").sentence(1, 2)
    run("show", tmp_path / ("x" * 5000)).sentence()


def test_a_directory(run: Callable, tmp_path: Path) -> None:
    assert "directory" in run("show", tmp_path).sentence()


def test_a_loop_of_links(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    run("show", tmp_path / "a.csv").sentence()
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nowhere.csv")
    run("show", tmp_path / "dangling.csv").sentence()


def test_a_socket(run: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.csv")
        run("show", "s.csv").sentence()


def test_a_named_pipe_without_a_writer_is_not_waited_for(spawn: Callable, tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "pipe.csv")
    spawn("show", path, timeout=40).sentence()


def test_the_pipe_of_another_command_is_read() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(denota.__file__).parent.parent)}
    command = f"'{sys.executable}' -m denota show <(sleep 0.2; printf 'a,b\\n1,2\\n') --json"
    shown = subprocess.run(
        ["bash", "-c", command], capture_output=True, timeout=60, env=environment
    )
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert json.loads(shown.stdout)["rows"] == 1


def test_the_null_device(spawn: Callable) -> None:
    spawn("show", "/dev/null", timeout=40).sentence()


@pytest.mark.slow
def test_a_device_without_an_end(spawn: Callable) -> None:
    outcome = spawn("show", "/dev/zero", timeout=60)
    outcome.sentence()
    assert outcome.peak_mb < 1500


def test_nothing_on_standard_input(spawn: Callable) -> None:
    assert "standard input" in spawn("show", "-", input=b"").sentence()


def test_standard_input_that_is_closed(spawn: Callable) -> None:
    spawn("show", "-", preexec_fn=lambda: os.close(0)).sentence()


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that this process may not read while the test runs, in a folder it may."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    path = folder / "secret.csv"
    path.write_text("a,b\n1,2\n")
    path.chmod(0)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(65534)
        if os.access(path, os.R_OK, effective_ids=True):
            pytest.skip("this user may read every file")
        yield path
    finally:
        os.seteuid(user)
        shutil.rmtree(folder)


def test_a_file_one_may_not_read(run: Callable, table: Path, secret: Path) -> None:
    sentence = run("show", secret).sentence()
    assert "secret.csv" in sentence
    assert "permi" in sentence or "allowed" in sentence


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines.csv",
        "bell\x07.csv",
        "\x1b[31mred.csv",
        "\x9b31m.csv",
        "a\rb.csv",
        "[red].csv",
        "tab\t.csv",
    ],
)
def test_odd_file_names_are_named_on_one_line_without_control_characters(
    run: Callable, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    run("show", path).sentence()
    path.write_text("a,b\n1\n")
    run("show", path).sentence()
    path.write_text("a,b\n1,2\n")
    shown = run("show", path)
    assert shown.code == 0
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown.out.replace("\n", ""))
    assert "1 row" in shown.out.splitlines()[0]
    assert json.loads(run("show", path, "--json").out)["name"] == name


def test_a_file_name_that_is_not_unicode(spawn: Callable, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.csv"
    spawn("show", path).sentence()
    Path(os.fsdecode(path)).write_text("a,b\n1,2\n")
    for options in ([], ["--json"]):
        shown = spawn("show", path, *options)
        assert (shown.code, shown.err) == (0, "")


# Wrong use


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    path.write_text("a,b\n1,2\n")
    return path


@pytest.mark.parametrize(
    "options",
    [
        ["--no-such-option"],
        ["--rows", "-1"],
        ["--rows", "many"],
        ["--rows"],
        ["--format", "pdf"],
        ["--ragged", "maybe"],
        ["--encoding", "no-such-encoding"],
        ["--encoding", "base64"],
        ["--encoding", "\x1b[31m"],
        ["--delimiter", ",,"],
        ["--delimiter", "\x1b[31m"],
        ["--delimiter", "\n"],
        ["--format", "json"],
        ["--format", "parquet"],
        ["--format", "excel"],
        ["another.csv"],
        ["--\x1b[31m"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_answered_with_a_sentence(
    run: Callable, table: Path, options: list[str]
) -> None:
    run("show", table, *options).sentence(1, 2)


@pytest.mark.parametrize(
    "arguments",
    [["show"], ["shwo", "x.csv"], ["--no-such-option"], ["show", "--rows"], ["\x1b[31m"], [""]],
    ids=" ".join,
)
def test_what_is_no_command_is_wrong_use(run: Callable, arguments: list[str]) -> None:
    run(*arguments).sentence(2)


def test_an_unknown_option_is_wrong_use_and_named(run: Callable, table: Path) -> None:
    assert "--colour" in run("show", table, "--colour").sentence(2)


def test_a_sheet_that_is_not_there(run: Callable, tmp_path: Path, table: Path) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook("North", "South"))
    assert run("show", path, "--sheet", "South").code == 0
    sentence = run("show", path, "--sheet", "East").sentence()
    assert all(word in sentence for word in ("East", "North", "South"))
    run("show", path, "--sheet", "").sentence(1, 2)


def test_an_empty_sheet(run: Callable, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.save(path := tmp_path / "book.xlsx")
    run("show", path).sentence()


def test_bytes_that_the_encoding_asked_for_does_not_have(run: Callable, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n\xe9\xff,2\n")
    assert "utf-8" in run("show", path, "--encoding", "utf-8").sentence().lower()


def test_debug_shows_the_traceback(run: Callable, tmp_path: Path) -> None:
    for arguments in (["show", "--debug"], ["--debug", "show"]):
        outcome = run(*arguments, tmp_path / "nowhere.csv")
        assert outcome.code == 1
        assert "Traceback" in outcome.err and "TableError" in outcome.err
        assert outcome.err.splitlines()[-1].startswith("denota: ")


# Bombs: small files that would fill the memory

PEAK_MB = 1500


def test_a_gzip_bomb(spawn: Callable, tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    member = gzip.compress(bytes(64 << 20), compresslevel=1)
    path.write_bytes(member * 40)
    outcome = spawn("show", path)
    outcome.sentence()
    assert outcome.peak_mb < PEAK_MB


def test_a_gzip_bomb_of_text(spawn: Callable, tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    head = gzip.compress(b"a,b\n")
    path.write_bytes(head + gzip.compress(b"1,2\n" * (16 << 20), compresslevel=1) * 40)
    outcome = spawn("show", path)
    outcome.sentence()
    assert outcome.peak_mb < PEAK_MB


@pytest.mark.slow
def test_a_gzip_bomb_of_short_rows(spawn: Callable, tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(
        gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n" * 2_490_000, compresslevel=6) * 10
    )
    assert path.stat().st_size < 200_000
    outcome = spawn("show", path, "--json", timeout=90)
    if outcome.code:
        outcome.sentence()
    assert outcome.peak_mb < PEAK_MB


@pytest.mark.slow
def test_a_workbook_bomb(spawn: Callable, tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    start = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    )
    spaces = (b" " * (16 << 20) for _ in range(130))
    parts = (part for some in ([start], spaces, [b"</sheetData></worksheet>"]) for part in some)
    path.write_bytes(with_member(workbook("a"), "xl/worksheets/sheet1.xml", parts))
    assert path.stat().st_size < 20 << 20
    outcome = spawn("show", path)
    outcome.sentence()
    assert outcome.peak_mb < PEAK_MB


def sheet(rows: str, dimension: str = "A1:B2") -> Iterator[bytes]:
    return iter(
        [
            '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
            f'<dimension ref="{dimension}"/><sheetData>{rows}</sheetData></worksheet>'.encode()
        ]
    )


CELLS = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
    '<row r="2"><c r="A2"><v>1</v></c></row>'
)


@pytest.mark.parametrize(
    "content",
    [
        lambda: sheet(CELLS, "A1:XFD1048576"),
        lambda: sheet(
            CELLS + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "A1:XFD1048576"
        ),
        lambda: sheet(CELLS + '<row r="999999999"><c r="A999999999"><v>1</v></c></row>'),
        lambda: sheet(CELLS + '<row r="3"><c r="ZZZZ3"><v>1</v></c></row>'),
        lambda: sheet(CELLS + '<row r="0"><c r="A0"><v>x</v></c></row>'),
    ],
    ids=["dimension", "last cell", "row", "column", "row 0"],
)
def test_a_workbook_that_claims_to_be_vast(
    spawn: Callable, tmp_path: Path, content: Callable
) -> None:
    path = tmp_path / "vast.xlsx"
    path.write_bytes(with_member(workbook("a"), "xl/worksheets/sheet1.xml", content()))
    outcome = spawn("show", path, timeout=40)
    if outcome.code:
        outcome.sentence()
    assert outcome.err == "" or outcome.code
    assert outcome.peak_mb < PEAK_MB


def test_a_workbook_of_entities(spawn: Callable, tmp_path: Path) -> None:
    path = tmp_path / "entities.xlsx"
    entities = '<!ENTITY l0 "lol">' + "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12)
    )
    cells = CELLS.replace("<t>a</t>", "<t>&l11;</t>")
    xml = f'<?xml version="1.0"?><!DOCTYPE worksheet [{entities}]>'.encode() + b"".join(
        sheet(cells)
    )
    path.write_bytes(with_member(workbook("a"), "xl/worksheets/sheet1.xml", iter([xml])))
    outcome = spawn("show", path, timeout=60)
    outcome.sentence()
    assert outcome.peak_mb < PEAK_MB


PARQUETS: dict[str, Callable[[], pyarrow.Table]] = {
    "rows": lambda: pyarrow.table({"a": np.zeros(60_000_000, dtype=np.int8)}),
    "one long text again and again": lambda: pyarrow.table(
        {"a": pyarrow.DictionaryArray.from_arrays(np.zeros(20_000, np.int32), ["x" * 1_000_000])}
    ),
    "nothing but rows": lambda: pyarrow.table({"a": pyarrow.nulls(100_000_000)}),
}


SKETCHED = {"rows": "60,000,000", "nothing but rows": "100,000,000"}


@pytest.mark.parametrize("kind", PARQUETS)
def test_a_parquet_bomb(spawn: Callable, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bomb.parquet"
    path.write_bytes(parquet(PARQUETS[kind]()))
    assert path.stat().st_size < 20 << 20
    outcome = spawn("show", path)
    if kind in SKETCHED:  # asked where it lies, whatever it unpacks to
        assert outcome.code == 0 and f"{SKETCHED[kind]} rows" in outcome.out
    else:
        outcome.sentence()
    assert outcome.peak_mb < PEAK_MB


def test_many_empty_records_under_many_names(spawn: Callable, tmp_path: Path) -> None:
    path = tmp_path / "sparse.json"
    first = json.dumps({f"c{n}": n for n in range(1000)})
    path.write_text(f"[{first}" + ",{}" * 1_000_000 + "]")
    outcome = spawn("show", path, timeout=40)
    outcome.sentence()
    assert outcome.peak_mb < PEAK_MB


def test_many_short_rows_filled(spawn: Callable, tmp_path: Path) -> None:
    path = tmp_path / "sparse.csv"
    path.write_text(",".join(f"c{n}" for n in range(1000)) + "\n" + "1\n" * 1_000_000)
    outcome = spawn("show", path, "--ragged", "fill", timeout=40)
    outcome.sentence()
    assert outcome.peak_mb < PEAK_MB
