"""Column names in words, and English nouns."""

from __future__ import annotations

import pytest

from denota.generate.nouns import clean, name_column, noun_of_table
from denota.inflect import is_plural, plural, singular, with_article
from denota.tables import Column

NUMBERS = ("12", "7", "30")
YEARS = ("1950", "1987", "2003")


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("country", "countries"),
        ("day", "days"),
        ("bus", "buses"),
        ("coach", "coaches"),
        ("runner-up", "runners-up"),
        ("person", "people"),
        ("date of birth", "dates of birth"),
        ("goal against", "goals against"),
        ("ticket sold", "tickets sold"),
        ("series", "series"),
    ],
)
def test_plural_and_back(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one


@pytest.mark.parametrize("word", ["class", "status", "attendance", "loss", "gas", "2019"])
def test_singular_stays(word: str) -> None:
    assert singular(word) == word
    assert not is_plural(word)


def test_article() -> None:
    phrases = ("area", "year", "hour", "European title", "number of goals")
    assert [with_article(phrase) for phrase in phrases] == [
        "an area", "a year", "an hour", "a European title", "a number of goals",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Pos.", "position"),
        ("No.", "number"),
        ("#", "number"),
        ("Pick #", "pick number"),
        ("Opponent#", "opponent"),
        ("Height (m)", "height"),
        ("homeTeam_name", "home team name"),
        ("Passengers 2019", "passengers in 2019"),
        ("The Open", "open"),
        ("TV", "TV"),
        ("2011", "2011 figure"),
        ("Built by", "builder"),
        ("(unofficial)", "unofficial"),
        ("", "figure"),
        ("\x07", "figure"),
    ],
)
def test_clean(name: str, said: str) -> None:
    assert clean(name) == said


@pytest.mark.parametrize(
    ("name", "cells", "role", "family"),
    [
        ("Player", ("Ada Lind", "Bo Ek"), "person", None),
        ("Country", ("Velmark", "Osterra"), "place", None),
        ("Type", ("arch", "beam"), "kind", None),
        ("Notes", ("retired", "injured"), "label", None),
        ("Opened", YEARS, "time", "founding"),
        ("Date of birth", ("3 May 1990", "7 June 1981"), "time", "birth"),
        ("Pos.", NUMBERS, "quantity", "rank"),
        ("Price", ("$3.50", "$4.00"), "quantity", "price"),
        ("Time", ("2:14:07", "2:15:30"), "quantity", "clock"),
        ("Departs", ("6:15 am", "7:05 am"), "quantity", "hour"),
        ("Height (m)", NUMBERS, "quantity", "height"),
        ("Something", NUMBERS, "quantity", "amount"),
    ],
)
def test_role_and_family(name: str, cells: tuple[str, ...], role: str, family: str | None) -> None:
    naming = name_column(Column(name, cells))
    assert naming.role == role
    assert (naming.family.name if naming.family else None) == family


def test_what_is_counted() -> None:
    assert name_column(Column("Goals", NUMBERS)).counted == ("goals",)
    assert name_column(Column("Attendance", NUMBERS)).counted == ("spectators", "people")
    assert name_column(Column("Height", NUMBERS)).counted == ()
    assert name_column(Column("Notes", NUMBERS)).counted == ()


def test_participles() -> None:
    naming = name_column(Column("Year built", YEARS))
    assert naming.participle == "built"
    assert naming.nouns[0].one == "construction year"


def test_synonyms_stand_behind_the_name_itself() -> None:
    nouns = name_column(Column("Home team", ("Velm", "Osk"))).nouns
    assert [noun.one for noun in nouns] == ["home team", "home side", "home squad"]
    assert nouns[1].many == "home sides"


@pytest.mark.parametrize(
    ("file", "one"),
    [
        ("mountains.csv", "mountain"),
        ("wind-farms.csv", "wind farm"),
        ("weather.csv", None),
        ("203_1.csv", None),
    ],
)
def test_noun_of_table(file: str, one: str | None) -> None:
    noun = noun_of_table(file)
    assert (noun.one if noun else None) == one
