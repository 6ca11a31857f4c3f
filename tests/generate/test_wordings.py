"""The wordings: enough of each, some kept back, and each usable."""

from __future__ import annotations

import re
from random import Random

import pytest

from denota.generate import slots
from denota.generate.nouns import families
from denota.generate.wordings import choose, wordings
from denota.programs.lexicon import triggers
from denota.programs.operators import AGGREGATES, COMPARES, SCOPES, STEPS, TESTS

OPERATORS = [
    *TESTS,
    *(name for name in STEPS if name not in TESTS),
    *SCOPES,
    *(name for name in AGGREGATES if name != "day"),  # worded under what compares two days
    *COMPARES,
    "then",
    "or",
    "any_of",
    "and",
    "three",
    "either",
    "several_columns",
    "columns_of_previous",
]
EVERY = [wording for own in wordings().values() for wording in own]


@pytest.mark.parametrize("operator", OPERATORS)
def test_there_are_enough(operator: str) -> None:
    texts = {wording.text for wording in wordings()[operator]}
    kept_back = {wording.text for wording in wordings()[operator] if wording.held_out}
    assert len(texts) >= 8
    assert 2 <= len(kept_back) <= len(texts) * 0.35


def test_there_is_nothing_else() -> None:
    assert set(wordings()) == set(OPERATORS)


def test_names_are_distinct_and_tell_what_is_held_out() -> None:
    assert len({wording.name for wording in EVERY}) == len(EVERY)
    assert all(wording.name.endswith("*") == wording.held_out for wording in EVERY)


@pytest.mark.parametrize("operator", OPERATORS)
def test_what_is_held_out_is_not_also_in_use(operator: str) -> None:
    used, kept_back = (
        {(w.form, w.text) for w in wordings()[operator] if w.held_out is held_out}
        for held_out in (False, True)
    )
    assert not used & kept_back


@pytest.mark.parametrize("operator", OPERATORS)
def test_both_sets_have_the_same_forms(operator: str) -> None:
    used, kept_back = (
        {w.form for w in wordings()[operator] if w.held_out is h} for h in (False, True)
    )
    assert kept_back <= used
    assert used - kept_back <= {"when", "question"}  # of a form that is only ever one of several


def test_they_are_plain_text() -> None:
    for wording in EVERY:
        around = re.sub(r"\{\w+\}", "X", wording.text)
        assert around == " ".join(around.split()) and not re.search(r"[?.{}]", around), wording.name
        assert wording.text == wording.text.lower(), wording.name


def test_a_wording_fits_where_its_slots_are_filled() -> None:
    filled = {
        "has": "has",
        "column": "height",
        "a_column": "a height",
        "value": "9",
        "quantity": "9",
    }
    for seed in range(30):
        found = choose(Random(seed), "equal", ("predicate",), filled, held_out=False)
        assert found is not None and found.slots <= filled.keys()
    assert choose(Random(0), "equal", ("predicate",), {"place": "Oslo"}, held_out=False) is None


def test_agreement_fills_number_and_tense() -> None:
    assert slots.agreement(plural=True, past=False)["has"] == "have"
    assert slots.agreement(plural=False, past=True)["is"] == "was"


@pytest.mark.parametrize("family", families())
def test_adjectives_call_for_their_operator(family: str) -> None:
    adjectives = families()[family]
    for slot, operator in (("highest", "max"), ("lowest", "min")):
        assert adjectives.fitting(slot, operator), "no question for this operator could be grounded"
        for word in adjectives.fitting(slot, operator):
            assert set(word.split()) & set(triggers()[operator])
