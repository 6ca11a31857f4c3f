"""A plain table has the same cells and fewer numbers, and is not mistaken for the other in the
cache.
"""

from __future__ import annotations

import numpy as np

from denota import sample
from denota.data import load_examples
from denota.programs import Denotation
from denota.search.preparer import Preparer
from denota.tables import Column, Table
from denota.tables.plain import PlainColumn, read_plainly

TEXTS = ("$1,200", "$3.50", "12-14", "7", "1:23.4", "3 May 2001", "", "-4", "1,2,3")


def test_only_digits_are_numbers() -> None:
    texts = ("1,200", "-3.5", "7", "", "$4", "12-14", "1,2,3", "3rd")
    expected = [1200.0, -3.5, 7.0, *[np.nan] * 5]
    more = (*texts, "8", "9")  # half of what is there
    np.testing.assert_equal(PlainColumn("a", more).numbers, [*expected, 8.0, 9.0])
    assert PlainColumn("a", texts).kind == "text"
    assert Column("a", ("$5", "$6")).kind == "number"
    assert PlainColumn("a", ("$5", "$6")).kind == "text"
    assert PlainColumn("a", ("3 May 2001", "4 May 2001")).kind == "text"


def test_cells_stay_as_they_are() -> None:
    table = Table.from_rows(["a", "b"], [[text, text] for text in TEXTS])
    plain = read_plainly(table)
    assert [c.text for c in plain.columns] == [c.text for c in table.columns]
    assert read_plainly(table) is plain, "questions of one table share it"


def test_a_store_of_plain_tables_is_another(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("DENOTA_CACHE", str(tmp_path))
    loaded = load_examples(sample.path(), "train")
    for numbers in ("full", "plain"):
        ready = Preparer("dynsp++", numbers=numbers).ahead(loaded.examples[:120])
        live = [len(one.space) for one in ready]
        assert [len(one.rewards) for one in ready] == live  # type: ignore[arg-type]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_preparer_reads_tables_as_its_settings_say() -> None:
    examples = load_examples(sample.path(), "dev").examples
    for numbers, kind in (("full", Column), ("plain", PlainColumn)):
        preparer = Preparer("dynsp++", numbers=numbers)
        ahead = preparer.ahead(examples)
        asked = [e.question for e in examples]
        assert [one.text for one in ahead] == [q.text for q in asked]
        again = preparer(asked[1], Denotation((0,), (0,)))
        for one in (*ahead, again):
            assert {type(c) for c in one.table.columns} == {kind}
        assert preparer.known(asked[0]) is ahead[0], "found by the question as it was loaded"
        tables = {id(q.table): one.table for q, one in zip(asked, ahead, strict=True)}
        shared = (one.table is tables[id(q.table)] for q, one in zip(asked, ahead, strict=True))
        assert all(shared), "questions of one table share it as before"
