"""Codes that a table has in place of words are offered for the words they stand for."""

from __future__ import annotations

import tomllib
from collections import Counter
from importlib.resources import files

import pytest

from denota.programs.codes import (
    codes_among,
    codes_for,
    codes_of_name,
    codes_of_names,
    names_of_codes,
    stands_for_any,
)
from denota.programs.near_words import are_near
from denota.programs.operators import language_of
from denota.programs.space import program_space
from denota.programs.text import parse_program
from denota.search.lexicon import read_lexicon
from denota.search.prepare import prepare
from denota.tables.table import Table
from denota.tokens import content

SHOPS = Table.from_rows(
    ["Shop", "State", "Country", "Party"],
    [
        ["Blue Door", "TX", "USA", "REP"],
        ["Pier 9", "NY", "USA", "DEM"],
        ["Liberty", "PA", "USA", "DEM"],
        ["Maple", "ON", "CAN", "LIB"],
        ["Rhein", "NW", "DEU", "IND"],
    ],
)
FULL = language_of("full")


def resource() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("denota.programs").joinpath("codes.toml").read_text("utf-8"))


def test_every_state_and_country_has_codes_of_its_own() -> None:
    states, countries = resource()["states"], resource()["countries"]
    assert len(states) == 51 and all(len(code) == 2 for code in states.values())
    assert len(set(states.values())) == 51
    for codes in countries.values():
        assert {len(code) for code in codes.split()} == {2, 3}
    times = Counter(code for codes in countries.values() for code in codes.split())
    synonyms = [
        name for name, codes in countries.items() if any(times[c] > 1 for c in codes.split())
    ]
    assert sorted(synonyms) == sorted(
        ["britain", "united kingdom", "america", "united states", "czechia", "czech republic"]
    )


@pytest.mark.parametrize(
    ("question", "test"),
    [
        ("which shops are in Texas?", "State = 'TX'"),
        ("shops in New York", "State = 'NY'"),
        ("which shops are German?", "Country = 'DEU'"),
        ("American shops", "Country = 'USA'"),
        ("how many shops belong to Republicans?", "Party = 'REP'"),
    ],
)
def test_a_name_leads_to_its_code(question: str, test: str) -> None:
    meant = parse_program(f"SELECT Shop WHERE {test}")
    assert program_space(question, SHOPS, None, FULL).index(meant) is not None
    ready = prepare(question, SHOPS, (), None, None, FULL, read_lexicon())
    value = test.split("'")[1].lower()
    assert ready.value_surface[ready.values.index((value,)), 0] == 1, "as if it were asked"


def test_words_without_a_code_lead_to_none() -> None:
    asked = content("who raised the most money in total of all candidates?")
    codes = frozenset(resource()["states"].values())
    assert codes_for(asked, codes) == frozenset()
    assert not any(stands_for_any(code, asked) for code in codes)


def test_names_of_two_words_need_both() -> None:
    assert codes_of_names(frozenset(("new", "jersey"))) == {"nj"}
    assert codes_of_names(frozenset(("jersey",))) == frozenset()
    assert "ny" not in codes_of_names(frozenset(("york",)))


def test_one_name_is_not_taken_for_another_that_it_begins_like() -> None:
    assert codes_of_names(frozenset(("niger",))) == {"ne", "ner"}
    assert codes_of_names(frozenset(("nigeria",))) == {"ng", "nga"}
    assert codes_of_names(frozenset(("austrian",))) == {"at", "aut"}


def test_only_columns_of_codes_have_codes() -> None:
    assert codes_among(("Tx", "Pa")) == frozenset(), "codes are capital letters"
    assert codes_among(("A", "B")) == frozenset()
    assert codes_among(()) == frozenset()
    assert codes_among(("USA", "UK", "DE", "FR", "Utopia")) == {"usa", "uk", "de", "fr"}


def looked_up_slowly(asked: frozenset[str]) -> frozenset[str]:
    """All names against all words, as the definition says it."""
    names: dict[frozenset[str], set[str]] = {}
    for kind in resource().values():
        for name, codes in kind.items():
            names.setdefault(content(name), set()).update(codes.split())
    found = {code for words, codes in names.items() if words <= asked for code in codes}
    whole = {word for words in names for word in words}
    for word in asked - whole:
        for words, codes in names.items():
            if len(words) == 1 and any(are_near(word, name) for name in words):
                found.update(codes)
    return frozenset(found)


@pytest.mark.parametrize(
    "question",
    [
        "zip codes in new york and texas",
        "german, austrian or swiss cars",
        "the dakota that is not south dakota",
        "south koreans and north carolinians",
        "new zealand against new mexico",
        "how many people live there?",
        "virginia or west virginia",
    ],
)
def test_names_are_found_by_their_words_as_by_trying_all(question: str) -> None:
    asked = content(question)
    assert codes_of_names(asked) == looked_up_slowly(asked)


def test_a_code_of_a_column_has_the_name_of_the_kind_that_the_column_is_of() -> None:
    assert names_of_codes(["DE", "TX", "OH"])["DE"] == "delaware"
    assert names_of_codes(["DE", "FR", "PL", "SE"])["DE"] == "germany"
    assert names_of_codes(["Texas", "Ohio"]) == {}
    assert names_of_codes([]) == {}
    assert "ZZ" not in names_of_codes(["ZZ", "TX", "OH"])


def test_every_name_leads_to_its_codes_and_back() -> None:
    for name, codes in resource()["states"].items():
        (code,) = codes_of_name(name)
        assert code == codes
        assert names_of_codes([code.upper(), "TX", "OH", "NV"])[code.upper()] == name
    assert codes_of_name("Atlantis") == ()
