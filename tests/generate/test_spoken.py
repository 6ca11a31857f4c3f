"""Constants as questions write them: what is written can be read back."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.generate.spoken import (
    say_value,
    shorten,
    surname,
    write_count,
    write_date,
    write_decade,
    write_number,
    write_ordinal,
)
from denota.programs.constants import constants_in
from denota.programs.tree import Date, Number

seeds = st.integers(0, 1000).map(Random)
cents = st.integers(0, 10**9).map(lambda value: value / 100)


@given(
    st.one_of(cents, st.integers(0, 10**12).map(float)),
    st.sampled_from(["", "$", "€", "£", "%", "km"]),
    seeds,
)
def test_numbers_read_back(value: float, unit: str, rng: Random) -> None:
    written = write_number(value, unit, rng)
    if written:
        assert Number(value) in constants_in(f"which have more than {written} points?").numbers


@given(st.integers(1, 4 * 3600 * 100).map(lambda value: value / 100), seeds)
def test_times_read_back(value: float, rng: Random) -> None:
    written = write_number(value, "time", rng)
    if written:
        assert Number(value) in constants_in(f"who ran in under {written}?").numbers


def test_nearly_all_numbers_can_be_written() -> None:
    values = [n / 100 for n in range(0, 100_000, 37)]
    assert all(write_number(value, unit, Random(0)) for value in values for unit in ("", "$"))
    times = sum(bool(write_number(value, "time", Random(0))) for value in values)
    assert times > 0.8 * len(values)  # 10:13.09 is not quite 613.09 seconds in floating point


@pytest.mark.parametrize("value", [-1.0, -0.5, 1e15, float("inf"), 0.1 + 0.2])
def test_what_no_one_writes_is_not_written(value: float) -> None:
    assert write_number(value, "", Random(0)) == ""


@given(st.dates().filter(lambda date: 1000 <= date.year < 2200), st.sampled_from([1, 2, 3]), seeds)
def test_dates_read_back(date: object, parts: int, rng: Random) -> None:
    stated = (date.year, date.month, date.day)[:parts]  # type: ignore[attr-defined]
    wanted = Date(*stated)
    assert wanted in constants_in(f"which came after {write_date(wanted, rng)}?").dates


@given(st.integers(1, 12), st.integers(0, 28), seeds)
def test_dates_without_a_year_read_back(month: int, day: int, rng: Random) -> None:
    wanted = Date(0, month, day)
    assert wanted in constants_in(f"which came in {write_date(wanted, rng)}?").dates


@given(st.integers(151, 209).map(lambda n: 10 * n), seeds)
def test_decades_read_back(start: int, rng: Random) -> None:
    assert (
        Number(float(start))
        in constants_in(f"which is from the {write_decade(start, rng)}?").decades
    )


@given(st.integers(2, 10), st.booleans(), seeds)
def test_counts_read_back(value: int, words: bool, rng: Random) -> None:
    found = constants_in(f"name the top {write_count(value, rng, words)} teams")
    assert Number(float(value)) in found.numbers + (found.number_words if words else ())


@given(st.integers(2, 5), st.booleans(), seeds)
def test_ordinals_read_back(value: int, words: bool, rng: Random) -> None:
    found = constants_in(f"who is {write_ordinal(value, rng, words)} highest?")
    assert Number(float(value)) in found.numbers + (found.number_words if words else ())


@pytest.mark.parametrize(
    "text", ["", "-", "n/a", "the", "no", "a\nb", 'the "Owl"', "x" * 60, "…", "\x07bell"]
)
def test_what_no_one_says(text: str) -> None:
    assert say_value(text) == ""


def test_values_are_said_without_footnotes_and_remarks() -> None:
    assert say_value("Oslo  (north)[a]") == "Oslo (north)"
    assert shorten("Oslo (north)") == "Oslo"
    assert shorten("(north)") == ""
    assert surname("Ada Lind") == "Lind"
    assert surname("Division 2") == ""
