"""Unanswerable questions: each way takes away what the answer needs, and nothing else."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from denota.data.answer import Cells, Values, item_key
from denota.data.example import Example, Question
from denota.generate import generate
from denota.generate.examples import examples_from, first_of
from denota.generate.invented import invented_tables
from denota.generate.unanswerable import (
    BEYOND,
    SHARE,
    WAYS,
    beyond,
    drawn,
    of_another_table,
    unanswerable,
    without_column,
    without_rows,
)
from denota.programs.operators import LANGUAGES
from denota.programs.text import parse_program
from denota.tables import Table
from denota.tokens import content

TABLE = Table.from_rows(
    ["City", "Country", "People"],
    [["Oslo", "Norway", "709"], ["Bergen", "Norway", "291"], ["Turku", "Finland", "195"]],
)


def asked(text: str, *cells: tuple[int, int], meant: str = "", position: int = 0) -> Example:
    program = parse_program(meant) if meant else None
    question = Question("q", "0", position, text, TABLE, "t.csv")
    return Example(question, Cells(frozenset(cells)), program)


@pytest.fixture(scope="module")
def made_up() -> list[Example]:
    made = generate([*invented_tables(30, seed=5)], 5, language=LANGUAGES["full"])
    return examples_from(first_of(made, 150), programs=True)


def test_the_column_of_the_answer_is_gone() -> None:
    made = without_column(asked("how many people live in Oslo?", (0, 2)))
    assert made is not None and made.table.names == ("City", "Country")
    assert made.text == "how many people live in Oslo?" and len(made.table) == 3


def test_of_a_known_program_the_tested_column_is_gone(made_up: list[Example]) -> None:
    some = 0
    for example in made_up:
        made = without_column(example)
        if made is None:
            continue
        some += 1
        assert example.meant is not None
        (gone,) = set(example.question.table.names) - set(made.table.names)
        tested = {test.column for test in example.meant.tests}
        assert gone in tested | set(example.meant.columns), "the program speaks of it"
        assert not any(content(gone) & content(name) for name in made.table.names)
        assert len(made.table) == len(example.question.table)
    assert some > 30


def test_a_column_that_says_the_same_would_answer_it() -> None:
    twice = Table.from_rows(["City", "Town"], [["Oslo", "Oslo"], ["Moss", "Moss"]])
    question = Question("q", "0", 0, "which place is first?", twice, "t.csv")
    assert without_column(Example(question, Cells(frozenset({(0, 0)})))) is None
    alike = Table.from_rows(["People 2000", "People 2010"], [["1", "2"], ["3", "4"]])
    question = Question("q", "0", 0, "how many people in 2010?", alike, "t.csv")
    assert without_column(Example(question, Cells(frozenset({(0, 1)})))) is None


def test_the_rows_that_are_named_are_gone() -> None:
    made = without_rows(asked("how many people live in Oslo?", (0, 2)))
    assert made is not None and made.table["City"].text == ("Bergen", "Turku")
    assert made.table.names == TABLE.names
    assert without_rows(asked("how many people live there?", (0, 2))) is None, "none are named"


def test_rows_of_a_known_program_are_gone(made_up: list[Example]) -> None:
    some = 0
    for example in made_up:
        made = without_rows(example)
        if made is None:
            continue
        some += 1
        assert example.meant is not None and example.meant.aggregate is None, "0 is an answer"
        before = example.question.table
        lost = [
            column.name
            for column, left in zip(before.columns, made.table.columns, strict=True)
            if set(map(item_key, column.values)) - set(map(item_key, left.values))
        ]
        assert set(lost) & {test.column for test in example.meant.tests}
        assert 0 < len(made.table) < len(before)
    assert some > 5


def test_how_many_there_are_has_an_answer_without_them() -> None:
    program = "COUNT (ROWS WHERE City = 'Oslo')"
    assert without_rows(asked("how many are in Oslo?", (0, 0), meant=program)) is None


def test_another_table_has_none_of_the_words() -> None:
    question = asked("how many people live in Oslo?").question
    unlike = Table.from_rows(["Player", "Goals"], [["Ada", "3"]])
    made = of_another_table(question, unlike)
    assert made is not None and made.table is unlike and made.text == question.text
    named = Table.from_rows(["Player", "People"], [["Ada", "3"]])
    assert of_another_table(question, named) is None, "a column may say it"
    assert of_another_table(question, TABLE) is None
    assert of_another_table(question, Table.from_rows(["Player"], [])) is None


def test_beyond_asks_what_no_program_says() -> None:
    question = asked("how many people live in Oslo?").question
    texts = {beyond(question, Random(seed)).text for seed in range(300)}  # type: ignore[union-attr]
    assert len(texts) > len(BEYOND) and question.text not in texts
    assert all(made.endswith("?") or made.endswith("chart?") for made in texts)


def test_wordings_that_are_learnt_are_not_measured_with() -> None:
    question = asked("how many people live in Oslo?").question
    made = [
        {beyond(question, Random(seed), learnt).text for seed in range(300)}  # type: ignore[union-attr]
        for learnt in (False, True)
    ]
    assert len(made[0]) > len(BEYOND) and len(made[1]) > len(BEYOND)
    assert not made[0] & made[1]


def test_only_first_questions_are_used_and_ids_are_their_own(made_up: list[Example]) -> None:
    later = asked("and in Bergen?", (1, 2), position=1)
    assert unanswerable([later], Random(0)) == []
    made = [question for _, question in unanswerable(made_up, Random(0))]
    known = {example.question.id for example in made_up}
    assert all(not question.history and question.id not in known for question in made)


def test_the_draw_has_its_parts(made_up: list[Example]) -> None:
    found = drawn(made_up, Random(0))
    count = Counter(way for way, _ in found)
    most = SHARE * len(made_up)
    assert set(count) <= set(WAYS) and len(found) > most / 2
    assert all(number <= round(WAYS[way] * most) for way, number in count.items())
    assert len({question.id for _, question in found}) == len(found)
    assert found == drawn(made_up, Random(0)), "the same seed draws the same"


def test_answers_that_may_be_computed_leave_the_table_whole() -> None:
    question = Question("q", "0", 0, "how many more people?", TABLE, "t.csv")
    assert without_column(Example(question, Values(("709",)))) is None
