"""A question found on a shelf is the question as it was made ready."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from denota.data.answer import Cells
from denota.data.example import Question
from denota.programs import Denotation
from denota.search.preparer import Preparer
from denota.search.shelf import Shelf
from denota.search.store_record import record_arrays
from search.test_candidates import TABLE


@pytest.mark.parametrize("language", ["dynsp++", "extended", "full"])
def test_what_one_leaves_another_finds(language: str, tmp_path: Path) -> None:
    text = "of those, who had more than 40 points?"
    question = Question("a", "0", 1, text, TABLE, "t.csv", ("which nations?",))
    answer, before = Cells(frozenset({(0, 1)})), Denotation((0, 1, 2), (0,))
    one, other = Preparer(language), Preparer(language)
    one.shelf, other.shelf = Shelf(tmp_path, 1), Shelf(tmp_path, 0)
    made = one(question, before, answer)
    assert len(list(tmp_path.iterdir())) == 1
    found = other(question, before, answer)
    for name in ("question", "previous_question", "names", "values", "before_constant", "previous"):
        assert getattr(found, name) == getattr(made, name)
    assert found.has_number == made.has_number and found.history == made.history
    for mine, own in zip(record_arrays(found), record_arrays(made), strict=True):
        assert np.array_equal(mine, own)
    assert [field.name for field in fields(found.axes)]
    assert found.denotation(3) == made.denotation(3)
    assert one.shelf.most == 0
    one(question, None, answer)
    assert len(list(tmp_path.iterdir())) == 1, "no more than it may leave"


def test_a_shelf_that_is_gone_does_no_harm(tmp_path: Path) -> None:
    question = Question("a", "0", 0, "which nations?", TABLE, "t.csv")
    preparer = Preparer("dynsp++")
    preparer.shelf = Shelf(tmp_path / "gone", 5)
    assert preparer(question, None).axes.programs > 0
    assert preparer.shelf.most == 0
