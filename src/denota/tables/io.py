"""Anything people keep tables in, to a `Table`.

The content decides the kind of file; its name counts only where content cannot tell (a CSV from a
TSV).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from denota.errors import TableError
from denota.tables.column import Column
from denota.tables.delimited import Ragged, read_delimited
from denota.tables.encoding import decode, refuse_binary
from denota.tables.excel import read_excel
from denota.tables.file_kinds import parquet_kinds
from denota.tables.frames import columns_of_frame, read_parquet
from denota.tables.header import unique_names
from denota.tables.json_records import read_json_records
from denota.tables.limits import Limits
from denota.tables.table import Table

Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "excel"]
FORMATS: Final = ("csv", "tsv", "json", "jsonl", "parquet", "excel")


def read_table(
    source: Any,
    *,
    name: str | None = None,
    format: Format | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quotes: bool = True,
    ragged: Ragged = "error",
    sheet: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Table:
    """Read a table from a path, `-` (standard input), an open binary file, or a data frame.

    Args:
        source: a path to CSV, TSV, semicolon- or pipe-separated text, JSON records or lines,
            Parquet or Excel, each also gzipped; `-`; a binary file object; a pandas or polars
            DataFrame, an Arrow table or a DuckDB relation.
        name: what to call the table; its file name unless given.
        format: the kind of file, where it should not be found out.
        encoding: of text files, where it should not be found out.
        delimiter: of delimited text, where it should not be found out.
        quotes: False if `"` is an ordinary character.
        ragged: `fill` to fill and cut rows of another length than the header.
        sheet: of an Excel workbook.
        limits: how much to read at most.

    Raises:
        TableError: with a sentence that says what is wrong with the source.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        path = str(source)
        data = _stdin(limits) if path == "-" else _file(Path(path), limits)
        name = name or ("standard input" if path == "-" else Path(path).name)
    elif hasattr(source, "read"):
        data, name = _bounded(source, "the file", limits), name or "the file"
    else:
        name = name or "the frame"
        names, columns = columns_of_frame(source, name)
        return _table(names, columns, name, (), limits)
    if format is not None and format not in FORMATS:
        raise TableError(f"{format!r} is not a format; the formats are {', '.join(FORMATS)}")
    data, name = _unpack(data, name, limits)
    if not data.strip():
        raise TableError(f"{name} is empty")
    format = format or _format(data, name)
    if format == "parquet":
        names, columns = read_parquet(data, name, limits)
        return replace(_table(names, columns, name, (), limits), kinds=parquet_kinds(data))
    if format == "excel":
        names, rows, notes = read_excel(data, name, sheet, limits)
        return _table(names, _transposed(names, rows), name, notes, limits)
    if encoding is None:
        refuse_binary(data, name, strict=delimiter is None)
    text, found = decode(data, name, encoding)
    notes = [] if found in ("utf-8", "utf-8-sig") or encoding else [f"read as {found}"]
    if format in ("json", "jsonl"):
        names, rows = read_json_records(text, name, limits)
    else:
        delimiter = delimiter or ("\t" if format == "tsv" else None)
        names, rows, more = read_delimited(
            text, name, delimiter, quotes=quotes, ragged=ragged, limits=limits
        )
        notes += more
    return _table(names, _transposed(names, rows), name, notes, limits)


def _table(
    names: list[str], columns: list[tuple[str, ...]], name: str, notes: Any, limits: Limits
) -> Table:
    if not names:
        raise TableError(f"{name} has no columns")
    if not columns[0]:
        raise TableError(f"{name} has a header and no rows")
    limits.check(name, len(columns[0]), len(names))
    unique, renamed = unique_names(names)
    cells = zip(unique, columns, strict=True)
    return Table(tuple(Column(n, text) for n, text in cells), name, (*notes, *renamed))


def _transposed(names: list[str], rows: list[list[str]]) -> list[tuple[str, ...]]:
    return list(zip(*rows, strict=True)) if rows else [()] * len(names)


def _format(data: bytes, name: str) -> Format:
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith(b"PK\x03\x04"):
        return "excel"
    suffix = Path(name).suffix.lower()
    if suffix in (".json", ".jsonl", ".ndjson"):
        return "json"
    if suffix in (".tsv", ".tab"):
        return "tsv"
    head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    return "json" if head.startswith((b"[{", b'{"', b"[\n", b"{\n", b"[ {")) else "csv"


def _file(path: Path, limits: Limits) -> bytes:
    try:
        if path.is_dir():
            raise TableError(f"{path} is a directory; name a file in it")
        if stat.S_ISFIFO(path.stat().st_mode) and not str(path).startswith(("/dev/fd/", "/proc/")):
            return _named_pipe(path, limits)
        with path.open("rb") as file:
            return _bounded(file, str(path), limits)
    except OSError as error:
        raise TableError(_why(path, error)) from None
    except ValueError:  # a path with a NUL character
        raise TableError(f"{str(path)!r} cannot be the name of a file") from None


def _named_pipe(path: Path, limits: Limits) -> bytes:
    """Read a named pipe, if someone comes to write into it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    begun = b""
    waited = 0.0
    try:
        while not begun:
            try:
                begun = os.read(descriptor, 1)
            except BlockingIOError:  # a writer is there and will write
                break
            if not begun and waited >= _WAIT_FOR_WRITER:
                raise TableError(f"{path} is a named pipe that nothing writes into")
            time.sleep(0.05)
            waited += 0.05
        os.set_blocking(descriptor, True)
        with open(descriptor, "rb", closefd=False) as file:
            return begun + _bounded(file, str(path), limits)
    finally:
        os.close(descriptor)


_WAIT_FOR_WRITER: Final = 2.0
"""Seconds."""


def _why(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"there is no file {path}"
    if isinstance(error, PermissionError):
        return f"{path} may not be read: permission denied"
    if error.errno == errno.ELOOP:
        return f"{path} is a loop of symbolic links"
    return f"{path} cannot be read: {(error.strerror or str(error)).lower()}"


def _stdin(limits: Limits) -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError("nothing is piped into standard input; name a file instead of -")
    return _bounded(sys.stdin.buffer, "standard input", limits)


def _bounded(file: BinaryIO, name: str, limits: Limits) -> bytes:
    data = file.read(limits.bytes + 1)
    if isinstance(data, str):
        data = data.encode("utf-8")
    if len(data) > limits.bytes:
        raise TableError(f"{name} is larger than {limits.bytes:,} bytes, the most that is read")
    return data


def _unpack(data: bytes, name: str, limits: Limits) -> tuple[bytes, str]:
    """Return gzipped data unpacked, every member of it, never more than the limit."""
    if not data.startswith(b"\x1f\x8b"):
        return data, name
    name = name.removesuffix(".gz")
    chunks: list[bytes] = []
    size = 0
    while data.startswith(b"\x1f\x8b"):
        unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            chunk = unpacker.decompress(data, limits.bytes + 1 - size)
        except zlib.error:
            raise TableError(f"{name} is a damaged gzip file") from None
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.bytes:
            raise TableError(
                f"{name} unpacks to more than {limits.bytes:,} bytes, the most that is read"
            )
        if not unpacker.eof:
            raise TableError(f"{name} is a gzip file that was cut short")
        data = unpacker.unused_data
    return b"".join(chunks), name
