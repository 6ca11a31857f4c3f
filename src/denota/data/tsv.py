"""Tab-separated files with a header, as the SQA release writes them, record by record.

Fields are quoted where they hold a tab or a line break, so a record may span several lines; its
place is the line it begins on.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from denota.data.disk import unreadable
from denota.errors import DataError


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a file, by column name, and where it begins."""

    path: Path
    line: int
    fields: dict[str, str]

    @property
    def place(self) -> str:
        """`file:line`, the way errors name it."""
        return f"{self.path}:{self.line}"

    @property
    def sequence(self) -> tuple[str, str]:
        """The conversation the row belongs to."""
        return self.fields["id"], self.fields["annotator"]

    @property
    def position(self) -> int:
        """The row's place in its conversation."""
        text = self.fields["position"]
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise DataError(
                f"{self.place} has the position {text!r}; it must be a number,"
                " 0 for the first question"
            )
        return int(text)


def read_header(path: Path) -> tuple[str, ...]:
    """Return the column names of a tab-separated file; none where it is empty."""
    return tuple(next(_rows(path), (0, []))[1])


def read_records(path: Path, wanted: Sequence[str]) -> Iterator[Record]:
    """Yield the rows of a tab-separated file; blank lines are passed over.

    Raises:
        DataError: the file cannot be read, lacks a wanted column, or a row does not fit the header.
    """
    rows = _rows(path)
    header = next(rows, (0, []))[1]
    missing = [name for name in wanted if name not in header]
    if missing:
        raise DataError(
            f"the first line of {path} lacks {', '.join(map(repr, missing))};"
            " it should name the columns"
            f" {' '.join(wanted)}, separated by tabs"
        )
    for line, row in rows:
        if row and len(row) != len(header):
            raise DataError(
                f"{path}:{line} has {len(row)} fields where the header has {len(header)};"
                " mend or remove the row"
            )
        if row:
            yield Record(path, line, dict(zip(header, row, strict=True)))


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line it begins on."""
    line = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.reader(stream, delimiter="\t")
            for row in rows:
                yield line, row
                line = rows.line_num + 1
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except csv.Error as error:
        raise DataError(
            f"{path}:{line} is not tab-separated text ({error}); mend the row"
        ) from error
