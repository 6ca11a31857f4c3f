"""Made-up questions call values otherwise than their tables do, and mean the same values."""

from __future__ import annotations

from random import Random

import pytest

from denota.generate.called import many, names, telling_word
from denota.generate.conversation import generate
from denota.generate.invented import invented_tables
from denota.generate.profile import profile
from denota.programs.execute import execute
from denota.programs.index import index_of
from denota.programs.operators import LANGUAGES
from denota.programs.text import print_program
from denota.tables.table import Table

BIRDS = Table.from_rows(
    ["Species", "State", "Name", "Weight"],
    [
        ["Adelie Penguin (Pygoscelis adeliae)", "TX", "Ada Hall", "3700"],
        ["Chinstrap penguin (Pygoscelis antarctica)", "NC", "Bo Reed", "3600"],
        ["Gentoo penguin (Pygoscelis papua)", "NC", "Cy Lund", "5100"],
        ["Gentoo penguin (Pygoscelis papua)", "TX", "Di Moss", "5000"],
    ],
)


def said_of(column: str, loose: bool = True) -> dict[str, tuple[str, ...]]:
    own = next(one for one in profile(BIRDS, loose=loose).columns if one.name == column)
    return dict(zip(own.texts, own.said, strict=True))


def test_a_code_is_called_by_its_name_first() -> None:
    assert said_of("State")["NC"] == ("North Carolina", "NC")
    assert said_of("State", loose=False)["NC"] == ("NC",)


def test_one_word_tells_a_value_that_no_other_has() -> None:
    ways = said_of("Species")["Chinstrap penguin (Pygoscelis antarctica)"]
    assert "Chinstrap" in ways and "penguin" not in ways


def test_a_person_is_called_by_a_surname_and_never_by_a_first_name() -> None:
    assert said_of("Name")["Ada Hall"] == ("Ada Hall", "Hall")


def test_words_that_several_values_have_tell_none() -> None:
    table = Table.from_rows(["Team"], [["Red Lions"], ["Red Bears"], ["Blue Bears"]])
    (index,) = index_of(table).columns
    assert telling_word("Red Lions", index) == "Lions"
    assert telling_word("Red Bears", index) == ""
    assert telling_word("Lions", index) == ""  # nothing is left out of one word


@pytest.mark.parametrize(("one", "several"), [("Adelie", "Adelies"), ("SUV 4", ""), ("red", "")])
def test_kinds_are_spoken_of_as_many(one: str, several: str) -> None:
    assert many(one) == several


def test_no_two_values_of_a_column_are_called_alike() -> None:
    for table in invented_tables(60, seed=4):
        for column in profile(table, loose=True).columns:
            ways = [way.lower() for own in column.said for way in own]
            assert len(ways) == len({*ways}) or column.is_yes_no, (table.names, column.name)


def test_what_is_asked_by_name_means_the_code() -> None:
    tables = [t for t in invented_tables(300, seed=2) if any(map(any, map(names, texts_of(t))))]
    assert len(tables) > 20
    language = LANGUAGES["full"]
    made = generate(tables, Random(1), language=language, turns=(1,), loose=1.0)
    called = 0
    for _, one in zip(range(1500), made, strict=False):
        (turn,) = one.turns
        assert execute(turn.program, one.table) == turn.answer
        program = print_program(turn.program)
        known = {c: n for own in texts_of(one.table) for c, n in zip(own, names(own), strict=True)}
        asked = turn.question.lower()
        called += any(f"= '{c}'" in program and n.lower() in asked for c, n in known.items() if n)
    assert called > 30


def texts_of(table: Table) -> list[tuple[str, ...]]:
    return [column.values for column in table.columns if column.kind == "text"]
