"""How the rows of a program relate to those of the answer before: against the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest

from denota.programs import Denotation, language_of
from denota.search.axes import BLOCKS
from denota.search.lexicon import read_lexicon
from denota.search.prepare import Prepared, prepare
from search.test_candidates import TABLE


def ready(previous: Denotation | None) -> Prepared:
    history = ("which nations?",) if previous is not None else ()
    text = "who of kenya or norway had more than 40 points in 2004?"
    operators = language_of("extended")
    return prepare(text, TABLE, history, previous, None, operators, read_lexicon())


@pytest.mark.parametrize("previous", [None, Denotation((0, 3), (0,)), Denotation((), ())])
def test_relations_of_rows_to_those_before(previous: Denotation | None) -> None:
    question = ready(previous)
    block, entry = question.outcome
    assert (block[:, 2] == BLOCKS.index("relation")).all()
    before = set(previous.rows) if previous is not None else set()
    seen = set()
    for condition, bits in enumerate(question.axes.rows):
        kept = set(np.flatnonzero(np.unpackbits(bits)).tolist())
        if not before:
            expected = 0
        elif kept == before:
            expected = 1
        elif kept < before:
            expected = 2
        elif not kept & before:
            expected = 3
        else:
            expected = 4
        assert entry[condition, 2] == expected
        seen.add(expected)
    assert seen == ({1, 2, 3, 4} if before else {0})
