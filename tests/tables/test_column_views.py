"""The number and date views, from properties: writing a value and reading the column gives the
value back.
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from denota.tables import Column
from strategies import (
    DATE_STYLES,
    NUMBER_STYLES,
    dates,
    odd_columns,
    plausible_columns,
    swapped,
    two_decimals,
    whole_numbers,
)


def column(*cells: str, name: str = "Value") -> Column:
    return Column(name, cells)


# Numbers


@pytest.mark.parametrize("style", NUMBER_STYLES)
@example(values=[-73.0])
@given(values=st.lists(two_decimals, min_size=1, max_size=8))
def test_a_written_number_is_read_back(style: str, values: list[float]) -> None:
    read = column(*map(NUMBER_STYLES[style], values))
    assert read.kind == "number"
    assert read.numbers.tolist() == values
    assert not read.unread.any() and not read.missing.any()


@given(values=st.lists(whole_numbers, min_size=1, max_size=8))
def test_a_whole_number_is_read_back_with_and_without_thousands(values: list[int]) -> None:
    for written in (
        str,
        "{:,}".format,
        "{:,}%".format,
        lambda value: f"{value:,}".replace(",", "\u202f"),
    ):
        assert column(*map(written, values)).numbers.tolist() == values


@given(values=st.lists(whole_numbers, min_size=1, max_size=8))
def test_thousands_points_are_read_back_once_a_cell_has_a_decimal_comma(values: list[int]) -> None:
    cells = [swapped(f"{value:,}") for value in values]
    assert column(*cells, "1.234,50").numbers.tolist() == [*values, 1234.5]


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
@example([1.234])
@example([1e-07, 1.5])
@example([1.7976931348623157e308])
def test_a_number_python_writes_is_read_back_exactly(values: list[float]) -> None:
    assert column("0.5", *map(repr, values)).numbers.tolist() == [0.5, *values]


@given(
    values=st.lists(st.integers(1, 9999).map(lambda tenths: tenths / 10), min_size=1, max_size=6),
    scale=st.sampled_from([("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12)]),
)
def test_words_for_powers_of_ten_multiply(values: list[float], scale: tuple[str, int]) -> None:
    word, power = scale
    exact = [float(Decimal(str(value)).scaleb(power)) for value in values]
    read = column(*[f"${value} {word}" for value in values])
    assert (read.kind, read.unit) == ("number", "$")
    assert read.numbers == pytest.approx(exact, rel=1e-12)


@given(hundredths=st.lists(st.integers(6000, 35_999_99), min_size=1, max_size=6))
def test_a_clock_time_is_its_seconds(hundredths: list[int]) -> None:
    def clock(value: int) -> str:
        minutes, rest = divmod(value, 6000)
        tail = f"{rest / 100:05.2f}"
        return f"{minutes // 60}:{minutes % 60:02}:{tail}" if minutes >= 60 else f"{minutes}:{tail}"

    read = column(*map(clock, hundredths))
    assert (read.kind, read.unit) == ("number", "time")
    assert read.numbers == pytest.approx([value / 100 for value in hundredths], rel=1e-12)


@given(feet=st.integers(3, 8), inches=st.integers(0, 11))
def test_feet_and_inches_are_feet_however_written(feet: int, inches: int) -> None:
    for cell in (f"{feet}'{inches}\"", f"{feet} ft {inches} in", f"{feet}′{inches}″"):
        read = column(cell, "6 ft 2 in", name="Height")
        assert read.numbers[0] == pytest.approx(feet + inches / 12)


@pytest.mark.parametrize(
    "word", ["inf", "-inf", "Infinity", "nan", "NaN", "1_000", "0x1F", "0b11", "1e999", "IV"]
)
def test_what_python_would_call_a_number_but_a_person_would_not(word: str) -> None:
    assert column(word).kind == "text"
    among = column("12", word, "7", "9", "11")
    assert among.kind == "number"
    assert np.isnan(among.numbers[1])
    assert among.missing[1] or among.unread[1]


@pytest.mark.parametrize("digits", ["1" * 30, "9" * 30, "1" + "0" * 29, "7" * 400])
def test_a_long_row_of_digits_is_its_value_or_text_but_never_something_else(digits: str) -> None:
    read = column(digits, "1", "2", "3")
    if not np.isnan(read.numbers[0]):
        assert read.numbers[0] == pytest.approx(float(int(digits)))
    assert not np.isinf(read.numbers).any()


@pytest.mark.parametrize("cell", ["3/4/1993", "3-4-1993", "03.04.1993"])
def test_an_undecided_date_alone_has_its_year_and_one_of_two_days(cell: str) -> None:
    read = column(cell).dates
    assert read.year[0] == 1993
    assert {int(read.month[0]), int(read.day[0])} == {3, 4}


@pytest.mark.parametrize("cells", [("1990s", "1980s", "2000s"), ("1920s", "1930s")])
def test_decades_are_not_seconds(cells: tuple[str, ...]) -> None:
    assert column(*cells, name="Decade").unit != "time"


@pytest.mark.parametrize("cell", ["1:75", "3:99.5", "12:60:00", "1:61:00"])
def test_a_clock_has_no_more_than_59_minutes_and_seconds(cell: str) -> None:
    read = column("1:23", "2:45", cell, "1:11", "0:59")
    assert np.isnan(read.numbers[2])


# Dates


@pytest.mark.parametrize("style", DATE_STYLES)
@given(days=st.lists(dates, min_size=1, max_size=6))
def test_a_written_date_is_read_back(style: str, days: list[datetime.date]) -> None:
    pattern, settling = DATE_STYLES[style]
    read = column(*(day.strftime(pattern) for day in days), *settling)
    assert read.kind == "date"
    assert not read.unread.any()
    parts = zip(read.dates.year, read.dates.month, read.dates.day, strict=True)
    assert list(parts)[: len(days)] == [(day.year, day.month, day.day) for day in days]
    assert not read.dates.seconds.any()


@given(
    moments=st.lists(
        st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2099, 1, 1)), min_size=1
    )
)
def test_an_iso_timestamp_is_read_back(moments: list[datetime.datetime]) -> None:
    for separator in "T ":
        read = column(*(moment.isoformat(separator) for moment in moments))
        assert read.kind == "date"
        midnights = [
            moment.replace(hour=0, minute=0, second=0, microsecond=0) for moment in moments
        ]
        assert [
            datetime.datetime(y, m, d)
            for y, m, d in zip(read.dates.year, read.dates.month, read.dates.day, strict=True)
        ] == midnights
        seconds = [
            (moment - day).total_seconds() for moment, day in zip(moments, midnights, strict=True)
        ]
        assert read.dates.seconds == pytest.approx(seconds, abs=1e-6)


@given(days=st.lists(dates, min_size=2, max_size=8))
def test_order_counts_days_as_the_calendar_does(days: list[datetime.date]) -> None:
    order = column(*(day.isoformat() for day in days)).dates.order
    assert (order - order[0]).tolist() == [(day - days[0]).days for day in days]


@given(first=dates, second=dates, month=st.booleans())
def test_parts_that_are_not_stated_are_zero(
    first: datetime.date, second: datetime.date, month: bool
) -> None:
    pattern = "%B %Y" if month else "%-d %B"
    read = column(first.strftime(pattern), second.strftime(pattern)).dates
    zero, stated = (read.day, read.year) if month else (read.year, read.day)
    assert not zero.any()
    assert stated.tolist() == ([first.year, second.year] if month else [first.day, second.day])
    assert read.month.tolist() == [first.month, second.month]
    assert read.known.all() and np.isfinite(read.order).all()


@given(
    year=st.integers(1900, 2090),
    month=st.sampled_from(
        [(2, 30), (2, 31), (4, 31), (6, 31), (9, 31), (11, 31), (1, 32), (12, 32)]
    ),
)
def test_a_day_the_month_does_not_have_is_unread(year: int, month: tuple[int, int]) -> None:
    good = [f"{year}-01-{day:02}" for day in range(1, 8)]
    read = column(*good, f"{year}-{month[0]:02}-{month[1]:02}")
    assert read.kind == "date"
    assert read.unread.tolist() == [False] * 7 + [True]
    assert not read.dates.known[7]


@given(years=st.lists(st.integers(1700, 2050), min_size=1, max_size=8))
def test_a_column_of_years_has_both_views(years: list[int]) -> None:
    for cells in (list(map(str, years)), [f"{year}-{(year + 1) % 100:02}" for year in years]):
        read = column(*cells, name="Season")
        assert (read.kind, read.unit) == ("number", "year")
        assert read.numbers.tolist() == years
        assert read.dates.year.tolist() == years
        assert not read.dates.month.any() and not read.dates.day.any()


# The column as a whole


@given(cells=st.one_of(plausible_columns, odd_columns))
@example(["1e999", "2"])
@example(["٣", "²", "①"])
@example(["9" * 400])
@example(["\ud800", "1"])
@example([""])
@example([])
def test_every_cell_is_exactly_one_of_known_missing_and_unread(cells: list[str]) -> None:
    read = column(*cells)
    has_number, has_date = ~np.isnan(read.numbers), read.dates.known
    assert not np.isinf(read.numbers).any()
    if read.kind == "text":
        assert not has_number.any() and not has_date.any() and not read.unread.any()
        assert read.unit == ""
    else:
        known = has_number if read.kind == "number" else has_date
        assert (known.astype(int) + read.missing + read.unread == 1).all()
        assert known.any()
    if read.kind == "date":
        assert not has_number.any()
    assert (np.isnan(read.dates.order) == ~has_date).all()
    for view in (
        read.missing,
        read.unread,
        read.numbers,
        read.dates.year,
        read.dates.order,
        read.codes,
    ):
        assert view.shape == (len(cells),)
    assert [read.values[code] for code in read.codes] == cells
    repr(read)


def views(read: Column) -> list[list[object]]:
    """All views of a column, NaN as None so that they compare."""
    arrays = [read.numbers, read.missing, read.unread, read.dates.order]
    arrays += [
        read.dates.year,
        read.dates.month,
        read.dates.day,
        read.dates.seconds,
        read.dates.known,
    ]
    return [
        [None if isinstance(v, float) and math.isnan(v) else v for v in a.tolist()] for a in arrays
    ]


@given(cells=plausible_columns, data=st.data())
def test_the_order_of_rows_does_not_matter(cells: list[str], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(cells))))
    read, permuted = column(*cells), column(*[cells[row] for row in order])
    assert (permuted.kind, permuted.unit) == (read.kind, read.unit)
    assert views(permuted) == [[view[row] for row in order] for view in views(read)]


@pytest.mark.parametrize(
    "cells", [("12%", "$5.2 million"), ("5 kg", "6 km"), ("17 May", "12"), ("1,5", "1.5")]
)
def test_a_tie_does_not_go_to_the_first_row(cells: tuple[str, ...]) -> None:
    read, reverse = column(*cells), column(*cells[::-1])
    assert (reverse.kind, reverse.unit) == (read.kind, read.unit)
    assert views(reverse) == [view[::-1] for view in views(read)]


@given(cells=plausible_columns)
@example(["12", "17 May", "Oslo"])
@example(["49ers"])
def test_every_row_twice_changes_nothing(cells: list[str]) -> None:
    read, doubled = column(*cells), column(*cells, *cells)
    assert (doubled.kind, doubled.unit) == (read.kind, read.unit)
    assert views(doubled) == [view * 2 for view in views(read)]


@given(cells=plausible_columns, space=st.sampled_from([" ", "\u00a0", "\t", "\u2009", "\n"]))
def test_space_around_a_cell_changes_nothing(cells: list[str], space: str) -> None:
    read, spaced = column(*cells), column(*[space + cell + space for cell in cells])
    assert (spaced.kind, spaced.unit) == (read.kind, read.unit)
    assert views(spaced) == views(read)


@given(cells=plausible_columns, gaps=st.integers(1, 30))
@example(["12", "E", "E", "E", "31 April 1993"], 1)
@example(["12", "Oslo", "Apollo 11"], 1)
def test_missing_cells_decide_nothing(cells: list[str], gaps: int) -> None:
    read, longer = column(*cells), column(*cells, *[""] * gaps)
    assert (longer.kind, longer.unit) == (read.kind, read.unit)
    assert [view[: len(cells)] for view in views(longer)] == views(read)
    assert longer.missing[len(cells) :].all()


@pytest.mark.parametrize(
    "mark", ["", " ", "-", "–", "—", "n/a", "N/A", "NA", "None", "null", "?", "\u00a0"]
)
def test_marks_of_a_missing_value(mark: str) -> None:
    read = column("12", mark, "7", "9")
    assert read.kind == "number"
    assert read.missing.tolist() == [False, True, False, False]
    assert column(mark, mark).kind == "text"


def test_long_columns_of_distinct_cells_are_read_in_reasonable_time() -> None:
    rows = 50_000
    for written in ("{:,}".format, "player {}".format, "{}.5%".format):
        read = column(*map(written, range(rows)))
        assert len(read.numbers) == rows


@pytest.mark.parametrize(
    "cell",
    [
        "1" * 20_000 + "x",
        "1," * 10_000,
        "1 " * 10_000,
        "(" * 10_000,
        "[1]" * 5_000,
        "-" * 20_000,
        "1-" * 10_000,
        "1:" * 10_000,
        " " * 20_000 + "x",
        "May " * 5_000,
        "1'" * 10_000,
        "$" * 20_000,
        "1/" * 10_000,
        "a1" * 10_000,
        "12 " + "km " * 5_000,
        "1.5 million " * 2_000,
        "3½" * 5_000,
        "12[" + "a" * 20_000,
        "12" + "*" * 20_000 + "x",
    ],
    ids=lambda cell: f"{cell[:8]}...",
)
def test_no_cell_takes_long_to_read(cell: str) -> None:
    """Patterns that try again from every place would need minutes for these."""
    started = datetime.datetime.now()
    assert len(column(cell, "12", "7").numbers) == 3
    assert (datetime.datetime.now() - started).total_seconds() < 2
