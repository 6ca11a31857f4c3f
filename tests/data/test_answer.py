"""Answers: the official rule of WTQ by hand, and what must hold of keys, right answers and partial
credit.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denota.data.answer import (
    Cells,
    Item,
    Values,
    fold,
    is_right,
    item_key,
    items_of,
    keys_of,
    partial,
)
from denota.tables.table import Table

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.one_of(
    st.text(alphabet='ab1.,[]()"†*#+–é‘$%- ', max_size=9),
    st.sampled_from(["Oslo", "oslo", "5", "5.0", "1,234", "yes", "May 5, 1993", "1993-05-05", ""]),
    st.text(max_size=12),
    st.integers(-10_000, 10_000).map(lambda n: f"{n:,}"),
)
ITEMS: st.SearchStrategy[Item] = st.one_of(TEXTS, NUMBERS, st.booleans())
LISTS = st.lists(ITEMS, max_size=5)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Zürich", "zurich"),
        ("“Café”", "cafe"),
        ("D’Arcy – Smith", "d'arcy - smith"),
        ("Oslo[1][note 2]", "oslo"),
        ("Oslo †", "oslo"),
        ("Oslo* (capital) [3]", "oslo"),
        ("[1]", ""),
        ("[sic]", "[sic]"),
        ("(a)", "(a)"),
        ("f(x)", "f(x)"),
        ("John Smith (D) (incumbent)", "john smith"),
        ("a (b (c)", "a"),
        ('"a" and "b"', '"a" and "b"'),
        ("U.S.", "u.s"),
        ("  New \n York ", "new york"),
    ],
)
def test_texts_are_folded_as_officially(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12,467", 12467.0),
        ("5", 5.0),
        ("5.00", "5"),
        (".5", 0.5),
        ("−4.5%", -4.5),
        ("$5", 5.0),
        ("£ 6,000,000", 6e6),
        ("1e5", 100_000.0),
        (0.1 + 0.2, "0.3"),
        (-0.0, 0.0),
        ("12 (tie)", "12"),
        ("May 5, 1993", "1993-05-05"),
        ("5 May 1993", "1993-5-5"),
        ("Saturday, May 5", "xxxx-05-05"),
        ("May 1993", "1993-05-xx"),
        ("2003-xx-xx", 2003.0),
        ("2003-xx-11", "2003-XX-11"),
        (True, "Yes"),
        (False, "no"),
        ("Wolfe Tones", "wolfe tones"),
    ],
)
def test_what_matches(one: Item, other: Item) -> None:
    assert is_right([one], Values((other,))) and is_right([other], Values((one,)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3rd", "3"),
        ("5 Kings", "5"),
        ("1:23", 83.0),
        ("1993-94", 1993.0),
        ("1/2", 0.5),
        ("1,23", 123.0),
        ("12/20/2013", "2013-12-20"),
        ("September 21, 2011 to January 25, 2012", "September 21, 2011"),
        ("May", "xxxx-05-xx"),
        ("xxxx-xx-xx", "xx-xx-xx"),
        ("2003-13-01", "2003-1-13"),
        (True, 1.0),
        (1.0, 1.00001),
        ("", 0.0),
        ("1e999", math.inf),
    ],
)
def test_what_does_not_match(one: Item, other: Item) -> None:
    assert not is_right([one], Values((other,))) and not is_right([other], Values((one,)))


def test_sets_and_counts() -> None:
    assert is_right(["b", "a"], Values(("a", "b")))
    assert is_right(["a", "A", "b"], Values(("a", "b"))), "a set has a value once"
    assert not is_right(["a"], Values(("a", "b"))) and not is_right(["a", "b"], Values(("a",)))
    counted = Values(("a", "a", "b"), repeats=True)
    assert is_right(["b", "a", "A"], counted) and not is_right(["a", "b"], counted)
    assert is_right([], Values(())) and not is_right([""], Values(()))
    assert partial(["a", "b"], counted) == pytest.approx(2 / 3)
    assert keys_of(counted) == ("a", "a", "b") and keys_of(Values(("a", "A"))) == ("a",)


def test_what_an_answer_says() -> None:
    table = Table.from_rows(["city", "people"], [["Oslo", "7"], ["Moss", "2"]])
    assert items_of(Cells(frozenset({(1, 0), (0, 1)})), table) == ("7", "Moss")
    assert items_of(Values((True, 2.0)), table) == (True, 2.0)


@given(ITEMS, ITEMS)
def test_items_match_where_their_keys_are_equal(one: Item, other: Item) -> None:
    same = item_key(one) == item_key(other)
    assert is_right([one], Values((other,))) == is_right([other], Values((one,))) == same
    assert item_key(one) == item_key(one)
    if same:
        assert hash(item_key(one)) == hash(item_key(other))


@given(TEXTS)
def test_folding_is_done_once(text: str) -> None:
    """What is folded has the key of the text, but for a second full stop at the end and letters
    that change under NFKD.
    """
    folded = fold(text)
    if text.isascii() and not folded.endswith((".", "`", *'])*#+"')):
        assert fold(folded) == folded and item_key(folded) == item_key(text)


@given(NUMBERS)
def test_a_number_matches_its_text(number: float) -> None:
    assert item_key(number) == item_key(repr(number))
    if abs(number) < 1e12:
        assert item_key(round(number, 2)) == item_key(f"{number:,.2f}")


@given(LISTS, LISTS, st.booleans())
def test_partial_credit(one: list[Item], other: list[Item], repeats: bool) -> None:
    gold, back = Values(tuple(other), repeats), Values(tuple(one), repeats)
    share = partial(one, gold)
    assert 0 <= share <= 1 and share == partial(other, back)
    assert (share == 1) == is_right(one, gold) == is_right(other, back)
    assert is_right(list(reversed(other)), gold), "order is free"


@given(LISTS, st.booleans())
def test_keys_stand_for_the_answer(items: list[Item], repeats: bool) -> None:
    keys = keys_of(Values(tuple(items), repeats))
    assert set(keys) == set(map(item_key, items))
    assert len(keys) == (len(items) if repeats else len(set(keys)))
