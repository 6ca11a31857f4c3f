"""The numbers, dates and words that a question offers to its programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.programs.constants import constants_in
from denota.tokens import tokenise
from programs.strategies import PHRASES

NUMBERS = {
    "over 1,500 crew": [1500],
    "more than 2.5 points?": [2.5],
    "1,234.5.": [1234.5],
    "ranked 3rd, 10th or 21st": [3, 10, 21],
    "number 7, #8 and (9)": [7, 8, 9],
    "$640,000 or more": [640_000],
    "$1.2 million": [1_200_000],
    "3 thousand people": [3000],
    "50% or 7.5%": [50, 7.5],
    "between 10-15": [10, 15],
    "3, 3.0 and 3": [3],
    "colder than -3 degrees": [-3],
    "colder than \u22123.5 degrees": [-3.5],
    "a run of 21:40:12": [78_012],
    "under 1:23.45": [83.45],
    "over 83 minutes": [83, 4980],
    "over 2.5 hours": [2.5, 9000],
    "1 hour 20 minutes": [1, 3600, 20, 1200],
    "in 1993, or 1994?": [1993, 1994],
    "Apollo 11": [11],
    "two of them": [],
    "u2 and a1": [],
    "": [],
}
WORDS = {
    "the top three": [3],
    "the second of five": [2, 5],
    "won once or twice": [1, 2],
    "a dozen": [12],
    "nobody": [],
    "Ten, ten and TEN": [10],
    "someone, often": [],
}
DATES = {
    "after May 17, 1993": [(1993, 5, 17), (1993, 0, 0), (0, 5, 0)],
    "17 May 1993": [(1993, 5, 17), (1993, 0, 0)],
    "on 17th of May": [(0, 5, 17), (0, 5, 0)],
    "june 3": [(0, 6, 3), (0, 6, 0)],
    "June 1994": [(1994, 6, 0), (1994, 0, 0), (0, 6, 0)],
    "1993-05-17": [(1993, 5, 17), (1993, 0, 0)],
    "5/17/1993": [(1993, 5, 17), (1993, 0, 0)],
    "17/5/93": [(1993, 5, 17)],
    "17.05.1993": [(1993, 5, 17)],
    "1993/05/17": [(1993, 5, 17), (1993, 0, 0)],
    "17-May-1993": [(1993, 5, 17), (1993, 0, 0)],
    "17-May-93": [(1993, 5, 17)],
    "in May-93": [(1993, 5, 0), (0, 5, 0)],
    "in 05/1993": [(1993, 5, 0), (1993, 0, 0)],
    "a score of 3/4": [],
    "version 1.2.3": [],
    "in 1993 and 2002": [(1993, 0, 0), (2002, 0, 0)],
    "in may": [(0, 5, 0)],
    "december": [(0, 12, 0)],
    "who may win": [],
    "Feb 30, 1993": [(1993, 0, 0), (0, 2, 0)],
    "1,993 ships": [],
    "19930 ships": [],
    "0999": [],
}
DECADES = {
    "the 90s": [1990],
    "in the '60s": [1960],
    "1990s": [1990],
    "2000's": [2000],
    "the 1890s and the 1900s": [1890, 1900],
    "90 ships": [],
    "1993s": [],
}


@pytest.mark.parametrize("question", NUMBERS)
def test_numbers_in_digits(question: str) -> None:
    assert [n.value for n in constants_in(question).numbers] == pytest.approx(NUMBERS[question])


@pytest.mark.parametrize("question", WORDS)
def test_numbers_in_words(question: str) -> None:
    assert [n.value for n in constants_in(question).number_words] == WORDS[question]


@pytest.mark.parametrize("question", DATES)
def test_dates_with_the_parts_they_state(question: str) -> None:
    found = [(d.year, d.month, d.day) for d in constants_in(question).dates]
    assert sorted(found) == sorted(DATES[question])


@pytest.mark.parametrize("question", DECADES)
def test_decades_by_their_first_year(question: str) -> None:
    assert [n.value for n in constants_in(question).decades] == DECADES[question]


def test_words_are_those_that_carry_meaning() -> None:
    found = constants_in("Which of the ships from Oslo, OSLO or Bergen did not return?")
    assert [word.text for word in found.words] == ["ships", "oslo", "bergen", "return"]


def test_a_constant_remembers_how_it_was_written() -> None:
    assert [n.written for n in constants_in("over 1,500 crew").numbers] == ["1,500"]
    assert [n.written for n in constants_in("the second").number_words] == ["second"]
    assert "may 17, 1993" in [d.written for d in constants_in("May 17, 1993").dates]


@given(question=st.one_of(st.text(), st.lists(st.sampled_from(PHRASES), max_size=8).map(" ".join)))
def test_any_question_has_constants_that_make_sense(question: str) -> None:
    found = constants_in(question)
    for group in (found.numbers, found.number_words, found.dates, found.decades, found.words):
        assert len(set(group)) == len(group)
    assert all(abs(n.value) < float("inf") for n in found.numbers)
    for date in found.dates:
        assert date.year or date.month
        assert 0 <= date.month <= 12 and 0 <= date.day <= 31 and (date.month or not date.day)
    assert all(n.value % 10 == 0 and 1000 <= n.value < 2200 for n in found.decades)
    assert {word.text for word in found.words} <= set(tokenise(question)) == found.tokens
