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
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from denota.errors import TableError
from denota.tables.address import is_remote, parse_address, without_password
from denota.tables.body_rows import Ragged
from denota.tables.column import Column
from denota.tables.decimal_commas import with_decimal_commas
from denota.tables.delimited import delimiter_of, read_delimited
from denota.tables.encoding import decode, refuse_binary
from denota.tables.excel import read_excel
from denota.tables.file_kinds import parquet_kinds
from denota.tables.folders import files_of, is_several, read_files, table_name
from denota.tables.frames import columns_of_frame, read_parquet
from denota.tables.grid import Grid
from denota.tables.header import unique_names
from denota.tables.how_read import HowRead, with_text_columns
from denota.tables.json_records import read_json_records
from denota.tables.large_files import parquet_cells, parquet_sketch
from denota.tables.layout import as_it_stands, lay_out
from denota.tables.limits import Limits
from denota.tables.opening import is_database, open_database, split_part
from denota.tables.sketch import LARGE, read_or_sketch
from denota.tables.source import Source, find_stored
from denota.tables.stored import Stored
from denota.tables.table import Table

Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "excel"]
FORMATS: Final = ("csv", "tsv", "json", "jsonl", "parquet", "excel")


def read_table(
    source: Any,
    *,
    table: str | None = None,
    name: str | None = None,
    format: Format | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quotes: bool = True,
    ragged: Ragged = "error",
    sheet: str | None = None,
    header: int | None = None,
    text_columns: Sequence[str] = (),
    tidy: bool = True,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Table:
    """Read a table from an address, `-` (standard input), an open binary file, or a data frame.

    Args:
        source: a path to CSV, TSV, semicolon- or pipe-separated text, JSON records or lines,
            Parquet or Excel, each also gzipped; a folder or glob of files; a file of SQLite or
            DuckDB; an address of a server (`postgresql://user@host/database#table`, `mysql://`,
            `https://`); `-`; a binary file object; a pandas or polars DataFrame, an Arrow table
            or a DuckDB relation; a connection of DuckDB, SQLAlchemy, ADBC or a driver.
        table: of a database, or a sheet of a workbook; it may stand behind `#` in an address.
        name: what to call the table; its file name unless given.
        format: the kind of file, where it should not be found out.
        encoding: of text files, where it should not be found out.
        delimiter: of delimited text, where it should not be found out.
        quotes: False if `"` is an ordinary character.
        ragged: `fill` to fill and cut rows of another length than the header.
        sheet: of an Excel workbook; the first that holds a table unless given.
        header: the row of a text file or sheet that has the names, counted from 1, where it should
            not be found out.
        text_columns: names of columns to read as text, whatever stands in them.
        tidy: False to take the first row as the header and every other as a row of the table;
            else titles, units, notes and blank rows are told from them (`denota.tables.layout`).
        limits: how much to read at most.

    Raises:
        TableError: with a sentence that says what is wrong with the source.
    """
    if isinstance(source, Table):
        return with_text_columns(source, text_columns)
    found = _read(
        source,
        table=table,
        name=name,
        format=format,
        encoding=encoding,
        delimiter=delimiter,
        quotes=quotes,
        ragged=ragged,
        sheet=sheet,
        header=header,
        tidy=tidy,
        limits=limits,
    )
    return with_text_columns(found, text_columns)


def _read(
    source: Any,
    *,
    table: str | None = None,
    name: str | None = None,
    format: Format | None,
    encoding: str | None,
    delimiter: str | None,
    quotes: bool,
    ragged: Ragged,
    sheet: str | None,
    header: int | None,
    tidy: bool,
    limits: Limits,
) -> Table:
    opened = open_database(source)
    if opened is not None:
        database, part = opened
        if sheet is not None:
            database.close()
            raise TableError(f"{database.label} has no sheets; leave out the sheet {sheet!r}")
        return read_or_sketch(database, _named(database, table or part), limits, name)
    part = table
    if isinstance(source, str) and is_remote(source):
        from denota.tables.remote import download  # what speaks https takes a while to import

        address = parse_address(source)
        data, found = download(address, limits)
        name, part = name or found, part or address.table
    elif isinstance(source, str | os.PathLike):
        path, named = split_part(os.fspath(source))
        part = part or named
        lying = _parquet_files(path) if part is None and format in (None, "parquet") else []
        if lying and sheet is None and limits.sketches and parquet_cells(lying) > LARGE:
            return parquet_sketch(lying, name or table_name(path))
        if is_several(path):
            if part is not None:
                raise TableError(f"{path} is files of one table, so nothing is named behind #")
            one = partial(
                _read,
                format=format,
                encoding=encoding,
                delimiter=delimiter,
                quotes=quotes,
                ragged=ragged,
                sheet=sheet,
                header=header,
                tidy=tidy,
            )
            return read_files(path, lambda file, left: one(file, limits=left), limits, name)
        data = _stdin(limits) if path == "-" else _file(Path(path), limits)
        name = name or ("standard input" if path == "-" else Path(path).name)
    elif hasattr(source, "read"):
        data, name = _bounded(source, "the file", limits), name or "the file"
    else:
        name = name or "the frame"
        if sheet is not None:
            raise TableError(f"{name} has no sheets; leave out the sheet {sheet!r}")
        names, columns = columns_of_frame(source, name)
        return _table(names, columns, name, (), limits)
    if format is not None and format not in FORMATS:
        raise TableError(f"{format!r} is not a format; the formats are {', '.join(FORMATS)}")
    data, name = _unpack(data, name, limits)
    if not data.strip():
        raise TableError(f"{name} is empty")
    if is_database(data):
        raise TableError(f"{name} is a file of a database; name it by its path, unpacked")
    format = format or _format(data, name)
    if part is not None and format != "excel":
        raise TableError(f"{name} holds one table, so nothing is named behind #")
    if sheet is not None and format != "excel":
        raise TableError(f"{name} has no sheets; leave out the sheet {sheet!r}")
    if header is not None and format not in ("excel", "csv", "tsv"):
        raise TableError(f"{name} has its names in no row; leave out the row of the header")
    if format == "parquet":
        names, columns = read_parquet(data, name, limits)
        own = HowRead(format)
        return replace(_table(names, columns, name, (), limits), kinds=parquet_kinds(data), how=own)
    if format == "excel":
        grid, said, title, titles = read_excel(data, name, part if sheet is None else sheet, limits)
        how = HowRead(format, sheet=title, sheets=tuple(titles))
        return _laid_out(grid, name, said, header, tidy, ragged, limits, how)
    if encoding is None:
        refuse_binary(data, name, strict=delimiter is None)
    text, found = decode(data, name, encoding)
    del data  # the text is as large, and what is made of it larger
    notes = [] if found in ("utf-8", "utf-8-sig") or encoding else [f"read as {found}"]
    if format in ("json", "jsonl"):
        names, rows = read_json_records(text, name, limits)
        read = _table(names, _transposed(names, rows), name, notes, limits)
        return replace(read, how=HowRead(format, found))
    delimiter = delimiter or ("\t" if format == "tsv" else delimiter_of(text, quotes))
    how = HowRead(format, found, delimiter)
    grid = read_delimited(text, name, delimiter, quotes=quotes, limits=limits)
    return _laid_out(grid, name, notes, header, tidy, ragged, limits, how)


def _laid_out(
    grid: Grid,
    name: str,
    notes: list[str],
    header: int | None,
    tidy: bool,
    ragged: Ragged,
    limits: Limits,
    how: HowRead,
) -> Table:
    if tidy or header is not None:
        found = lay_out(grid, name, header, ragged)
    else:
        found = as_it_stands(grid, name, ragged)
    columns = _transposed(found.names, found.rows)
    table = _table(found.names, columns, name, [*notes, *found.notes], limits)
    table = replace(table, how=replace(how, header=found.header))
    return replace(table, columns=with_decimal_commas(table.columns)) if tidy else table


def _named(database: Source, name: str | None) -> Stored:
    try:
        return find_stored(database, name)
    except TableError:
        database.close()
        raise


def _parquet_files(path: str) -> list[Path]:
    """The Parquet files that a path names: a file, or those of a folder or glob."""
    if is_several(path):
        files = files_of(path)
        return files if all(file.suffix.lower() == ".parquet" for file in files) else []
    try:
        if not os.path.isfile(path):  # a pipe can be read only once
            return []
        with open(path, "rb") as file:
            return [Path(path)] if file.read(4) == b"PAR1" else []
    except (OSError, ValueError):
        return []  # whoever reads the file says what is wrong


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
        shown = without_password(str(path))
        raise TableError(f"{shown!r} cannot be the name of a file") from None


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
_PIECE: Final = 8 << 20
"""Bytes that are read at a time."""


def _why(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"there is no file {without_password(str(path))}"
    if isinstance(error, PermissionError):
        return f"{path} may not be read: permission denied"
    if error.errno == errno.ELOOP:
        return f"{path} is a loop of symbolic links"
    shown = without_password(str(path))
    return f"{shown} cannot be read: {(error.strerror or str(error)).lower()}"


def _stdin(limits: Limits) -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError("nothing is piped into standard input; name a file instead of -")
    return _bounded(sys.stdin.buffer, "standard input", limits)


def _bounded(file: BinaryIO, name: str, limits: Limits) -> bytes:
    """Read a file piece by piece: room for all that may be read is not asked for at once."""
    pieces: list[bytes] = []
    size = 0
    while size <= limits.bytes and (piece := file.read(_PIECE)):
        pieces.append(piece.encode("utf-8") if isinstance(piece, str) else piece)
        size += len(pieces[-1])
    limits.check_bytes(name, size)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


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
        limits.check_bytes(name, size, "unpacks to more than")
        if not unpacker.eof:
            raise TableError(f"{name} is a gzip file that was cut short")
        data = unpacker.unused_data
    return b"".join(chunks), name
