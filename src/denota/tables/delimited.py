"""Delimited text (CSV, TSV, semicolons, pipes) to rows."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from typing import Final, Literal, Protocol

from denota.errors import TableError
from denota.tables.limits import Limits

Ragged = Literal["error", "fill"]
DELIMITERS: Final = (",", "\t", ";", "|")


def read_delimited(
    text: str,
    name: str,
    delimiter: str | None = None,
    *,
    quotes: bool = True,
    ragged: Ragged = "error",
    limits: Limits,
) -> tuple[list[str], list[list[str]], list[str]]:
    """Return header, rows and notes.

    Args:
        text: the whole file.
        name: what to call it in messages.
        delimiter: one character, or None to find out.
        quotes: whether `"` quotes a cell (else it is an ordinary character).
        ragged: what to do with a row of another length than the header: refuse it, or fill and cut
            it.
        limits: refuse larger tables.
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"\0'):
        raise TableError(
            f"the delimiter must be one character that can stand between cells, not {delimiter!r}"
        )
    delimiter = delimiter or find_delimiter(text, quotes)
    reader = _reader(text, delimiter, quotes)
    header: list[str] | None = None
    rows: list[list[str]] = []
    notes: list[str] = []
    blank = most = 0
    start = line = 1  # the line the row in hand begins on, and the next one
    for row in reader:
        start, line = line, reader.line_num + 1
        if row == [_END]:
            break
        if not row:
            blank += 1
        elif header is None:
            header = row
            limits.check(name, 1, len(header))
            most = limits.cells // len(header)
        elif len(rows) > most:
            limits.check(name, len(rows), len(header))
        elif len(row) == len(header):
            rows.append(row)
        elif ragged == "fill":
            if len(notes) < _MOST_NOTES:
                notes.append(
                    f"line {start} has {_cells(len(row))} where the header has {len(header)}"
                )
            rows.append((row + [""] * len(header))[: len(header)])
        elif row[-1].endswith(_END):
            raise _open_quote(name, start)
        else:
            raise TableError(
                f"line {start} of {name} has {_cells(len(row))}"
                f" where the header has {len(header)}; "
                "mend the line or pass --ragged fill"
            )
    else:
        raise _open_quote(name, start)
    if blank:
        notes.append(f"{blank} blank line{'s were' if blank > 1 else ' was'} skipped")
    if header is None:
        raise TableError(f"{name} is empty")
    if delimiter == "|" and header[0].strip() == header[-1].strip() == "" and len(header) > 2:
        header, rows = _unframe(header, rows)
    return header, rows, notes


def find_delimiter(text: str, quotes: bool = True) -> str:
    r"""Return the delimiter that splits the first lines into the most cells of one count.

    >>> find_delimiter("a;b\n1,5;2\n")
    ';'
    """
    sample = text[:_SAMPLE]
    header = sample.lstrip("\r\n").splitlines()[0] if sample.strip("\r\n") else ""
    candidates = [d for d in DELIMITERS if d in header]
    if len(candidates) == 1 and '"' not in header:
        return candidates[0]
    best, best_score = ",", (0.0, 1)
    for delimiter in candidates or DELIMITERS:
        rows = [row for row in _reader(sample, delimiter, quotes) if row and row != [_END]]
        rows = rows[:-1] if len(sample) < len(text) and len(rows) > 1 else rows
        width = len(rows[0]) if rows else 1
        if width > 1:
            score = (sum(len(row) == width for row in rows) / len(rows), width)
            if score > best_score:
                best, best_score = delimiter, score
    return best


# This last line tells a file that ends inside an open quote from one that does not. It cannot occur
# in text, for NUL bytes are refused before.
_END: Final = "\0end"
_SAMPLE: Final = 65_536
_MOST_NOTES: Final = 20


class _Reader(Protocol):
    """The type of `csv.reader(...)`, which the csv module does not name."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


def _reader(text: str, delimiter: str, quotes: bool) -> _Reader:
    csv.field_size_limit(sys.maxsize)
    ending = "" if text.endswith(("\n", "\r")) else "\n"
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    lines = io.StringIO(text + ending + _END, newline="")
    return csv.reader(lines, delimiter=delimiter, quoting=quoting)


def _open_quote(name: str, line: int) -> TableError:
    return TableError(
        f'{name} has a quote (") on line {line} that is never closed; '
        "close it, or pass --no-quotes if quotes are ordinary characters"
    )


def _cells(count: int) -> str:
    return f"{count:,} cell{'' if count == 1 else 's'}"


def _unframe(header: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Take `| a | b |` out of its frame: outer pipes, padding and the line of dashes."""
    lines = [[cell.strip() for cell in row[1:-1]] for row in [header, *rows]]
    rule = len(lines) > 1 and all(cell and not cell.strip("-:") for cell in lines[1])
    return lines[0], lines[2:] if rule else lines[1:]
