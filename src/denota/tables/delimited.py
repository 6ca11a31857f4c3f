"""Delimited text (CSV, TSV, semicolons, pipes) to rows."""

from __future__ import annotations

import csv
import io
import re
import sys
from array import array
from collections.abc import Iterator
from itertools import chain
from typing import Final, Literal, Protocol

from denota.errors import TableError, TooLarge
from denota.tables.grid import Grid, commonest
from denota.tables.limits import Limits, Tally
from denota.tables.ruled import without_frame

DELIMITERS: Final = (",", "\t", ";", "|")


def read_delimited(
    text: str, name: str, delimiter: str | None = None, *, quotes: bool = True, limits: Limits
) -> Grid:
    """Return all rows, empty ones too.

    Args:
        text: the whole file.
        name: what to call it in messages.
        delimiter: one character, or None to find out.
        quotes: whether `"` quotes a cell (else it is an ordinary character).
        limits: refuse larger tables.
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"\0'):
        raise TableError(
            f"the delimiter must be one character that can stand between cells, not {delimiter!r}"
        )
    delimiter = delimiter or delimiter_of(text, quotes)
    text, told = without_sep_line(text)
    if not quotes or '"' not in text:
        _check_marks(text, delimiter, name, limits)
    lines = _Lines(text, name)
    reader = _reader(lines, delimiter, quotes)
    tally = Tally(name, limits)
    rows: list[list[str]] = []
    numbers = array("q")
    cells = widest = blank = 0
    skipped = 1 if told else 0
    start = line = 1 + skipped  # the line the row in hand begins on, and the next one
    for row in reader:
        start, line = line, reader.line_num + 1 + skipped
        lines.pending = 0
        if row == [_END]:
            break
        if not row and rows and not rows[-1]:
            blank += 1
            continue
        cells, widest = cells + len(row), max(widest, len(row), 1)
        least = max(len(rows), -(-cells // widest)) - 1  # one is the header
        if len(row) > limits.columns or least * widest > limits.cells:
            limits.check(name, least, widest)
        rows.append(row)
        numbers.append(start)
        if len(rows) % _BATCH == 0:
            tally.add(chain.from_iterable(rows[-_BATCH:]))
    else:
        raise _open_quote(name, start)
    tally.add(chain.from_iterable(rows[len(rows) - len(rows) % _BATCH :]))
    grid = Grid(rows, numbers, blank=blank)
    return without_frame(grid) if delimiter == "|" else grid


def delimiter_of(text: str, quotes: bool = True) -> str:
    r"""Return the delimiter that a file tells, or that is found out.

    >>> delimiter_of("sep=|\na,b\n"), delimiter_of("a,b\n1,2\n")
    ('|', ',')
    """
    rest, told = without_sep_line(text)
    return told or find_delimiter(rest, quotes)


def without_sep_line(text: str) -> tuple[str, str | None]:
    r"""Return the text without a first line `sep=;`, as Excel has it, and the delimiter it tells.

    >>> without_sep_line("sep=;\na;b\n")
    ('a;b\n', ';')
    """
    found = _SEP_LINE.match(text)
    return (text[found.end() :], found[1]) if found else (text, None)


def find_delimiter(text: str, quotes: bool = True) -> str:
    r"""Return the delimiter that splits the first lines into the most cells of one count.

    That is the count of the first line, or where hardly a line has as many, the commonest one.

    >>> find_delimiter("a;b\n1,5;2\n")
    ';'
    >>> find_delimiter("Prices\nItem;Price;Note\nSpade;24,90\nHose;54,00;new\nRake;19,95\n")
    ';'
    >>> find_delimiter("Towns, by area\n\nTown;Area\nOslo;454\nMoss;64\n")
    ';'
    """
    sample = text[:_SAMPLE]
    header = sample.lstrip("\r\n").splitlines()[0] if sample.strip("\r\n") else ""
    counts = {d: _counts(sample, d, quotes, len(sample) < len(text)) for d in DELIMITERS}
    able = [d for d in DELIMITERS if d != "," or not _are_of_cells(sample, counts)]
    candidates = [d for d in able if d in header]
    shares = {d: _share(counts[d], counts[d][0]) for d in candidates if counts[d]}
    if len(shares) == 1 and '"' not in header and max(shares.values())[0] >= _FEW:
        return next(iter(shares))
    fitting = {d: share for d, share in shares.items() if share[0] >= _FEW and share[1] > 1}
    if not fitting:
        usual = ((d, commonest(c for c in counts[d] if c > 1)) for d in able)
        fitting = {d: _share(counts[d], width) for d, width in usual if width}
    return max(fitting, key=lambda d: fitting[d], default=candidates[0] if candidates else ",")


def _check_marks(text: str, delimiter: str, name: str, limits: Limits) -> None:
    """Raise if a text without quotes has too many cells, before it is divided into them."""
    lines = text.count("\n") - text.count("\n\n") - text.count("\n\r")
    cells = text.count(delimiter) + lines - limits.columns  # a header is no row
    if cells > limits.cells:
        limits.check(name, cells, 1)


def _are_of_cells(sample: str, counts: dict[str, list[int]]) -> bool:
    """Say whether commas belong to numbers and sentences, for others divide as many lines."""
    lines = max(sum(count > 1 for count in counts[d]) for d in DELIMITERS if d != ",")
    within = len(_COMMA_WITHIN.findall(sample))
    divided = sum(count > 1 for count in counts[","])
    return lines >= max(divided, 1) and within >= _MOST * sample.count(",")


def _counts(sample: str, delimiter: str, quotes: bool, cut: bool) -> list[int]:
    """Return the cells of each row of a sample, but for the last where the sample was cut."""
    rows = [
        len(row) for row in _reader(_Lines(sample, ""), delimiter, quotes) if row and row != [_END]
    ]
    return rows[:-1] if cut and len(rows) > 1 else rows


def _share(counts: list[int], width: int) -> tuple[float, int]:
    return counts.count(width) / len(counts), width


_COMMA_WITHIN: Final = re.compile(r"(?<=\d),(?=\d)|, ")
_MOST: Final = 0.9
_FEW: Final = 0.5
"""Below this share of the lines, a count is not the table's."""
_SEP_LINE: Final = re.compile(r'"?sep=([^\r\n"])"?[ \t]*(?:\r\n|\r|\n|$)', re.IGNORECASE)
# This last line tells a file that ends inside an open quote from one that does not. It cannot occur
# in text, for NUL bytes are refused before.
_END: Final = "\0end"
_SAMPLE: Final = 65_536
_BLOCK: Final = 1 << 20
_BATCH: Final = 1_000
"""Rows whose cells are counted at once."""
LONGEST_ROW: Final = 1 << 23
"""Characters of one row."""


