"""The readings judged against hand labels: SQA's cells where the data is, an invented list like
them for everyone.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from denota.tables import Column, Table, read_table

FIXTURES = Path(__file__).parent.parent / "fixtures"


def reading(column: Column, row: int) -> tuple[float | None, str]:
    """The number and the date a cell is read as, the date as the labels write it."""
    number, dates = float(column.numbers[row]), column.dates
    year, month, day = int(dates.year[row]), int(dates.month[row]), int(dates.day[row])
    parts = [
        f"{year:04d}" if year else "-",
        f"{month:02d}" if month else "",
        f"{day:02d}" if day else "",
    ]
    date = "-".join(part for part in parts if part) if dates.known[row] else ""
    return (None if math.isnan(number) else number), date


def judge(cells: Iterator[tuple[Column, int, str, str]]) -> tuple[int, list[str], list[str]]:
    """Count the cells, and list those read wrongly and, of these, those given a number or date
    they do not state.
    """
    count, wrong, false = 0, [], []
    for column, row, number, date in cells:
        count += 1
        got_number, got_date = reading(column, row)
        number_right = (
            not number
            if got_number is None
            else bool(number) and math.isclose(got_number, float(number))
        )
        if number_right and got_date == date:
            continue
        line = (
            f"{column.name}: {column.text[row]!r} is {number or '-'} {date or '-'},"
            f" read as {got_number} {got_date}"
        )
        wrong.append(line)
        if (got_number is not None and not number_right) or (got_date and got_date != date):
            false.append(line)
    return count, wrong, false


def labelled(
    path: Path, draw: str, tables: dict[str, Table]
) -> Iterator[tuple[Column, int, str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        for label in csv.DictReader(file, delimiter="\t"):
            if label["draw"] == draw:
                column = tables[label["table"]].columns[int(label["column"])]
                yield column, int(label["row"]), label["number"], label["date"]


@pytest.mark.sqa
@pytest.mark.parametrize(("draw", "size"), [("uniform", 200), ("digits", 100)])
def test_labelled_cells_of_sqa(sqa: Path, draw: str, size: int) -> None:
    path = FIXTURES / "sqa_cells.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        names = {label["table"] for label in csv.DictReader(file, delimiter="\t")}
    tables = {name: read_table(sqa / name) for name in names}
    count, wrong, false = judge(labelled(path, draw, tables))
    assert count == size
    assert len(wrong) <= 0.03 * count, wrong
    assert len(false) <= 0.02 * count, false


def test_invented_cells_like_them() -> None:
    tables = {"expeditions": read_table(FIXTURES.parent.parent / "examples" / "expeditions.csv")}
    count, wrong, _ = judge(labelled(FIXTURES / "invented_cells.tsv", "invented", tables))
    assert count == 80
    assert wrong == []
