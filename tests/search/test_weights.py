"""Lexicons of weights, the operators read off the axes, and agreement on altered tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from denota.data.answer import Values
from denota.errors import ConfigError
from denota.programs.operators import language_of
from denota.programs.operators_used import operators_used
from denota.programs.space import program_space
from denota.programs.text import print_program
from denota.search.altered_tables import agreements, altered
from denota.search.build_axes import axes_of
from denota.search.lexicon import Lexicon, read_lexicon
from denota.search.operators_of_axes import OPERATORS, condition_operators, selection_operators
from denota.search.prepare import Prepared, prepare
from denota.tables.table import Table

TABLE = Table.from_rows(
    ["Nation", "Gold", "Silver", "Year"],
    [
        ["Norway", "4", "2", "1994"],
        ["Kenya", "4", "7", "1998"],
        ["Peru", "1", "0", "2002"],
        ["Norway", "2", "5", "2006"],
        ["Chile", "3", "1", "2010"],
    ],
)
QUESTION = "how many nations won more than 2 gold in 1994 or 1998"
FULL = language_of("full")


def _prepared(lexicon: Lexicon, answer: str = "2") -> Prepared:
    return prepare(QUESTION, TABLE, (), None, Values((answer,)), FULL, lexicon, keep_space=True)


def test_the_axes_tell_the_operators_of_a_program() -> None:
    space = program_space(QUESTION, TABLE, None, FULL)
    axes = axes_of(space)
    of_select, of_condition = selection_operators(axes), condition_operators(axes)
    ids = np.arange(0, len(space), max(1, len(space) // 2000))
    selections, conditions = axes.places_of(ids)
    for number, select, condition in zip(ids.tolist(), selections, conditions, strict=True):
        told = (of_select[select] > 0) | (of_condition[condition] > 0)
        program = space.program(number)
        features = {"table", "three", "any_of", "or", "number_words", "either"}
        wanted = operators_used(program) - features
        found = {name for name, has in zip(OPERATORS, told, strict=True) if has}
        assert found - features == wanted, str(program)


def test_none_leaves_match_alone_and_weights_add_to_it(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("how+many count 0.5\n* count -0.125\nnations greater 0.25\nabsent sum 9\n")
    plain, more = _prepared(read_lexicon("none")), _prepared(read_lexicon(str(file)))
    assert plain.words.critique.min() >= 0 and plain.words.critique.max() <= 1
    added = more.words.critique - plain.words.critique
    for number in range(0, len(added), max(1, len(added) // 500)):
        used = operators_used(plain.space.program(number))
        by_hand = 0.375 * ("count" in used) + 0.25 * ("greater" in used)
        assert added[number] == pytest.approx(by_hand, abs=1e-6)


@pytest.mark.parametrize("line", ["many count x", "many flies 0.5", "many count 0.5 0.5"])
def test_a_weight_must_be_a_number_of_an_operator(tmp_path: Path, line: str) -> None:
    file = tmp_path / "words.txt"
    file.write_text(f"many count 0.5\n{line}\n")
    with pytest.raises(ConfigError):
        read_lexicon(str(file))


def test_some_programs_have_the_critique_and_the_recall_of_all() -> None:
    ready = _prepared(read_lexicon("careful", grounded=1.0, length=0.5))
    ids = np.random.default_rng(0).integers(ready.axes.programs, size=300)
    places = ready.axes.places_of(ids)
    np.testing.assert_array_equal(ready.words.critique_of(ids, *places), ready.words.critique[ids])
    np.testing.assert_array_equal(
        ready.words.missed_by(ids, *places), ready.words.recall_missed[ids]
    )
    assert ready.rewards is not None
    np.testing.assert_array_equal(ready.rewards_of(ids), ready.rewards[ids])


def test_an_altered_table_has_the_same_columns_and_cells_of_their_own() -> None:
    other = altered(TABLE, np.random.default_rng(3))
    assert other.names == TABLE.names and len(other) == len(TABLE)
    for old, new in zip(TABLE.columns, other.columns, strict=True):
        assert set(new.text) <= set(old.text)
    assert other.columns != TABLE.columns


def test_ways_to_write_one_program_agree_and_a_stray_one_does_not() -> None:
    question = "which nation had the most silver"
    space = program_space(question, TABLE, None, FULL)
    right = np.flatnonzero(space.rewards(Values(("Kenya",))) >= 1)
    texts = [print_program(space.program(int(number))) for number in right]
    chosen = [
        texts.index("SELECT Nation WHERE Silver IS MAX"),
        texts.index("SELECT Nation WHERE Silver IS MAX WITH TIES"),
        texts.index("SELECT Nation WHERE Year = '1998'"),
    ]
    found = agreements(space, right[chosen], np.ones(3, np.float32), 40)
    assert min(found[:2]) > 1.5 * found[2]
    again = agreements(space, right[chosen], np.ones(3, np.float32), 40)
    np.testing.assert_array_equal(found, again)


def test_agreement_counts_only_for_the_policy_and_only_where_it_is_asked_for() -> None:
    plain, more = (
        _prepared(read_lexicon("none")),
        _prepared(replace(read_lexicon("none"), altered=4)),
    )
    assert plain.agreement is None and more.agreement is not None
    assert more.rewarded_programs is not None
    partial = more.rewarded_programs.rewards < 1
    assert not more.agreement[partial].any()
    np.testing.assert_array_equal(plain.words.critique, more.words.critique)
    added = more.rewarded_critique(15) - plain.rewarded_critique(15)
    assert (added >= 0).all() and added.any()