class _Reader(Protocol):
    """The type of `csv.reader(...)`, which the csv module does not name."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


class _Lines:
    """The lines of a text and one that ends it, a block at a time, none of them in a long row.

    A text that is made into lines as a whole takes four times its memory.
    """

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self.pending = 0
        """Characters of the row in hand; whoever has the row sets it to 0."""

    def __iter__(self) -> Iterator[str]:
        rest = ""
        for start in range(0, len(self._text), _BLOCK):
            block = io.StringIO(rest + self._text[start : start + _BLOCK], newline="")
            *whole, rest = block  # the last of them may go on in the next block
            for line in whole:
                self.pending += len(line)
                if self.pending > LONGEST_ROW:
                    raise _long_row(self._name)
                yield line
            if self.pending + len(rest) > LONGEST_ROW:
                raise _long_row(self._name)
        yield rest if rest.endswith(("\n", "\r")) else rest + "\n"
        yield _END


def _reader(lines: _Lines, delimiter: str, quotes: bool) -> _Reader:
    csv.field_size_limit(sys.maxsize)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=delimiter, quoting=quoting)


def _long_row(name: str) -> TooLarge:
    return TooLarge(
        f"{name} has a row of more than {LONGEST_ROW:,} characters; "
        'close its quotes ("), or name the right delimiter'
    )


def _open_quote(name: str, line: int) -> TableError:
    return TableError(
        f'{name} has a quote (") on line {line} that is never closed; '
        "close it, or pass --no-quotes if quotes are ordinary characters"
    )
