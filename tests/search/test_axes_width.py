"""All questions of a language have axes of one width, so that they can share a batch."""

from __future__ import annotations

import pytest

from denota.generate.examples import made_up_examples
from denota.generate.invented import invented_tables
from denota.programs.operators import AGGREGATES, LANGUAGES
from denota.search.preparer import Preparer

TABLES = [table for table in invented_tables(30, seed=2) if len(table) <= 25][:6]


@pytest.mark.parametrize("left_out", [(), tuple(AGGREGATES), ("then",)])
def test_axes_of_a_language_are_as_wide_for_every_question(left_out: tuple[str, ...]) -> None:
    operators = LANGUAGES["full"] - frozenset(left_out)
    preparer = Preparer("full", operators=operators)
    examples = made_up_examples(TABLES, 40, language="full")
    ready = [preparer(example.question, None) for example in examples]
    assert len({one.axes.condition_block.shape[1] for one in ready}) == 1
