"""A question made ready again for another previous answer is as if made ready from nothing."""

from __future__ import annotations

import numpy as np
import pytest

from denota.data.answer import Cells
from denota.programs import Denotation, language_of
from denota.search.axes import BLOCKS, FIXED
from denota.search.exact import AxisScores, program_scores
from denota.search.lexicon import read_lexicon
from denota.search.new_previous import prepare_with_new_previous
from denota.search.prepare import Prepared, prepare
from denota.tables import Table

TABLE = Table.from_rows(
    ["Nation", "Name", "Points", "Year"],
    [
        ["Kenya", "Ann Odera", "44", "2004"],
        ["Norway", "Karen Lund", "62", "2004"],
        ["England", "Mary Hart", "62", "2008"],
        ["Kenya", "Joy Kamau", "17", "2012"],
        ["Total", "", "185", ""],
    ],
)
PREVIOUS = (
    None,
    Denotation((), (0,)),
    Denotation((1,), (0,)),
    Denotation((0, 2, 3), (1,)),
    Denotation((0, 1), (0, 2, 3)),
)
ASKED = ("of those, who scored more than 40 points in 2004?", TABLE, ("which nations?",))
GOLD = Cells(frozenset({(0, 1), (1, 1)}))


def same(one: Prepared, other: Prepared) -> None:
    assert one.axes.programs == other.axes.programs
    for mine, theirs in zip(one.axes.places, other.axes.places, strict=True):
        assert mine._replace(conditions=0) == theirs._replace(conditions=0)
        assert mine.conditions.tolist() == theirs.conditions.tolist()
    for name in (
        "condition_block",
        "condition_entry",
        "condition_column",
        "condition_parts",
        "rows",
    ):
        assert np.array_equal(getattr(one.axes, name), getattr(other.axes, name)), name
    for name in ("critique", "co_occur", "recall_missed", "partial_match", "partial_missed"):
        assert np.array_equal(getattr(one.words, name), getattr(other.words, name)), name
    widths = dict.fromkeys(BLOCKS, 64) | {"fixed": len(FIXED)}
    offsets = np.cumsum([0, *(widths[name] for name in BLOCKS[:-1])])
    entries = np.random.default_rng(0).normal(size=offsets[-1] + len(FIXED)).astype(np.float32)
    entries[offsets[-1] + FIXED.index("nothing")] = 0
    axis = AxisScores(entries, offsets, 0.3)
    np.testing.assert_allclose(
        program_scores(one, axis), program_scores(other, axis), rtol=1e-5, atol=1e-5
    )
    for number in range(0, one.axes.programs, 7):
        assert one.denotation(number) == other.denotation(number) == other.space.denotation(number)
    assert one.previous == other.previous


@pytest.mark.parametrize("language", ["dynsp", "dynsp++", "extended", "dynsp++ +several_columns"])
@pytest.mark.parametrize("known", PREVIOUS)
@pytest.mark.parametrize("previous", PREVIOUS)
@pytest.mark.parametrize("gold", [GOLD, None])
def test_with_a_new_previous_answer_it_is_as_from_nothing(
    language: str, known: Denotation | None, previous: Denotation | None, gold: Cells | None
) -> None:
    of = (language_of(language), read_lexicon())
    before = prepare(*ASKED, known, gold, *of)
    again = prepare_with_new_previous(before, *ASKED, previous, gold, *of)
    fresh = prepare(*ASKED, previous, gold, *of)
    same(again, fresh)
    if gold is None:
        assert again.rewards is None
    else:
        assert again.rewards is not None and fresh.rewards is not None
        assert np.array_equal(again.rewards, fresh.rewards)
