"""Invented tables: the same from the same seed, of every kind, readable as what they are."""

from __future__ import annotations

import time
from collections import Counter
from functools import cache
from random import Random

import pytest

from denota.generate.invented import invent_kind, invented_tables, table_kinds
from denota.tables import Table


@cache
def invented() -> list[Table]:
    return list(invented_tables(300, seed=5))


def cells(table: Table) -> list[tuple[str, ...]]:
    return [column.text for column in table.columns]


def test_a_seed_gives_the_same_tables() -> None:
    for one, other in zip(invented()[:20], invented_tables(20, seed=5), strict=True):
        assert (one.name, one.names, cells(one)) == (other.name, other.names, cells(other))


def test_a_longer_run_begins_with_a_shorter_one() -> None:
    assert [t.names for t in invented_tables(5, seed=5)] == [t.names for t in invented()[:5]]


def test_seeds_differ() -> None:
    assert cells(next(invented_tables(1, seed=6))) != cells(invented()[0])


def test_lengths_go_from_a_few_rows_to_thousands() -> None:
    lengths = sorted(len(table) for table in invented())
    assert lengths[0] < 10 and lengths[-1] > 1000
    assert 15 < lengths[len(lengths) // 2] < 120


def test_long_tables_are_quick() -> None:
    began = time.perf_counter()
    table = invent_kind("orders", Random(0), rows=5000)
    assert len(table) == 5000 and time.perf_counter() - began < 2


@pytest.mark.parametrize("kind", table_kinds())
def test_every_kind_has_columns_of_several_sorts(kind: str) -> None:
    sorts = Counter[str]()
    for seed in range(6):
        table = invent_kind(kind, Random(seed), rows=25)
        assert len(set(table.names)) == len(table.names) >= 4
        assert all(column.name for column in table.columns)
        sorts.update(column.kind for column in table.columns)
    assert sorts["text"] and sorts["number"] + sorts["date"] > 5


def test_headers_come_in_every_style() -> None:
    names = {name for table in invented() for name in table.names}
    assert any(name.islower() and "_" in name for name in names)
    assert any(name.isupper() and "_" in name for name in names)
    assert any(name[0].islower() and not name.islower() for name in names)
    assert {"Qty", "Dept"} & names and any("(" in name for name in names)


def test_columns_share_words_and_values() -> None:
    """Siblings share words; what one column holds recurs in another."""
    siblings = shared = 0
    for table in invented():
        words = [set(name.lower().replace("_", " ").split()) for name in table.names]
        siblings += any(a & b for i, a in enumerate(words) for b in words[i + 1 :])
        texts = [set(c.text) - {""} for c in table.columns if c.kind == "text"]
        shared += any(a & b for i, a in enumerate(texts) for b in texts[i + 1 :])
    assert siblings > 0.5 * len(invented()) and shared > 0.2 * len(invented())


def test_dates_and_money_are_read_as_such() -> None:
    units = Counter(column.unit for table in invented() for column in table.columns)
    assert {"$", "€", "£", "%", "year"} <= units.keys()
    kinds = Counter(column.kind for table in invented() for column in table.columns)
    assert kinds["date"] > 200


def test_some_cells_have_no_value() -> None:
    gaps = [any(column.missing.any() for column in table.columns) for table in invented()]
    assert 0.05 < sum(gaps) / len(gaps) < 0.6
