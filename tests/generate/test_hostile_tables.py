"""Tables that no one would ask about, and that must not stop the generator."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denota.generate import generate
from denota.programs.execute import execute
from denota.programs.operators import language_of
from denota.programs.tree import And
from denota.tables import Table
from strategies import plausible_cells, rectangles, texts

ALL = language_of("full +cell +or")

HOSTILE = {
    "one cell": (["x"], [["1"]]),
    "one row": (["City", "People", "Year"], [["Oslo", "5", "1990"]]),
    "one column": (["City"], [["Oslo"], ["Moss"], ["Oslo"]]),
    "one column of numbers": (["Points"], [["3"], ["5"], ["3"]]),
    "no names": (["", "", ""], [["a", "1", "b"], ["c", "2", "d"]]),
    "odd names": (
        ["{asked}", "{", "%s \\", "\x02\x03"],
        [["a", "1", "b", "c"], ["d", "2", "e", "f"]],
    ),
    "names of slots": (
        ["predicate", "modifier", "value"],
        [["a", "1", "b"], ["c", "2", "d"], ["e", "3", "f"]],
    ),
    "all missing": (["City", "People"], [["-", ""], ["n/a", "?"], ["", "-"]]),
    "one column missing": (["City", "People"], [["Oslo", ""], ["Moss", ""], ["Bergen", ""]]),
    "quotes and controls": (
        ["A", "B"],
        [['"', "\x00\x01"], ["'", "\x02x\x03"], ["\\", "\u2028"], ["{x}", "}{"]],
    ),
    "long cells": (["Text", "Year"], [["word " * 5_000, "1990"], ["other " * 5_000, "1991"]]),
    "long name": (["name " * 500, "Year"], [["a", "1990"], ["b", "1991"]]),
    "all the same": (["City", "Points"], [["Oslo", "1"]] * 5),
    "only totals": (["City", "Points"], [["Total", "1"], ["Total", "2"]]),
    "negative": (["City", "Change"], [["Oslo", "-1.5"], ["Moss", "-0.5"], ["Rana", "-7"]]),
    "huge": (
        ["City", "Atoms"],
        [["Oslo", "1e300"], ["Moss", "123456789012345678901234567890"], ["Rana", "3"]],
    ),
    "scripts": (["市", "Число"], [["東京", "\uff11\uff12"], ["Москва", "٣"], ["Αθήνα", "७"]]),
    "wide": (
        [f"c{i}" for i in range(40)],
        [[str(i) for i in range(40)], [str(i * 2) for i in range(40)]],
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("held_out", [False, True])
def test_hostile_tables(name: str, held_out: bool) -> None:
    names, rows = HOSTILE[name]
    check(Table.from_rows(names, rows), 40, held_out)


def test_long_table() -> None:
    rows = [
        [f"Item {i}", str(i % 1000), f"City {i % 7}", str(1900 + i % 100)] for i in range(20_000)
    ]
    table = Table.from_rows(["Name", "Points", "City", "Year"], rows)
    assert len(list(islice(generate([table], 0), 20))) == 20


@pytest.mark.parametrize("tables", [[], [Table.from_rows(["A"], [])], [Table(())]])
def test_nothing_to_ask_about(tables: list[Table]) -> None:
    assert list(islice(generate(tables, 0), 3)) == []


def test_tables_without_rows_are_passed_over() -> None:
    tables = [Table.from_rows(["A"], []), Table.from_rows(["City"], [["Oslo"], ["Moss"]])]
    assert {c.table for c in islice(generate(tables, 0), 5)} == {tables[1]}


@settings(max_examples=60)
@given(rectangles(st.one_of(texts, plausible_cells), max_columns=5), st.integers(0, 99))
def test_any_table(cells: list[list[str]], seed: int) -> None:
    check(Table.from_rows(cells[0], cells[1:]), 5, seed=seed)


def check(table: Table, count: int, held_out: bool = False, seed: int = 0) -> None:
    """Converse about a table, and hold the answers against the executor."""
    for conversation in islice(generate([table], seed, language=ALL, held_out=held_out), count):
        before = None
        for turn in conversation.turns:
            assert turn.answer == execute(turn.program, table, before)
            assert turn.answer.cells or isinstance(
                turn.program.where, And
            )  # which may leave nothing
            assert turn.question.strip() and turn.question.isprintable()
            before = turn.answer
